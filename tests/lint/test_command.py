"""`gpuc lint` as people call it: what it reads, what it takes for granted, how it ends."""

from __future__ import annotations

import json
import os
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from tests.inputs.project import gpuc, write

EXPORTER = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: dcgm-exporter
  namespace: monitoring
spec:
  selector:
    matchLabels: {app: dcgm-exporter}
  template:
    metadata:
      labels: {app: dcgm-exporter}
    spec:
      nodeSelector:
        kubernetes.io/hostname: gpu-1
      containers:
        - name: exporter
          image: nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless
"""
GOOD = EXPORTER.replace("      nodeSelector", "      runtimeClassName: nvidia\n      nodeSelector")
NODES = {
    "kind": "List",
    "items": [
        {
            "kind": "Node",
            "metadata": {
                "name": "gpu-1",
                "labels": {"nvidia.com/gpu.present": "true", "kubernetes.io/hostname": "gpu-1"},
            },
            "spec": {
                "taints": [
                    {"key": "dedicated", "value": "ai", "effect": "NoSchedule"},
                    {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"},
                ]
            },
            "status": {"nodeInfo": {"osImage": "Talos (v1.13.3)"}},
        },
        {
            "kind": "Node",
            "metadata": {"name": "cpu-1", "labels": {}},
            "spec": {"taints": [{"key": "x", "effect": "NoSchedule"}]},
        },
    ],
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def rules(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str, str]]:
    result = gpuc(capsys, "lint", *arguments, "--format", "json")
    return [
        (item["rule"], item["severity"], f"{item['place']['path']}:{item['place']['line']}") for item in result.findings
    ]


def test_a_folder_is_read_with_everything_below_it_in_the_order_of_names(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b/two.yaml", "a/one.yml", "a/c/three.json"):
        text = json.dumps({**_as_json(), "metadata": {"name": name.replace("/", "-"), "namespace": "x"}}, indent=2)
        put(name, text)
    put("a/.hidden.yaml", EXPORTER)
    put("a/readme.md", EXPORTER)
    named = [place.partition(":")[0] for rule, _, place in rules(capsys, ".") if rule == "GPU206"]
    assert named == ["a/c/three.json", "a/one.yml", "b/two.yaml"]


def _as_json() -> dict[str, object]:
    template = {
        "metadata": {"labels": {"app": "x"}},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": "gpu-1"},
            "containers": [{"name": "x", "image": "nvcr.io/nvidia/k8s/dcgm-exporter:1"}],
        },
    }
    selector = {"matchLabels": {"app": "x"}}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "spec": {"selector": selector, "template": template}}


def test_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(EXPORTER.encode())))
    assert rules(capsys, "-") == [("GPU206", "warning", "<stdin>:4")]


def test_the_items_of_a_list_are_objects(capsys: pytest.CaptureFixture[str]) -> None:
    indented = "".join(f"    {line}\n" for line in EXPORTER.splitlines())
    put("list.yaml", f"apiVersion: v1\nkind: List\nitems:\n  - {indented.lstrip()}")
    assert rules(capsys, "list.yaml") == [("GPU206", "warning", "list.yaml:7")]


def test_anchors_and_merge_keys_are_read_as_kubectl_does(capsys: pytest.CaptureFixture[str]) -> None:
    put(
        "values.yaml",
        "x-common: &common\n  runtimeClassName: nvidia\n  env: []\n"
        "<<: *common\nnodeSelector: {kubernetes.io/hostname: a}\n",
    )
    assert rules(capsys, "values.yaml", "--chart", "dcgm-exporter") == [("GPU601", "error", "values.yaml:3")]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_a_link_out_of_the_folder_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put("secret/x.yaml", EXPORTER)
    put("repo/good.yaml", GOOD)
    (tmp_path / "repo/link.yaml").symlink_to("../secret/x.yaml")
    (tmp_path / "repo/folder").symlink_to("../secret")
    result = gpuc(capsys, "lint", "repo")
    assert result.code == 0
    assert "left out: repo/link.yaml is a link that leads out of repo" in result.stdout
    assert "looked at 1 object in 1 file" in result.stdout


def test_what_has_nothing_to_do_with_gpus_is_passed_over_in_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    put("web.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {}\n")
    put("gpu.yaml", GOOD)
    assert rules(capsys, ".") == []


def test_saved_nodes_in_a_linted_folder_are_no_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    node = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}, "status": {"allocatable": {}}}'
    put("nodes.json", f'{{"apiVersion": "v1", "kind": "List", "items": [{node}]}}')
    put("good.yaml", GOOD)
    result = gpuc(capsys, "lint", ".", "--nodes", "nodes.json")
    assert result.code == 0
    assert "left out: nodes.json is what kubectl prints of nodes" in result.stdout


def test_a_template_is_left_out_and_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    put("templates/gpu.yaml", "kind: {{ .Values.kind }}\nnvidia: x\n{{- if .Values.y }}\n")
    put("good.yaml", GOOD)
    result = gpuc(capsys, "lint", ".")
    assert result.code == 0
    assert "left out: templates/gpu.yaml is a template: lint what `helm template` prints" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["good.yaml"], 0, "nothing found; looked at 1 object in 1 file"),
        (["broken.yaml"], 1, "1 error"),
        (["nothing.yaml"], 3, "nothing to lint"),
        (["missing.yaml"], 1, "missing.yaml does not exist"),
        (["good.yaml", "--chart", "nginx"], 2, "nginx is none of"),
        (["good.yaml", "--node", "gpu-1:what"], 2, "what is neither a taint nor a label"),
        (["good.yaml", "--node", "gpu-1:a=b:Never"], 2, "is no taint"),
        (["good.yaml", "--node", ":a=b"], 2, "has no name"),
        (["good.yaml", "--talos", "banana"], 2, "is no release of Talos"),
        (["good.yaml", "--nodes", "good.yaml"], 2, "holds no Node"),
        ([], 2, "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_how_a_run_ends(arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    put("good.yaml", GOOD)
    put("broken.yaml", "nvidia: [\n")
    put("nothing.yaml", "a: 1\n")
    result = gpuc(capsys, "lint", *arguments)
    assert result.code == code
    assert says in " ".join((result.stdout + result.stderr).replace("│", " ").split())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_a_failure_of_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put("closed.yaml", GOOD)
    (tmp_path / "closed.yaml").chmod(0)
    assert gpuc(capsys, "lint", "closed.yaml").code == 5


def test_a_node_of_the_command_line_is_judged_with_its_taints_and_labels(capsys: pytest.CaptureFixture[str]) -> None:
    put("good.yaml", GOOD)
    assert rules(capsys, "good.yaml", "--node", "gpu-1:dedicated=ai:NoSchedule,zone=a") == [
        ("GPU203", "error", "good.yaml:4")
    ]
    assert rules(capsys, "good.yaml", "--node", "other:dedicated=ai:NoSchedule,zone=a") == []


def test_saved_nodes_are_judged_without_taints_of_their_health(capsys: pytest.CaptureFixture[str]) -> None:
    put("nodes.json", json.dumps(NODES, indent=1))
    put("bad.yaml", EXPORTER)
    found = gpuc(capsys, "lint", "bad.yaml", "--nodes", "nodes.json", "--format", "json").findings
    taints = [item for item in found if item["rule"] == "GPU203"]
    assert len(taints) == 1
    assert "dedicated=ai:NoSchedule of pool gpu-1" in taints[0]["message"]
    # The saved node says that it runs Talos, where nothing works without a RuntimeClass.
    assert [item["severity"] for item in found if item["rule"] == "GPU206"] == ["error"]


def test_labels_that_saved_nodes_carry_need_no_maker(capsys: pytest.CaptureFixture[str]) -> None:
    put("nodes.json", json.dumps(NODES))
    selecting = GOOD.replace("kubernetes.io/hostname: gpu-1", 'nvidia.com/gpu.present: "true"')
    put(
        "good.yaml",
        selecting.replace("      containers:", "      tolerations: [{operator: Exists}]\n      containers:"),
    )
    found = rules(capsys, "good.yaml", "--nodes", "nodes.json")
    assert [rule for rule, _, _ in found if rule == "GPU201"] == []


def test_an_overlay_brings_its_node_pools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "project")
    put("bad.yaml", GOOD.replace("gpu-1", "k8s-worker4"))
    found = gpuc(
        capsys, "lint", "bad.yaml", "--overlay", "worker4", "--root", str(tmp_path / "project"), "--format", "json"
    ).findings
    assert [item["rule"] for item in found] == ["GPU203"]
    assert found[0]["related"][0]["place"]["path"] == "overlays/worker4/overlay.yaml"


def test_an_unknown_overlay_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "project")
    put("good.yaml", GOOD)
    result = gpuc(capsys, "lint", "good.yaml", "--overlay", "none", "--root", str(tmp_path / "project"))
    assert result.code == 2
    assert "there is no overlay none" in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("style", ["json", "github", "sarif"])
def test_for_machines_assumptions_are_said_on_standard_error(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    put("bad.yaml", EXPORTER)
    result = gpuc(capsys, "lint", "bad.yaml", "--format", style)
    assert "GPU206" in result.stdout
    assert "assumed" not in result.stdout
    assert result.stderr.startswith("assumed: nodes are not known")


def test_what_is_not_known_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    put("bad.yaml", EXPORTER + "---\n" + EXPORTER.replace("name: dcgm-exporter\n", "name: other\n", 1))
    assert gpuc(capsys, "lint", "bad.yaml").stdout.count("assumed: nodes are not known") == 1


def test_two_clusters_in_one_repository_are_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    for cluster in ("one", "two"):
        put(f"clusters/{cluster}/exporter.yaml", GOOD)
        put(f"clusters/{cluster}/service.yaml", _service())
    result = gpuc(capsys, "lint", "clusters")
    assert (result.code, "nothing found" in result.stdout) == (0, True)
    assert "the files are for 2 clusters" in result.stdout


def _service() -> str:
    return (
        "apiVersion: v1\nkind: Service\nmetadata: {name: dcgm-exporter, namespace: monitoring}\n"
        "spec:\n  selector: {app: dcgm-exporter}\n  ports: [{port: 9400, targetPort: 9400}]\n"
    )


def test_kustomize_gives_the_namespace(capsys: pytest.CaptureFixture[str]) -> None:
    put("gpu/kustomization.yaml", "namespace: monitoring\nresources: [exporter.yaml]\n")
    put("gpu/exporter.yaml", GOOD.replace("  namespace: monitoring\n", ""))
    assert rules(capsys, "gpu") == []
    Path("gpu/kustomization.yaml").unlink()
    assert [rule for rule, _, _ in rules(capsys, "gpu")] == ["GPU219"]


def test_what_a_kustomize_patch_changes_is_not_judged_and_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    put("gpu/kustomization.yaml", "resources: [exporter.yaml]\npatches:\n  - path: patch.yaml\n")
    put("gpu/exporter.yaml", EXPORTER)
    put(
        "gpu/patch.yaml",
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: dcgm-exporter, namespace: monitoring}\n"
        "spec: {template: {spec: {runtimeClassName: nvidia}}}\n",
    )
    result = gpuc(capsys, "lint", "gpu")
    assert result.code == 0
    assert "nothing found" in result.stdout
    assert "what kustomize's patches change is not judged" in " ".join(result.stdout.split())


def test_values_of_a_config_map_reach_the_release(capsys: pytest.CaptureFixture[str]) -> None:
    put(
        "release.yaml",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: dcgm-exporter, namespace: m}\n"
        "spec:\n  chart: {spec: {chart: dcgm-exporter}}\n  valuesFrom:\n    - {kind: ConfigMap, name: v}\n"
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: m}\ndata:\n  values.yaml: |\n"
        "    runtimeClassName: nvidia\n    nodeSelector: {kubernetes.io/hostname: a}\n    env: []\n",
    )
    assert rules(capsys, "release.yaml") == [("GPU601", "error", "release.yaml:16")]


def test_values_that_were_not_read_are_said_to_be_missing(capsys: pytest.CaptureFixture[str]) -> None:
    put(
        "release.yaml",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: dcgm-exporter, namespace: m}\n"
        "spec:\n  chart: {spec: {chart: dcgm-exporter}}\n  valuesFrom:\n    - {kind: Secret, name: v}\n",
    )
    assert "values of HelmRelease dcgm-exporter that come from elsewhere" in " ".join(
        gpuc(capsys, "lint", "release.yaml").stdout.split()
    )


def test_a_chart_by_reference_is_known_by_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    put(
        "release.yaml",
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: metrics, namespace: m}\n"
        "spec: {url: oci://registry.example.com/charts/dcgm-exporter, ref: {tag: 4.8.2}}\n---\n"
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu-metrics, namespace: m}\n"
        "spec:\n  chartRef: {kind: OCIRepository, name: metrics}\n  values:\n    runtimeClassName: nvidia\n"
        "    nodeSelector: {kubernetes.io/hostname: a}\n    serviceMonitor: {labels: {a: b}}\n",
    )
    assert rules(capsys, "release.yaml") == [("GPU601", "error", "release.yaml:14")]


def test_values_files_of_kustomize_and_helmfile_belong_to_their_release(capsys: pytest.CaptureFixture[str]) -> None:
    values = "runtimeClassName: nvidia\nnodeSelector: {kubernetes.io/hostname: a}\nenv: []\n"
    put("k/kustomization.yaml", "helmCharts:\n  - name: dcgm-exporter\n    valuesFile: v.yaml\n")
    put("k/v.yaml", values)
    put("h/helmfile.yaml", "releases:\n  - {name: d, chart: nvidia/dcgm-exporter, namespace: x, values: [v.yaml]}\n")
    put("h/v.yaml", values)
    assert rules(capsys, "k") == [("GPU601", "error", "k/v.yaml:3")]
    assert rules(capsys, "h") == [("GPU601", "error", "h/v.yaml:3")]


def test_a_key_of_another_release_of_the_chart_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: dcgm-exporter, namespace: m}\n"
        "spec:\n  chart: {spec: {chart: dcgm-exporter, version: VERSION}}\n  values:\n    runtimeClassName: nvidia\n"
        "    nodeSelector: {kubernetes.io/hostname: a}\n    somethingNew: 1\n"
    )
    put("release.yaml", text.replace("VERSION", "4.8.2"))
    assert rules(capsys, "release.yaml") == [("GPU601", "error", "release.yaml:9")]
    put("release.yaml", text.replace("VERSION", "5.0.0"))
    assert rules(capsys, "release.yaml") == [("GPU601", "warning", "release.yaml:9")]


def test_beside_the_gpu_operator_its_label_needs_no_other_maker(capsys: pytest.CaptureFixture[str]) -> None:
    selecting = GOOD.replace("kubernetes.io/hostname: gpu-1", 'nvidia.com/gpu.present: "true"')
    operator = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpu-operator, namespace: x}\n"
        "spec: {chart: {spec: {chart: gpu-operator}}}\n"
    )
    put("alone.yaml", selecting)
    put("both.yaml", f"{selecting}---\n{operator}")
    assert [rule for rule, _, _ in rules(capsys, "alone.yaml")] == ["GPU201"]
    assert rules(capsys, "both.yaml") == []
