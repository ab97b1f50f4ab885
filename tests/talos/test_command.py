"""`gpuc talos` and the files below out/talos/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.kustomize.tree import Tree
from compiler.pipeline import read
from compiler.talos.output import add
from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, STACK_TEXT, gpuc, write

POOL = "    mig: {strategy: none}\n"
WITH_TALOS = OVERLAY_TEXT.replace(POOL, f"{POOL}    talos: {{imagePlatform: nocloud}}\n")
SECOND = """\
  - name: metal
    nodeSelector: {gpu: "yes", kubernetes.io/role: gpu}
    talos: {driver: lts, modules: proprietary}
workloads: []
"""
TWO = WITH_TALOS.partition("workloads:")[0] + SECOND


GENERIC = STACK_TEXT.replace("{os: talos, version: v1.13.3}", "{os: generic}")


def shown(root: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    images: list[dict[str, str]] = json.loads(gpuc(capsys, "talos", "--root", root, "--format", "json").stdout)[
        "images"
    ]
    return images


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {OVERLAY: WITH_TALOS})
    (image,) = shown(tmp_path, capsys)
    result = gpuc(capsys, "talos", "--root", tmp_path)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == (
        "worker4/worker4\n"
        f"  schematic         {image['schematic']}\n"
        f"  without driver    {image['schematicWithoutDriver']}\n"
        f"  installer         factory.talos.dev/nocloud-installer/{image['schematic']}:v1.13.3\n"
    )


def test_json_lists_every_pool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images = shown(write(tmp_path, {OVERLAY: TWO}), capsys)
    assert [(image["overlay"], image["pool"]) for image in images] == [("worker4", "worker4"), ("worker4", "metal")]
    assert {tuple(image) for image in images} == {
        ("overlay", "pool", "schematic", "schematicWithoutDriver", "installer")
    }


@pytest.mark.parametrize(("arguments", "pools"), [(["--pool", "metal"], 1), (["--overlay", "worker4"], 2)])
def test_only_some(arguments: list[str], pools: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {OVERLAY: TWO})
    result = gpuc(capsys, "talos", "--root", tmp_path, *arguments)
    assert (result.code, result.stdout.count("installer  ")) == (0, pools)


def test_the_expected_id_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {OVERLAY: WITH_TALOS})
    (image,) = shown(tmp_path, capsys)
    assert gpuc(capsys, "talos", "--root", tmp_path, "--expect-id", image["schematic"]).code == 0


def test_another_id_than_the_expected_one_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {OVERLAY: WITH_TALOS})
    (image,) = shown(tmp_path, capsys)
    result = gpuc(capsys, "talos", "--root", tmp_path, "--expect-id", image["schematicWithoutDriver"])
    assert result.code == 1
    assert f"worker4/worker4: {image['schematicWithoutDriver']} is the image without the driver\n" == result.stderr


@pytest.mark.parametrize(
    ("arguments", "files", "says"),
    [
        ([], {}, "give it a `talos:` block"),
        (
            [],
            {STACK: GENERIC},
            "no node pool here runs Talos",
        ),
        (["--pool", "wroker4"], {OVERLAY: WITH_TALOS}, "there is no node pool wroker4"),
        (["--overlay", "x"], {OVERLAY: WITH_TALOS}, "there is no overlay x"),
    ],
    ids=["no-block", "generic", "pool", "overlay"],
)
def test_no_image_is_an_error_that_says_why(
    arguments: list[str], files: dict[str, str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, files)
    result = gpuc(capsys, "talos", "--root", tmp_path, *arguments)
    assert (result.code, result.stdout) == (1, "")
    assert says in result.stderr


def files_of(root: Path) -> dict[str, str]:
    tree = Tree()
    for environment in read(root).environments:
        add(tree, environment)
    return tree.files


def test_the_files_of_a_pool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = files_of(write(tmp_path, {OVERLAY: WITH_TALOS}))
    (image,) = shown(tmp_path, capsys)
    assert sorted(files) == [
        f"talos/worker4/worker4/{name}"
        for name in ("README.md", "image.yaml", "machine-config.patch.yaml", "schematic.yaml")
    ]
    page = files["talos/worker4/worker4/README.md"]
    assert f"talosctl upgrade --nodes 192.168.1.224 --image {image['installer']}\n" in page
    assert "kubectl taint node k8s-worker4 dedicated=ai:NoSchedule\n" in page


def test_a_pool_by_label_has_commands_to_fill_in(tmp_path: Path) -> None:
    page = files_of(write(tmp_path, {OVERLAY: TWO}))["talos/worker4/metal/README.md"]
    assert "talosctl upgrade --nodes <address of a node> --image" in page
    assert "kubectl label node <node> kubernetes.io/role=gpu\n" in page
    assert "gpu=yes" not in page.partition("NodeRestriction")[2]


def test_a_pool_without_the_block_has_no_files(tmp_path: Path) -> None:
    assert files_of(write(tmp_path)) == {}


def test_1_14_says_what_stands_in_its_way(tmp_path: Path) -> None:
    stack = STACK_TEXT.replace("v1.13.3", "v1.14.1")
    page = files_of(write(tmp_path, {OVERLAY: WITH_TALOS, STACK: stack}))["talos/worker4/worker4/README.md"]
    assert "`machine.nodeLabels` or `machine.nodeTaints`" in page
