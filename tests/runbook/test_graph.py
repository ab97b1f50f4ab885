"""`gpuc graph`: Mermaid and SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from compiler.pipeline import read
from compiler.runbook import mermaid, svg
from compiler.runbook.svg import _pixels
from tests.inputs.project import OVERLAY_TEXT, gpuc, write
from tests.runbook.environments import GENERIC_STACK, HEAD, TWO_POOLS, environment, many

ROOT = Path(__file__).parents[2]
NAMESPACE = "{http://www.w3.org/2000/svg}"
LONG = "a-node-with-a-very-long-name-0123456789.in-some-data-centre.example.internal"
HOSTILE = '\\"]; click x \\"javascript:1\\" </text><script>1</script> & #35; <b>'
# What a flowchart of ours consists of; texts are in quotes, without a quote or an angle bracket of their own.
_QUOTED = r'\["(?:[^"<>]|<br/>)*"\]'
_MERMAID = re.compile(
    rf"flowchart LR|\s+(?:nfd{_QUOTED} -- \"PCI vendor 10de\" --> label{_QUOTED}|label --> \w+{_QUOTED}"
    rf"|subgraph pool\d+{_QUOTED}|\w+{_QUOTED}|\w+ --- \w+ --- \w+|end|plugin -- advertises --> \w+"
    rf"|\w+ --> \w+{_QUOTED})"
)


def test_worker4_as_mermaid(tmp_path: Path) -> None:
    assert mermaid(environment(tmp_path)) == (
        "flowchart LR\n"
        '    nfd["NFD worker"] -- "PCI vendor 10de" --> label["nvidia.com/gpu.present=true"]\n'
        '    label --> plugin["device plugin"]\n'
        '    label --> gfd["GPU Feature Discovery"]\n'
        '    label --> dcgm["DCGM exporter"]\n'
        '    subgraph pool0["node pool worker4"]\n'
        '        nodes0["k8s-worker4 (192.168.1.224)"]\n'
        '        cards0["1 x NVIDIA GeForce RTX 5070 Ti, 16Gi"]\n'
        '        slices0["nvidia.com/gpu: 5"]\n'
        "        nodes0 --- cards0 --- slices0\n"
        "    end\n"
        "    plugin -- advertises --> slices0\n"
        '    slices0 --> w0x0["ollama/ollama<br/>6Gi"]\n'
    )


def hostile() -> str:
    return f'{HEAD}nodePools:\n  - name: a\n    nodes: [{{name: n}}]\n    gpu: {{product: "{HOSTILE}"}}\n'


@pytest.mark.parametrize(
    "overlay", [OVERLAY_TEXT, TWO_POOLS, many(40), hostile()], ids=["worker4", "two-pools", "forty-nodes", "hostile"]
)
def test_every_line_is_one_that_mermaid_knows(overlay: str, tmp_path: Path) -> None:
    lines = mermaid(environment(tmp_path, overlay, GENERIC_STACK)).splitlines()
    assert [line for line in lines if not _MERMAID.fullmatch(line)] == []


def test_many_nodes_are_folded(tmp_path: Path) -> None:
    assert "<br/>and 29 more" in mermaid(environment(tmp_path, many(40)))


PICTURES = {
    "worker4": OVERLAY_TEXT,
    "two-pools": TWO_POOLS,
    "one-node": many(1),
    "three-nodes": many(3),
    "forty-nodes": many(40),
    "hundred-slices": many(1, replicas=100, slices=70),
    "long-names": many(2, name=LONG),
    "wide-letters": many(2).replace("gpu:", "").replace("name: w,", f"name: {'w' * 60},"),
    "hostile": hostile(),
}


@pytest.mark.parametrize("overlay", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_self_contained_xml(overlay: str, tmp_path: Path) -> None:
    text = svg(environment(tmp_path, overlay, GENERIC_STACK))
    root = ET.fromstring(text)  # noqa: S314 -- our own
    assert root.tag == f"{NAMESPACE}svg"
    assert {element.tag.removeprefix(NAMESPACE) for element in root.iter()} <= {
        *("svg", "title", "style", "rect", "text", "path"),
    }
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)|href|url\(|@import|<script", text) == []


@pytest.mark.parametrize("overlay", PICTURES.values(), ids=PICTURES)
def test_text_stays_in_its_box_and_boxes_in_the_picture(overlay: str, tmp_path: Path) -> None:
    root = ET.fromstring(svg(environment(tmp_path, overlay, GENERIC_STACK)))  # noqa: S314 -- our own
    width, height = (int(root.attrib[name]) for name in ("width", "height"))
    boxes = [element for element in root.iter(f"{NAMESPACE}rect") if element.get("class") in {"box", "slice", "held"}]
    frames = [tuple(int(box.attrib[name]) for name in ("x", "y", "width", "height")) for box in boxes]
    for x, y, wide, high in frames:
        assert x + wide <= width
        assert y + high <= height
    for text in root.iter(f"{NAMESPACE}text"):
        x, y = int(text.attrib["x"]), int(text.attrib["y"])
        right = x + sum(map(_pixels, text.text or ""))
        inside = [frame for frame in frames if frame[0] <= x < sum(frame[::2]) and frame[1] <= y <= frame[1] + frame[3]]
        assert right <= (sum(inside[0][::2]) if inside else width), text.text


@pytest.mark.parametrize("overlay", PICTURES.values(), ids=PICTURES)
def test_boxes_do_not_overlap(overlay: str, tmp_path: Path) -> None:
    root = ET.fromstring(svg(environment(tmp_path, overlay, GENERIC_STACK)))  # noqa: S314 -- our own
    boxes = [element for element in root.iter(f"{NAMESPACE}rect") if element.get("class") in {"box", "slice", "held"}]
    frames = [tuple(int(box.attrib[name]) for name in ("x", "y", "width", "height")) for box in boxes]
    for index, (x, y, wide, high) in enumerate(frames):
        for left, top, width, height in frames[index + 1 :]:
            assert x + wide <= left or left + width <= x or y + high <= top or top + height <= y


def test_what_is_cut_is_whole_in_its_tooltip(tmp_path: Path) -> None:
    text = svg(environment(tmp_path, many(1, name=LONG)))
    assert f"…<title>{LONG}0</title></text>" in text


def test_long_lists_are_folded(tmp_path: Path) -> None:
    text = svg(environment(tmp_path, many(40, replicas=100, slices=70)))
    assert [re.findall(r">(and \d+ more[^<]*)<", text)] == [["and 25 more", "and 85 more", "and 55 more slices"]]


def test_light_and_dark_have_the_same_classes() -> None:
    style = svg_style()
    light, _, dark = style.partition("@media (prefers-color-scheme:dark)")
    coloured = {name for name, body in re.findall(r"\.?([a-z]+)\{([^}]*)\}", light) if "fill:#" in body}
    assert coloured == {name for name, body in re.findall(r"\.?([a-z]+)\{([^}]*)\}", dark) if "fill:#" in body}


def svg_style() -> str:
    (worker4,) = (item for item in read(ROOT).environments if item.name == "worker4")
    found = re.search(r"<style>(.*?)</style>", svg(worker4), re.DOTALL)
    assert found
    return found[1]


def test_the_picture_in_the_readme_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "graph", "worker4", "--root", ROOT, "--format", "svg")
    assert (ROOT / "docs" / "images" / "worker4.svg").read_text(encoding="utf-8") == result.stdout
    assert "docs/images/worker4.svg" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_one_overlay_need_not_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "graph", "--root", write(tmp_path))
    assert (result.code, result.stdout.splitlines()[0]) == (0, "flowchart LR")


@pytest.mark.parametrize(
    ("arguments", "says"), [(["x"], "there is no overlay x"), ([], "say which overlay to draw")], ids=["wrong", "none"]
)
def test_an_overlay_has_to_be_one_that_there_is(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"overlays/other/overlay.yaml": OVERLAY_TEXT.replace("homelab", "other")})
    result = gpuc(capsys, "graph", "--root", tmp_path, *arguments)
    assert (result.code, result.stdout) == (1, "")
    assert says in result.stderr
    assert "there are: other, worker4" in result.stderr
