"""PrometheusRules: recording rules that count no card twice, and the alerts."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.crds import crd
from compiler.components.pods import labels, metadata
from compiler.model.stack import GPUStack
from compiler.monitoring.groups import common, compiled
from compiler.objects import Obj

NAME = "gpu-rules"
COMPILED = "gpu-compiled"


class PrometheusRules(Component):
    """Read by the Prometheus operator and by VictoriaMetrics' operator.

    What each node should offer is an object of its own: a list in a custom resource can only be replaced whole, and so
    it would take all rules with it into the overlay.
    """

    name = "prometheus-rules"
    root = "monitoring"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the stack has rules; without an exporter they would have nothing to read."""
        return stack.has_dcgm_exporter and stack.monitoring.rules.enabled

    def shared(self, context: Context) -> list[Obj]:
        """Return the rules, what was compiled for the pools, and the CRD where nobody else brings it."""
        settings = context.stack.monitoring
        own = {**labels(NAME, "rules"), **settings.rules.labels}
        found = [self._rule(NAME, context.namespace, own, common(settings.rules))]
        if context.pools:
            groups = compiled(settings.rules, context.pools)
            found.append(self._rule(COMPILED, context.namespace, own, groups))
        with_crd = settings.prometheus_rule_crd.managed == "gpuc"
        return [*([crd("prometheusrules.monitoring.coreos.com")] if with_crd else []), *found]

    @staticmethod
    def _rule(name: str, namespace: str, own: dict[str, str], groups: list[Obj]) -> Obj:
        return {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": metadata(name, namespace, own),
            "spec": {"groups": groups},
        }


COMPONENT = PrometheusRules()
