"""Two installations of NFD work on the same nodes.

What it does: counts NFD masters in the scene, and NFD workers for the same nodes.

Why it fails at run time: each master takes away the labels that it did not make itself, so that labels come and go; two
workers with different configurations write the same NodeFeature in turns. A second, default NFD names the card
`pci-0300_10de` where the first one names it `pci-10de`. Masters with an `-instance` of their own are apart.

How to mend it: keep one NFD (in the device plugin's chart: nfd.enabled: false), and configure that.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.duplicates import doubled
from compiler.check.objects.programs import Program, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Related


def _check(scene: Scene) -> Iterator[Finding]:
    first: dict[str, tuple[str, Related]] = {}
    for master in running(scene, Program.NFD_MASTER):
        place = master.pod.owner.place(("metadata", "name"))
        instance = master.argument("instance") or ""
        other = first.setdefault(instance, (str(master.pod), Related("the other NFD master", place)))
        if other[1].place != place:
            yield Finding(
                f"{master.pod} and {other[0]} are both NFD masters: each takes away the labels of the other",
                place,
                "keep one NFD (in the device plugin's chart: nfd.enabled: false)",
                (other[1],),
            )
    if len(first) > 1:
        return
    for one, two, where in doubled(scene, Program.NFD_WORKER):
        yield Finding(
            f"{two.pod} and {one.pod} are both NFD workers for {where}: they write the same NodeFeature in turns",
            two.pod.owner.place(("metadata", "name")),
            "keep one NFD worker for each node",
            (Related("the other NFD worker", one.pod.owner.place(("metadata", "name"))),),
        )


RULE = SceneRule("GPU227", "one-nfd", _check)
