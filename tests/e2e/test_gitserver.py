"""The git server speaks to real git clients, and to those that compress what they send."""

from __future__ import annotations

import gzip
import http.client
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from tests.e2e.gitserver import GitServer, Repository


def test_a_clone_gets_the_commit(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "fleet.git", tmp_path / "tree")
    (tmp_path / "tree" / "file").write_text("hello\n", encoding="utf-8")
    revision = repository.commit("first")
    with GitServer(tmp_path) as server:
        subprocess.run(["git", "clone", "--quiet", server.url("fleet.git"), tmp_path / "clone"], check=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=tmp_path / "clone", check=True, capture_output=True, text=True
    ).stdout.strip()
    assert (head, (tmp_path / "clone" / "file").read_text(encoding="utf-8")) == (revision, "hello\n")


def test_a_shallow_clone_works_as_flux_makes_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "fleet.git", tmp_path / "tree")
    repository.commit("first")
    repository.commit("second")
    with GitServer(tmp_path) as server:
        clone = [
            "git",
            "clone",
            "--quiet",
            "--depth=1",
            "--branch=main",
            server.url("fleet.git"),
            str(tmp_path / "clone"),
        ]
        subprocess.run(clone, check=True)
    log = subprocess.run(
        ["git", "log", "--format=%s"], cwd=tmp_path / "clone", check=True, capture_output=True, text=True
    ).stdout
    assert log == "second\n"


def test_a_compressed_request_is_understood(tmp_path: Path) -> None:
    revision = Repository(tmp_path / "fleet.git", tmp_path / "tree").commit("first")
    want = f"want {revision} side-band-64k\n".encode()
    body = b"%04x%s0000" % (len(want) + 4, want) + b"0009done\n"
    with GitServer(tmp_path) as server:
        address = urlsplit(server.url("fleet.git"))
        connection = http.client.HTTPConnection(address.netloc, timeout=10)
        connection.request(
            "POST",
            f"{address.path}/git-upload-pack",
            gzip.compress(body),
            {"Content-Encoding": "gzip", "Content-Type": "application/x-git-upload-pack-request"},
        )
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
    assert (answer.status, content[:8], b"PACK" in content) == (200, b"0008NAK\n", True)


def test_a_repository_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with GitServer(tmp_path) as server:
        address = urlsplit(server.url("other.git"))
        connection = http.client.HTTPConnection(address.netloc, timeout=10)
        connection.request("GET", f"{address.path}/info/refs?service=git-upload-pack")
        status = connection.getresponse().status
        connection.close()
    assert status == 404
