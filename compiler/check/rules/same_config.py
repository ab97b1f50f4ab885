"""GPU Feature Discovery and the device plugin read different sharing settings.

What it does: for the same nodes, compares `sharing` in the configuration of GPU Feature Discovery with that of the
device plugin.

Why it fails at run time: GPU Feature Discovery labels the node with the replicas, the product name and the sharing
strategy of its own configuration. Without MPS in it, it never sets `nvidia.com/mps.capable`, so that the MPS daemon
runs nowhere and the plugin waits for ever. Source: k8s-device-plugin, internal/lm/resource.go and mps.go.

How to mend it: mount the same ConfigMap in both.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.duplicates import apart
from compiler.check.objects.nodes import pools_for
from compiler.check.objects.plugin import profiles
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Related
from compiler.objects import Json


def _check(scene: Scene) -> Iterator[Finding]:
    plugins = list(running(scene, Program.PLUGIN))
    by_pool: dict[str, list[StackPod]] = {}
    for plugin in plugins:
        for pool in pools_for(scene, plugin.pod):
            by_pool.setdefault(pool.pool, []).append(plugin)
    for item in running(scene, Program.GFD):
        near = plugins
        if scene.pools:
            near = [plugin for pool in pools_for(scene, item.pod) for plugin in by_pool.get(pool.pool, [])]
        partner = next((plugin for plugin in near if not apart(item, plugin)), None)
        if partner and (found := _compared(scene, item, partner)):
            yield found


def _compared(scene: Scene, item: StackPod, plugin: StackPod) -> Finding | None:
    theirs, own = profiles(scene, plugin), profiles(scene, item)
    shared = [_plain(profile.data.get("sharing")) for profile in theirs]
    mine = [_plain(profile.data.get("sharing")) for profile in own]
    if not theirs or shared == mine or not (any(shared) or any(mine)):
        return None
    what = "another sharing configuration than" if own else "no configuration, while cards are shared by that of"
    return Finding(
        f"{item} reads {what} {plugin.pod}: the node's labels tell of another sharing than there is",
        own[0].file.place() if own else item.place("name"),
        "mount the same ConfigMap in both, with CONFIG_FILE",
        (Related("what the device plugin reads", theirs[0].file.place()),),
    )


def _plain(sharing: Json) -> Json:
    return sharing or None


RULE = SceneRule("GPU247", "same-config", _check)
