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


def test_nobody_waits_longer_than_their_patience() -> None:
    evidence = Evidence(io.StringIO(), between_s=0, patience_s=0.01)
    with pytest.raises(NotProven, match=r"ready \(within 0\.01 s\)"):
        evidence.eventually("ready", lambda: "False", "True", within_s=600)


def test_what_goes_on_meanwhile_goes_on_before_every_question_of_the_block() -> None:
    steps: list[str] = []
    evidence = Evidence(io.StringIO(), between_s=0)
    with evidence.meanwhile(lambda: steps.append("step")):
        evidence.eventually("three steps", lambda: len(steps), 3, within_s=5)
    evidence.eventually("no more", lambda: len(steps), 3, within_s=5)
    assert steps == ["step"] * 3


def test_what_is_no_evidence_is_waited_for_without_a_line() -> None:
    output = io.StringIO()
    probe = answers(*[False, ApiError(0, "refused"), True])
    Evidence(output, between_s=0).wait("it exists", probe, within_s=5)
    assert output.getvalue() == ""


def test_a_wait_in_vain_says_what_for() -> None:
    with pytest.raises(NotProven, match="not proven: it exists"):
        Evidence(io.StringIO(), between_s=0).wait("it exists", lambda: False, within_s=0.01)
