"""The report, for people and for machines. What the cluster says is kept on one line; the caller escapes the rest."""

from __future__ import annotations

import json

from compiler.doctor.walk import Report, Status, Step
from compiler.objects import Obj

_WORDS = {
    Status.OK: "ok",
    Status.BROKEN: "BROKEN",
    Status.UNKNOWN: "unknown",
    Status.NOT_LOOKED_AT: "-",
}
FORMAT_VERSION = 1


def as_text(report: Report) -> str:
    """Return the chain as a list of links, then the most likely cause and what to type."""
    steps = [step for step in report.steps if step.status is not Status.NOT_IN_THIS_STACK]
    wide = max((len(step.title) for step in steps), default=0)
    lines = [f"{report.overlay}, from {_flat(report.origin)}", ""]
    lines += [f"  {_WORDS[step.status]:<8} {step.title:<{wide}}  {_summary(step)}".rstrip() for step in steps]
    lines += [f"note: {_flat(note)}" for note in report.notes]
    return "\n".join([*lines, "", *_conclusion(report)]) + "\n"


def _summary(step: Step) -> str:
    if step.status is Status.NOT_LOOKED_AT:
        return _flat(f"not looked at: {'; '.join(step.details)}")
    return _flat("; ".join(finding.what for finding in step.findings) or "; ".join(step.details))


def _conclusion(report: Report) -> list[str]:
    if report.holds:
        return ["The whole chain holds."]
    first = report.first_broken
    if first is None:
        return ["Nothing is known to be broken, but not everything could be looked at."]
    lines = [f"First broken link: {first.title}"]
    for finding in first.findings:
        lines += [f"  {_flat(finding.what)}", f"  most likely: {_flat(finding.cause)}", "  next:"]
        lines += [f"    {_flat(command)}" for command in finding.commands]
    also = [step for step in report.steps if step.status is Status.BROKEN and step is not first]
    for step in also:
        lines.append(f"Also broken, maybe for the same reason: {step.title}")
        for finding in step.findings:
            lines += [f"  {_flat(finding.cause)}", *(f"    {_flat(command)}" for command in finding.commands[:1])]
    return lines


def _flat(said: str) -> str:
    """Return a text on one line, whatever the cluster put into it."""
    return " ".join(said.split())


def as_json(report: Report) -> str:
    """Return the report for machines; `formatVersion` is raised when a field changes its meaning."""
    first = report.first_broken
    content: Obj = {
        "formatVersion": FORMAT_VERSION,
        "overlay": report.overlay,
        "from": report.origin,
        "holds": report.holds,
        "firstBroken": first.id if first else None,
        "links": [
            {
                "id": step.id,
                "title": step.title,
                "status": str(step.status),
                "details": list(step.details),
                "findings": [
                    {"what": one.what, "cause": one.cause, "commands": list(one.commands)} for one in step.findings
                ],
            }
            for step in report.steps
        ],
        "notes": list(report.notes),
    }
    return json.dumps(content, indent=2) + "\n"
