"""What is printed for a fact that holds, and what is raised for one that does not."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.api import ApiError
from tests.e2e.evidence import Evidence, NotProven
from tests.e2e.processes import ProgramFailed


def answers(*all_of_them: object) -> Callable[[], object]:
    remaining: Iterator[object] = iter(all_of_them)

    def probe() -> object:
        answer = next(remaining)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return probe


def test_a_fact_that_holds_is_one_line() -> None:
    output = io.StringIO()
    Evidence(output).now("five devices", 5, 5)
    assert output.getvalue() == "ok  five devices  (0.0 s)\n"


def test_a_fact_that_does_not_hold_shows_what_was_seen() -> None:
    with pytest.raises(NotProven) as raised:
        Evidence(io.StringIO()).now("five devices", 1, 5)
    assert str(raised.value) == "not proven: five devices\n    expected: 5\n    seen:     1"


def test_a_fact_may_become_true() -> None:
    output = io.StringIO()
    evidence = Evidence(output, between_s=0)
    evidence.eventually("ready", answers("Unknown", ApiError(0, "refused"), "True"), "True", within_s=5)
    assert (evidence.count, output.getvalue().startswith("ok  ready  (")) == (1, True)


def test_a_fact_that_never_becomes_true_ends_with_the_last_answer() -> None:
    with pytest.raises(NotProven) as raised:
        Evidence(io.StringIO(), between_s=0).eventually("ready", lambda: "False", "True", within_s=0.01)
    expected = "not proven: ready (within 0.01 s)\n    expected: True\n    seen:     False"
    assert str(raised.value) == expected


def test_a_fact_that_changes_does_not_stay() -> None:
    with pytest.raises(NotProven, match=r"seen:     True"):
        Evidence(io.StringIO(), between_s=0).stays("not ready", answers("False", "True"), "False", for_s=60)


def test_a_program_that_ended_stops_the_wait() -> None:
    def ended() -> None:
        raise ProgramFailed("kwok ended")

    with pytest.raises(ProgramFailed, match="kwok ended"):
        Evidence(io.StringIO(), check=ended).eventually("ready", lambda: "False", "True", within_s=60)
