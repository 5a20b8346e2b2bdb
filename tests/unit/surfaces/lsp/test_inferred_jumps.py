from __future__ import annotations

import pytest

from scry.surfaces.lsp.inferred_jumps import ARRIVAL_SECONDS, CHOICE_SECONDS, InferredJumps
from tests.unit.surfaces.lsp.test_standard_features import answer

FILE = "file:///p/a.py"


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jumps(clock: Clock) -> InferredJumps:
    jumps = InferredJumps(clock)
    jumps.add_answer(answer("q_1", [("b.py", (3, 5)), ("a.py", (7, 9))]))
    return jumps


@pytest.mark.acceptance("C3", "E2")
def test_request_at_a_result_of_the_opened_file_is_a_use(jumps: InferredJumps) -> None:
    jumps.file_opened(FILE)
    use = jumps.place_visited(FILE, 7)
    assert use is not None
    assert (use.query_id, use.how, use.rank) == ("q_1", "inferred", 1)  # the sample's results all have rank 1
    assert jumps.place_visited(FILE, 7) is None, "one opening is one use"


@pytest.mark.parametrize("line", [0, 6, 8, 9])
def test_other_lines_of_the_file_are_no_use(jumps: InferredJumps, line: int) -> None:
    jumps.file_opened(FILE)
    assert jumps.place_visited(FILE, line) is None


def test_files_that_the_answer_does_not_name_are_no_use(jumps: InferredJumps) -> None:
    jumps.file_opened("file:///p/c.py")
    assert jumps.place_visited("file:///p/c.py", 7) is None
    jumps.file_opened("untitled:one")
    assert jumps.place_visited("untitled:one", 7) is None


def test_place_of_a_file_that_was_open_before_is_no_use(jumps: InferredJumps) -> None:
    jumps.file_opened(FILE)
    jumps.add_answer(answer("q_2", [("a.py", (7, 9))]))
    assert jumps.place_visited(FILE, 7) is None


def test_late_opening_and_late_arrival_are_no_use(jumps: InferredJumps, clock: Clock) -> None:
    jumps.file_opened(FILE)
    clock.now += ARRIVAL_SECONDS + 0.1
    assert jumps.place_visited(FILE, 7) is None
    clock.now += CHOICE_SECONDS
    jumps.file_opened(FILE)
    assert jumps.place_visited(FILE, 7) is None
