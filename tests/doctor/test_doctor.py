"""`gpuc doctor` on saved answers of kubectl: silent on a healthy cluster, right about a broken one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.doctor.case import Link
from compiler.doctor.links import CHAIN
from tests.doctor.cluster import Cluster, healthy, healthy_like, project
from tests.doctor.faults import FAULTS, RECONCILE, Fault
from tests.golden import stored
from tests.inputs.project import STACK, edited, gpuc, write

Capture = pytest.CaptureFixture[str]
SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "repository")


@pytest.fixture
def cluster(root: Path) -> Cluster:
    return healthy(root)


def diagnosed(root: Path, folder: Path, capsys: Capture) -> dict[str, Any]:
    result = gpuc(capsys, "doctor", "--root", root, "--from", folder, "--format", "json")
    report: dict[str, Any] = json.loads(result.stdout)
    assert result.code == (0 if report["holds"] else 1)
    return report


def statuses(report: dict[str, Any]) -> dict[str, str]:
    return {link["id"]: link["status"] for link in report["links"]}


def broken(report: dict[str, Any]) -> dict[str, Any]:
    (found,) = (link for link in report["links"] if link["id"] == report["firstBroken"])
    return dict(found["findings"][0])


def test_a_healthy_cluster_is_0_and_every_link_holds(
    root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture
) -> None:
    report = diagnosed(root, cluster.save(tmp_path / "saved"), capsys)
    other = {link: status for link, status in statuses(report).items() if status != "ok"}
    assert (other, report["firstBroken"], report["notes"]) == ({"mps-daemon": "not-in-this-stack"}, None, [])


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_first_broken_link_is(fault: Fault, root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture) -> None:
    fault.damage(cluster)
    assert diagnosed(root, cluster.save(tmp_path / "saved"), capsys)["firstBroken"] == fault.link


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_cause_and_the_command_are(
    fault: Fault, root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture
) -> None:
    fault.damage(cluster)
    found = broken(diagnosed(root, cluster.save(tmp_path / "saved"), capsys))
    assert fault.cause in found["cause"]
    assert fault.command in found["commands"]


@pytest.mark.parametrize(
    "name", ["healthy", "nvml", "nfd-worker-kept-off", "all-slices-taken", "no-service-monitor-crd"]
)
def test_the_report_reads(
    name: str, root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture, request: pytest.FixtureRequest
) -> None:
    if name in FAULTS:
        FAULTS[name].damage(cluster)
    text = gpuc(capsys, "doctor", "--root", root, "--from", cluster.save(tmp_path / "saved")).stdout
    shown = text.replace(str(tmp_path), "<tmp>")
    snapshot = SNAPSHOTS / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        snapshot.write_text(shown, encoding="utf-8")
    assert shown == snapshot.read_text(encoding="utf-8")


@pytest.mark.parametrize("link", CHAIN, ids=[link.id for link in CHAIN])
def test_every_link_is_in_the_documentation_and_comes_after_those_it_depends_on(link: Link) -> None:
    page = (Path(__file__).parents[2] / "docs/doctor.md").read_text(encoding="utf-8")
    before = {one.id for one in CHAIN[: CHAIN.index(link)]}
    assert (f"| `{link.id}` |" in page, set(link.after) - before) == (True, set())


def test_every_link_has_a_fault_that_breaks_it() -> None:
    assert {link.id for link in CHAIN} - {fault.link for fault in FAULTS.values()} == {"mps-daemon"}


def test_links_before_the_broken_one_are_ok_and_what_depends_on_it_is_not_looked_at(
    root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture
) -> None:
    FAULTS["runtime-class-missing"].damage(cluster)
    seen = statuses(diagnosed(root, cluster.save(tmp_path / "saved"), capsys))
    assert [seen[link] for link in ("node", "taints", "image", "delivered", "namespace")] == ["ok"] * 5
    assert [seen[link] for link in ("plugin-pod", "allocatable", "pending", "dcgm-exporter")] == ["not-looked-at"] * 4


def test_files_may_have_any_names(root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture) -> None:
    cluster.objects.append(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "one.1", "namespace": "default"},
            "involvedObject": {},
        }
    )
    folder = cluster.save(tmp_path / "saved")
    for index, path in enumerate(sorted(folder.glob("*.json"))):
        path.rename(folder / f"{index}.json")
    assert diagnosed(root, folder, capsys)["holds"] is True


def test_what_nobody_saved_is_unknown_and_not_0(root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture) -> None:
    folder = cluster.save(tmp_path / "saved")
    (folder / "runtimeclasses.json").unlink()
    report = diagnosed(root, folder, capsys)
    assert (statuses(report)["runtime-class"], report["firstBroken"], report["holds"]) == ("unknown", None, False)


def test_a_command_that_failed_leaves_its_kind_unknown(
    root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture
) -> None:
    folder = cluster.save(tmp_path / "saved")
    (folder / "daemonsets.json").write_text("", encoding="utf-8")
    assert statuses(diagnosed(root, folder, capsys))["plugin"] == "unknown"


def test_what_the_failed_command_said_is_why(root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture) -> None:
    folder = cluster.save(tmp_path / "saved")
    (folder / "daemonsets.json").write_text("", encoding="utf-8")
    (folder / "daemonsets.err").write_text("Error from server (Forbidden): no\n", encoding="utf-8")
    (link,) = (one for one in diagnosed(root, folder, capsys)["links"] if one["id"] == "plugin")
    assert link["details"] == ["no DaemonSet was read: its command failed: Error from server (Forbidden): no"]


def test_a_missing_crd_is_told_by_what_the_command_said(
    root: Path, cluster: Cluster, tmp_path: Path, capsys: Capture
) -> None:
    """Another CRD of the same group is there, so the API groups do not tell."""
    folder = cluster.save(tmp_path / "saved")
    (folder / "servicemonitors.json").write_text("", encoding="utf-8")
    said = 'error: the server doesn\'t have a resource type "servicemonitors"\n'
    (folder / "servicemonitors.err").write_text(said, encoding="utf-8")
    assert diagnosed(root, folder, capsys)["firstBroken"] == "scrape"


def test_the_commands_to_save_name_the_files_that_are_read(root: Path, capsys: Capture) -> None:
    shown = gpuc(capsys, "doctor", "--root", root, "--what-to-save", "--context", "home lab").stdout
    assert (
        "kubectl '--context=home lab' get nodes --output=json > gpu-doctor/nodes.json 2> gpu-doctor/nodes.err\n"
        in shown
    )
    assert shown.endswith("gpuc doctor --overlay worker4 --from gpu-doctor\n")
    assert "secret" not in shown.lower()


def test_commands_carry_no_trace_of_flux_where_nothing_delivers(tmp_path: Path, capsys: Capture) -> None:
    root = project(tmp_path / "repository")
    stack = root / "base/stack.yaml"
    stack.write_text(stack.read_text(encoding="utf-8").replace("delivery: {flux: {}}\n", ""), encoding="utf-8")
    cluster = healthy(root)
    FAULTS["runtime-class-missing"].damage(cluster)
    found = broken(diagnosed(root, cluster.save(tmp_path / "saved"), capsys))
    assert found["commands"] == ["kubectl apply --server-side -k out/overlays/worker4"]
    assert RECONCILE not in found["commands"]


@pytest.mark.parametrize("case", stored.CASES)
def test_every_kind_of_stack_is_healthy_on_its_cluster(case: str, tmp_path: Path, capsys: Capture) -> None:
    root = write_all(tmp_path / "repository", stored.inputs(case))
    cluster = healthy_like(root)
    result = gpuc(
        capsys,
        "doctor",
        "--root",
        root,
        "--overlay",
        cluster.environment.name,
        "--from",
        cluster.save(tmp_path / "saved"),
    )
    assert result.stdout.endswith("\nThe whole chain holds.\n"), result.stdout
    assert result.code == 0


def write_all(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


ARGOCD = {
    STACK: edited(STACK, "dcgmExporter:", "delivery: {argocd: {repoURL: https://git.example.org/a.git}}\ndcgmExporter:")
}


@pytest.fixture
def argocd(tmp_path: Path) -> tuple[Path, Cluster]:
    root = write(tmp_path / "repository", ARGOCD)
    return root, healthy_like(root)


def test_argocd_is_healthy(argocd: tuple[Path, Cluster], tmp_path: Path, capsys: Capture) -> None:
    root, cluster = argocd
    assert diagnosed(root, cluster.save(tmp_path / "saved"), capsys)["holds"] is True


def test_argocd_that_cannot_apply_is_the_first_broken_link(
    argocd: tuple[Path, Cluster], tmp_path: Path, capsys: Capture
) -> None:
    root, cluster = argocd
    cluster.get("Application", "gpu-stack")["status"]["operationState"] = {"phase": "Failed", "message": "refused"}
    report = diagnosed(root, cluster.save(tmp_path / "saved"), capsys)
    assert (report["firstBroken"], broken(report)["what"]) == ("delivered", "Argo CD cannot apply gpu-stack: refused")


def test_argocd_out_of_sync_is_the_last_link(argocd: tuple[Path, Cluster], tmp_path: Path, capsys: Capture) -> None:
    root, cluster = argocd
    cluster.get("Application", "gpu-monitoring")["status"]["sync"]["status"] = "OutOfSync"
    report = diagnosed(root, cluster.save(tmp_path / "saved"), capsys)
    assert report["firstBroken"] == "reconciled"
    assert "argocd app sync argocd/gpu-monitoring" in broken(report)["commands"]


def test_a_missing_mps_daemon_is_found(tmp_path: Path, capsys: Capture) -> None:
    root = write_all(tmp_path / "repository", stored.inputs("mps"))
    cluster = healthy_like(root)
    daemon_sets = [obj for obj in cluster.objects if obj["kind"] == "DaemonSet"]
    (daemon,) = (obj for obj in daemon_sets if obj["metadata"]["name"].startswith("nvidia-mps"))
    cluster.objects.remove(daemon)
    cluster.objects = [
        obj for obj in cluster.objects if obj["kind"] != "Pod" or "nvidia-mps" not in obj["metadata"]["name"]
    ]
    assert diagnosed(root, cluster.save(tmp_path / "saved"), capsys)["firstBroken"] == "mps-daemon"
