"""Warm engines, shared: with real engines on real folders, and a clock that the test moves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scry.core import IndexUnavailable, ProjectMissing, Settings
from scry.engine import Engine
from scry.engine.federation import EnginePool


class EngineFolders:
    """Folders, a pool, and what it opened and closed."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.now = 0.0
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.pool = EnginePool(self.open, idle_timeout_s=100, max_idle=2, clock=lambda: self.now)

    def folder(self, name: str) -> Path:
        folder = self.place / name
        folder.mkdir(exist_ok=True)
        return folder

    def open(self, root: Path) -> Engine:
        engine = Engine.open(root, Settings(), start_indexer=False)
        self.opened.append(root.name)
        close = engine.close

        def close_and_note() -> None:
            close()
            self.closed.append(root.name)

        engine.close = close_and_note
        return engine


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[EngineFolders]:
    sample = EngineFolders(tmp_path.resolve())
    yield sample
    sample.pool.close()


def test_concurrent_borrowers_share_one_open_engine(sample: EngineFolders) -> None:
    def ask(_: int) -> Engine:
        with sample.pool.borrow(sample.place / "." / "a") as engine:
            return engine

    sample.folder("a")
    with ThreadPoolExecutor(8) as threads:
        engines = list(threads.map(ask, range(50)))
    assert len(set(map(id, engines))) == 1
    assert (sample.opened, sample.closed) == (["a"], [])
    assert sample.pool.open_roots() == (sample.folder("a"),)


def test_idle_engine_is_closed_and_reopened(sample: EngineFolders) -> None:
    root = sample.folder("a")
    with sample.pool.borrow(root):
        sample.now = 1000
        sample.pool.close_idle()
        assert sample.closed == [], "the engine is in use"
    sample.now = 1099
    sample.pool.close_idle()
    assert sample.closed == []
    sample.now = 1100
    sample.pool.close_idle()
    assert (sample.closed, sample.pool.open_roots()) == (["a"], ())
    with sample.pool.borrow(root) as engine:
        assert engine.project.root == root
    assert sample.opened == ["a", "a"]


def test_least_recently_used_engines_are_closed(sample: EngineFolders) -> None:
    for sample.now, name in enumerate(["a", "b", "a", "c"]):
        with sample.pool.borrow(sample.folder(name)):
            pass
    assert (sample.opened, sample.closed) == (["a", "b", "c"], ["b"])


def test_engines_in_use_are_kept_beyond_the_idle_limit(sample: EngineFolders) -> None:
    with (
        sample.pool.borrow(sample.folder("a")),
        sample.pool.borrow(sample.folder("b")),
        sample.pool.borrow(sample.folder("c")),
    ):
        assert sample.closed == []
    assert len(sample.closed) == 1, "two may stay"


def test_project_that_fails_to_open_blocks_nobody_and_is_retried(sample: EngineFolders) -> None:
    with pytest.raises(ProjectMissing), sample.pool.borrow(sample.place / "later"):
        pass
    sample.folder("later")
    with sample.pool.borrow(sample.place / "later") as engine:
        assert engine.project.name == "later"


def test_opening_an_engine_does_not_block_other_projects(sample: EngineFolders) -> None:
    is_opening, go_on = threading.Event(), threading.Event()

    def open_slowly(root: Path) -> Engine:
        if root.name == "slow":
            is_opening.set()
            assert go_on.wait(20)
        return sample.open(root)

    pool = EnginePool(open_slowly)

    def ask_slow() -> str:
        with pool.borrow(sample.folder("slow")) as engine:
            return engine.project.name

    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(ask_slow)
        assert is_opening.wait(20)
        with pool.borrow(sample.folder("quick")) as engine:
            assert engine.project.name == "quick"
        assert not slow.done()
        go_on.set()
        assert slow.result(20) == "slow"
    pool.close()
    assert sorted(sample.closed) == ["quick", "slow"]


def test_closing_waits_for_running_questions_and_takes_no_more(sample: EngineFolders) -> None:
    borrowed, give_back = threading.Event(), threading.Event()

    def ask() -> None:
        with sample.pool.borrow(sample.folder("a")):
            borrowed.set()
            assert give_back.wait(20)

    with ThreadPoolExecutor(2) as threads:
        asking = threads.submit(ask)
        assert borrowed.wait(20)
        sample.pool.close(timeout_s=0)
        assert sample.closed == [], "the engine is in use"
        with pytest.raises(IndexUnavailable, match="ending"), sample.pool.borrow(sample.folder("b")):
            pass
        closing = threads.submit(sample.pool.close, 20)
        give_back.set()
        closing.result(20)
        asking.result(20)
    assert (sample.opened, sample.closed) == (["a"], ["a"])


def test_pool_closes_idle_engines_by_itself(sample: EngineFolders) -> None:
    is_closed = threading.Event()

    def opened(root: Path) -> Engine:
        engine = sample.open(root)
        close = engine.close

        def close_and_tell() -> None:
            close()
            is_closed.set()

        engine.close = close_and_tell
        return engine

    pool = EnginePool(opened, idle_timeout_s=0.05)
    with pool.borrow(sample.folder("a")):
        pass
    assert is_closed.wait(20)
    pool.close()
