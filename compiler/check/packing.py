"""Which sets of things do not fit into equal boxes: only what is certain, in bounded time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

_STEPS = 20_000


def minimal_conflicts(sizes: Sequence[int], capacity: int, limit: int) -> list[tuple[int, ...]]:
    """Return sets that do not fit into one box together although each does without any one member, smallest first.

    A set is a tuple of indexes into `sizes`, largest member first. Members that do not fit alone are left out. At most
    `limit` sets are returned; the first has the fewest members that any has.
    """
    order = sorted((i for i, size in enumerate(sizes) if 0 < size <= capacity), key=lambda i: (-sizes[i], i))
    rest = [0] * (len(order) + 1)
    for at in range(len(order) - 1, -1, -1):
        rest[at] = rest[at + 1] + sizes[order[at]]
    found: list[tuple[int, ...]] = []
    # Sets that fit so far, with their sum and where to go on: breadth first, so that small conflicts come first. Adding
    # members in falling order, the one that overflows is the smallest, so that the set fits without any one of them.
    queue: deque[tuple[tuple[int, ...], int, int]] = deque([((), 0, 0)])
    steps = 0
    while queue and len(found) < limit and steps < _STEPS:
        members, total, start = queue.popleft()
        for at in range(start, len(order)):
            steps += 1
            if total + rest[at] <= capacity or len(found) == limit or steps >= _STEPS:
                break
            size = sizes[order[at]]
            if total + size > capacity:
                found.append((*members, order[at]))
            else:
                queue.append(((*members, order[at]), total + size, at + 1))
    return found or _largest_first(sizes, order, capacity)


def _largest_first(sizes: Sequence[int], order: Sequence[int], capacity: int) -> list[tuple[int, ...]]:
    """Return the conflict of the largest members, where the search gave up before it found one."""
    total = 0
    for count, index in enumerate(order, start=1):
        total += sizes[index]
        if total > capacity:
            return [tuple(order[:count])]
    return []


def overfull(sizes: Sequence[int], boxes: int, capacity: int) -> tuple[int, ...]:
    """Return a set that certainly does not fit into a number of boxes, largest member first; empty where none is known.

    Two arguments are used. Of members larger than capacity / (k + 1) no box takes more than k. And what is more in sum
    than all boxes hold does not fit. Members that do not fit alone are left out.
    """
    order = sorted((i for i, size in enumerate(sizes) if 0 < size <= capacity), key=lambda i: (-sizes[i], i))
    for together in range(1, len(order) // max(1, boxes) + 1):
        count = together * boxes + 1
        if count <= len(order) and sizes[order[count - 1]] * (together + 1) > capacity:
            return tuple(order[:count])
    total = 0
    for count, index in enumerate(order, start=1):
        total += sizes[index]
        if total > boxes * capacity:
            return tuple(order[:count])
    return ()
