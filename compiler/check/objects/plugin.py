"""The device plugin's configuration as its pods will read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.check.objects.mounts import Mounted, files_at, read_yaml
from compiler.check.objects.plain import items, mapping, text
from compiler.check.objects.programs import Program, StackPod, env_of, program_of, running
from compiler.check.scene import Scene
from compiler.objects import Json, Obj


@dataclass(frozen=True)
class Profile:
    """One configuration that a pod of the plugin's family can be started with."""

    file: Mounted
    data: Obj

    def sharing(self) -> tuple[str, Obj] | None:
        """Return the strategy, `time-slicing` or `mps`, and its settings; None where nothing is shared.

        Where both are given the plugin takes MPS. Source: k8s-device-plugin, api/config/v1/sharing.go.
        """
        given = mapping(self.data.get("sharing"))
        for key, name in (("mps", "mps"), ("timeSlicing", "time-slicing")):
            if self.replicas(mapping(given.get(key))):
                return name, mapping(given.get(key))
        return None

    @staticmethod
    def replicas(settings: Obj) -> dict[str, int]:
        """Return how often each resource is shared, without those that are not."""
        found = {}
        for _, item in items(settings.get("resources")):
            count = item.get("replicas")
            if isinstance(count, int) and not isinstance(count, bool) and count > 1:
                found[text(item.get("name"))] = count
        return found

    def at(self, *route: str) -> Json:
        """Return the value at a route, or None where there is none."""
        value: Json = self.data
        for key in route:
            value = mapping(value).get(key)
        return value

    def flag(self, *route: str) -> Json:
        """Return a value below `flags`, or None."""
        return self.at("flags", *route)


def profiles(scene: Scene, item: StackPod) -> list[Profile]:
    """Return the configurations that a pod may read: one, or with config-manager every one that it may choose."""
    return scene.once(_all_profiles).get((id(item.pod), item.program), [])


def _all_profiles(scene: Scene) -> dict[tuple[int, Program], list[Profile]]:
    return {
        (id(item.pod), item.program): [
            Profile(file, data) for file in _files(scene, item) if isinstance(data := read_yaml(file.text), dict)
        ]
        for item in running(scene, Program.PLUGIN, Program.GFD, Program.MPS)
    }


def _files(scene: Scene, item: StackPod) -> Iterator[Mounted]:
    path = item.argument("config-file") or text(item.env().get("CONFIG_FILE", (0, ""))[1])
    found = files_at(scene, item.pod, item.container, path) if path else []
    yield from found
    if found:
        return
    for _, container in item.pod.containers():
        if program_of(container) is Program.CONFIG_MANAGER:
            folder = text(env_of(container).get("CONFIG_FILE_SRCDIR", (0, ""))[1])
            yield from files_at(scene, item.pod, container, folder)
            return


def plugin_profiles(scene: Scene) -> list[tuple[StackPod, Profile]]:
    """Return every configuration of every device plugin in the scene."""
    return [(item, profile) for item in running(scene, Program.PLUGIN) for profile in profiles(scene, item)]


def strategies(scene: Scene) -> frozenset[str]:
    """Return how cards are shared, as far as configurations and node pools say: `time-slicing`, `mps`."""
    return scene.once(_strategies)


def _strategies(scene: Scene) -> frozenset[str]:
    configured = (profile.sharing() for _, profile in plugin_profiles(scene))
    declared = (pool.sharing for pool in scene.pools or ())
    found = {shared[0] for shared in configured if shared} | {name for name in declared if name}
    return frozenset(found - {"none"})
