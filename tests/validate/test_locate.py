from __future__ import annotations

import pytest

from compiler.validate.locate import at_line, at_route

TEXT = 'kind: X\nspec:\n  items:\n    - name: a\n    - name: b\n      "k/q": 1\n'


@pytest.mark.parametrize(
    ("route", "where"),
    [
        ((), "x:1:1"),
        (("spec",), "x:2:1"),
        (("spec", "items"), "x:3:3"),
        (("spec", "items", "1"), "x:5:5"),
        (("spec", "items", "1", "k/q"), "x:6:7"),
        (("spec", "items", "7", "name"), "x:3:3"),
        (("spec", "none", "deeper"), "x:2:1"),
        (("kind", "below", "a", "scalar"), "x:1:1"),
    ],
)
def test_a_route_is_found_or_else_the_last_part_that_is_there(route: tuple[str, ...], where: str) -> None:
    assert str(at_route("x", TEXT, route)) == where


@pytest.mark.parametrize("text", ["", "# nothing\n", "{", "a: &b [*b]\n"])
def test_a_text_without_the_field_gives_its_first_line(text: str) -> None:
    assert at_route("x", text, ("a", "b")).line == 1


def test_a_place_carries_its_line_and_underlines_what_is_on_it() -> None:
    place = at_line("x", TEXT, 5)
    assert (place.column, place.length, place.text) == (5, 9, "    - name: b")


def test_a_line_that_is_not_there_is_an_empty_one() -> None:
    assert (at_line("x", TEXT, 99).text, at_line("x", TEXT, 99).length) == ("", 1)
