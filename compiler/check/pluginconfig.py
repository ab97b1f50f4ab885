"""What rules on the device plugin's configuration read, wherever it stands.

The same rules serve the ConfigMap that gpuc makes after the users' patches, an entry of a chart's `config.map`, and a
file of its own. Upstream reads it with sigs.k8s.io/yaml, without strictness. Source: k8s-device-plugin,
api/config/v1/config.go, parseConfigFrom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from compiler.check.objects.plain import items, text
from compiler.check.scene import Locator, Route, Scene, pod_templates
from compiler.diagnostics import Place
from compiler.errors import InputError
from compiler.load import Document, load_text
from compiler.objects import Json, value_at

GPU_RESOURCE = "nvidia.com/gpu"


@dataclass(frozen=True)
class PluginConfig:
    """A configuration of the device plugin, GPU Feature Discovery and the MPS daemon.

    `what` is how messages call it. `documents` is how many YAML documents the text has; `data` is the first.
    `requested` are the extended resources that workloads in sight ask for, each with a place where one does.
    `unreadable` says why the text is no YAML; `data` is then None.
    """

    what: str
    data: Json
    place: Locator = field(repr=False, compare=False)
    documents: int = 1
    requested: Mapping[str, Place] = field(default_factory=dict)
    unreadable: str | None = None

    def at(self, *route: str | int) -> Json:
        """Return the value at a route, or None where there is none."""
        return value_at(self.data, route)

    def sharing(self) -> Iterator[tuple[str, Json]]:
        """Yield what is configured under `sharing`: timeSlicing, then mps."""
        for key in ("timeSlicing", "mps"):
            if isinstance(self.at("sharing"), dict) and key in self.at("sharing"):
                yield key, self.at("sharing", key)

    def resources(self) -> Iterator[tuple[Route, dict[str, Json]]]:
        """Yield every shared resource with its route."""
        for key, _ in self.sharing():
            items = self.at("sharing", key, "resources")
            for index, item in enumerate(items if isinstance(items, list) else []):
                if isinstance(item, dict):
                    yield ("sharing", key, "resources", index), item


def split_documents(text: str) -> list[str]:
    """Return the YAML documents of a text, without those that hold nothing but comments.

    Good enough for this file, which holds no text blocks: a line that begins with `---` starts a document.
    """
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if line == "---" or line.startswith(("--- ", "---\t")):
            parts.append([line[3:]])
        else:
            parts[-1].append(line)
    # Lines before the document stay as empty ones, so that places still count from the file's beginning.
    found, before = [], 0
    for lines in parts:
        if any(line.strip() and not line.lstrip().startswith("#") for line in lines):
            found.append("\n" * before + "\n".join(lines) + "\n")
        before += len(lines)
    return found


def read_config(
    text: str, what: str, place: Locator | None = None, requested: Mapping[str, Place] | None = None
) -> PluginConfig:
    """Return the configuration that a text holds; `what` is how messages call it, a path where it is a file.

    Places are those within the text, unless `place` finds them elsewhere: it is then given routes of the text's data.
    """
    documents = split_documents(text)
    try:
        document = load_text(documents[0] if documents else text, what)
    except InputError as error:
        first = error.diagnostics[0]
        return PluginConfig(what, None, place or partial(_fixed, first.place), len(documents), {}, first.message)
    return PluginConfig(what, document.data, place or partial(_within, document), len(documents), requested or {})


def _fixed(place: Place | None, _: Route, /, *, key: bool = False) -> Place:  # noqa: ARG001 -- a locator's form
    return place or Place("")


def _within(document: Document, route: Route, /, *, key: bool = False) -> Place:
    return document.place(route, key=key)


def requested_resources(scene: Scene) -> dict[str, Place]:
    """Return the resources of `nvidia.com` that the scene's pods ask for, each with a place where one does."""
    found: dict[str, Place] = {}
    for pod in pod_templates(scene):
        for route, container in pod.containers():
            resources = container.get("resources")
            limits = resources.get("limits") if isinstance(resources, dict) else None
            for name in limits if isinstance(limits, dict) else ():
                if str(name).startswith("nvidia.com/"):
                    found.setdefault(str(name), pod.place(*route, "resources", "limits", name, key=True))
    return found


def plugin_configs(scene: Scene) -> Iterator[PluginConfig]:
    """Yield the plugin configurations in the scene's ConfigMaps: those that a container's CONFIG_FILE points into.

    An entry that is none of them is yielded too where it looks like one: `version: v1` with flags or sharing.
    """
    wired = set(_wired(scene))
    requested = requested_resources(scene)
    for item in scene.of_kind("ConfigMap"):
        data = item.get("data")
        for key, content in (data if isinstance(data, dict) else {}).items():
            if not isinstance(content, str):
                continue
            named = (item.namespace, item.name, key) in wired
            if named or _looks_like_one(content):
                what = f"{key} of ConfigMap {item.name}"
                yield read_config(content, what, partial(_entry, item.place, key), requested)


def _entry(place: Locator, entry: str, route: Route, /, *, key: bool = False) -> Place:
    """Return the place of an entry's content: whoever made the scene's locators may know the lines within it."""
    return place(("data", entry, *route), key=key)


def _looks_like_one(text: str) -> bool:
    return text.lstrip().startswith("version:") and ("\nflags:" in text or "\nsharing:" in text)


def _wired(scene: Scene) -> Iterator[tuple[str, str, str]]:
    """Yield namespace, ConfigMap and key of every file that a container is told to read by CONFIG_FILE."""
    for pod in pod_templates(scene):
        volumes = {text(volume.get("name")): volume.get("configMap") for _, volume in items(pod.spec.get("volumes"))}
        for _, container in pod.containers():
            for path in _config_files(container):
                for _, mount in items(container.get("volumeMounts")):
                    folder = text(mount.get("mountPath")).rstrip("/")
                    source = volumes.get(text(mount.get("name")))
                    if isinstance(source, dict) and path.startswith(f"{folder}/"):
                        yield pod.owner.namespace, text(source.get("name")), path[len(folder) + 1 :]


def _config_files(container: dict[str, Json]) -> Iterator[str]:
    for _, variable in items(container.get("env")):
        if text(variable.get("name")) in {"CONFIG_FILE", "GFD_CONFIG_FILE"}:
            yield text(variable.get("value"))
