"""Routes become places."""

from __future__ import annotations

import pytest

from compiler.load import Document, Route, load_text

TEXT = """\
# an overlay
kind: Overlay
nodePools:
  - name: worker4   # first
    sharing: {strategy: time-slicing, replicas: 5}
    taints:
      - {key: dedicated,
         value: ai}
    empty:
    script: |-  # two lines
      x
      y
    "quoted key": 'it''s'
    plain: a value
      that goes on
"""


@pytest.fixture(scope="module")
def document() -> Document:
    return load_text(TEXT, "overlays/a/overlay.yaml")


POOL: Route = ("nodePools", 0)
VALUES: dict[str, tuple[Route, str]] = {
    "scalar": (("kind",), "2:7 Overlay"),
    "list-of-blocks": (("nodePools",), "4:3 - name: worker4"),
    "block-mapping": (POOL, "4:5 name: worker4"),
    "flow-mapping": ((*POOL, "sharing"), "5:14 {strategy: time-slicing, replicas: 5}"),
    "inside-flow": ((*POOL, "sharing", "replicas"), "5:49 5"),
    "flow-of-two-lines": ((*POOL, "taints", 0), "7:9 {key: dedicated"),
    "missing-value": ((*POOL, "empty"), "9:11 "),
    "literal": ((*POOL, "script"), "10:13 |-"),
    "quoted": ((*POOL, "quoted key"), "13:19 'it''s'"),
    "plain-of-two-lines": ((*POOL, "plain"), "14:12 a value"),
    "top": ((), "2:1 kind: Overlay"),
    "tag-of-a-union": ((*POOL, "sharing", "time-slicing", "replicas"), "5:49 5"),
    "missing-field": ((*POOL, "sharing", "nope"), "5:14 {strategy: time-slicing, replicas: 5}"),
    "index-beyond-the-list": (("nodePools", 7), "4:3 - name: worker4"),
    "negative-index": (("nodePools", -1), "4:3 - name: worker4"),
}


def shown(place_text: str, column: int, length: int) -> str:
    return place_text[column - 1 : column - 1 + length]


@pytest.mark.parametrize(("route", "expected"), VALUES.values(), ids=VALUES)
def test_the_caret_underlines_the_value(document: Document, route: Route, expected: str) -> None:
    place = document.place(route)
    assert f"{place.line}:{place.column} {shown(place.text, place.column, place.length)}" == expected


KEYS: dict[str, tuple[Route, str]] = {
    "key": ((*POOL, "sharing", "replicas"), "5:39 replicas"),
    "key-of-a-list": (("nodePools",), "3:1 nodePools"),
    "quoted-key": ((*POOL, "quoted key"), '13:5 "quoted key"'),
    "item-has-no-key": (POOL, "4:5 name: worker4"),
    "top-has-no-key": ((), "2:1 kind: Overlay"),
    "missing-field-gives-its-parent": ((*POOL, "sharing", "nope"), "5:5 sharing"),
}


@pytest.mark.parametrize(("route", "expected"), KEYS.values(), ids=KEYS)
def test_the_caret_underlines_the_key(document: Document, route: Route, expected: str) -> None:
    place = document.place(route, key=True)
    assert f"{place.line}:{place.column} {shown(place.text, place.column, place.length)}" == expected


def test_resolve_drops_what_the_file_does_not_have(document: Document) -> None:
    assert document.resolve((*POOL, "sharing", "time-slicing", "replicas")) == (*POOL, "sharing", "replicas")


def test_a_place_names_the_file(document: Document) -> None:
    assert document.place(("kind",)).path == "overlays/a/overlay.yaml"


def test_every_caret_is_at_least_one_wide(document: Document) -> None:
    assert document.place((*POOL, "empty")).length == 1


def test_columns_count_characters() -> None:
    assert load_text('é: {"😀": x}\n', "f").place(("é", "😀")).column == 10
