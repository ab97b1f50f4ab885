"""GPU Feature Discovery runs, and says of the cards what the overlay says."""

from __future__ import annotations

from compiler.components.gpu_feature_discovery import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import labels, name, one_line, text
from compiler.doctor.links.pods import running_on
from compiler.model.overlay import GPU_RESOURCE, NodePool, NoSharing
from compiler.objects import Obj


class _GpuLabels(Link):
    id = "gpu-labels"
    title = "GFD's labels"
    needs = (kinds.NODE, kinds.POD, kinds.DAEMON_SET)
    after = ("plugin-pod",)

    def applies(self, case: Case) -> bool:
        """Whether the stack has GFD."""
        return case.expected.environment.stack.gpu_feature_discovery.enabled

    def check(self, case: Case) -> Verdict:
        """Compare product, count, replicas and sharing with the overlay's."""
        details, findings = [], []
        for pool in case.pools:
            for node in case.nodes(pool):
                found = running_on(case, f"{NAME}-{pool.name}", name(node)) or _differences(case, pool, node)
                if found:
                    findings.append(found)
                else:
                    product = text(labels(node), "nvidia.com/gpu.product")
                    details.append(f"{name(node)}: {one_line(product)}")
        return Verdict(tuple(details), tuple(findings))


def wanted_labels(pool: NodePool) -> dict[str, str]:
    """Return what GFD says of a pool's nodes; MIG has other products and counts.

    Source: k8s-device-plugin, internal/lm/resource.go.
    """
    if pool.mig.strategy != "none":
        return {"nvidia.com/mig.strategy": pool.mig.strategy}
    wanted = {"nvidia.com/gpu.count": str(pool.gpu.count)}
    sharing, suffix = pool.sharing, ""
    if isinstance(sharing, NoSharing):
        wanted["nvidia.com/gpu.sharing-strategy"] = "none"
    else:
        wanted["nvidia.com/gpu.sharing-strategy"] = sharing.strategy
        replicas = next((item.replicas for item in sharing.by_resource() if item.name == GPU_RESOURCE), None)
        wanted |= {"nvidia.com/gpu.replicas": str(replicas)} if replicas else {}
        suffix = "" if sharing.rename_by_default else "-SHARED"
    if pool.gpu.product:
        wanted["nvidia.com/gpu.product"] = "-".join(pool.gpu.product.split()) + suffix
    return wanted


def _differences(case: Case, pool: NodePool, node: Obj) -> Finding | None:
    there = labels(node)
    differs = {key: value for key, value in wanted_labels(pool).items() if text(there, key) != value}
    if not differs:
        return None
    said = ", ".join(
        f"{key} is {one_line(text(there, key)) or 'missing'}, not {value}" for key, value in differs.items()
    )
    gone = not any(text(there, key) for key in differs)
    cause = (
        "GFD has published nothing yet, or NFD's master refuses its NodeFeature object"
        if gone
        else "the card is another one than the overlay says, or GFD read another configuration"
    )
    return Finding(
        f"{name(node)}: {said}",
        cause,
        (
            case.here("logs", f"daemonset/{NAME}-{pool.name}", "--tail=50"),
            case.here("rollout", "restart", f"daemonset/{NAME}-{pool.name}"),
        ),
    )


LINK = _GpuLabels()
