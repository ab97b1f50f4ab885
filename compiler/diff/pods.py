"""What a change does to pods: which restart and where, which images they run, and which taints keep them off.

What a restart does to running GPU jobs follows from what each program is: the device plugin's pods may restart under
running jobs, since the kubelet keeps what it handed out; the MPS daemon's may not, since it is the jobs' server.
Sources: kubelet, pkg/kubelet/cm/devicemanager; k8s-device-plugin, cmd/mps-control-daemon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compiler.diff.compare import WORKLOADS, Change
from compiler.diff.effect import Effect, Weight, get, items, listed
from compiler.objects import Json, Obj

_SPEC = ("spec", "template", "spec")
_REQUIRED = (*_SPEC, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def pod_effects(changes: Sequence[Change]) -> Iterator[Effect]:
    """Yield what happens to the pods of workloads, each kind of event once."""
    workloads = [change for change in changes if change.id.kind in WORKLOADS]
    yield from _restarts(workloads)
    yield from _come_and_go(workloads)
    yield from _images(workloads)
    yield from _tolerations(workloads)


def nodes_of(obj: Obj | None) -> str:
    """Say where a workload's pods run, as far as its affinity and selector tell."""
    terms = items(obj, *_REQUIRED)
    names = [
        str(value)
        for term in terms
        for field in items(term, "matchFields")
        if field.get("operator") == "In"
        for value in field.get("values") or []
    ]
    if names:
        return listed(names, 6)
    labels = [_expression(item) for term in terms for item in items(term, "matchExpressions")]
    selector = get(obj, *_SPEC, "nodeSelector")
    labels += [f"{key}={value}" for key, value in (selector if isinstance(selector, dict) else {}).items()]
    if labels:
        return "nodes with " + " and ".join(dict.fromkeys(labels))
    return "every node" if obj and obj["kind"] == "DaemonSet" else "some node"


def _expression(item: dict[str, Json]) -> str:
    values = [str(value) for value in item.get("values") or []]
    if item.get("operator") == "In" and len(values) == 1:
        return f"{item.get('key')}={values[0]}"
    return " ".join([str(item.get("key")), str(item.get("operator")), *([f"({', '.join(values)})"] if values else [])])


def programs(obj: Obj | None) -> set[str]:
    """Return the words of the containers' commands and the names of their images, by which programs are known."""
    containers = items(obj, *_SPEC, "containers")
    words = {str(word).rpartition("/")[2] for item in containers for word in item.get("command") or []}
    return words | {_split(str(item.get("image")))[0].rpartition("/")[2] for item in containers if not words}


def _restarts(changes: Iterable[Change]) -> Iterator[Effect]:
    """Yield one effect for the workloads that restart on the same nodes with the same consequence."""
    groups: dict[tuple[Weight, str, str], list[str]] = {}
    for change in changes:
        if change.kind != "changed" or not change.restarts:
            continue
        before, after = nodes_of(change.old), nodes_of(change.new)
        if before != after:
            yield Effect(
                "interrupts" if _is_plugin(change.new) else "restarts",
                f"{change.id.name} leaves {before} and starts on {after}"
                + ("; the nodes that it leaves advertise no GPUs any more" if _is_plugin(change.new) else ""),
            )
            continue
        weight, consequence = _consequence(change.new)
        groups.setdefault((weight, after, consequence), []).append(change.id.name)
    for (weight, nodes, consequence), names in groups.items():
        yield Effect(weight, f"on {nodes} {listed(names)} restart{'s' if len(names) == 1 else ''}{consequence}")


def _is_plugin(obj: Obj | None) -> bool:
    return bool(programs(obj) & {"nvidia-device-plugin", "k8s-device-plugin"})


def _consequence(obj: Obj | None) -> tuple[Weight, str]:
    if get(obj, "spec", "updateStrategy", "type") == "OnDelete":
        return "note", " only once somebody deletes its pods (updateStrategy OnDelete)"
    if "mps-control-daemon" in programs(obj):
        return "interrupts", ": running jobs on these cards lose their MPS server and fail"
    if _is_plugin(obj):
        return "restarts", ": running GPU pods go on, new ones wait until it has registered again"
    return "restarts", ""


def _come_and_go(changes: Iterable[Change]) -> Iterator[Effect]:
    """Yield what starts and what stops, a workload that only got another name or namespace as a replacement."""
    gone = {change.id: change for change in changes if change.kind == "removed"}
    replaced: dict[str, list[str]] = {}
    for change in changes:
        if change.kind != "added":
            continue
        mps, where = "mps-control-daemon" in programs(change.new), nodes_of(change.new)
        old = next((other for other in gone.values() if _same_role(other, change)), None)
        if old:
            del gone[old.id]
            before, name = nodes_of(old.old), str(change.id).partition(" ")[2]
            if before == where:
                replaced.setdefault(where, []).append(f"{old.id} by {name}")
            else:
                weight: Weight = "interrupts" if _is_plugin(change.new) else "restarts"
                yield Effect(weight, f"{old.id} is replaced by {name}: its pods leave {before} and start on {where}")
        if mps:
            yield Effect(
                "interrupts",
                f"{change.id} starts on {where} and takes each card for itself: GPU jobs there have to end first",
            )
        elif not old:
            yield Effect("note", f"{change.id} is new, with pods on {where}")
    for where, names in replaced.items():
        yield Effect("restarts", f"on {where} pods stop and start anew, replaced by others: {listed(names)}")
    for change in gone.values():
        lost = "; its nodes advertise no GPUs any more, pods that wait for one stay Pending"
        yield Effect(
            "interrupts",
            f"{change.id} goes, with its pods on {nodes_of(change.old)}{lost if _is_plugin(change.old) else ''}",
        )


def _same_role(old: Change, new: Change) -> bool:
    """Return whether two workloads run the same programs, whatever they are called; one may have a sidecar more."""
    before, after = programs(old.old), programs(new.new)
    same = bool(before and after) and (before <= after or after <= before)
    return same and (old.root, old.id.kind) == (new.root, new.id.kind)


def _images(changes: Iterable[Change]) -> Iterator[Effect]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for change in changes:
        before = {item.get("name"): str(item.get("image")) for item in items(change.old, *_SPEC, "containers")}
        for item in items(change.new, *_SPEC, "containers"):
            old, new = before.get(item.get("name")), str(item.get("image"))
            if old is None or old == new:
                continue
            (repository, tag), (other, other_tag) = _split(old), _split(new)
            same = repository == other and tag and other_tag
            key = (f"{repository.rpartition('/')[2]} ", tag, other_tag) if same else ("", old, new)
            groups.setdefault(key, []).append(change.id.name)
    for (image, old, new), names in groups.items():
        yield Effect("note", f"image {image}{old} becomes {new} ({listed(names)})")


def _split(image: str) -> tuple[str, str]:
    """Return an image's repository and its tag or digest."""
    repository, at, digest = image.partition("@")
    last = repository.rpartition("/")[2]
    repository, tag = (repository.rpartition(":")[0], last.rpartition(":")[2]) if ":" in last else (repository, "")
    return repository, "@".join(part for part in (tag, digest if at else "") if part)


def _tolerations(changes: Iterable[Change]) -> Iterator[Effect]:
    """Yield what a plugin's tolerations tell of its nodes' taints: they follow from the pool's."""
    for change in changes:
        if change.kind != "changed" or not _is_plugin(change.new):
            continue
        before, after = _tolerated(change.old), _tolerated(change.new)
        where = nodes_of(change.new)
        node = where if "," not in where and " " not in where else "<node>"
        for taint in [taint for taint in after if taint not in before and before.keys().isdisjoint({""})]:
            command = f"`kubectl taint node {node} {taint}`"
            registered = f"nodes that have registered take a taint by {command} only"
            if taint.endswith((":NoExecute", ":")):
                yield Effect(
                    "interrupts",
                    f"the taint {taint} evicts every pod on {where} that does not tolerate it, running GPU jobs too, "
                    f"as soon as a node has it; {registered}",
                )
            else:
                yield Effect(
                    "note",
                    f"GPU pods on {where} need a toleration for {taint}, once the nodes have this taint; {registered}",
                )
        for taint in [taint for taint in before if taint not in after and after.keys().isdisjoint({""})]:
            yield Effect(
                "interrupts",
                f"the stack no longer tolerates {taint}: where {where} still has this taint, its pods cannot come back "
                f"and GPUs vanish; first `kubectl taint node {node} {taint}-`",
            )


def _tolerated(obj: Obj | None) -> dict[str, None]:
    """Return the taints that a workload tolerates, as kubectl writes them; "" if it tolerates all."""
    found: dict[str, None] = {}
    for item in items(obj, *_SPEC, "tolerations"):
        value = f"={item['value']}" if item.get("value") else ""
        taint = f"{item.get('key') or ''}{value}:{item.get('effect') or ''}"
        found["" if taint == ":" else taint] = None
    return found
