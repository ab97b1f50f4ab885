"""A workload requests more than one slice of a shared card.

What it does: compares the number that a container requests of a resource with whether the device plugin shares it. An
error where the configuration says failRequestsGreaterThanOne, else a warning.

Why it fails at run time: with failRequestsGreaterThanOne the kubelet rejects the pod (UnexpectedAdmissionError), and it
stays Failed. Without, two slices of one card are no faster and no larger than one; they only take one from somebody
else. With MPS the plugin always rejects it. Sources: k8s-device-plugin#929, internal/rm/rm.go.

How to mend it: request 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plugin import plugin_profiles
from compiler.check.objects.programs import gpu_requests
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Severity
from compiler.model.overlay import GPU_RESOURCE


def _check(scene: Scene) -> Iterator[Finding]:
    shared = scene.once(_shared)
    for request in gpu_requests(scene):
        if request.amount is None or request.amount < 2 or request.resource not in shared:  # noqa: PLR2004 -- over one
            continue
        fails = shared[request.resource]
        effect = (
            "the kubelet rejects the pod with UnexpectedAdmissionError, and it stays Failed"
            if fails
            else "two slices of one card are no faster and no larger than one"
        )
        yield Finding(
            f"{request.pod} requests {request.amount} of {request.resource}, whose cards are shared: {effect}",
            request.pod.place(*request.route),
            f"request {request.resource}: 1",
            severity=None if fails else Severity.WARNING,
        )


def _shared(scene: Scene) -> dict[str, bool]:
    """Return the resources that are shared, each with whether a request for more than one fails."""
    found: dict[str, bool] = {}
    for _, profile in plugin_profiles(scene):
        sharing = profile.sharing()
        if sharing is None:
            continue
        strategy, settings = sharing
        fails = strategy == "mps" or settings.get("failRequestsGreaterThanOne") is True
        suffix = ".shared" if settings.get("renameByDefault") is True else ""
        for name in profile.replicas(settings):
            found[name + suffix] = found.get(name + suffix, False) or fails
    if not found and any(pool.sharing in {"time-slicing", "mps"} for pool in scene.pools or ()):
        for pool in scene.pools or ():
            for name in pool.advertised or {GPU_RESOURCE: 0}:
                found[name] = found.get(name, False) or pool.sharing == "mps"
    return found


RULE = SceneRule("GPU240", "one-slice", _check)
