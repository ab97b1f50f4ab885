"""`gpuc explain out/...`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inputs.project import gpuc

Capture = pytest.CaptureFixture[str]
PATCH = "out/overlays/worker4/pools/worker4/daemonset-nvidia-device-plugin.patch.yaml"


def test_it_prints_value_place_caret_and_reason(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    result = gpuc(capsys, "explain", "--root", project, f"{PATCH}:spec.template.spec.tolerations")
    assert result.code == 0
    assert (
        result.stdout
        == f"""\
{PATCH}:18  spec.template.spec.tolerations
value: [{{"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}}]
from: nodePools[0].taints
 --> overlays/worker4/overlay.yaml:7:5
  |
7 |     taints: [{{key: dedicated, value: ai, effect: NoSchedule}}]
  |     ^^^^^^
why: The pool's nodes carry these taints; a pod without the toleration would never run there.
made by: component device-plugin: The plugin reads one static configuration, so it needs no config-manager and no \
API access.
"""
    )


def test_it_says_when_out_is_older_than_the_inputs(project: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "explain", "--root", project, f"{PATCH}:18")
    assert result.code == 0
    assert "is not what the inputs compile to now: run `gpuc compile`" in result.stderr


@pytest.mark.parametrize(
    ("folder", "what"),
    [(".", PATCH), ("out", PATCH), ("out", PATCH.removeprefix("out/")), (".", PATCH.removeprefix("out/"))],
    ids=["root", "out-with-out", "out", "root-without-out"],
)
def test_a_path_is_found_from_wherever_one_is(
    folder: str, what: str, project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / folder)
    result = gpuc(capsys, "explain", "--root", project, f"{what}:18")
    assert (result.code, result.stdout.splitlines()[0]) == (0, f"{PATCH}:18  spec.template.spec.tolerations")


def test_the_list_of_gpucs_files_is_told_too(project: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "explain", "--root", project, "out/.gpuc.json")
    assert result.code == 0
    assert "list of files that gpuc wrote" in result.stdout


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (f"{PATCH}:spec.nope", "has no field and no line `spec.nope`"),
        ("out/overlays/worker4/kustomisation.yaml", "did you mean out/overlays/worker4/kustomization.yaml?"),
        ("../../etc/passwd.yaml:1", "gpuc does not compile ../../etc/passwd.yaml"),
        ("/etc/passwd:1", "gpuc does not compile /etc/passwd"),
        ("out/\0.yaml", "gpuc does not compile"),
        ("out/\x1b[2J.yaml", "\\x1b[2J"),
    ],
    ids=["field", "path", "outside", "absolute", "null", "terminal"],
)
def test_what_gpuc_does_not_compile_is_wrong_usage(what: str, says: str, project: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "explain", "--root", project, what)
    assert (result.code, result.stdout) == (2, "")
    assert says in result.stderr


def test_a_mistake_in_the_inputs_is_told_as_compile_tells_it(project: Path, capsys: Capture) -> None:
    (project / "overlays/worker4/overlay.yaml").write_text("kind: Overlay\n", encoding="utf-8")
    result = gpuc(capsys, "explain", "--root", project, f"{PATCH}:1")
    assert result.code == 1
    assert "GPU031" in result.stderr
