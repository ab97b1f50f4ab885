"""A workload requests a GPU resource that no node advertises.

What it does: compares each resource of `nvidia.com` that a workload requests with what the node pools advertise, or,
where that is not known, with what the device plugin's configurations in the scene rename.

Why it fails at run time: the pods stay Pending ("Insufficient nvidia.com/..."). With renameByDefault a shared resource
is called `nvidia.com/gpu.shared`; `resources:` in the plugin's configuration names nothing, since the plugin ignores
it; MIG's names need migStrategy mixed. Source: k8s-device-plugin, internal/rm.

How to mend it: request what is advertised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiler.check.objects.nodes import pools_for
from compiler.check.objects.plugin import Profile, plugin_profiles
from compiler.check.objects.programs import GpuRequest, gpu_requests
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.model.overlay import GPU_RESOURCE


def _check(scene: Scene) -> Iterator[Finding]:
    found = [profile for _, profile in plugin_profiles(scene)]
    for request in gpu_requests(scene):
        pools = pools_for(scene, request.pod)
        advertised = [pool.advertised for pool in pools if pool.advertised is not None]
        if pools and len(advertised) == len(pools):
            yield from _against_pools(request, advertised)
        elif found:
            yield from _against_profiles(request, found)


def _against_pools(request: GpuRequest, advertised: list[Mapping[str, int]]) -> Iterator[Finding]:
    if all(request.resource not in offered for offered in advertised):
        names = sorted({name for offered in advertised for name in offered})
        yield _finding(request, "no node advertises it", f"request one of: {', '.join(names) or 'nothing yet'}")
    elif request.amount and all(offered.get(request.resource, 0) < request.amount for offered in advertised):
        most = max(offered.get(request.resource, 0) for offered in advertised)
        yield _finding(request, f"no node has more than {most}", f"request at most {most}", key=False)


def _against_profiles(request: GpuRequest, found: list[Profile]) -> Iterator[Finding]:
    offered = {name for profile in found for name in _offered(profile)}
    mig = any(profile.flag("migStrategy") == "mixed" for profile in found)
    if request.resource in offered or (mig and request.resource.startswith("nvidia.com/mig-")):
        return
    yield _finding(request, "no configuration of the device plugin makes it", f"request {', '.join(sorted(offered))}")


def _offered(profile: Profile) -> set[str]:
    sharing = profile.sharing()
    if sharing is None or sharing[1].get("renameByDefault") is not True:
        return {GPU_RESOURCE}
    renamed = profile.replicas(sharing[1])
    return {f"{name}.shared" for name in renamed} | ({GPU_RESOURCE} - renamed.keys())


def _finding(request: GpuRequest, why: str, cure: str, *, key: bool = True) -> Finding:
    what = request.resource if key else f"{request.amount} of {request.resource}"
    return Finding(
        f"{request.pod} requests {what}, but {why}: its pods stay Pending",
        request.pod.place(*request.route, key=key),
        cure,
    )


RULE = SceneRule("GPU241", "resource-advertised", _check)
