"""What a program in a container sees of the machine, and what of its mounts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.pods import expand, field

POD = {"metadata": {"name": "plugin-x", "namespace": "gpu"}, "spec": {"nodeName": "k8s-worker4"}}


@pytest.mark.parametrize(
    ("path", "expected"),
    [("metadata.name", "plugin-x"), ("spec.nodeName", "k8s-worker4"), ("status.hostIP", "")],
    ids=["name", "node", "not set yet"],
)
def test_a_field_of_a_pod(path: str, expected: str) -> None:
    assert field(POD, path) == expected


def test_a_reference_to_a_variable_is_expanded_and_any_other_stays() -> None:
    assert expand("$(NODE_NAME)/$(OTHER)", {"NODE_NAME": "k8s-worker4"}) == "k8s-worker4/$(OTHER)"


def test_mirror_shows_the_machine_around_a_mount(tmp_path: Path) -> None:
    """The calls that need privileges are made in a process of their own, inside the sandbox."""
    (tmp_path / "machine" / "var" / "lib" / "git").mkdir(parents=True)
    (tmp_path / "machine" / "var" / "lib" / "git" / "file").write_text("of the machine", encoding="utf-8")
    (tmp_path / "machine" / "link").symlink_to("var")
    (tmp_path / "sockets").mkdir()
    (tmp_path / "sockets" / "kubelet.sock").touch()
    script = """
import subprocess
import sys
from pathlib import Path, PurePosixPath
from tests.e2e.container import mirror
from tests.e2e.sandbox import run_inside

def main(folder):
    root, top = folder / "root", Path(sys.argv[1])
    root.mkdir()
    mirror(top / "machine", root, PurePosixPath("/"), {PurePosixPath("/var/lib/kubelet/plugins"): top / "sockets"})
    print(sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() or path.is_symlink()))
    return 0

sys.exit(run_inside(Path(sys.argv[1]) / "run", main))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 5:
        pytest.skip(done.stderr.splitlines()[0])
    assert done.stdout == "['link', 'var/lib/git/file', 'var/lib/kubelet/plugins/kubelet.sock']\n"
    assert sorted(path.name for path in (tmp_path / "machine" / "var" / "lib").iterdir()) == ["git"]
