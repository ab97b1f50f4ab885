"""`gpuc diff`: where its two sides come from, and what hostile ones cannot do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.diff import source
from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, STACK_TEXT, Result, gpuc, write

RENDERED = """\
apiVersion: v1
kind: Namespace
metadata: {name: gpu}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: gpu}}
"""
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- {}\n"


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(root: Path) -> None:
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "--message", "a change")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit of compiled inputs."""
    root = write(tmp_path_factory.mktemp("project"), {})
    (root / "out/base/kept.yaml").unlink()
    command = [sys.executable, "-c", "from compiler.cli import main; main()", "compile", "--root", str(root)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    git(root, "init", "--quiet")
    commit(root)
    return root


@pytest.fixture
def project(compiled: Path, tmp_path: Path) -> Path:
    """A clone of it, to change."""
    git(tmp_path, "clone", "--quiet", str(compiled), "clone")
    return tmp_path / "clone"


def compile_with(root: Path, capsys: pytest.CaptureFixture[str], path: str, text: str) -> None:
    (root / path).write_text(text, encoding="utf-8")
    assert gpuc(capsys, "compile", "--root", root).code == 0


def diff(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str | Path) -> Result:
    return gpuc(capsys, "diff", "--root", root, *arguments)


def test_nothing_changed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = diff(capsys, project)
    assert (result.code, result.stdout, result.stderr) == (0, "nothing changes on the cluster\n", "")


def test_one_line_of_input_fits_a_screen(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compile_with(project, capsys, OVERLAY, OVERLAY_TEXT.replace("replicas: 5", "replicas: 6"))
    result = diff(capsys, project)
    assert result.code == 0
    assert len(result.stdout.splitlines()) <= 40
    assert result.stdout.startswith("* on k8s-worker4 gpu-feature-discovery-worker4 restarts\n")
    assert "* slices of each nvidia.com/gpu on worker4: 5 before, 6 after\n" in result.stdout


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (STACK, "namespace: nvidia-gpu-operator", "namespace: gpu"),
        (OVERLAY, "- name: worker4", "- name: other"),
        (STACK, "{name: nvidia, handler: nvidia}", "{name: other, handler: nvidia}"),
    ],
    ids=["namespace", "pool", "runtime-class"],
)
def test_a_line_that_changes_everything_fits_a_screen_too(
    path: str, old: str, new: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (project / path).read_text(encoding="utf-8")
    assert old in text
    compile_with(project, capsys, path, text.replace(old, new))
    for style in ("text", "markdown"):
        shown = diff(capsys, project, "--format", style).stdout.partition("<details>")[0]
        assert 1 < len(shown.splitlines()) <= 40


def test_two_revisions(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compile_with(project, capsys, STACK, STACK_TEXT.replace("version: v0.20.0", "version: v0.19.2"))
    commit(project)
    there, back = diff(capsys, project, "HEAD~", "HEAD"), diff(capsys, project, "HEAD", "HEAD~")
    assert "image k8s-device-plugin v0.20.0 becomes v0.19.2" in there.stdout
    assert "image k8s-device-plugin v0.19.2 becomes v0.20.0" in back.stdout
    assert diff(capsys, project).stdout == "nothing changes on the cluster\n"


def test_a_revision_without_out_has_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "rm", "-r", "--quiet", "--cached", "out")
    git(project, "commit", "--quiet", "--message", "no out")
    result = diff(capsys, project)
    assert "objects added\n" in result.stdout
    assert "changed" not in result.stdout


def test_without_out_there_is_nothing_to_compare(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "out").rename(project / "elsewhere")
    result = diff(capsys, project)
    assert result.code == 1
    assert "run `gpuc compile` first" in result.stderr


@pytest.mark.parametrize("revision", ["nothing", "HEAD~7", "HEAD:out", "--help=x", "-x", ""])
def test_an_unknown_revision_is_told(revision: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = diff(capsys, project, "--", revision)
    assert (result.code, "neither a folder nor a revision" in result.stderr) == (1, True)


def test_a_shallow_clone_says_how_to_get_the_rest(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "commit", "--quiet", "--allow-empty", "--message", "second")
    git(project, "clone", "--quiet", "--depth=1", f"file://{project}", "shallow")
    result = diff(capsys, project / "shallow", "HEAD~")
    assert (result.code, "git fetch --unshallow" in result.stderr) == (1, True)


def test_before_the_first_commit(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(project, "checkout", "--quiet", "--orphan", "new")
    result = diff(capsys, project)
    assert (result.code, "HEAD is neither a folder nor a revision" in result.stderr) == (1, True)


def test_rendered_manifests_against_the_tree(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rendered").mkdir()
    (tmp_path / "rendered" / "all.yaml").write_text(RENDERED, encoding="utf-8")
    result = diff(capsys, project, tmp_path / "rendered", "--format", "json")
    found = json.loads(result.stdout)["changes"]
    assert {change["root"] for change in found} == {""}
    assert [(change["kind"], change["name"]) for change in found if change["change"] == "removed"] == [
        ("Namespace", "gpu"),
        ("ServiceAccount", "a"),
    ]


def test_one_file_of_manifests(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(RENDERED, encoding="utf-8")
    result = diff(capsys, project, tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert result.stdout == "nothing changes on the cluster\n"


def test_one_overlay_of_several(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = OVERLAY_TEXT.replace("cluster: homelab", "cluster: other")
    (project / "overlays" / "other").mkdir()
    compile_with(project, capsys, "overlays/other/overlay.yaml", other)
    assert "overlays/other\n" in diff(capsys, project, "--overlay", "other", "--full").stdout
    assert diff(capsys, project, "--overlay", "worker4").stdout == "nothing changes on the cluster\n"


def test_an_overlay_that_neither_side_has(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = diff(capsys, project, "--overlay", "x")
    assert (result.code, "neither side has an overlay x" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"kustomization.yaml": KUSTOMIZATION.format("https://example.com/x.yaml")}, "which is not in out/"),
        ({"kustomization.yaml": KUSTOMIZATION.format("../../../../secret.yaml")}, "which does not exist"),
        ({"kustomization.yaml": KUSTOMIZATION.format("/etc/hosts")}, "which is not in out/"),
        ({"kustomization.yaml": "helmCharts: []\n"}, "uses helmCharts"),
        ({"kustomization.yaml": "a: &a [b]\nc: *a\n"}, "cannot be read"),
        ({"kustomization.yaml": KUSTOMIZATION.format("x.yaml"), "x.yaml": "kind: A\n"}, "kustomize cannot build"),
    ],
    ids=["address", "leaves", "absolute", "charts", "anchors", "no-object"],
)
def test_a_hostile_revision_is_refused(
    files: dict[str, str], says: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in files.items():
        path = project / "out" / "overlays" / "evil" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    commit(project)
    result = diff(capsys, project, "HEAD", "HEAD~")
    assert (result.code, says in result.stderr) == (1, True), result.stderr


def test_links_are_not_followed(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "outside.yaml").write_text(RENDERED, encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (tmp_path / "new" / "loop").symlink_to(tmp_path / "new")
    result = diff(capsys, project, tmp_path / "old", tmp_path / "new")
    assert result.stdout == "nothing changes on the cluster\n"


def test_a_link_in_a_revision_is_not_followed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = project / "out" / "overlays" / "evil"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text(KUSTOMIZATION.format("x.yaml"), encoding="utf-8")
    (folder / "x.yaml").symlink_to(project / "base" / "stack.yaml")
    commit(project)
    result = diff(capsys, project, "HEAD", "HEAD~")
    assert (result.code, "which does not exist" in result.stderr) == (1, True)


@pytest.mark.parametrize("side", ["revision", "folder"])
def test_too_much_is_refused(
    side: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_MAX_BYTES", 10_000)
    result = diff(capsys, project, "HEAD" if side == "revision" else project / "out")
    assert (result.code, "holds more than" in result.stderr) == (1, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_told(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text(RENDERED, encoding="utf-8")
    (tmp_path / "a.yaml").chmod(0)
    result = diff(capsys, project, tmp_path / "a.yaml")
    assert (result.code, "cannot be read" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    "text",
    [
        "kind: A\n",
        "[1, 2]\n",
        "apiVersion: v1\nkind: A\nmetadata: {name: 5}\n",
        "apiVersion: v1\nkind: A\nmetadata: []\n",
    ],
    ids=["no-version", "list", "name-is-a-number", "metadata-is-a-list"],
)
def test_what_is_no_object_is_left_out(
    text: str, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "new" / "a.yaml").write_text(text, encoding="utf-8")
    assert diff(capsys, project, tmp_path / "old", tmp_path / "new").stdout == "nothing changes on the cluster\n"


def test_a_manifest_that_is_no_yaml_is_named(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.yaml").write_text("a: [\n", encoding="utf-8")
    result = diff(capsys, project, tmp_path / "bad")
    assert (result.code, "a.yaml cannot be read" in result.stderr) == (1, True)


def test_control_characters_do_not_reach_the_terminal(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text('apiVersion: v1\nkind: A\nmetadata: {name: "\\e[2J"}\n', encoding="utf-8")
    assert "\x1b" not in diff(capsys, project, tmp_path / "a.yaml", "--full").stdout
