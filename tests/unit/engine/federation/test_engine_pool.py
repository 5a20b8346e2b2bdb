"""Warm engines, shared: with real engines on real folders, and a clock that the test moves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scry.core.errors import IndexUnavailable, ProjectMissing
from scry.core.settings import Settings
from scry.engine.engine import Engine
from scry.engine.federation.engine_pool import EnginePool


class Scene:
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
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path.resolve())
    yield scene
    scene.pool.close()


def test_all_who_ask_share_one_engine_that_stays_open(scene: Scene) -> None:
    def ask(_: int) -> Engine:
        with scene.pool.borrow(scene.place / "." / "a") as engine:
            return engine

    scene.folder("a")
    with ThreadPoolExecutor(8) as threads:
        engines = list(threads.map(ask, range(50)))
    assert len(set(map(id, engines))) == 1
    assert (scene.opened, scene.closed) == (["a"], [])
    assert scene.pool.open_roots() == (scene.folder("a"),)


def test_an_engine_that_nobody_asks_is_closed_and_opened_again(scene: Scene) -> None:
    root = scene.folder("a")
    with scene.pool.borrow(root):
        scene.now = 1000
        scene.pool.close_idle()
        assert scene.closed == [], "it is in use"
    scene.now = 1099
    scene.pool.close_idle()
    assert scene.closed == []
    scene.now = 1100
    scene.pool.close_idle()
    assert (scene.closed, scene.pool.open_roots()) == (["a"], ())
    with scene.pool.borrow(root) as engine:
        assert engine.project.root == root
    assert scene.opened == ["a", "a"]


def test_of_too_many_those_asked_longest_ago_are_closed(scene: Scene) -> None:
    for scene.now, name in enumerate(["a", "b", "a", "c"]):
        with scene.pool.borrow(scene.folder(name)):
            pass
    assert (scene.opened, scene.closed) == (["a", "b", "c"], ["b"])


def test_more_in_use_than_may_stay_idle_are_all_kept(scene: Scene) -> None:
    with (
        scene.pool.borrow(scene.folder("a")),
        scene.pool.borrow(scene.folder("b")),
        scene.pool.borrow(scene.folder("c")),
    ):
        assert scene.closed == []
    assert len(scene.closed) == 1, "two may stay"


def test_one_that_cannot_be_opened_blocks_nobody_and_is_tried_again(scene: Scene) -> None:
    with pytest.raises(ProjectMissing), scene.pool.borrow(scene.place / "later"):
        pass
    scene.folder("later")
    with scene.pool.borrow(scene.place / "later") as engine:
        assert engine.project.name == "later"


def test_opening_one_keeps_nobody_waiting_who_asks_another(scene: Scene) -> None:
    is_opening, go_on = threading.Event(), threading.Event()

    def open_slowly(root: Path) -> Engine:
        if root.name == "slow":
            is_opening.set()
            assert go_on.wait(20)
        return scene.open(root)

    pool = EnginePool(open_slowly)

    def ask_slow() -> str:
        with pool.borrow(scene.folder("slow")) as engine:
            return engine.project.name

    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(ask_slow)
        assert is_opening.wait(20)
        with pool.borrow(scene.folder("quick")) as engine:
            assert engine.project.name == "quick"
        assert not slow.done()
        go_on.set()
        assert slow.result(20) == "slow"
    pool.close()
    assert sorted(scene.closed) == ["quick", "slow"]


def test_closing_waits_for_the_questions_that_are_asked_and_takes_no_more(scene: Scene) -> None:
    borrowed, give_back = threading.Event(), threading.Event()

    def ask() -> None:
        with scene.pool.borrow(scene.folder("a")):
            borrowed.set()
            assert give_back.wait(20)

    with ThreadPoolExecutor(2) as threads:
        asking = threads.submit(ask)
        assert borrowed.wait(20)
        scene.pool.close(timeout_s=0)
        assert scene.closed == [], "it is in use"
        with pytest.raises(IndexUnavailable, match="ending"), scene.pool.borrow(scene.folder("b")):
            pass
        closing = threads.submit(scene.pool.close, 20)
        give_back.set()
        closing.result(20)
        asking.result(20)
    assert (scene.opened, scene.closed) == (["a"], ["a"])


def test_the_pool_sweeps_by_itself(scene: Scene) -> None:
    is_closed = threading.Event()

    def opened(root: Path) -> Engine:
        engine = scene.open(root)
        close = engine.close

        def close_and_tell() -> None:
            close()
            is_closed.set()

        engine.close = close_and_tell
        return engine

    pool = EnginePool(opened, idle_timeout_s=0.05)
    with pool.borrow(scene.folder("a")):
        pass
    assert is_closed.wait(20)
    pool.close()
