from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure
from compiler.validate import Toolset
from compiler.validate.schemas import SCHEMAS
from compiler.validate.wording import Cause, causes
from tests.validate.samples import BUILT_IN, CUSTOM, KUSTOMIZE, check

DAEMON_SET = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: plugin
  namespace: gpu
spec:
  selector:
    matchLabels: {app: plugin}
  template:
    metadata:
      labels: {app: plugin}
    spec:
      hostPid: true
      containers:
        - name: plugin
          image: example/plugin:1
          env:
            - name: REPLICAS
              value: 5
"""
REFUSED = "an API server of Kubernetes 1.34 would refuse the object or drop the field"


def shown(tools: Toolset, folder: Path, text: str) -> list[tuple[str, str, str, str | None]]:
    """Return rule, place, message and help of every finding about one file."""
    found = check(tools.kubeconform, folder, {"x.yaml": text})
    return [(one.rule, str(one.place), one.message, one.help) for one in found]


def test_an_unknown_field_and_a_wrong_type_are_each_found_on_their_line(tools: Toolset, tmp_path: Path) -> None:
    pod = "spec.template.spec"
    assert sorted(shown(tools, tmp_path, DAEMON_SET)) == [
        (
            "GPU921",
            "out/x.yaml:13:7",
            f"DaemonSet plugin: there is no field {pod}.hostPid; {REFUSED}",
            "did you mean `hostPID`?",
        ),
        (
            "GPU921",
            "out/x.yaml:19:15",
            f"DaemonSet plugin: {pod}.containers[0].env[0].value is a number, but must be a string; {REFUSED}",
            None,
        ),
    ]


def test_a_required_field_that_is_missing_is_found_at_what_lacks_it(tools: Toolset, tmp_path: Path) -> None:
    text = BUILT_IN["RuntimeClass"].replace("handler: nvidia", "")
    message = f"RuntimeClass x: handler is required and missing; {REFUSED}"
    assert shown(tools, tmp_path, text) == [("GPU921", "out/x.yaml:1:1", message, None)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("null", "data.a is nothing (null), but must be a string"),
        ("[1]", "data.a is a list, but must be a string"),
        ("{b: c}", "data.a is a mapping, but must be a string"),
        ("true", "data.a is a boolean, but must be a string"),
    ],
)
def test_wrong_types_are_named_in_words(value: str, message: str, tools: Toolset, tmp_path: Path) -> None:
    text = BUILT_IN["ConfigMap"].replace("{a: b}", f"{{a: {value}}}")
    assert shown(tools, tmp_path, text) == [("GPU921", "out/x.yaml:4:1", f"ConfigMap x: {message}; {REFUSED}", None)]


def test_a_quantity_may_be_a_number_and_not_a_list(tools: Toolset, tmp_path: Path) -> None:
    text = BUILT_IN["Pod"].replace("nvidia.com/gpu: 1", "nvidia.com/gpu: [1]")
    field = 'spec.containers[0].resources.limits["nvidia.com/gpu"]'
    message = f"Pod x: {field} is a list, but must be a number or a string; {REFUSED}"
    assert [one[2] for one in shown(tools, tmp_path, text)] == [message]


def test_what_only_an_api_server_writes_is_refused(tools: Toolset, tmp_path: Path) -> None:
    text = BUILT_IN["ConfigMap"].replace("name: x", "resourceVersion: '7', name: x")
    assert [one[2] for one in shown(tools, tmp_path, text)] == [
        f"ConfigMap x: there is no field metadata.resourceVersion; {REFUSED}"
    ]


def test_a_duplicate_key_is_found_on_its_line(tools: Toolset, tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  name: z\n"
    message = 'this is not a manifest that Kubernetes can read: key "name" already set in map'
    assert shown(tools, tmp_path, text) == [("GPU925", "out/x.yaml:5:3", message, "repair the YAML here")]


def test_broken_yaml_is_found_on_its_line(tools: Toolset, tmp_path: Path) -> None:
    found = shown(tools, tmp_path, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n")
    assert [(rule, place) for rule, place, _, _ in found] == [("GPU925", "out/x.yaml:3:1")]


def test_an_unknown_field_of_a_custom_resource_is_found(tools: Toolset, tmp_path: Path) -> None:
    text = CUSTOM["ServiceMonitor"].replace("interval:", "intervall:")
    message = f"ServiceMonitor x: there is no field spec.endpoints[0].intervall; {REFUSED}"
    assert shown(tools, tmp_path, text) == [("GPU921", "out/x.yaml:4:1", message, "did you mean `interval`?")]


def test_a_typo_in_a_kustomization_is_found(tools: Toolset, tmp_path: Path) -> None:
    text = KUSTOMIZE["kustomization.yaml"].replace("resources:", "resource:")
    message = "Kustomization: there is no field resource; kustomize would refuse to build this folder"
    assert shown(tools, tmp_path, text) == [("GPU921", "out/x.yaml:3:1", message, "did you mean `resources`?")]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"], ids=["empty", "comment", "separator"])
def test_a_file_without_an_object_does_not_count_as_checked(text: str, tools: Toolset, tmp_path: Path) -> None:
    message = "this file holds no object, or one that was passed over, so nothing in it was checked"
    assert [one[:3] for one in shown(tools, tmp_path, text)] == [("GPU924", "out/x.yaml:1:1", message)]


def test_no_files_at_all_do_not_pass_where_objects_are_expected(tools: Toolset, tmp_path: Path) -> None:
    found = check(tools.kubeconform, tmp_path, {}, expected=30)
    assert [one.message for one in found] == ["kubeconform checked 0 objects where there are 30; the rest is unchecked"]


def test_two_objects_in_a_file_do_not_pass_for_one(tools: Toolset, tmp_path: Path) -> None:
    two = BUILT_IN["ConfigMap"] + "---\n" + BUILT_IN["Secret"]
    found = check(tools.kubeconform, tmp_path, {"x.yaml": two}, expected=1)
    assert [one.rule for one in found] == ["GPU924"]


def test_a_kind_without_a_schema_is_not_passed_over(tools: Toolset, tmp_path: Path) -> None:
    text = "metadata: {name: x}\nkind: DeamonSet\napiVersion: apps/v1\n"
    assert [one[:3] for one in shown(tools, tmp_path, text)] == [
        ("GPU922", "out/x.yaml:2:1", "gpuc has no schema of DeamonSet (apps/v1), so the object is unchecked")
    ]


def test_a_schema_that_does_not_compile_is_told_from_a_missing_one(tools: Toolset, tmp_path: Path) -> None:
    broken = tmp_path / "schemas"
    shutil.copytree(SCHEMAS / "kubernetes" / "v1.34.0", broken / "kubernetes" / "v1.34.0")
    (broken / "kubernetes/v1.34.0/v1/secret_v1.json").write_text(json.dumps({"type": "objekt"}))
    found = check(tools.kubeconform, tmp_path, {"x.yaml": BUILT_IN["Secret"]}, schemas=broken)
    assert [(one.rule, one.message, one.help) for one in found] == [
        (
            "GPU923",
            "the schema of Secret (v1) is there, but kubeconform cannot use it, so the object is unchecked",
            "install gpuc again: kubernetes/v1.34.0/v1/secret_v1.json in its schemas is damaged",
        )
    ]


def test_an_unknown_kubernetes_version_is_named(tools: Toolset, tmp_path: Path) -> None:
    found = check(tools.kubeconform, tmp_path, {"x.yaml": BUILT_IN["Secret"]}, kubernetes="1.28")
    assert [(one.rule, one.help) for one in found] == [("GPU922", "choose a version from 1.29 to 1.37")]


def test_a_newer_field_passes_only_where_kubernetes_has_it(tools: Toolset, tmp_path: Path) -> None:
    text = BUILT_IN["Pod"].replace("resources:", "restartPolicyRules: [{action: Restart}], resources:")
    passes = {
        version: not check(tools.kubeconform, tmp_path, {"x.yaml": text}, kubernetes=version)
        for version in ("1.33", "1.34")
    }
    assert passes == {"1.33": False, "1.34": True}


def program(folder: Path, body: str) -> Path:
    path = folder / "kubeconform"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("echo oops >&2; exit 3", "ended with code 3 and no result. It said:\n  oops"),
        ("kill -9 $$", "was ended by signal 9"),
        ("""echo '{"resources": []}'; exit 2""", "ended with code 2"),
    ],
    ids=["no result", "killed", "strange exit code"],
)
def test_a_kubeconform_that_fails_is_no_fault_of_the_manifests(body: str, what: str, tmp_path: Path) -> None:
    tool = program(tmp_path, body)
    with pytest.raises(EnvironmentFailure) as caught:
        check(tool, tmp_path, {"x.yaml": BUILT_IN["Secret"]})
    assert str(caught.value).startswith(f"kubeconform ({tool}) {what}")


def test_a_kubeconform_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="cannot be run: No such file or directory"):
        check(tmp_path / "kubeconform", tmp_path, {"x.yaml": BUILT_IN["Secret"]})


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            r"x - at '/metadata/labels/a.b~1c~0d': got number, want string",
            [Cause(("metadata", "labels", "a.b/c~d"), 'metadata.labels["a.b/c~d"] is a number, but must be a string')],
        ),
        (
            r"x - at '': additional properties 'yy', 'zz\'q' not allowed",
            [Cause(("yy",), "there is no field yy", "yy"), Cause(("zz'q",), 'there is no field ["zz\'q"]', "zz'q")],
        ),
        (
            r"""x - at '/data/k"q': got number, want string""",
            [Cause(("data", 'k"q'), r'data["k\"q"] is a number, but must be a string')],
        ),
        (
            "x - at '/a': 'oneOf' failed, none matched   - at '/a': value must be one of 'b', 'c'",
            [Cause(("a",), "a: value must be one of 'b', 'c'")],
        ),
        ("nothing that names a field", []),
    ],
    ids=["pointer escapes", "quotes in names", "double quotes", "choices", "no field"],
)
def test_fields_are_read_from_what_kubeconform_says(said: str, expected: list[Cause]) -> None:
    assert causes(said) == expected
