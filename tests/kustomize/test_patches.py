"""Patches of the user's own: what is refused, with which place, and that kustomize takes the rest as gpuc does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure, InputError
from compiler.validate import Toolset, validate_tree
from tests.components.projects import POOL, TWO_POOLS, compiled, write

MERGE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin-a, namespace: gpu}
spec: {template: {spec: {priorityClassName: high}}}
"""
ADD = "- {op: add, path: /metadata/annotations, value: {example.com/x: y}}\n"


def entry(path: str = "patches/p.yaml", target: str = "", root: str = "stack") -> str:
    """Return the overlay's lines for one patch."""
    shown = f", target: {target}" if target else ""
    return f"{POOL}patches:\n  - {{path: {path}, root: {root}{shown}}}\n"


def findings(folder: Path, body: str, **files: str) -> list[tuple[str, str, str]]:
    """Return rule, place and message of what is wrong with a project, or nothing where it compiles."""
    try:
        compiled(folder, body, **{f"patches/{name}": text for name, text in files.items()})
    except InputError as error:
        return [(found.rule, str(found.place), found.message) for found in error.diagnostics]
    return []


@pytest.mark.parametrize(
    "target",
    [
        "{kind: DaemonSet}",
        "{name: nvidia-device-plugin}",
        "{name: nvidia-device-plugin-a}",
        "{name: nvidia-.*|dcgm-.*}",
        "{kind: DaemonSet, group: apps, version: v1, namespace: gpu}",
        "{kind: ConfigMap, name: nvidia-device-plugin-config-a}",
        "{kind: ConfigMap, name: nvidia-device-plugin-config}",
        "{kind: ConfigMap, name: nfd-worker-config}",
        "{labelSelector: app.kubernetes.io/instance=a}",
        "{annotationSelector: argocd.argoproj.io/sync-options}",
        "{kind: RuntimeClass}",
    ],
)
def test_kustomize_patches_what_gpuc_says_that_a_target_matches(target: str, tools: Toolset, tmp_path: Path) -> None:
    built = compiled(tmp_path, entry(target=target), **{"patches/p": ADD})
    result = validate_tree(built.tree, tools, tmp_path)
    annotated = [
        obj for obj in result.built["overlays/lab"] if "example.com/x" in obj["metadata"].get("annotations", {})
    ]
    assert (result.diagnostics, bool(annotated)) == ([], True)


@pytest.mark.parametrize(
    "target",
    [
        "{kind: Daemonset}",
        "{name: nvidia-device-plugin-b}",
        "{name: device-plugin}",
        "{kind: DaemonSet, group: batch}",
        "{kind: DaemonSet, version: v1beta1}",
        "{kind: DaemonSet, namespace: kube-system}",
        "{labelSelector: app=x}",
        "{annotationSelector: app}",
        "{kind: ServiceMonitor}",
    ],
)
def test_a_target_that_matches_nothing_is_refused_at_the_entry(target: str, tmp_path: Path) -> None:
    ((rule, place, message),) = findings(tmp_path, entry(target=target), p=ADD)
    assert (rule, place) == ("GPU061", "overlays/lab/overlay.yaml:6:12")
    assert message.startswith("the patch patches/p.yaml matches no object")


@pytest.mark.parametrize("name", ["(", "(a+)+b", "a*a*a*a*a*b"])
def test_a_pattern_that_is_none_or_could_take_for_ever_is_refused(name: str, tmp_path: Path) -> None:
    assert len(findings(tmp_path, entry(target=f"{{name: '{name}'}}"), p=ADD)) == 1


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("{labelSelector: 'app=x,'}", "labelSelector 'app=x,' is not a selector: '' is not a label's key"),
        ("{annotationSelector: 'a b'}", "annotationSelector 'a b' is not a selector"),
    ],
)
def test_a_target_that_cannot_be_read_is_refused_at_the_entry(target: str, said: str, tmp_path: Path) -> None:
    ((rule, place, message),) = findings(tmp_path, entry(target=target), p=ADD)
    assert (rule, place, said in message) == ("GPU062", "overlays/lab/overlay.yaml:6:12", True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("nvidia-device-plugin-a", "nvidia-device-plugin-b", "matches no object"),
        ("DaemonSet", "Deployment", "matches no object"),
        ("apps/v1", "v1", "matches no object"),
        (", namespace: gpu", "", "Kustomize looks for it in that namespace, and it is in gpu"),
        ("namespace: gpu", "namespace: other", "Kustomize looks for it in that namespace, and it is in gpu"),
    ],
    ids=["name", "kind", "apiVersion", "no namespace", "namespace"],
)
def test_a_patch_that_names_an_object_that_is_not_there_is_refused(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    ((rule, place, message),) = findings(tmp_path, entry(), p=MERGE.replace(old, new))
    assert (rule, place, said in message) == ("GPU061", "overlays/lab/overlay.yaml:6:12", True)


@pytest.mark.parametrize("name", ["nvidia-device-plugin-a", "nvidia-device-plugin"])
def test_kustomize_finds_the_one_object_that_a_patch_names(name: str, tools: Toolset, tmp_path: Path) -> None:
    built = compiled(tmp_path, entry(), **{"patches/p": MERGE.replace("nvidia-device-plugin-a", name)})
    result = validate_tree(built.tree, tools, tmp_path)
    high = [
        obj["metadata"]["name"]
        for obj in result.built["overlays/lab"]
        if obj["kind"] == "DaemonSet" and obj["spec"]["template"]["spec"].get("priorityClassName") == "high"
    ]
    assert (result.diagnostics, high) == ([], ["nvidia-device-plugin-a"])


def test_a_patch_that_names_an_object_of_two_pools_is_refused(tmp_path: Path) -> None:
    body = f"{TWO_POOLS}patches: [{{path: patches/p.yaml}}]\n"
    ((rule, _, message),) = findings(tmp_path, body, p=MERGE.replace("nvidia-device-plugin-a", "nvidia-device-plugin"))
    assert (rule, "fits 2 objects" in message) == ("GPU062", True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("just text\n", id="text"),
        pytest.param("a: [\n", id="not YAML"),
        pytest.param(f"{MERGE}---\n{MERGE}", id="two documents"),
        pytest.param("- op: add\n  path: /x\n", id="JSON 6902 without a target"),
        pytest.param("spec: {}\n", id="names nothing"),
        pytest.param("apiVersion: apps/v1\nkind: DaemonSet\nmetadata: [x]\n", id="metadata is no mapping"),
    ],
)
def test_a_file_that_is_no_patch_is_refused_at_the_entry(text: str, tmp_path: Path) -> None:
    ((rule, place, _),) = findings(tmp_path, entry(), p=text)
    assert (rule, place) == ("GPU062", "overlays/lab/overlay.yaml:6:12")


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    assert [found[0] for found in findings(tmp_path, entry(), p=MERGE.replace("nvidia-device-plugin-a", "[x]"))] == [
        "GPU061"
    ]


def test_every_bad_patch_is_reported_in_one_run(tmp_path: Path) -> None:
    body = f"{POOL}patches:\n  - {{path: patches/p.yaml}}\n  - {{path: patches/q.yaml}}\n"
    found = findings(tmp_path, body, p="", q="text\n")
    assert [place for _, place, _ in found] == ["overlays/lab/overlay.yaml:6:12", "overlays/lab/overlay.yaml:7:12"]


@pytest.mark.parametrize(
    "path",
    ["../secret.yaml", "patches/../../other/secret.yaml", "/etc/secret.yaml", "./p.yaml", "patches\\\\p.yaml", "p.txt"],
)
def test_a_path_that_leads_elsewhere_is_refused(path: str, tmp_path: Path) -> None:
    write(tmp_path, {"overlays/secret.yaml": MERGE, "other/secret.yaml": MERGE})
    ((_, place, _),) = findings(tmp_path, entry(path=f'"{path}"'))
    assert place == "overlays/lab/overlay.yaml:6:12"


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_symbolic_link_is_not_followed(linked: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"p.yaml": MERGE})
    overlay = tmp_path / "project/overlays/lab"
    overlay.mkdir(parents=True)
    if linked == "folder":
        (overlay / "patches").symlink_to(elsewhere)
    else:
        (overlay / "patches").mkdir()
        (overlay / "patches/p.yaml").symlink_to(elsewhere / "p.yaml")
    with pytest.raises((InputError, EnvironmentFailure)) as caught:
        compiled(tmp_path / "project", entry())
    assert "patches" in str(caught.value.diagnostics[0].place)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "overlays/lab/patches").mkdir(parents=True)
    os.mkfifo(tmp_path / "overlays/lab/patches/p.yaml")
    with pytest.raises((InputError, EnvironmentFailure)):
        compiled(tmp_path, entry())


def test_a_missing_file_is_reported_at_the_entry_or_the_file(tmp_path: Path) -> None:
    with pytest.raises((InputError, EnvironmentFailure)) as caught:
        compiled(tmp_path, entry())
    assert "patches/p.yaml" in str(caught.value)


def test_a_patch_is_carried_into_out_byte_for_byte(tmp_path: Path) -> None:
    text = f"# A note.\n{MERGE}   # at the end\n"
    built = compiled(tmp_path, entry(), **{"patches/p": text})
    assert built.files["overlays/lab/patches/p.yaml"] == text


@pytest.mark.parametrize("path", ["patches/p.yaml", "p.yaml"])
def test_patches_of_a_root_lie_in_one_folder_of_it(path: str, tmp_path: Path) -> None:
    built = compiled(tmp_path, entry(path=path), **{path.removesuffix(".yaml"): MERGE})
    assert "overlays/lab/patches/p.yaml" in built.files


def test_two_patches_that_would_lie_in_the_same_place_are_refused(tmp_path: Path) -> None:
    body = f"{POOL}patches: [{{path: p.yaml}}, {{path: patches/p.yaml}}]\n"
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, body, **{"p": MERGE, "patches/p": f"# another\n{MERGE}"})
    assert [found.rule for found in caught.value.diagnostics] == ["GPU060"]


def test_one_file_may_be_used_for_two_targets(tmp_path: Path) -> None:
    body = (
        f"{POOL}patches:\n  - {{path: p.yaml, target: {{kind: DaemonSet}}}}\n"
        "  - {path: p.yaml, target: {kind: Deployment}}\n"
    )
    built = compiled(tmp_path, body, p=ADD)
    assert built.files["overlays/lab/kustomization.yaml"].count("path: patches/p.yaml") == 2


def test_a_patch_of_the_monitoring_root_does_not_reach_the_stack(tmp_path: Path) -> None:
    built = compiled(tmp_path, entry(root="monitoring", target="{kind: ServiceMonitor}"), **{"patches/p": ADD})
    assert [path for path in built.files if "patches/" in path] == ["overlays/lab/monitoring/patches/p.yaml"]


def test_the_root_without_the_user_s_patches_is_kept_for_comparison(tmp_path: Path) -> None:
    built = compiled(tmp_path, entry(), **{"patches/p": MERGE})
    with_patch, without = built.files["overlays/lab/kustomization.yaml"], built.tree.roots["overlays/lab"].plain
    assert (without is not None and "patches/p.yaml" not in without, "patches/p.yaml" in with_patch) == (True, True)
