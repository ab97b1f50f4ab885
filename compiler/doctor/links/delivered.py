"""Flux or Argo CD has applied the stack. Whether all of it became healthy is the last link's question."""

from __future__ import annotations

import shlex

from compiler.components.device_plugin import NAME as PLUGIN
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import condition, dig, items, one_line, short, text
from compiler.doctor.snapshot import Kind
from compiler.model.delivery import Flux
from compiler.objects import Obj

_EFFECTS = ("HealthCheckFailed", "Progressing", "ProgressingWithRetry", "DependencyNotReady")
"""Reasons that follow from something else. Source: fluxcd/kustomize-controller, api/v1 and fluxcd/pkg/apis/meta."""


class _Delivered(Link):
    id = "delivered"
    title = "delivery"

    def applies(self, case: Case) -> bool:
        """Whether Flux or Argo CD delivers the stack."""
        delivery = case.expected.environment.stack.delivery
        return delivery.flux is not None or delivery.argocd is not None

    def wanted(self, case: Case) -> tuple[Kind, ...]:
        """Return the kinds of whatever delivers the stack."""
        return kinds_of_delivery(case)

    def check(self, case: Case) -> Verdict:
        """Look for a failure to fetch, build or apply the stack."""
        delivery = case.expected.environment.stack.delivery
        verdicts = []
        if delivery.flux:
            verdicts.append(_flux(case, delivery.flux))
        if delivery.argocd:
            verdicts.append(_argocd(case, f"{delivery.argocd.name_prefix}-stack", delivery.argocd.namespace))
        return Verdict(
            tuple(detail for one in verdicts for detail in one.details),
            tuple(finding for one in verdicts for finding in one.findings),
        )


def kinds_of_delivery(case: Case) -> tuple[Kind, ...]:
    """Return the kinds of Flux and Argo CD that tell about the stack."""
    delivery = case.expected.environment.stack.delivery
    return ((kinds.KUSTOMIZATION,) if delivery.flux else ()) + ((kinds.APPLICATION,) if delivery.argocd else ())


def stack_is_there(case: Case) -> bool:
    """Say whether a device plugin of the stack is in the cluster, so that somebody has applied it."""
    return any(case.daemon_set(f"{PLUGIN}-{pool.name}") for pool in case.pools)


def flux_command(case: Case, *arguments: str) -> str:
    """Return a command of Flux, with kubectl's options for the cluster."""
    return shlex.join(("flux", *case.kubectl_words[1:], *arguments))


def _flux(case: Case, flux: Flux) -> Verdict:
    name = f"{flux.name_prefix}-stack"
    found = case.seen.get(kinds.KUSTOMIZATION, name, flux.namespace)
    if found is None:
        if stack_is_there(case):
            return Verdict((f"without Flux: there is no Kustomization {name}",))
        folder = f"{flux.path.removeprefix('./')}/flux/{case.expected.environment.name}"
        what = f"there is no Flux Kustomization {name} in {flux.namespace}"
        cause = "Flux was not pointed at the stack yet; README.md has the lines"
        return Verdict(findings=(Finding(what, cause, (case.kubectl("apply", "--server-side", "-k", folder),)),))
    if dig(found, "spec", "suspend") is True:
        resume = flux_command(case, "resume", "kustomization", name, "-n", flux.namespace)
        return Verdict(findings=(Finding(f"Kustomization {name} is suspended", "somebody paused it", (resume,)),))
    ready = condition(found, "Ready")
    if text(ready, "status") == "False" and text(ready, "reason") not in _EFFECTS:
        return Verdict(findings=(_flux_failed(case, found, name, flux.namespace),))
    return Verdict(
        (f"Kustomization {name} applied {short(text(found, 'status', 'lastAppliedRevision')) or 'nothing yet'}",)
    )


def _flux_failed(case: Case, found: Obj, name: str, namespace: str) -> Finding:
    ready = condition(found, "Ready")
    reason = text(ready, "reason")
    causes = {
        "ArtifactFailed": "its source has no artifact: the repository cannot be fetched",
        "BuildFailed": "what is committed does not build: a file is missing, or out/ was edited by hand",
        "ReconciliationFailed": "the API server refuses an object, or a CRD or right is missing",
    }
    return Finding(
        f"Flux Kustomization {name} fails ({reason}): {one_line(text(ready, 'message'))}",
        causes.get(reason, "Flux says why above"),
        (
            case.kubectl("-n", namespace, "describe", "kustomizations.kustomize.toolkit.fluxcd.io", name),
            f"gpuc check && {case.reapply()}",
        ),
    )


def _argocd(case: Case, name: str, namespace: str) -> Verdict:
    found = case.seen.get(kinds.APPLICATION, name, namespace)
    if found is None:
        if stack_is_there(case):
            return Verdict((f"without Argo CD: there is no Application {name}",))
        folder = f"out/argocd/{case.expected.environment.name}"
        what = f"there is no Argo CD Application {name} in {namespace}"
        return Verdict(
            findings=(Finding(what, "it was never applied", (case.kubectl("apply", "--server-side", "-k", folder),)),)
        )
    phase = text(found, "status", "operationState", "phase")
    errors = [one for one in items(found, "status", "conditions") if text(one, "type").endswith("Error")]
    if phase in ("Failed", "Error") or errors:
        said = text(errors[0], "message") if errors else text(found, "status", "operationState", "message")
        return Verdict(
            findings=(
                Finding(
                    f"Argo CD cannot apply {name}: {one_line(said)}",
                    "the repository cannot be read, what is committed does not build, or the API server refuses it",
                    (case.kubectl("-n", namespace, "describe", "applications.argoproj.io", name), case.reapply()),
                ),
            )
        )
    return Verdict((f"Application {name} applied {short(text(found, 'status', 'sync', 'revision')) or 'nothing yet'}",))


LINK = _Delivered()
