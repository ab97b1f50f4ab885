"""How a comparison is printed: short, folded, within limits, and never read as anything but text."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import compiler
from compiler.diff import MARKER, Change, Effect, as_json, as_markdown, as_text, effects
from compiler.diff.side import Side
from tests.diff.objects import changes, config_map, simple, workload

SCHEMA = json.loads((Path(compiler.__file__).parent / "schemas" / "diff.schema.json").read_text(encoding="utf-8"))
NOTHING = Side("", {})


def _many(count: int) -> tuple[list[Change], list[Effect]]:
    old = [config_map(f"c{number}", {"key": "a" * number}) for number in range(1, count)]
    new = [config_map(f"c{number}", {"key": "b" * number}) for number in range(1, count)]
    found = changes(old, new)
    return found, effects(found, NOTHING, NOTHING)


def test_nothing_is_said_in_one_line() -> None:
    assert as_text([], []) == "nothing changes on the cluster\n"
    assert as_markdown([], []) == f"{MARKER}\n### GPU stack\n\nNothing changes on the cluster.\n"


def test_a_small_change_as_text() -> None:
    found = changes([workload(node="n")], [workload(node="n", priorityClassName="p")])
    assert as_text(found, effects(found, NOTHING, NOTHING)) == (
        "* on n nvidia-device-plugin-a restarts: running GPU pods go on, new ones wait until it has registered again\n"
        "* 1 object changed\n"
        "\n"
        "overlays/lab\n"
        "  ~ DaemonSet nvidia-device-plugin-a (gpu)\n"
        '      + spec.template.spec.priorityClassName: "p"\n'
    )


def test_a_small_change_as_markdown() -> None:
    found = changes([simple("RuntimeClass", handler="a")], [simple("RuntimeClass", handler="b")])
    assert as_markdown(found, effects(found, NOTHING, NOTHING)) == (
        "<!-- gpuc diff -->\n"
        "### GPU stack\n"
        "\n"
        "- **the API server refuses to change handler of RuntimeClass x: the apply fails until it is deleted "
        "(`kubectl delete runtimeclass x`)**\n"
        "\n"
        "<details><summary>1 object changed</summary>\n"
        "\n"
        "```diff\n"
        "overlays/lab\n"
        "  ~ RuntimeClass x\n"
        '-       handler: "a"\n'
        '+       handler: "b"\n'
        "```\n"
        "\n"
        "</details>\n"
    )


def test_objects_that_change_alike_are_told_once() -> None:
    names = ["a", "b", "c"]
    found = changes([simple("S", name, x=1) for name in names], [simple("S", name, x=2) for name in names])
    assert as_text(found, []).splitlines()[2:] == ["overlays/lab", "  ~ S a, b, c", "      - x: 1", "      + x: 2"]


def test_labels_are_one_line() -> None:
    old = [simple("S", name) for name in "abc"]
    new = [obj | {"metadata": obj["metadata"] | {"labels": {"v": "2"}}} for obj in old]
    assert as_text(changes(old, new), []).splitlines()[-1] == "labels or annotations only: S a, S b, S c"


def test_of_long_values_the_part_that_differs_is_shown() -> None:
    long = "x" * 100
    found = changes([simple("S", expr=f"{long} == 5")], [simple("S", expr=f"{long} == 6")])
    assert as_text(found, []).splitlines()[-2:] == ['      - expr: …xxxxxxxx == 5"', '      + expr: …xxxxxxxx == 6"']


def test_text_is_a_screen_unless_all_is_asked_for() -> None:
    found, meant = _many(200)
    short, full = (as_text(found, meant, full=full) for full in (False, True))
    assert len(short.splitlines()) == 40
    assert short.splitlines()[-1].endswith("more lines: --full shows them")
    assert full.count("\n  ~ ") == 199


def test_a_comment_keeps_within_what_github_takes() -> None:
    found, meant = _many(3000)
    comment = as_markdown(found, [*meant, *(Effect("note", f"{number} {'y' * 900}") for number in range(100))])
    assert len(comment) < 65_536
    assert comment.endswith("`gpuc diff --full` shows all\n```\n\n</details>\n")
    assert "- 85 more: `gpuc diff --full` says them\n" in comment


@pytest.mark.parametrize("text", ["<img src=x>", "@octocat", "#1", "![x](y)", "a|b", "**b**", "~~x~~", "a\n# b"])
def test_names_in_a_comment_are_only_text(text: str) -> None:
    line = as_markdown([], [Effect("note", text)]).splitlines()[3]
    assert not set("<@![]|*~\n") & set(line.removeprefix("- "))


def test_a_fence_is_longer_than_any_in_the_content() -> None:
    found = changes([], [simple("S", "```` x")])
    comment = as_markdown(found, [])
    assert comment.count("`````") == 2
    assert comment.endswith("\n`````\n\n</details>\n")


def test_json_has_the_published_form() -> None:
    old = [workload(node="n"), simple("A"), simple("Secret", data={"p": "aGk="})]
    new = [workload(node="n", hostPID=True), simple("B"), simple("Secret", data={"p": "aG8="})]
    found = changes(old, new)
    content = json.loads(as_json(found, effects(found, NOTHING, NOTHING)))
    jsonschema.validate(content, SCHEMA)
    (workload_change,) = [change for change in content["changes"] if change["kind"] == "DaemonSet"]
    assert workload_change == {
        "change": "changed",
        "root": "overlays/lab",
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "namespace": "gpu",
        "name": "nvidia-device-plugin-a",
        "restarts": True,
        "noise": False,
        "fields": [{"path": "spec.template.spec.hostPID", "new": True}],
    }  # fmt: skip


def test_json_never_has_what_a_secret_holds() -> None:
    found = changes([simple("Secret", data={"p": "aGk="})], [simple("Secret", data={"p": "aG8="})])
    assert "aG" not in as_json(found, [])
