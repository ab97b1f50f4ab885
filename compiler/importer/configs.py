"""The plugin's configurations in `config.map`: each becomes a node pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from compiler.check import check_config
from compiler.check.chartvalues import ChartValues, Setting
from compiler.check.pluginconfig import PluginConfig, read_config
from compiler.check.scene import Route
from compiler.diagnostics import Diagnostic, Place
from compiler.importer.handlers import PATCH, is_unset, unset
from compiler.importer.report import Outcome, in_overlay, leaves
from compiler.importer.state import Import, Profile
from compiler.objects import Json

CONFIG_LABEL: Final = "nvidia.com/device-plugin.config"
_STRATEGIES: Final[Route] = ("flags", "plugin", "deviceListStrategy")
Part = Callable[[Import, ChartValues, Route, Json, Profile], None]


def default_name(state: Import, values: ChartValues, setting: Setting) -> None:
    """Say that the default configuration is that of the first pool."""
    if is_unset(setting.value):
        unset(state, values, setting)
    else:
        why = "gpuc's first pool; every pool has a configuration of its own, so that no label chooses one"
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)


def own_config_map(state: Import, values: ChartValues, setting: Setting) -> None:
    """Say that a ConfigMap of somebody's own was not read."""
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    why = "the configuration is in a ConfigMap that the values only name: what it says about sharing is not here"
    cure = "write the sharing into the overlay's pool, or put the configuration into `config.map` and import again"
    state.add(values, setting.route, setting.value, Outcome.QUESTION, why, cure)


def profiles(state: Import, values: ChartValues, setting: Setting) -> None:
    """Read every configuration; the default one first."""
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    first = chosen(values, setting.value)
    names = sorted(setting.value, key=lambda name: name != first)
    for name in names:
        _profile(state, values, (*setting.route, name), setting.value[name], Profile(str(name)))


def chosen(values: ChartValues, configs: dict[str, Json]) -> str:
    """Return the name of the default configuration, as config-manager picks it, or the first where it finds none."""
    wanted = values.effective("config", "default")
    if isinstance(wanted, str) and wanted in configs:
        return wanted
    return "default" if "default" in configs else next(iter(configs))


def _profile(state: Import, values: ChartValues, route: Route, text: Json, profile: Profile) -> None:
    state.profiles.append(profile)
    if not isinstance(text, str):
        said = "must be text: the chart writes it into a ConfigMap, and the plugin reads it as a file"
        state.add(values, route, text, Outcome.WRONG, said, f"write `{route[-1]}: |` and the configuration below it")
        return

    def place(inner: Route, /, *, key: bool = False) -> Place:
        return values.place((*route, *inner), key=key)

    config = read_config(text, f"configuration {profile.name}", place)
    if config.unreadable or not isinstance(config.data, dict):
        said = config.unreadable or "holds no configuration"
        state.add(values, route, text, Outcome.WRONG, said, "mend the YAML")
        return
    found = check_config(config)
    judged = [item for inner, _ in _fields(config.data) if (item := _wrong(config, inner, found))]
    for inner, value in _fields(config.data):
        wrong = _wrong(config, inner, found)
        if wrong:
            state.add(values, (*route, *inner), value, Outcome.WRONG, wrong.message, wrong.help or "")
        elif inner[:1] != ("sharing",):
            _leaf(state, values, route, inner, value, profile)
    for item in found:
        if item not in judged:
            what = (values.what, f"configuration {profile.name}")
            state.beside(what, None, item.place or values.place(route), Outcome.WRONG, item.message, item.help or "")
    _sharing(
        state,
        values,
        route,
        config,
        profile,
        broken={inner for inner, _ in _fields(config.data) if _wrong(config, inner, found)},
    )


def _fields(data: Json) -> Iterator[tuple[Route, Json]]:
    """Yield the values of a configuration; the list of strategies is one."""
    for inner, value in leaves(data):
        if inner[:3] != _STRATEGIES:
            yield inner, value
        elif inner[3:] in {(), (0,)}:
            yield _STRATEGIES, data["flags"]["plugin"]["deviceListStrategy"]


def _wrong(config: PluginConfig, inner: Route, found: list[Diagnostic]) -> Diagnostic | None:
    """Return what a rule finds at a value, or at a key on the way to it."""
    for depth in range(len(inner), 0, -1):
        places = {config.place(inner[:depth], key=True)} | ({config.place(inner)} if depth == len(inner) else set())
        for item in found:
            if item.place in places and item.is_error:
                return item
    return None


def _leaf(state: Import, values: ChartValues, route: Route, inner: Route, value: Json, profile: Profile) -> None:
    here = (*route, *inner)
    if inner == ("version",):
        state.add(values, here, value, Outcome.DEFAULT, "gpuc writes the file's version")
        return
    handler = _FLAGS.get(inner) or next((_FLAGS[key] for key in _FLAGS if inner[: len(key)] == key), None)
    if handler is None or value is None:
        why = "empty: nothing is set" if value is None or value in ({}, []) else "gpuc has no setting for it"
        outcome = Outcome.DEFAULT if value is None or value in ({}, []) else Outcome.UNEXPRESSED
        state.add(values, here, value, outcome, why, "" if outcome is Outcome.DEFAULT else PATCH)
        return
    handler(state, values, here, value, profile)


def _flag(target: Route, above: str) -> Part:
    """Return a handler for a flag of the file that goes into the stack; `above` is the chart's key, which would win."""

    def handle(state: Import, values: ChartValues, route: Route, value: Json, _: Profile) -> None:
        set_above = values.set(*above.split(".")) if above else None
        if not is_unset(set_above) and set_above != value:
            said = f"the chart's `{above}` becomes an environment variable, which wins over the file: {set_above} holds"
            state.add(values, route, value, Outcome.WRONG, said, "delete one of the two")
        else:
            state.stack(values, route, value, target)

    return handle


def _list_flag(state: Import, values: ChartValues, route: Route, value: Json, _: Profile) -> None:
    items = value if isinstance(value, list) else [item.strip() for item in str(value).split(",")]
    state.stack(values, route, items, ("devicePlugin", "deviceListStrategy"), written=value)


def _mig_flag(state: Import, values: ChartValues, route: Route, value: Json, profile: Profile) -> None:
    if value != "none":
        profile.parts["mig"] = {"strategy": value}
        where = in_overlay("nodePools", len(state.profiles) - 1, "mig", "strategy")
        state.add(values, route, value, Outcome.TRANSLATED, targets=where)
    else:
        state.add(values, route, value, Outcome.DEFAULT, "gpuc's default")


_FLAGS: Final[dict[Route, Part]] = {
    ("flags", "migStrategy"): _mig_flag,
    ("flags", "failOnInitError"): _flag(("devicePlugin", "failOnInitError"), "failOnInitError"),
    ("flags", "nvidiaDriverRoot"): _flag(("devicePlugin", "nvidiaDriverRoot"), "nvidiaDriverRoot"),
    ("flags", "deviceDiscoveryStrategy"): _flag(("devicePlugin", "deviceDiscoveryStrategy"), "deviceDiscoveryStrategy"),
    ("flags", "mpsRoot"): _flag(("devicePlugin", "mpsRoot"), "mps.root"),
    ("flags", "plugin", "passDeviceSpecs"): _flag(("devicePlugin", "passDeviceSpecs"), "compatWithCPUManager"),
    ("flags", "plugin", "deviceIDStrategy"): _flag(("devicePlugin", "deviceIDStrategy"), "deviceIDStrategy"),
    ("flags", "plugin", "deviceListStrategy"): _list_flag,
    ("flags", "gfd", "sleepInterval"): _flag(("gpuFeatureDiscovery", "sleepInterval"), "sleepInterval"),
    ("flags", "gfd", "noTimestamp"): _flag(("gpuFeatureDiscovery", "noTimestamp"), "noTimestamp"),
}


def _sharing(
    state: Import, values: ChartValues, route: Route, config: PluginConfig, profile: Profile, *, broken: set[Route]
) -> None:
    """Translate what is shared; a part that is wrong leaves the pool unshared."""
    if not isinstance(config.data, dict) or "sharing" not in config.data:
        return
    data = config.at("sharing")
    inside = [(inner, value) for inner, value in leaves(data, ("sharing",)) if inner not in broken]
    for key, options in config.sharing():
        if any(inner[:2] == ("sharing", key) for inner in broken) or not isinstance(options, dict):
            continue
        profile.parts["sharing"] = _as_pool(key, options)
    where = in_overlay("nodePools", len(state.profiles) - 1, "sharing")
    for inner, value in inside:
        here = (*route, *inner)
        key = str(inner[-1])
        if key in {"name", "replicas"} or (value is True and key in profile.parts.get("sharing", {})):
            state.add(values, here, value, Outcome.TRANSLATED, targets=where)
        elif value is False or value is None or value == {}:
            state.add(values, here, value, Outcome.DEFAULT, "gpuc's default")
        elif key == "failRequestsGreaterThanOne":
            state.add(values, here, value, Outcome.DEFAULT, "with MPS the plugin refuses such requests anyway")
        else:
            why = "gpuc shares every device of a resource alike, under the resource's name"
            state.add(values, here, value, Outcome.UNEXPRESSED, why, "use renameByDefault, or leave it out")


def _as_pool(key: str, options: dict[str, Json]) -> Json:
    """Return what a pool says in place of `sharing.timeSlicing` or `sharing.mps`."""
    sharing: dict[str, Json] = {"strategy": "mps" if key == "mps" else "time-slicing"}
    items = [item for item in options.get("resources") or [] if isinstance(item, dict)]
    shared = [{"name": item.get("name"), "replicas": item.get("replicas")} for item in items]
    if len(shared) == 1 and shared[0]["name"] == "nvidia.com/gpu":
        sharing["replicas"] = shared[0]["replicas"]
    else:
        sharing["resources"] = shared
    for option in ("renameByDefault", "failRequestsGreaterThanOne"):
        if options.get(option) is True and not (key == "mps" and option.startswith("fail")):
            sharing[option] = True
    return sharing
