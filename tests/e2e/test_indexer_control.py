"""Pausing, rebuilding, ending."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.indexer_scene import Scene, lives, opened_scene, until_state, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with opened_scene(tmp_path / "shop") as scene:
        yield scene


def test_while_paused_nothing_is_indexed_and_nothing_is_lost(scene: Scene) -> None:
    client, other = scene.ready(), scene.ready()
    assert client.control("pause").state == "paused"
    until_state(other, "paused", 2.0)
    scene.write("shop/later.py", "def later():\n    pass\n")
    client.report_changed_paths(["shop/later.py"])
    start = time.monotonic()
    assert client.wait_until_current(10).state == "paused"
    assert time.monotonic() - start < 5
    time.sleep(0.5)
    assert scene.names("later") == []
    assert other.control("resume").state != "paused"
    scene.until_found("later", 5.0)
    until_state(client, "ready", 5.0)


def test_a_first_pass_can_be_paused_and_goes_on(scene: Scene) -> None:
    scene.write_many(900)
    client = scene.connect()
    wait_for(lambda: client.state().files_indexed > 0, 30, "the first batch is in")
    paused = client.control("pause")
    assert paused.state == "paused"
    assert paused.files_total == 903
    time.sleep(2.0)  # the batch in hand comes to its end, and no other begins
    assert scene.names("add_to_cart") == [], "the last by name"
    assert client.state().state == "paused"
    client.control("resume")
    state = client.wait_until_current(60)
    assert (state.state, state.files_indexed) == ("ready", 903)


def test_a_pause_outlives_the_indexer(scene: Scene) -> None:
    client = scene.ready()
    client.control("pause")
    pid = scene.address().pid
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: scene.address().pid != pid, 10, "another has come")
    until_state(client, "paused", 5.0)


def test_rebuilding_reads_everything_again_and_ends_a_pause(scene: Scene) -> None:
    client = scene.ready()
    client.control("pause")
    before = scene.generation()
    seen: list[str] = []
    client.subscribe(lambda state: seen.append(state.state))
    assert client.control("rebuild").state != "paused"
    state = client.wait_until_current(30)
    assert (state.state, state.files_indexed) == ("ready", 3)
    assert scene.generation() > before
    assert "indexing" in seen
    assert scene.names("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_it_ends_when_nobody_has_needed_it_for_long_enough(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "1.5")
    first, second = scene.ready(), scene.ready()
    pid = scene.address().pid
    first.close()
    time.sleep(2.5)
    assert lives(pid), "the second still needs it"
    second.close()
    closed = time.monotonic()
    time.sleep(0.7)
    third = scene.ready()
    assert scene.address().pid == pid, "it was still warm"
    time.sleep(1.5)
    assert lives(pid), "the third needs it"
    third.close()
    took = wait_for(lambda: not lives(pid), 6, "it has ended")
    assert took > 1.0
    assert time.monotonic() - closed < 15
    left = {path.name for path in scene.project.cache.iterdir()}
    assert {"indexer.json", "indexer.sock"} & left == set()


def test_asked_to_end_it_ends_after_the_batch_in_hand(scene: Scene) -> None:
    scene.write_many(600)
    process = scene.worker()
    scene.address_of(process)
    wait_for(lambda: scene.generation() > 0, 30, "the first batch is in")
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert (process.stderr.read() if process.stderr else b"") == b""
    state = scene.ready().state()
    assert (state.state, state.files_indexed) == ("ready", 603)


def test_states_come_at_a_bearable_rate_and_the_last_one_always(scene: Scene) -> None:
    scene.write_many(600)
    client = scene.connect()
    heard: list[tuple[float, str]] = []
    client.subscribe(lambda state: heard.append((time.monotonic(), state.state)))
    assert client.wait_until_current(60).state == "ready"
    until_state(client, "ready")
    names = [name for _, name in heard]
    assert names[-1] == "ready"
    same = [then[0] - now[0] for now, then in pairwise(heard) if now[1] == then[1]]
    assert sum(gap < 0.04 for gap in same) <= 2


def test_once_it_is_ready_it_is_not_taken_back_while_nothing_changes(scene: Scene) -> None:
    scene.write_many(300)
    client = scene.connect()
    told: list[str] = []
    client.subscribe(lambda state: told.append(f"{state.state} {state.history}"))
    client.wait_until_current(60, vectors=True)
    wait_for(lambda: bool(told) and told[-1] == "ready none", 20, "nothing is left to be done")
    first = next(at for at, state in enumerate(told) if state.startswith("ready"))
    assert all(state.startswith("ready") for state in told[first:]), told


def test_closing_is_quick_whatever_goes_on(scene: Scene) -> None:
    scene.write_many(300)
    for delay in (0.0, 0.05, 0.4):
        client = scene.connect()
        time.sleep(delay)
        start = time.monotonic()
        client.close()
        assert time.monotonic() - start < 0.5


def test_what_is_slow_does_not_hold_up_who_asks(scene: Scene) -> None:
    start = time.monotonic()
    client = scene.connect()
    client.state()
    client.report_changed_paths(["shop/cart.py"] * 5000)
    assert time.monotonic() - start < 0.2
    assert client.wait_until_current(0.001).state in ("starting", "indexing", "ready")
    until_state(client, "ready")
