"""When the index is sealed, by a clock of the test."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from scry.indexer import Schedule
from scry.indexer.idle import integrity
from scry.projects import Project


class Clock:
    """Time that passes with each wait of the worker. goes_on: whether the worker goes on at such a time."""

    def __init__(self, goes_on: Callable[[float], bool]) -> None:
        self.now = self.processor_time = 0.0
        self._goes_on = goes_on

    def wait(self, interval: float) -> bool:
        self.now += interval
        return not self._goes_on(self.now)


@pytest.mark.parametrize(
    ("sealing_s", "sealed_until_saved", "sealed_after"),
    [(0.001, [1, 2, 3, 4, 5, 6, 7, 8, 9], 1), (0.2, [1], 20)],
    ids=["small", "large"],
)
def test_index_is_sealed_after_a_rest_in_proportion_to_the_time_that_sealing_takes(
    sealing_s: float,
    sealed_until_saved: list[int],
    sealed_after: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved_at, sealed = 10.0, list[float]()

    def seal() -> None:
        sealed.append(clock.now)
        clock.processor_time += sealing_s

    clock = Clock(lambda now: now < saved_at + 1.5 * sealed_after + 1)
    monkeypatch.setattr(
        integrity,
        "time",
        SimpleNamespace(monotonic=lambda: clock.now, thread_time=lambda: clock.processor_time, time=time.time),
    )
    project = Project(tmp_path, "shop", "shop-1", tmp_path / "cache", tmp_path / "data")
    worker = integrity.IntegrityWorker(project, Schedule(), busy=lambda: clock.now == saved_at, seal_index=seal)
    monkeypatch.setattr(worker, "_closing", clock)
    worker.run()
    assert [int(at) for at in sealed if at < saved_at] == sealed_until_saved
    assert min(at for at in sealed if at > saved_at) == saved_at + sealed_after
