"""A chart runs an image of another release.

What it does: compares the chart's version, where a HelmRelease, Application or kustomization names it, with
`image.tag`, by major and minor version.

Why it fails at run time: arguments, environment, roles and CRDs of the chart belong to the release it came with. An
older plugin does not know `deviceDiscoveryStrategy: auto` ("Incompatible strategy detected auto"), a newer one asks for
roles that an older chart does not give it. Source: k8s-device-plugin's and dcgm-exporter's releases.

How to mend it: raise both together, or leave the tag to the chart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.chartvalues import ChartRule, ChartValues
from compiler.check.rule import Finding
from compiler.diagnostics import Severity

_EXACT = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})([-+].{0,80})?")
_WITHIN = re.compile(r"\d{1,6}\.\d{1,6}\.\d{1,6}")


def _check(values: ChartValues) -> Iterator[Finding]:
    tag = values.set("image", "tag")
    exact = _EXACT.fullmatch(values.version or "")
    if not isinstance(tag, str) or not exact:
        return
    # The exporter's tag holds two versions: DCGM's and its own.
    versions = _WITHIN.findall(tag)
    if versions and (exact[1], exact[2]) not in {tuple(version.split(".")[:2]) for version in versions}:
        yield Finding(
            f"{values.what} is of version {values.version}, its image of {tag}: they are made for each other's release",
            values.place(("image", "tag")),
            "raise both together, or delete the tag, so that the chart's own image runs",
        )


RULE = ChartRule("GPU606", "values-version", _check, Severity.WARNING)
