"""Pausing, rebuilding, ending."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.indexer_scene import IndexerProject, open_indexer_project, wait_until_state
from tests.polling import eventually
from tests.processes import is_running

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as scene:
        yield scene


def test_while_paused_nothing_is_indexed_and_nothing_is_lost(scene: IndexerProject) -> None:
    client, other = scene.connect_when_ready(), scene.connect_when_ready()
    assert client.control("pause").state == "paused"
    wait_until_state(other, "paused")
    scene.write_file("shop/later.py", "def later():\n    pass\n")
    client.report_changed_paths(["shop/later.py"])
    assert client.wait_until_current(60).state == "paused"
    time.sleep(0.5)
    assert scene.doc_ids_named("later") == []
    assert other.control("resume").state != "paused"
    scene.wait_until_found("later")
    wait_until_state(client, "ready")


def test_a_first_pass_can_be_paused_and_goes_on(scene: IndexerProject) -> None:
    scene.write_many_files(900)
    client = scene.connect()
    eventually(lambda: client.state().files_indexed > 0, "the first batch is in")
    paused = client.control("pause")
    assert paused.state == "paused"
    assert paused.files_total == 903
    time.sleep(2.0)  # the batch in hand comes to its end, and no other begins
    assert scene.doc_ids_named("add_to_cart") == [], "the last by name"
    assert client.state().state == "paused"
    client.control("resume")
    state = client.wait_until_current(60)
    assert (state.state, state.files_indexed) == ("ready", 903)


def test_a_pause_outlives_the_indexer(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    client.control("pause")
    pid = scene.address().pid
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: scene.address().pid != pid, "another has come")
    wait_until_state(client, "paused")


def test_rebuilding_reads_everything_again_and_ends_a_pause(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    client.control("pause")
    before = scene.generation()
    seen: list[str] = []
    client.subscribe(lambda state: seen.append(state.state))
    assert client.control("rebuild").state != "paused"
    state = client.wait_until_current(60)
    assert (state.state, state.files_indexed) == ("ready", 3)
    assert scene.generation() > before
    assert "indexing" in seen
    assert scene.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_it_ends_when_nobody_has_needed_it_for_long_enough(scene: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "3")
    first, second = scene.connect_when_ready(), scene.connect_when_ready()
    pid = scene.address().pid
    first.close()
    time.sleep(4)
    assert is_running(pid), "the second still needs it"
    second.close()
    third = scene.connect_when_ready()
    assert scene.address().pid == pid, "it was still warm"
    time.sleep(4)
    assert is_running(pid), "the third needs it"
    third.close()
    eventually(lambda: not is_running(pid), "it has ended")
    left = {path.name for path in scene.project.cache.iterdir()}
    assert {"indexer.json", "indexer.sock"} & left == set()


def test_asked_to_end_it_ends_after_the_batch_in_hand(scene: IndexerProject) -> None:
    scene.write_many_files(600)
    process = scene.start_process()
    scene.address_of(process)
    eventually(lambda: scene.generation() > 0, "the first batch is in")
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert (process.stderr.read() if process.stderr else b"") == b""
    state = scene.connect_when_ready().state()
    assert (state.state, state.files_indexed) == ("ready", 603)


def test_states_come_at_a_bearable_rate_and_the_last_one_always(scene: IndexerProject) -> None:
    scene.write_many_files(600)
    client = scene.connect()
    heard: list[str] = []
    began = time.monotonic()
    client.subscribe(lambda state: heard.append(state.state))
    assert client.wait_until_current(60).state == "ready"
    wait_until_state(client, "ready")
    assert heard[-1] == "ready"
    repeated = sum(now == then for now, then in pairwise(heard))
    assert repeated <= (time.monotonic() - began) / 0.04 + 2, "a rate, which a busy machine only lowers"


def test_once_it_is_ready_it_is_not_taken_back_while_nothing_changes(scene: IndexerProject) -> None:
    scene.write_many_files(300)
    client = scene.connect()
    told: list[str] = []
    client.subscribe(lambda state: told.append(f"{state.state} {state.history}"))
    client.wait_until_current(60, vectors=True)
    eventually(lambda: bool(told) and told[-1] == "ready none", "nothing is left to be done")
    first = next(at for at, state in enumerate(told) if state.startswith("ready"))
    assert all(state.startswith("ready") for state in told[first:]), told


def test_closing_does_not_wait_for_the_first_pass(scene: IndexerProject) -> None:
    scene.write_many_files(900)
    for delay in (0.0, 0.05, 0.4):
        client = scene.connect()
        time.sleep(delay)
        client.close()
    assert scene.doc_ids_named("add_to_cart") == [], "the last by name"


def test_connecting_and_reporting_do_not_wait_for_the_first_pass(scene: IndexerProject) -> None:
    scene.write_many_files(600)
    client = scene.connect()
    client.state()
    client.report_changed_paths(["shop/zz.py"] * 5000)
    assert scene.doc_ids_named("add_to_cart") == [], "the last by name"
    assert client.wait_until_current(0.001).state in ("starting", "indexing", "ready")
    wait_until_state(client, "ready")
