"""The DCGM exporter cannot read its list of counters.

What it does: reads the ConfigMap that is mounted where the exporter's `-f` points, as the exporter does: every line
that is not a comment has exactly three fields between commas, the second a type of Prometheus.

Why it fails at run time: the exporter exits at once ("Malformed CSV record" or "could not find Prometheus metric
type"). A comma in the help text makes a fourth field. Source: dcgm-exporter, internal/pkg/counters.

How to mend it: write `FIELD, gauge|counter|histogram|summary|label, help text` and no further comma.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from compiler.check.objects.mounts import Mounted, files_at
from compiler.check.objects.plain import text
from compiler.check.objects.programs import Program, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene

_FIELDS = 3
_TYPES = frozenset({"gauge", "counter", "histogram", "summary", "label"})


def _check(scene: Scene) -> Iterator[Finding]:
    read = set()
    for item in running(scene, Program.EXPORTER):
        path = item.argument("f", "collectors") or text(item.env().get("DCGM_EXPORTER_COLLECTORS", (0, ""))[1])
        for file in files_at(scene, item.pod, item.container, path) if path else []:
            if (id(file.source), file.key) not in read:
                read.add((id(file.source), file.key))
                yield from _lines(file)


def _lines(file: Mounted) -> Iterator[Finding]:
    where = f"ConfigMap {file.source.name}, {file.key}"
    for number, line in enumerate(file.text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        fields = [field.strip() for field in next(csv.reader([line], skipinitialspace=True), [])]
        if len(fields) != _FIELDS:
            what = f"has {len(fields)} fields between commas, not three"
        elif fields[1] not in _TYPES:
            what = f"has the type {fields[1] or 'nothing'}, which is none of Prometheus'"
        else:
            continue
        yield Finding(
            f"{where}, line {number} ({line.strip()[:60]}) {what}: the exporter exits at once",
            file.place(),
            f"write `{fields[0] if fields else 'FIELD'}, gauge, help text`, without a comma in the text",
        )


RULE = SceneRule("GPU234", "counters-file", _check)
