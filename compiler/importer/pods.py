"""Settings that pods of all three charts have: images, resources, strategies of updating."""

from __future__ import annotations

from typing import Final

from compiler.check.chartvalues import ChartValues, Setting
from compiler.check.scene import Route
from compiler.importer.handlers import PATCH, Handler, is_default, is_unset, unset
from compiler.importer.report import Outcome, in_stack
from compiler.importer.state import Import
from compiler.model import versions
from compiler.objects import Json

KNOWN: Final = {
    "nodeFeatureDiscovery": versions.NODE_FEATURE_DISCOVERY,
    "devicePlugin": versions.DEVICE_PLUGIN,
    "dcgmExporter": versions.DCGM_EXPORTER,
}


def tag(component: str) -> Handler:
    """Return a handler for the tag of a component's image: its version, a variant of it, a digest behind it."""

    def handle(state: Import, values: ChartValues, setting: Setting) -> None:
        if is_unset(setting.value):
            unset(state, values, setting)
            return
        name, _, digest = str(setting.value).partition("@")
        kept = state.draft.get("stack", (component, "version"))
        release = next((one for one in KNOWN[component] if _is_of(name, one)), None)
        if release is None and name:
            known = ", ".join(KNOWN[component])
            why = f"gpuc knows {known}; the stack has {kept}, whose settings and rights it compiles"
            help_ = f"write it at {component}.version to insist"
            state.add(values, setting.route, setting.value, Outcome.UNEXPRESSED, why, help_)
            return
        written: list[tuple[Route, str]] = []
        if release and release != kept:
            written.append(((component, "version"), release))
        if name and name != release:
            written.append(((component, "image", "tag"), name))
        if digest:
            written.append(((component, "image", "digest"), digest))
        for target, value in written:
            state.draft.put("stack", target, value)
        outcome = Outcome.TRANSLATED if written else Outcome.DEFAULT
        why = "" if written else "the version that gpuc knows"
        targets = tuple(target for route, _ in written for target in in_stack(*route))
        state.add(values, setting.route, setting.value, outcome, why, targets=targets)

    return handle


def _is_of(tag_: str, release: str) -> bool:
    """Return whether a tag is a release's, also one of another base image, such as v0.20.0-ubi9."""
    base = release.removesuffix("-distroless")
    return tag_ in (release, base) or tag_.startswith(f"{base}-")


def repository(component: str, usual: str) -> Handler:
    """Return a handler for the repository of a component's image."""

    def handle(state: Import, values: ChartValues, setting: Setting) -> None:
        if is_unset(setting.value):
            unset(state, values, setting)
        elif setting.value == usual:
            state.add(values, setting.route, setting.value, Outcome.DEFAULT, "the repository that gpuc takes")
        else:
            why = "a mirror of every image is shorter as registryPrefix"
            state.translated(values, setting, (component, "image", "repository"), why=why)

    return handle


def resources(*components: Route) -> Handler:
    """Return a handler for requests and limits of components; GPUs among them are a mistake."""

    def handle(state: Import, values: ChartValues, setting: Setting) -> None:
        if is_unset(setting.value):
            unset(state, values, setting)
            return
        kept: dict[str, Json] = {}
        for part, amounts in setting.value.items():
            route = (*setting.route, part)
            if part not in {"requests", "limits"} or not isinstance(amounts, dict):
                state.add(
                    values, route, amounts, Outcome.WRONG, "resources hold requests and limits", "move or delete it"
                )
                continue
            for name, amount in amounts.items():
                if name.startswith("nvidia.com/"):
                    said = f"a pod of the stack must not ask for {name}: it takes a slice, and sees one card"
                    cure = "leave it out: runtimeClassName and NVIDIA_VISIBLE_DEVICES already show it every card"
                    state.add(values, (*route, name), amount, Outcome.WRONG, said, cure)
                else:
                    kept.setdefault(part, {})[name] = amount
        for part, amounts in kept.items():
            for name, amount in amounts.items():
                targets = [(*component, "resources", part, name) for component in components]
                state.stack(values, (*setting.route, part, name), amount, *targets)

    return handle


def update_strategy(*components: Route) -> Handler:
    """Return a handler for a DaemonSet's updateStrategy."""

    def handle(state: Import, values: ChartValues, setting: Setting) -> None:
        if is_default(setting):
            state.add(values, setting.route, setting.value, Outcome.DEFAULT, "Kubernetes' default")
            return
        value = setting.value
        rolling = value.get("rollingUpdate") if isinstance(value.get("rollingUpdate"), dict) else {}
        extra = sorted({*value} - {"type", "rollingUpdate"}) + sorted({*rolling} - {"maxUnavailable"})
        written = {"type": value.get("type", "RollingUpdate")}
        if "maxUnavailable" in rolling:
            written["maxUnavailable"] = rolling["maxUnavailable"]
        if extra:
            why = f"gpuc has type and maxUnavailable, not {', '.join(extra)}"
            state.add(values, setting.route, value, Outcome.UNEXPRESSED, why, PATCH)
        else:
            targets = [(*component, "updateStrategy") for component in components]
            state.stack(values, setting.route, written, *targets, written=value)

    return handle


def each(*targets: Route) -> Handler:
    """Return a handler that puts every item of a mapping into the stack, such as labels."""

    def handle(state: Import, values: ChartValues, setting: Setting) -> None:
        if is_unset(setting.value):
            unset(state, values, setting)
            return
        for key, item in setting.value.items():
            state.stack(values, (*setting.route, key), item, *[(*target, key) for target in targets])

    return handle
