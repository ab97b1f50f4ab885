"""Which file of which ConfigMap a container sees under a path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, normpath

from compiler.check.objects.plain import items, mapping, text
from compiler.check.scene import Located, PodTemplate, Route, Scene
from compiler.diagnostics import Place
from compiler.objects import Json, Obj
from compiler.yaml.readback import UnreadableError, load_all


@dataclass(frozen=True)
class Mounted:
    """A file that a container sees: the ConfigMap and key that it comes from, and where the pod names the ConfigMap."""

    source: Located
    key: str
    text: str

    def place(self) -> Place:
        """Return the place of the file's key in the ConfigMap."""
        return self.source.place(("data", self.key), key=True)


def read_yaml(content: str) -> Json:
    """Return a file's first YAML document as plain data, or None where it is no YAML."""
    try:
        return next(iter(load_all(content)), None)
    except UnreadableError:
        return None


def files_at(scene: Scene, pod: PodTemplate, container: Obj, path: str) -> list[Mounted]:
    """Return the files of ConfigMaps that a container sees at a path: one where it is a file, more for a folder."""
    wanted = normpath(path) if path else ""
    volumes = {text(volume.get("name")): volume for _, volume in items(pod.spec.get("volumes"))}
    found = []
    for _, mount in items(container.get("volumeMounts")):
        volume = volumes.get(text(mount.get("name")))
        where = normpath(text(mount.get("mountPath")) or "/")
        if volume is None or where not in (wanted, dirname(wanted)):
            continue
        for config_map, name, key in _contents(scene, pod, volume):
            shown = where if mount.get("subPath") == name else f"{where}/{name}"
            if mount.get("subPath") and mount.get("subPath") != name:
                continue
            if wanted in (shown, where):
                found.append(Mounted(config_map, key, text(config_map.get("data", key))))
    return found


def _contents(scene: Scene, pod: PodTemplate, volume: Obj) -> Iterator[tuple[Located, str, str]]:
    """Yield what a volume holds: the ConfigMap, the file's name in the volume, and its key."""
    for _, reference in sources(volume):
        config_map = scene.find("ConfigMap", pod.owner.namespace, text(reference.get("name")))
        if config_map is None:
            continue
        chosen = [(text(item.get("key")), text(item.get("path"))) for _, item in items(reference.get("items"))]
        data = mapping(config_map.obj.get("data"))
        for key, name in chosen or [(key, key) for key in data]:
            if isinstance(data.get(key), str):
                yield config_map, name, key


def sources(volume: Obj, kind: str = "configMap") -> Iterator[tuple[Route, Obj]]:
    """Yield a volume's references to ConfigMaps (or, as `secret`, to Secrets), projected ones too."""
    if isinstance(volume.get(kind), dict):
        yield (kind,), volume[kind]
    for index, source in items(mapping(volume.get("projected")).get("sources")):
        if isinstance(source.get(kind), dict):
            yield ("projected", "sources", index, kind), source[kind]
