"""Flux or Argo CD says that everything is well, at the newest revision that it fetched."""

from __future__ import annotations

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import condition, dig, name, namespace, number, one_line, short, text
from compiler.doctor.links.delivered import flux_command, kinds_of_delivery
from compiler.doctor.snapshot import Kind
from compiler.objects import Obj


class _Reconciled(Link):
    id = "reconciled"
    title = "Flux or Argo CD"
    after = ("delivered", "allocatable")

    def applies(self, case: Case) -> bool:
        """Whether Flux or Argo CD delivers the stack."""
        return bool(case.expected.flux or case.expected.argocd)

    def wanted(self, case: Case) -> tuple[Kind, ...]:
        """Return the kinds of whatever delivers the stack."""
        return kinds_of_delivery(case)

    def check(self, case: Case) -> Verdict:
        """Look at every compiled Kustomization or Application."""
        details, findings = [], []
        for wanted in (*case.expected.flux, *case.expected.argocd):
            if wanted["kind"] == "Kustomization":
                found = _kustomization(case, wanted)
            elif wanted["kind"] == "Application":
                found = _application(case, wanted)
            else:
                continue
            if isinstance(found, Finding):
                findings.append(found)
            else:
                details.append(found)
        return Verdict(tuple(details), tuple(findings))


def _kustomization(case: Case, wanted: Obj) -> Finding | str:
    title, where = name(wanted), namespace(wanted)
    found = case.seen.get(kinds.KUSTOMIZATION, title, where)
    reconcile = flux_command(case, "reconcile", "kustomization", title, "-n", where, "--with-source")
    if found is None:
        folder = f"out/flux/{case.expected.environment.name}"
        apply = case.kubectl("apply", "--server-side", "-k", folder)
        return Finding(f"there is no Kustomization {title} in {where}", "Flux was not pointed at out/flux", (apply,))
    if dig(found, "spec", "suspend") is True:
        resume = flux_command(case, "resume", "kustomization", title, "-n", where)
        return Finding(f"Kustomization {title} is suspended", "somebody paused it", (resume,))
    ready = condition(found, "Ready")
    describe = case.kubectl("-n", where, "describe", "kustomizations.kustomize.toolkit.fluxcd.io", title)
    if text(ready, "status") != "True":
        said = one_line(text(ready, "message")) or "it was not reconciled yet"
        return Finding(f"Kustomization {title} is not Ready: {said}", "Flux says why", (describe, reconcile))
    if number(ready, "observedGeneration") < number(found, "metadata", "generation"):
        what = f"Kustomization {title} was changed, and Flux has not looked yet"
        return Finding(what, "Flux is busy, or its kustomize-controller is down", (reconcile,))
    applied, newest = text(found, "status", "lastAppliedRevision"), _fetched(case, wanted)
    if newest and applied != newest:
        what = f"Kustomization {title} applied {short(applied)}; its source is at {short(newest)}"
        return Finding(what, "Flux has not come to it yet", (reconcile,))
    return f"{title} at {short(applied)}"


def _fetched(case: Case, wanted: Obj) -> str:
    reference = dig(wanted, "spec", "sourceRef")
    kind = Kind(kinds.GIT_REPOSITORY.group, text(reference, "kind"))
    where = text(reference, "namespace") or namespace(wanted)
    source = case.seen.get(kind, text(reference, "name"), where) or {}
    return text(source, "status", "artifact", "revision")


def _application(case: Case, wanted: Obj) -> Finding | str:
    title, where = name(wanted), namespace(wanted)
    found = case.seen.get(kinds.APPLICATION, title, where)
    if found is None:
        folder = f"out/argocd/{case.expected.environment.name}"
        apply = case.kubectl("apply", "--server-side", "-k", folder)
        return Finding(f"there is no Application {title} in {where}", "it was never applied", (apply,))
    sync, health = text(found, "status", "sync", "status"), text(found, "status", "health", "status")
    if (sync, health) != ("Synced", "Healthy"):
        what = f"Application {title} is {one_line(sync) or 'not synced'}, {one_line(health) or 'of unknown health'}"
        describe = case.kubectl("-n", where, "describe", "applications.argoproj.io", title)
        mend = case.reapply(title.rpartition("-")[2])
        return Finding(what, "Argo CD says why", (describe, mend))
    return f"{title} at {short(text(found, 'status', 'sync', 'revision'))}"


LINK = _Reconciled()
