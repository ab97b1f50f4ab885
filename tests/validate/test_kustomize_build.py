from __future__ import annotations

from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure, InputError
from compiler.validate import Toolset
from compiler.validate.kustomize_build import build
from compiler.validate.process import run
from compiler.validate.references import References
from compiler.validate.staging import write_files
from tests.validate.samples import BUILT_IN

HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
TREE = {
    "base/kustomization.yaml": HEAD + "resources: [daemonset-x.yaml]\n",
    "base/daemonset-x.yaml": BUILT_IN["DaemonSet"],
    "overlays/a/kustomization.yaml": HEAD + "resources: [../../base]\nnameSuffix: -a\n",
}


def test_a_folder_builds_to_its_objects(tools: Toolset, tmp_path: Path) -> None:
    write_files(tmp_path / "out", TREE)
    objects = build(tools.kustomize, tmp_path, "out/overlays/a", "out/overlays/a")
    assert [(obj["kind"], obj["metadata"]) for obj in objects] == [("DaemonSet", {"name": "x-a", "namespace": "gpu"})]


def test_a_folder_that_does_not_build_is_reported_without_the_staging_path(tools: Toolset, tmp_path: Path) -> None:
    write_files(tmp_path / "out", {**TREE, "base/daemonset-x.yaml": "a: b\n"})
    with pytest.raises(InputError) as caught:
        build(tools.kustomize, tmp_path, "out/overlays/a", "out/overlays/a")
    found = caught.value.diagnostics[0]
    assert (found.rule, str(found.place), str(tmp_path) in found.message) == (
        "GPU931",
        "out/overlays/a/kustomization.yaml:1:1",
        False,
    )


def test_a_file_outside_the_root_is_not_read(tools: Toolset, tmp_path: Path) -> None:
    write_files(
        tmp_path / "out", {"a/kustomization.yaml": HEAD + "configMapGenerator: [{name: c, files: [../../s]}]\n"}
    )
    (tmp_path / "s").write_text("secret")
    with pytest.raises(InputError, match=r"security; file .* is not in or below"):
        build(tools.kustomize, tmp_path, "out/a", "out/a")


def test_a_remote_resource_starts_no_git_and_opens_no_connection(tools: Toolset, tmp_path: Path) -> None:
    write_files(tmp_path / "out", {"a/kustomization.yaml": HEAD + "resources: ['https://github.com/o/r?ref=v1']\n"})
    with pytest.raises(InputError, match="no 'git' program on path"):
        build(tools.kustomize, tmp_path, "out/a", "out/a")


def test_a_kustomize_that_crashes_is_no_fault_of_the_tree(tmp_path: Path) -> None:
    tool = tmp_path / "kustomize"
    tool.write_text("#!/bin/sh\necho 'panic: oh' >&2\nexit 2\n")
    tool.chmod(0o755)
    with pytest.raises(EnvironmentFailure, match=r"ended with code 2\. It said:\n  panic: oh"):
        build(tool, tmp_path, "out/a", "out/a")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("resources: ['https://example.org/x.yaml']", "names 'https://example.org/x.yaml', which is not in out/"),
        ("resources: [github.com/org/repo]", "names 'github.com/org/repo', which is not in out/"),
        ("resources: ['git@example.org:o/r']", "names 'git@example.org:o/r', which is not in out/"),
        ("components: [../repo.git]", "names '../repo.git', which is not in out/"),
        ("resources: [/etc/passwd]", "names '/etc/passwd', which is not in out/"),
        ("resources: [../../../x.yaml]", "names '../../../x.yaml', which does not exist"),
        ("patches: [{path: none.yaml}]", "names 'none.yaml', which does not exist"),
        ("configMapGenerator: [{name: c, files: [k=none.txt]}]", "names 'none.txt', which does not exist"),
        ("helmCharts: []", "uses helmCharts, which could reach beyond out/"),
        ("generators: [x.yaml]", "uses generators, which could reach beyond out/"),
        ("transformers: [x.yaml]", "uses transformers, which could reach beyond out/"),
        ("openapi: {path: x.json}", "uses openapi, which could reach beyond out/"),
        (
            "configMapGenerator: [{name: c, env: 'http://localhost/x'}]",
            "names 'http://localhost/x', which is not in out/",
        ),
        ("Resources: ['http://localhost/x']", "spells resources as Resources, which kustomize takes for the same"),
        ("re\u017fources: [x]", "spells resources as re\u017fources, which kustomize takes for the same"),
        ("HelmCharts: []", "spells helmCharts as HelmCharts, which kustomize takes for the same"),
        ("patches: [{Path: 'http://localhost/x'}]", "spells path as Path, which kustomize takes for the same"),
    ],
)
def test_a_kustomization_that_reaches_beyond_the_tree_is_refused_before_it_is_built(line: str, what: str) -> None:
    found = References({**TREE, "a/kustomization.yaml": f"{HEAD}{line}\n"}).problems()
    assert [(one.rule, str(one.place), one.message.partition(";")[0]) for one in found] == [
        (
            "GPU932",
            f"out/a/kustomization.yaml:3:{found[0].place.column if found[0].place else 0}",
            f"this kustomization {what}",
        )
    ]


def test_a_tree_that_names_only_itself_is_fine() -> None:
    assert References(TREE).problems() == []


def test_the_closure_of_a_root_is_what_it_builds_from() -> None:
    assert References(TREE).closure("overlays/a") == set(TREE)
    assert References(TREE).closure("base") == {"base/kustomization.yaml", "base/daemonset-x.yaml"}


def test_a_tool_that_hangs_is_ended(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"did not end within 0\.1 seconds"):
        run(Path("/bin/sleep"), ["20"], tmp_path, seconds=0.1)


def test_tools_get_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET", "s")
    names = {line.partition("=")[0] for line in run(Path("/usr/bin/env"), [], tmp_path).stdout.splitlines()}
    proxies = {"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"}
    assert names == {"GOGC", "GOMEMLIMIT", "HOME", "LC_ALL", "PATH", "XDG_CONFIG_HOME", *proxies}
