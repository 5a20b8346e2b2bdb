"""The history's thread, with a real project and a real schedule."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import IndexUnavailable
from scry.index.git import history as reading
from scry.indexer import HistoryWorker, Schedule
from scry.indexer import history_worker as worker_module
from scry.store.history import HistoryReader, HistoryState
from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project


class WorkerSample:
    """A worker that waits until `free` is set, and the states that it published."""

    def __init__(self, sample: IndexerProject) -> None:
        self.sample = sample
        self.free = threading.Event()
        self.published: list[HistoryState] = []
        self.schedule = Schedule()
        self.worker = HistoryWorker(
            sample.project,
            self.schedule,
            busy=lambda: not self.free.is_set(),
            on_state=self.published.append,
            on_progress=lambda: None,
        )

    def commit_count(self) -> int:
        try:
            with closing(HistoryReader.open(self.sample.project.cache)) as reader:
                return reader.commit_count
        except IndexUnavailable:
            return 0


@pytest.fixture
def running(tmp_path: Path) -> Iterator[WorkerSample]:
    with open_indexer_project(tmp_path / "project") as sample:
        sample.git("init", "-q")
        sample.commit()
        sample.project.cache.mkdir(parents=True, exist_ok=True)
        running = WorkerSample(sample)
        running.worker.start()
        yield running
        running.free.set()
        running.schedule.stop()
        running.worker.close()
        running.worker.join()


def test_graph_waits_until_the_history_is_there(running: WorkerSample) -> None:
    assert not running.worker.blocks_graph()
    running.worker.request_update()
    assert running.worker.blocks_graph()
    running.free.set()
    eventually(lambda: not running.worker.blocks_graph(), "the pass is over")
    assert running.published[-1].state == "ready"


def test_graph_wait_for_history_has_a_limit(running: WorkerSample, monkeypatch: pytest.MonkeyPatch) -> None:
    running.worker.request_update()
    monkeypatch.setattr(worker_module, "GRAPH_WAIT_S", 0.0)
    assert not running.worker.blocks_graph()
    assert running.published[-1].state != "ready"


def test_newest_commits_are_read_beside_other_work_when_somebody_asks(
    running: WorkerSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "NEWEST_COMMITS", 2)
    for _ in range(4):
        running.sample.git("commit", "-q", "--allow-empty", "-m", "one more")
    running.worker.request_update()
    running.schedule.pause()
    running.worker.read_newest_commits()
    time.sleep(0.3)
    assert running.commit_count() == 0  # nothing is read while a person has paused it
    running.schedule.resume()
    eventually(lambda: running.commit_count() == 2, "the newest commits")
    eventually(lambda: running.published[-1].generation > 0, "a state by which clients know of them")
    assert running.published[-1].state == "pending"
    running.worker.read_newest_commits()
    time.sleep(0.3)
    assert running.commit_count() == 2  # the others wait for their turn
    running.free.set()
    eventually(lambda: running.published[-1].state == "ready", "the whole history")
    assert running.commit_count() == 5
