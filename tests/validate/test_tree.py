from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure
from compiler.kustomize.tree import Root, Tree, kustomization
from compiler.objects import Obj
from compiler.validate import Toolset, validate_tree
from compiler.validate.staging import staging, write_files
from compiler.yaml.readback import load_all
from tests.validate.samples import BUILT_IN, CUSTOM

IN_MEMORY = {kind: load_all(text)[0] for kind, text in BUILT_IN.items()}
NAMED = {**IN_MEMORY["DaemonSet"], "metadata": {"name": "x-a", "namespace": "gpu"}}
TARGET = {"kind": "DaemonSet", "name": "x"}


def tree(*, patch: str | None = None, kubernetes: str = "1.34", **files: str) -> Tree:
    """Return a tree with a base of two objects and a root that gives them a suffix; `files` replaces texts."""
    made = Tree()
    made.add("base/configmap-x.yaml", files.get("config", BUILT_IN["ConfigMap"]), "manifest")
    made.add("base/daemonset-x.yaml", files.get("daemon", BUILT_IN["DaemonSet"]), "manifest")
    made.add_kustomization("base", {"resources": ["configmap-x.yaml", "daemonset-x.yaml"]})
    content: Obj = {"resources": ["../../base"], "nameSuffix": "-a"}
    plain = kustomization(content) if patch else None
    if patch:
        made.add("overlays/a/patches/p.yaml", patch, "patch")
        content["patches"] = [{"path": "patches/p.yaml", "target": TARGET}]
    made.add_kustomization("overlays/a", content)
    config = {**IN_MEMORY["ConfigMap"], "metadata": {"name": "x-a", "namespace": "gpu"}}
    made.roots["overlays/a"] = Root((config, NAMED), kubernetes, plain)
    return made


def found(made: Tree, tools: Toolset, folder: Path) -> list[tuple[str, str, str]]:
    """Return rule, place and the start of the message of every finding, and see that nothing stays behind."""
    result = validate_tree(made, tools, folder)
    assert list(folder.iterdir()) == []
    return [(one.rule, str(one.place), one.message.partition(";")[0]) for one in result.diagnostics]


def json_patch(path: str, value: str) -> str:
    return f"- op: add\n  path: {path}\n  value: {value}\n"


def test_a_good_tree_passes_and_its_objects_are_handed_on(tools: Toolset, tmp_path: Path) -> None:
    result = validate_tree(tree(), tools, tmp_path)
    built = {root: [obj["kind"] for obj in objects] for root, objects in result.built.items()}
    assert (result.diagnostics, built) == ([], {"overlays/a": ["ConfigMap", "DaemonSet"]})


def test_a_mistake_in_a_file_is_reported_once_and_there(tools: Toolset, tmp_path: Path) -> None:
    made = tree(config=BUILT_IN["ConfigMap"].replace("\ndata:", "\ndat:"))
    made.roots["overlays/a"] = replace(made.roots["overlays/a"], expected=({**NAMED, "spek": {}},))
    first, second, *_ = found(made, tools, tmp_path)
    assert first == ("GPU921", "out/base/configmap-x.yaml:4:1", "ConfigMap x: there is no field dat")
    assert second[0] == "GPU933"


def test_an_object_that_only_the_root_makes_wrong_is_found_too(tools: Toolset, tmp_path: Path) -> None:
    made = tree()
    root = made.roots["overlays/a"]
    made.roots["overlays/a"] = replace(root, expected=(root.expected[0], {**NAMED, "spek": {}}))
    assert [one for one in found(made, tools, tmp_path) if one[0] == "GPU921"] == [
        ("GPU921", "out/overlays/a/kustomization.yaml:2:1", "DaemonSet x-a: there is no field spek")
    ]


def test_kustomize_must_build_what_was_in_memory(tools: Toolset, tmp_path: Path) -> None:
    made = tree(config=BUILT_IN["ConfigMap"].replace("a: b", "a: c"))
    assert found(made, tools, tmp_path) == [
        (
            "GPU933",
            "out/overlays/a/kustomization.yaml:1:1",
            'ConfigMap gpu/x-a: data.a was compiled as "b", and kustomize builds "c"',
        )
    ]


def test_the_users_patches_are_left_out_of_the_comparison_and_are_in_the_result(tools: Toolset, tmp_path: Path) -> None:
    made = tree(patch=json_patch("/spec/minReadySeconds", "5"))
    result = validate_tree(made, tools, tmp_path)
    spec = next(obj for obj in result.built["overlays/a"] if obj["kind"] == "DaemonSet")["spec"]
    assert (result.diagnostics, spec["minReadySeconds"]) == ([], 5)


def test_what_the_users_patches_break_is_found(tools: Toolset, tmp_path: Path) -> None:
    made = tree(patch=json_patch("/spec/minReadySecond", "5"))
    assert found(made, tools, tmp_path) == [
        ("GPU921", "out/overlays/a/kustomization.yaml:2:1", "DaemonSet x-a: there is no field spec.minReadySecond")
    ]


def test_a_patch_that_kustomize_cannot_apply_is_reported(tools: Toolset, tmp_path: Path) -> None:
    made = tree(patch="- op: remove\n  path: /spec/nothing\n")
    assert [(rule, place) for rule, place, _ in found(made, tools, tmp_path)] == [
        ("GPU931", "out/overlays/a/kustomization.yaml:1:1")
    ]


def test_a_manifest_that_no_root_uses_is_checked_as_well(tools: Toolset, tmp_path: Path) -> None:
    made = tree()
    made.add("flux/a/kustomization-x.yaml", CUSTOM["Kustomization"].replace("prune", "prun"), "manifest")
    place = "out/flux/a/kustomization-x.yaml"
    assert sorted({(rule, where.partition(":")[0]) for rule, where, _ in found(made, tools, tmp_path)}) == [
        ("GPU921", place)
    ]


def test_data_beside_the_manifests_is_left_alone(tools: Toolset, tmp_path: Path) -> None:
    made = tree()
    made.add("talos/a/machine.yaml", "machine: {kernel: {}}\n", "data")
    made.add("docs/a.md", "# x\n", "data")
    assert found(made, tools, tmp_path) == []


def test_two_roots_are_checked_for_their_own_kubernetes(tools: Toolset, tmp_path: Path) -> None:
    pod = BUILT_IN["Pod"].replace("resources:", "restartPolicyRules: [{action: Restart}], resources:")
    made = tree(kubernetes="1.33")
    made.add("base2/pod-x.yaml", pod, "manifest")
    made.add_kustomization("base2", {"resources": ["pod-x.yaml"]})
    made.add_kustomization("overlays/b", {"resources": ["../../base2"]})
    made.roots["overlays/b"] = Root((load_all(pod)[0],), "1.34")
    assert found(made, tools, tmp_path) == []
    made.roots["overlays/b"] = Root((load_all(pod)[0],), "1.33")
    assert [rule for rule, _, _ in found(made, tools, tmp_path)] == ["GPU921"]


def test_a_tree_without_a_root_does_not_pass(tools: Toolset, tmp_path: Path) -> None:
    made = tree()
    made.roots.clear()
    assert found(made, tools, tmp_path) == [("GPU924", "None", "the tree has no Kustomize root, so nothing to check")]


def test_a_file_that_nobody_accounts_for_does_not_pass(tools: Toolset, tmp_path: Path) -> None:
    made = tree()
    made.files["base/more.yaml"] = BUILT_IN["Secret"]
    assert [message for _, _, message in found(made, tools, tmp_path)] == [
        "out/base/more.yaml is nothing to the compiler, so it would go unchecked"
    ]


def test_the_staging_folder_goes_also_when_a_tool_is_missing(tools: Toolset, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure):
        validate_tree(tree(), replace(tools, kustomize=Path("/nonexistent/kustomize")), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_staging_folder_goes_also_when_the_run_is_interrupted(tmp_path: Path) -> None:
    def interrupted() -> None:
        with staging(tmp_path) as folder:
            write_files(folder, {"a/b": "c"})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_a_failure_of_the_machine(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="No space left on device"), staging(tmp_path):
        raise OSError(28, os.strerror(28))
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_not_there_is_a_failure_of_the_machine(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="No such file or directory"), staging(tmp_path / "none"):
        pass


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "", "a\0b"])
def test_no_file_is_written_outside_the_staging_folder(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a path below out/"):
        write_files(tmp_path, {path: "x"})


def test_characters_that_yaml_forbids_reach_kubeconform_escaped(tools: Toolset, tmp_path: Path) -> None:
    made = tree(config=BUILT_IN["ConfigMap"].replace("a: b", 'a: "\\u2028\\ufeff\U0001f600"'))
    root = made.roots["overlays/a"]
    config = {**root.expected[0], "data": {"a": "\u2028\ufeff\U0001f600"}}
    made.roots["overlays/a"] = replace(root, expected=(config, root.expected[1]))
    assert found(made, tools, tmp_path) == []
