"""A pod selects a product name that sharing changes.

What it does: looks at demands on `nvidia.com/gpu.product` where the device plugin shares the cards.

Why it fails at run time: while a card is shared without renameByDefault, GPU Feature Discovery appends `-SHARED` to the
product. A selector on the bare name breaks on the day that sharing is switched on, and one with `-SHARED` on the day
that it is switched off. Source: k8s-device-plugin, internal/lm/resource.go.

How to mend it: select the name that the cards have now, or a label that sharing does not change.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.nodes import demands
from compiler.check.objects.plugin import plugin_profiles
from compiler.check.objects.programs import Program, gpu_requests, running, stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import PodTemplate, Scene

_LABEL = "nvidia.com/gpu.product"
_SUFFIX = "-SHARED"


def _check(scene: Scene) -> Iterator[Finding]:
    suffixed = _is_suffixed(scene)
    if suffixed is None or not any(running(scene, Program.GFD)):
        return
    pods: dict[int, PodTemplate] = {id(item.pod): item.pod for item in stack_pods(scene)}
    pods |= {id(item.pod): item.pod for item in gpu_requests(scene)}
    for pod in pods.values():
        asked = {item.route: item for way in demands(pod) for item in way if item.label == _LABEL}
        for item in asked.values():
            if item.operator != "In" or any(value.endswith(_SUFFIX) == suffixed for value in item.values):
                continue
            now = f"{item.values[0]}{_SUFFIX}" if suffixed else item.values[0].removesuffix(_SUFFIX)
            state = "shared" if suffixed else "not shared"
            yield Finding(
                f"{pod} wants the product {item.values[0]}, but the card is {state}, so that "
                f"GPU Feature Discovery calls it {now}: no node matches",
                pod.place(*item.route, key=item.route[0] == "nodeSelector"),
                f"select {now}, or both names, or nvidia.com/gpu.family, which sharing does not change",
            )


def _is_suffixed(scene: Scene) -> bool | None:
    """Return whether the product carries the suffix; None where it is unknown or differs between configurations."""
    found = set()
    for _, profile in plugin_profiles(scene):
        shared = profile.sharing()
        found.add(shared is not None and shared[1].get("renameByDefault") is not True)
    return found.pop() if len(found) == 1 else None


RULE = SceneRule("GPU202", "shared-product", _check)
