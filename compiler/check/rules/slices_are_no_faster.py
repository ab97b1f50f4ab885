"""A workload asks for more than one slice of a shared card.

What it does: refuses it where the plugin does: with MPS, and with `failRequestsGreaterThanOne`. Elsewhere it warns.

Why it fails at run time: the plugin refuses such a request when the pod is admitted, and the pod stays Failed with
UnexpectedAdmissionError. Without that setting the pod gets its slices, and two slices of one card are no faster and no
larger than one. Source: k8s-device-plugin, internal/rm/rm.go, ValidateRequest; k8s-device-plugin#929.

How to mend it: ask for one slice; a workload that needs a card of its own belongs on a pool without sharing.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.capacity import pools
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment
from compiler.model.overlay import NoSharing, TimeSlicing


def _check(environment: Environment) -> Iterator[Finding]:
    for pool in pools(environment):
        sharing = pool.pool.sharing
        if isinstance(sharing, NoSharing):
            continue
        refused = not isinstance(sharing, TimeSlicing) or sharing.fail_requests_greater_than_one
        for asking in pool.workloads:
            slices = asking.workload.slices
            if slices == 1:
                continue
            what = (
                "the plugin refuses the pod, which stays Failed"
                if refused
                else f"{slices} slices of one card are no faster than one"
            )
            yield Finding(
                f"{asking.name} asks for {slices} slices of a card that pool {pool.pool.name} shares: {what}",
                pool.workload_place(asking, "slices"),
                "ask for one slice, or use a pool without sharing",
                (Related("shared here", pool.place("sharing", "strategy")),),
                severity=None if refused else Severity.WARNING,
            )


RULE = Rule("GPU403", "slices-are-no-faster", each_environment(_check))
