"""How `gpuc doctor` asks a cluster: read-only, kind by kind, and with an answer for every way in which that fails."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from compiler.doctor import kubectl
from tests.doctor.cluster import GPU, NODE, PLUGIN, Cluster, healthy, project
from tests.doctor.faults import FAULTS, NVML, UPGRADE
from tests.inputs.project import Result, gpuc

Capture = pytest.CaptureFixture[str]
_FAKE = """\
#!{python}
import json, os, pathlib, sys, time
here = pathlib.Path({folder!r})
arguments = [one for one in sys.argv[1:] if not one.startswith(("--request-timeout", "--context", "--kubeconfig"))]
with (here / "asked").open("a") as asked:
    asked.write(json.dumps(sys.argv[1:]) + "\\n")
if "logs" in arguments:
    name = "previous.txt" if "--previous" in arguments else "current.txt"
else:
    name = "apis.json" if "--raw" in arguments else arguments[1].partition(".")[0] + ".json"
answer = here / "answers" / name
refused = here / "refused" / name
if refused.exists():
    sys.exit(refused.read_text())
print(answer.read_text() if answer.exists() else "")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "repository")


class Fake:
    """A kubectl that answers from files, and remembers what it was asked."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.folder = folder
        self.cluster = cluster
        self.instead: dict[str, str] = {}
        (folder / "refused").mkdir(parents=True)
        (folder / "bin").mkdir()
        program = folder / "bin" / "kubectl"
        program.write_text(_FAKE.format(python=sys.executable, folder=str(folder)), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def refuse(self, name: str, why: str) -> None:
        (self.folder / "refused" / name).write_text(why, encoding="utf-8")

    @property
    def asked(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "asked").read_text(encoding="utf-8").splitlines()]

    def run(self, capsys: Capture, root: Path, *arguments: str) -> Result:
        answers = self.cluster.save(self.folder / "answers")
        for name, text in self.instead.items():
            (answers / name).write_text(text, encoding="utf-8")
        return gpuc(capsys, "doctor", "--root", root, "--format", "json", *arguments)


@pytest.fixture
def fake(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    found = Fake(tmp_path / "fake", healthy(root))
    monkeypatch.setenv("PATH", f"{tmp_path / 'fake' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return found


def report(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_healthy_cluster_is_0(fake: Fake, root: Path, capsys: Capture) -> None:
    result = fake.run(capsys, root)
    assert (result.code, report(result)["holds"], report(result)["from"]) == (0, True, "the current context")


def test_it_only_reads_and_never_secrets(fake: Fake, root: Path, capsys: Capture) -> None:
    FAULTS["crash-without-log"].damage(fake.cluster)
    fake.run(capsys, root)
    verbs = {next(word for word in one if not word.startswith("-")) for one in fake.asked}
    assert verbs == {"get", "logs"}
    assert not [one for one in fake.asked if any("secret" in word.lower() for word in one)]


def test_every_request_is_limited_in_time(fake: Fake, root: Path, capsys: Capture) -> None:
    fake.run(capsys, root)
    assert all("--request-timeout=20s" in one for one in fake.asked)


def test_context_and_kubeconfig_go_to_kubectl_and_into_the_commands(
    fake: Fake, root: Path, tmp_path: Path, capsys: Capture
) -> None:
    config = tmp_path / "kube config"
    config.write_text("{}", encoding="utf-8")
    fake.cluster.drop("RuntimeClass", "nvidia")
    result = fake.run(capsys, root, "--context", "home", "--kubeconfig", str(config))
    options = [f"--kubeconfig={config}", "--context=home"]
    assert all(one[:2] == options for one in fake.asked)
    (link,) = (one for one in report(result)["links"] if one["status"] == "broken")
    assert link["findings"][0]["commands"][0].startswith(f"flux {shlex.join(options)} reconcile ")


def test_no_answer_is_5(fake: Fake, root: Path, capsys: Capture) -> None:
    fake.refuse("apis.json", "dial tcp 192.0.2.1:6443: i/o timeout")
    result = fake.run(capsys, root)
    assert result.code == 5
    assert "the cluster cannot be reached: dial tcp 192.0.2.1:6443: i/o timeout" in result.stdout


def test_an_answer_of_something_else_is_5(fake: Fake, root: Path, capsys: Capture) -> None:
    fake.instead["apis.json"] = "<html>Please log in</html>"
    result = fake.run(capsys, root)
    assert (result.code, "what answers is no API server" in result.stdout) == (5, True)


def test_no_kubectl_is_5(root: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = gpuc(capsys, "doctor", "--root", root)
    assert (result.code, "there is no kubectl on PATH" in result.stderr) == (5, True)


def test_a_kubectl_of_the_repository_is_not_run(root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    program = root / "bin" / "kubectl"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert gpuc(capsys, "doctor", "--root", root).code == 5
    assert not (root / "ran").exists()


def test_a_missing_right_leaves_one_link_unknown(fake: Fake, root: Path, capsys: Capture) -> None:
    fake.refuse("runtimeclasses.json", 'Error from server (Forbidden): User "me" cannot list resource')
    result = fake.run(capsys, root)
    unknown = [link for link in report(result)["links"] if link["status"] == "unknown"]
    assert (result.code, [link["id"] for link in unknown]) == (1, ["runtime-class"])
    assert "Forbidden" in unknown[0]["details"][0]


def test_a_kind_without_a_crd_is_told_from_a_missing_right(fake: Fake, root: Path, capsys: Capture) -> None:
    fake.refuse("servicemonitors.json", 'error: the server doesn\'t have a resource type "servicemonitors"')
    assert report(fake.run(capsys, root))["firstBroken"] == "scrape"


def test_the_log_of_the_container_before_tells_of_the_driver(fake: Fake, root: Path, capsys: Capture) -> None:
    FAULTS["nvml"].damage(fake.cluster)
    fake.cluster.logs = {"previous.txt": NVML}
    found = report(fake.run(capsys, root))
    (link,) = (one for one in found["links"] if one["id"] == found["firstBroken"])
    assert (link["id"], UPGRADE in link["findings"][0]["commands"]) == ("plugin-pod", True)


def test_a_plugin_that_runs_without_a_driver_is_found_by_its_log(fake: Fake, root: Path, capsys: Capture) -> None:
    """With failOnInitError off the plugin waits forever, and its pod is ready."""
    del fake.cluster.get("Node", NODE)["status"]["allocatable"][GPU]
    fake.cluster.get("Node", NODE)["metadata"]["annotations"] = {}
    fake.cluster.logs = {"current.txt": NVML}
    assert report(fake.run(capsys, root))["firstBroken"] == "plugin-pod"


def test_the_logs_of_a_healthy_plugin_are_not_read(fake: Fake, root: Path, capsys: Capture) -> None:
    fake.run(capsys, root)
    assert not [one for one in fake.asked if "logs" in one]


def test_a_log_that_cannot_be_had_is_no_failure(fake: Fake, root: Path, capsys: Capture) -> None:
    FAULTS["crash-without-log"].damage(fake.cluster)
    for name in ("current.txt", "previous.txt"):
        fake.refuse(name, "Error from server: dial tcp 192.168.1.224:10250: connect: connection refused")
    found = report(fake.run(capsys, root))
    assert (found["firstBroken"], f"{PLUGIN}-4x7k2" in str(found)) == ("plugin-pod", True)


def test_kubectl_that_prints_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubectl, "_LARGEST", 10_000)
    program = tmp_path / "kubectl"
    program.write_text("#!/bin/sh\nexec yes\n", encoding="utf-8")
    program.chmod(0o755)
    assert kubectl.Kubectl(program).ask(("get", "nodes")).error == "it prints more than 0 MiB"


def test_kubectl_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubectl, "_SECONDS", 0.2)
    program = tmp_path / "kubectl"
    program.write_text("#!/bin/sh\nexec sleep 30\n", encoding="utf-8")
    program.chmod(0o755)
    assert kubectl.Kubectl(program).ask(("get", "nodes")).error == "no answer within 0.2 seconds"


def test_nothing_but_reading_can_be_asked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="doctor only reads"):
        kubectl.Kubectl(tmp_path / "kubectl").ask(("delete", "node", NODE))


def test_a_folder_with_a_context_is_a_usage_error(root: Path, tmp_path: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "doctor", "--root", root, "--from", tmp_path, "--context", "home")
    assert (result.code, result.stdout) == (2, "")


def test_an_overlay_that_there_is_not_is_a_usage_error(root: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "doctor", "--root", root, "--overlay", "worker5", "--what-to-save")
    assert (result.code, "choose one of worker4" in " ".join(result.stderr.split())) == (2, True)
