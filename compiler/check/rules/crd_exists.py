"""Nobody brings the CRD of an object, or one that a program of the stack needs.

What it does: looks up the CRD of every custom object, and NFD's own for NFD and GPU Feature Discovery, among the
objects and those that exist already, where nothing else is applied. Objects of Flux and Argo CD are taken to be served.

Why it fails at run time: the API server does not know the kind, and a GitOps tool then applies nothing at all from the
same folder. NFD's master and worker exit without their CRDs, and since 0.19 GPU Feature Discovery publishes through
them. `helm template` leaves CRDs out unless it is told `--include-crds`. Source: node-feature-discovery#850.

How to mend it: add the CRDs of the same release, or say who brings them.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.kinds import crd_names, crds, is_custom
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Place

_TOOLS = (".toolkit.fluxcd.io", "argoproj.io")
_NFD = "nfd.k8s-sigs.io"
_NEEDS = {
    Program.NFD_MASTER: ("NodeFeature", "NodeFeatureRule"),
    Program.NFD_WORKER: ("NodeFeature",),
    Program.NFD_GC: ("NodeFeature",),
    Program.GFD: ("NodeFeature",),
}


def _check(scene: Scene) -> Iterator[Finding]:
    if not scene.whole:
        return
    wanted: dict[tuple[str, str], tuple[str, Place, int]] = {}
    for item in scene.objects:
        if is_custom(item.group) and not item.group.endswith(_TOOLS):
            _want(wanted, (item.group, item.kind), str(item), item.place(("kind",)))
    for user in running(scene, *_NEEDS):
        for kind in _NEEDS[user.program]:
            _want(wanted, (_NFD, kind), str(user), _image(user))
    known = crds(scene)
    for (group, kind), (first, place, count) in wanted.items():
        names = crd_names(group, kind)
        if (group, kind) in known or scene.external_crds & set(names):
            continue
        others = f" and {count - 1} more" if count > 1 else ""
        yield Finding(
            f"nobody brings the CRD {names[0]} that {first}{others} needs: it cannot work, and a GitOps tool applies "
            "nothing from the same folder",
            place,
            _cure(group),
        )


def _want(wanted: dict[tuple[str, str], tuple[str, Place, int]], key: tuple[str, str], who: str, place: Place) -> None:
    first, where, count = wanted.get(key, (who, place, 0))
    wanted[key] = (first, where, count + 1)


def _image(user: StackPod) -> Place:
    return user.place("image")


def _cure(group: str) -> str:
    if group == _NFD:
        return "add NFD's CRDs (helm template --include-crds), or say that NFD is managed elsewhere"
    return "add the CRD, or declare that the cluster has it and apply this from a Kustomization of its own"


RULE = SceneRule("GPU223", "crd-exists", _check)
