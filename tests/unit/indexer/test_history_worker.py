"""The history's thread, with a real project and a real schedule."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.indexer import HistoryState, HistoryWorker, Schedule
from scry.indexer import history_worker as history_keeper
from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project


class Kept:
    """A keeper that rests until `free` is set, and the states that it showed."""

    def __init__(self, sample: IndexerProject) -> None:
        self.free = threading.Event()
        self.shown: list[HistoryState] = []
        self.schedule = Schedule()
        self.keeper = HistoryWorker(
            sample.project,
            self.schedule,
            busy=lambda: not self.free.is_set(),
            on_state=self.shown.append,
            on_progress=lambda: None,
        )


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    with open_indexer_project(tmp_path / "project") as sample:
        sample.git("init", "-q")
        sample.commit()
        sample.project.cache.mkdir(parents=True, exist_ok=True)
        kept = Kept(sample)
        kept.keeper.start()
        yield kept
        kept.free.set()
        kept.schedule.stop()
        kept.keeper.close()
        kept.keeper.join()


def test_graph_waits_until_the_history_is_there(kept: Kept) -> None:
    assert not kept.keeper.blocks_graph()
    kept.keeper.request_update()
    assert kept.keeper.blocks_graph()
    kept.free.set()
    eventually(lambda: not kept.keeper.blocks_graph(), "the pass is over")
    assert kept.shown[-1].state == "ready"


def test_graph_wait_for_history_has_a_limit(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.keeper.request_update()
    monkeypatch.setattr(history_keeper, "GRAPH_WAIT_S", 0.0)
    assert not kept.keeper.blocks_graph()
    assert kept.shown[-1].state != "ready"
