"""The history's thread, with a real project and a real schedule."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.indexer import HistoryWorker, Schedule
from scry.indexer import history_worker as worker_module
from scry.store.history import HistoryState
from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project


class WorkerSample:
    """A worker that waits until `free` is set, and the states that it published."""

    def __init__(self, sample: IndexerProject) -> None:
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
