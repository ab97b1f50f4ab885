"""Sets that do not fit: complete and minimal for one box, certain for several; compared with trying everything."""

from __future__ import annotations

from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from compiler.check.packing import minimal_conflicts, overfull

SIZES = st.lists(st.integers(0, 12), max_size=7)


def _minimal(sizes: list[int], capacity: int) -> set[frozenset[int]]:
    alone = [index for index, size in enumerate(sizes) if 0 < size <= capacity]
    sets = (frozenset(some) for count in range(2, len(alone) + 1) for some in combinations(alone, count))
    over = [some for some in sets if sum(sizes[index] for index in some) > capacity]
    return {some for some in over if not any(other < some for other in over)}


@given(SIZES, st.integers(1, 20))
def test_every_minimal_set_is_found_once(sizes: list[int], capacity: int) -> None:
    found = minimal_conflicts(sizes, capacity, limit=1000)
    assert set(map(frozenset, found)) == _minimal(sizes, capacity)
    assert len(set(map(frozenset, found))) == len(found)


@given(SIZES, st.integers(1, 20))
def test_the_first_set_has_the_fewest_members(sizes: list[int], capacity: int) -> None:
    found = minimal_conflicts(sizes, capacity, limit=3)
    expected = _minimal(sizes, capacity)
    assert bool(found) == bool(expected)
    assert not found or len(found[0]) == min(map(len, expected))


@given(SIZES, st.integers(1, 3), st.integers(1, 20))
def test_what_is_said_not_to_fit_into_several_boxes_fits_in_no_placement(
    sizes: list[int], boxes: int, capacity: int
) -> None:
    members = overfull(sizes, boxes, capacity)
    for placement in product(range(boxes), repeat=len(members)):
        loads = [sum(sizes[i] for i, box in zip(members, placement, strict=True) if box == b) for b in range(boxes)]
        assert not members or max(loads) > capacity


def test_the_search_gives_up_and_still_names_the_largest() -> None:
    sizes = [1] * 300
    (only,) = minimal_conflicts(sizes, 250, limit=5)
    assert len(only) == 251
