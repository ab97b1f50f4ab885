"""The device plugin does not read the configuration that is meant for it.

What it does: follows `CONFIG_FILE` (with config-manager: the folder of configurations and DEFAULT_CONFIG) of the device
plugin, GPU Feature Discovery and the MPS daemon to the file in a ConfigMap, and looks for ConfigMaps in their namespace
that hold a configuration of the plugin and that none of them mounts.

Why it fails at run time: a path without a file makes the plugin exit, a default that is not there makes config-manager
exit. A configuration that nothing mounts has no effect at all: the cards are not shared, and nothing says so. Sources:
k8s-device-plugin#990, gpu-operator#412.

How to mend it: mount the ConfigMap, and let CONFIG_FILE name its key below the mount's path.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, normpath

from compiler.check.objects.mounts import files_at, read_yaml, sources
from compiler.check.objects.plain import items, mapping, text
from compiler.check.objects.programs import Program, StackPod, env_of, program_of, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Scene
from compiler.objects import Obj

_READERS = (Program.PLUGIN, Program.GFD, Program.MPS)


def _check(scene: Scene) -> Iterator[Finding]:
    for item in running(scene, *_READERS):
        yield from _path(scene, item)
        yield from _default(scene, item)
    yield from _unread(scene)


def _path(scene: Scene, item: StackPod) -> Iterator[Finding]:
    index, value = item.env().get("CONFIG_FILE", (0, None))
    path = text(value)
    if not path or files_at(scene, item.pod, item.container, path):
        return
    volumes = {text(volume.get("name")): volume for _, volume in items(item.pod.spec.get("volumes"))}
    folder = dirname(normpath(path))
    mounts = [
        mount
        for _, mount in items(item.container.get("volumeMounts"))
        if normpath(text(mount.get("mountPath")) or "/") in {folder, normpath(path)}
    ]
    for mount in mounts:
        references = [reference for _, reference in sources(volumes.get(text(mount.get("name")), {}))]
        if not references or any(_is_unknown(scene, item, reference) for reference in references):
            return
    there = ", ".join(file.key for file in files_at(scene, item.pod, item.container, folder))
    yield Finding(
        f"{item} reads {path}, where no file is mounted: it exits at once",
        item.place("env", index, "value"),
        f"in {folder} there is {there}" if there else f"mount the ConfigMap with the configuration at {folder}",
    )


def _is_unknown(scene: Scene, item: StackPod, reference: Obj) -> bool:
    """Return whether a ConfigMap is not among the objects, or lacks a key that the volume names: GPU217 says so."""
    found = scene.find("ConfigMap", item.namespace, text(reference.get("name")))
    return found is None or any(
        text(entry.get("key")) not in mapping(found.get("data")) for _, entry in items(reference.get("items"))
    )


def _default(scene: Scene, item: StackPod) -> Iterator[Finding]:
    for route, container in item.pod.containers():
        env = env_of(container)
        index, value = env.get("DEFAULT_CONFIG", (0, None))
        name = text(value)
        if program_of(container) is not Program.CONFIG_MANAGER or not name:
            continue
        files = files_at(scene, item.pod, container, text(env.get("CONFIG_FILE_SRCDIR", (0, ""))[1]))
        if files and name not in {file.key for file in files}:
            yield Finding(
                f"the default configuration {name} of {item} does not exist: config-manager exits, and the pod never "
                "starts",
                item.pod.place(*route, "env", index, "value"),
                f"there are: {', '.join(file.key for file in files)}",
            )
            return


def _unread(scene: Scene) -> Iterator[Finding]:
    readers = list(running(scene, *_READERS))
    read = {
        (item.namespace, text(reference.get("name")))
        for item in readers
        if _is_told(item)
        for _, volume in items(item.pod.spec.get("volumes"))
        for _, reference in sources(volume)
    }
    namespaces = {item.namespace for item in readers}
    for config_map in scene.of_kind("ConfigMap"):
        if config_map.namespace in namespaces and (config_map.namespace, config_map.name) not in read:
            for key in _configurations(config_map):
                yield Finding(
                    f"{config_map} holds a configuration of the device plugin that nothing reads: it has no effect",
                    config_map.place(("data", key), key=True),
                    "mount it in the pods of the device plugin and of GPU Feature Discovery, and set CONFIG_FILE",
                )


def _is_told(item: StackPod) -> bool:
    """Return whether a pod's program reads a file at all."""
    managed = any(program_of(container) is Program.CONFIG_MANAGER for _, container in item.pod.containers())
    return managed or "CONFIG_FILE" in item.env() or item.argument("config-file") is not None


def _configurations(config_map: Located) -> Iterator[str]:
    for key, value in mapping(config_map.get("data")).items():
        if isinstance(value, str) and "version:" in value and ("sharing:" in value or "migStrategy:" in value):
            data = mapping(read_yaml(value))
            if data.get("version") == "v1" and {"sharing", "flags"} & data.keys():
                yield key


RULE = SceneRule("GPU246", "config-wired", _check)
