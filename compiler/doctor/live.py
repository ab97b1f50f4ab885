"""Reads a cluster through kubectl."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from compiler.components.device_plugin import NAME as PLUGIN
from compiler.diagnostics import Diagnostic
from compiler.doctor import snapshot as kinds
from compiler.doctor.data import labels, mapping, name, namespace, text
from compiler.doctor.decode import Decoded, NotReadable, decode
from compiler.doctor.kubectl import Kubectl
from compiler.doctor.links.pods import is_ready, restarts
from compiler.doctor.queries import GROUPS, LOG_LINES, UNKNOWN_KIND, Query, queries
from compiler.doctor.snapshot import Kind, Snapshot, by_kind
from compiler.errors import EnvironmentFailure
from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.objects import Obj

UNREACHABLE = "GPU910"
_AT_A_TIME = 4


def read_cluster(environment: Environment, kubectl: Kubectl, origin: str) -> Snapshot:
    """Return what the cluster says, asked kind by kind so that a missing right hides no more than one.

    Raises:
        EnvironmentFailure: the API server does not answer, or refuses everybody.
    """
    answer = kubectl.ask(GROUPS)
    try:
        groups = None if answer.error else decode(answer.stdout).groups
    except NotReadable as error:
        raise _unreachable(f"what answers is no API server: {error}") from None
    if groups is None:
        raise _unreachable(answer.error or "what answers is no API server")
    asked = queries(environment)
    served = [query for query in asked if not query.kind.group or query.kind.group in groups]
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        answers = list(pool.map(lambda query: _list(kubectl, query), served))
    objects: dict[Kind, tuple[Obj, ...]] = {}
    failures, not_served = {}, {query.kind for query in asked if query not in served}
    for query, found in zip(served, answers, strict=True):
        if isinstance(found, str):
            (not_served.add(query.kind) if UNKNOWN_KIND in found else failures.update({query.kind: found}))
        else:
            objects[query.kind] = by_kind(found.objects).get(query.kind, ())
    seen = Snapshot(origin, objects, frozenset(not_served), failures)
    logs = {name(pod): _logs(kubectl, pod) for pod in _worth_a_look(environment, seen)}
    return Snapshot(origin, objects, frozenset(not_served), failures, logs)


def _list(kubectl: Kubectl, query: Query) -> Decoded | str:
    """Return the objects, or why there are none."""
    answer = kubectl.ask(query.arguments)
    if answer.error:
        return answer.error
    try:
        return decode(answer.stdout)
    except NotReadable as error:
        return str(error)


def _worth_a_look(environment: Environment, seen: Snapshot) -> list[Obj]:
    """Return the plugin's pods whose logs may tell something: not ready, restarted, or on a node that lacks GPUs."""
    short: set[str] = set()
    counts: Sequence[dict[str, int]] = [advertised(pool) or {} for pool in environment.overlay.node_pools]
    for node in seen.all(kinds.NODE):
        there = mapping(node, "status", "allocatable")
        if not any(count and all(text(there, key) == str(n) for key, n in count.items()) for count in counts):
            short.add(name(node))
    return [
        pod
        for pod in seen.all(kinds.POD)
        if namespace(pod) == environment.stack.namespace_name
        and text(labels(pod), "app.kubernetes.io/name") == PLUGIN
        and (not is_ready(pod) or restarts(pod) or text(pod, "spec", "nodeName") in short)
    ]


def _logs(kubectl: Kubectl, pod: Obj) -> str:
    """Return the end of a pod's log and, where it is not ready, of the container before it; often there is none."""
    base = (f"--namespace={namespace(pod)}", "logs", name(pod), "--all-containers", f"--tail={LOG_LINES}")
    wanted = [base] if is_ready(pod) else [base, (*base, "--previous")]
    return "\n".join(kubectl.ask(arguments).stdout.decode("utf-8", "replace") for arguments in wanted)


def _unreachable(why: str) -> EnvironmentFailure:
    return EnvironmentFailure(
        Diagnostic(
            UNREACHABLE,
            f"the cluster cannot be reached: {' '.join(why.split())[:500]}",
            help="say which with --context or --kubeconfig, or read saved answers with --from: "
            "`gpuc doctor --what-to-save` prints how to make them",
        )
    )
