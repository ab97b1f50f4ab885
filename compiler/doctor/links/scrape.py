"""The ServiceMonitor is there, and so is its CRD."""

from __future__ import annotations

from compiler.components.dcgm_exporter import NAME, exporter_settings
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import labels, text
from compiler.doctor.snapshot import Known


class _Scrape(Link):
    id = "scrape"
    title = "ServiceMonitor"
    needs = (kinds.SERVICE_MONITOR,)
    after = ("namespace",)

    def applies(self, case: Case) -> bool:
        """Whether an operator scrapes the exporter."""
        stack = case.expected.environment.stack
        return stack.has_dcgm_exporter and exporter_settings(stack).service_monitor.enabled

    def check(self, case: Case) -> Verdict:
        """Look for the CRD, the object, and the labels that a Prometheus selects it by."""
        if case.seen.known(kinds.SERVICE_MONITOR) is Known.NOT_SERVED:
            return Verdict(findings=(_no_crd(case),))
        found = case.seen.get(kinds.SERVICE_MONITOR, NAME, case.namespace)
        if found is None:
            what = f"there is no ServiceMonitor {NAME} in {case.namespace}"
            cause = "monitoring was not applied; it waits for the stack and for the CRD"
            return Verdict(findings=(Finding(what, cause, (case.reapply("monitoring"),)),))
        wanted = exporter_settings(case.expected.environment.stack).service_monitor.additional_labels
        missing = [f"{key}={value}" for key, value in wanted.items() if text(labels(found), key) != value]
        if missing:
            what = f"ServiceMonitor {NAME} lacks the label {', '.join(missing)}"
            cause = "a Prometheus that selects by it does not scrape: an older commit is applied"
            return Verdict(findings=(Finding(what, cause, (case.reapply("monitoring"),)),))
        return Verdict((NAME,))


def _no_crd(case: Case) -> Finding:
    external = case.expected.environment.stack.monitoring.service_monitor_crd.managed == "external"
    cause = (
        "no operator of Prometheus or VictoriaMetrics is installed; install one, or set "
        "`monitoring: {serviceMonitorCrd: {managed: gpuc}}`"
        if external
        else "monitoring was not applied"
    )
    return Finding(
        "the CRD servicemonitors.monitoring.coreos.com is missing",
        cause,
        (case.kubectl("get", "crd", "servicemonitors.monitoring.coreos.com"), case.reapply("monitoring")),
    )


LINK = _Scrape()
