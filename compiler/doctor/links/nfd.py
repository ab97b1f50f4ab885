"""Node Feature Discovery: one of it, its worker on every GPU node, its master running."""

from __future__ import annotations

from collections.abc import Iterable

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import condition, items, name, namespace, number, text
from compiler.doctor.expected import tolerates
from compiler.doctor.links.pods import trouble
from compiler.doctor.snapshot import Known
from compiler.objects import Obj

WORKER = "nfd-worker"
MASTER = "nfd-master"
_IMAGE = "node-feature-discovery"


class _Nfd(Link):
    id = "nfd"
    title = "Node Feature Discovery"
    needs = (kinds.DAEMON_SET, kinds.POD, kinds.NODE_FEATURE, kinds.NODE_FEATURE_RULE)
    after = ("node", "namespace")

    def check(self, case: Case) -> Verdict:
        """Look for a second NFD, for the worker on each node, and for the master."""
        ours = case.expected.environment.stack.node_feature_discovery.managed == "gpuc"
        if any(case.seen.known(kind) is Known.NOT_SERVED for kind in (kinds.NODE_FEATURE, kinds.NODE_FEATURE_RULE)):
            what = "the API server does not know NodeFeature and NodeFeatureRule: NFD's CRDs are missing"
            cause = "the stack was not applied as a whole" if ours else "the cluster's own NFD is not installed"
            return Verdict(findings=(Finding(what, cause, (case.reapply(),)),))
        if not ours:
            return Verdict(("another owner's",))
        others = [one for one in case.seen.all(kinds.DAEMON_SET) if _is_worker(one) and not _is_ours(case, one)]
        findings = [_second(case, one) for one in others]
        daemon_set = case.daemon_set(WORKER)
        if daemon_set is None:
            what = f"there is no DaemonSet {WORKER} in {case.namespace}"
            findings.append(Finding(what, "the stack was not applied, or somebody deleted it", (case.reapply(),)))
            return Verdict(findings=tuple(findings))
        on = []
        for node in (node for pool in case.pools for node in case.nodes(pool)):
            found = _worker_on(case, daemon_set, node)
            findings += [found] if found else []
            on.append(name(node))
        findings += _master(case)
        return Verdict((f"worker on {', '.join(on)}, master runs",), tuple(findings))


def _images(workload: Obj) -> Iterable[str]:
    return (text(one, "image") for one in items(workload, "spec", "template", "spec", "containers"))


def _is_worker(workload: Obj) -> bool:
    commands = str([one.get("command") for one in items(workload, "spec", "template", "spec", "containers")])
    return any(_IMAGE in image for image in _images(workload)) and WORKER in commands


def _is_ours(case: Case, workload: Obj) -> bool:
    return namespace(workload) == case.namespace and name(workload) == WORKER


def _second(case: Case, other: Obj) -> Finding:
    where = f"{namespace(other)}/{name(other)}"
    return Finding(
        f"there is a second Node Feature Discovery: DaemonSet {where}",
        "two masters write the same labels and take each other's away; keep one, or say "
        "`nodeFeatureDiscovery: {managed: external}`",
        (case.kubectl("-n", namespace(other), "get", "daemonset", name(other), "--show-labels"),),
    )


def _worker_on(case: Case, daemon_set: Obj, node: Obj) -> Finding | None:
    pods = case.pods(WORKER, name(node))
    if pods:
        return next((found for pod in pods if (found := trouble(case, pod))), None)
    tolerations = items(daemon_set, "spec", "template", "spec", "tolerations")
    hard = [one for one in items(node, "spec", "taints") if text(one, "effect") in ("NoSchedule", "NoExecute")]
    kept_off = [one for one in hard if not text(one, "key").startswith("node.kubernetes.io/")]
    against = [text(one, "key") for one in kept_off if not tolerates(tolerations, one)]
    said = case.warnings("DaemonSet", WORKER, case.namespace)
    cause = (
        f"it does not tolerate the node's taint {', '.join(against)}: nothing labels the node, and no plugin comes"
        if against
        else said[-1]
        if said
        else "the DaemonSet does not want it there: its node selector, or its controller has not run yet"
    )
    commands = (case.here("get", "daemonset", WORKER, "-o", "jsonpath={.spec.template.spec.tolerations}"),)
    return Finding(
        f"NFD's worker has no pod on {name(node)}",
        cause,
        (*commands, case.reapply()) if against else (case.here("describe", "daemonset", WORKER),),
    )


def _master(case: Case) -> list[Finding]:
    found = case.seen.get(kinds.DEPLOYMENT, MASTER, case.namespace)
    if case.seen.known(kinds.DEPLOYMENT) is not Known.YES or (found and number(found, "status", "availableReplicas")):
        return []
    if found is None:
        what = f"there is no Deployment {MASTER} in {case.namespace}"
        return [Finding(what, "the stack was not applied, or somebody deleted it", (case.reapply(),))]
    pods = [
        pod
        for pod in case.seen.all(kinds.POD)
        if namespace(pod) == case.namespace and name(pod).startswith(f"{MASTER}-")
    ]
    why = next((text(condition(pod, "PodScheduled"), "message") for pod in pods), "") or "its pod does not run"
    what = "NFD's master is not available, so nothing turns findings into labels"
    return [Finding(what, why, (case.here("describe", "pod", "-l", "app.kubernetes.io/component=master"),))]


LINK = _Nfd()
