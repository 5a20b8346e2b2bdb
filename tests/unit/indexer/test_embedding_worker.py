from __future__ import annotations

import pytest

from scry.indexer import TimeLeftEstimator, describe_duration, describe_embedding_progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_time_left_follows_the_rate_of_the_last_minute() -> None:
    clock = Clock()
    left = TimeLeftEstimator(clock)
    assert left.seconds_for(100) is None
    clock.now = 0.5
    left.record(10)
    assert left.seconds_for(100) is None, "too early to tell"
    clock.now = 10.0
    left.record(100)
    assert left.seconds_for(100) == pytest.approx(10.0)
    for second in range(11, 200):
        clock.now = float(second)
        left.record(100 + 2 * (second - 10))
    assert left.seconds_for(100) == pytest.approx(50.0, rel=0.05)


def test_no_encoded_passages_give_no_rate() -> None:
    clock = Clock()
    left = TimeLeftEstimator(clock)
    clock.now = 30.0
    left.record(0)
    assert left.seconds_for(100) is None
    assert describe_embedding_progress("X", 1200, 30000, left) == "embedding 1,200 of 30,000 with X"


def test_progress_message_includes_time_left() -> None:
    clock = Clock()
    left = TimeLeftEstimator(clock)
    clock.now = 10.0
    left.record(1200)
    assert (
        describe_embedding_progress("X", 1200, 30000, left) == "embedding 1,200 of 30,000 with X, about 4 minutes left"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "less than a minute"),
        (54, "less than a minute"),
        (60, "about 1 minute"),
        (100, "about 2 minutes"),
        (5400, "about 90 minutes"),
        (7200, "about 2 hours"),
        (100_000, "about 28 hours"),
    ],
)
def test_durations_are_rounded_like_an_estimate(seconds: float, words: str) -> None:
    assert describe_duration(seconds) == words
