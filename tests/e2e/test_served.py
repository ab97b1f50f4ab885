"""What is served to Flux is the repository's own commit, and edits hit exactly what they name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.gitserver import Repository
from tests.e2e.scenarios.chain import readme_flux
from tests.e2e.served import edit


def test_the_head_of_another_repository_is_served_with_its_hash(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    origin = Repository(tmp_path / "a/origin.git", tmp_path / "a/tree")
    (tmp_path / "a/tree/file").write_text("text\n", encoding="utf-8")
    revision = origin.commit("first")
    served = Repository(tmp_path / "b/fleet.git", tmp_path / "b/tree")
    taken = served.take(tmp_path / "a/tree")
    log = subprocess.run(
        ["git", "rev-parse", "main"], cwd=tmp_path / "b/fleet.git", check=True, capture_output=True, text=True
    ).stdout.strip()
    assert (taken, log, (served.tree / "file").read_text(encoding="utf-8")) == (revision, revision, "text\n")


def test_a_branch_of_its_own_leaves_main_alone(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "fleet.git", tmp_path / "tree")
    first = repository.commit("first")
    second = repository.commit("second", branch="apps")
    heads = subprocess.run(
        ["git", "rev-parse", "main", "apps"], cwd=tmp_path / "fleet.git", check=True, capture_output=True, text=True
    ).stdout.split()
    assert heads == [first, second]


def test_an_edit_replaces_one_text(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("replicas: 5\n", encoding="utf-8")
    edit(tmp_path / "file", "5", "6")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "replicas: 6\n"


@pytest.mark.parametrize(("text", "times"), [("a", 0), ("5 5", 2)])
def test_an_edit_that_would_hit_nothing_or_too_much_is_refused(tmp_path: Path, text: str, times: int) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    with pytest.raises(LookupError, match=f"{times} times, not once"):
        edit(tmp_path / "file", "5", "6")


BLOCK = """\
```yaml
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: gpu, namespace: flux-system}
```
"""


def test_the_readmes_object_is_found(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"Text.\n\n{BLOCK}\nMore.\n", encoding="utf-8")
    assert readme_flux(tmp_path / "README.md")["metadata"] == {"name": "gpu", "namespace": "flux-system"}


@pytest.mark.parametrize(
    "text",
    ["Text.\n", f"{BLOCK}\n{BLOCK}", BLOCK.replace("kind:", "# more\n" * 9 + "kind:")],
    ids=["none", "two", "too long"],
)
def test_a_readme_without_one_short_object_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    with pytest.raises(LookupError, match="no Flux Kustomization of at most ten lines"):
        readme_flux(tmp_path / "README.md")
