"""Pausing, rebuilding, ending."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine
from tests.polling import PATIENCE_S, eventually, seconds_until
from tests.processes import is_running
from tests.sample.indexer import IndexerProject, open_indexer_project, wait_until_state

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def test_pause_delays_indexing_and_loses_no_change(sample: IndexerProject) -> None:
    client, other = sample.connect_when_ready(), sample.connect_when_ready()
    assert client.control("pause").state == "paused"
    wait_until_state(other, "paused")
    sample.write_file("shop/later.py", "def later():\n    pass\n")
    client.report_changed_paths(["shop/later.py"])
    assert client.wait_until_current(PATIENCE_S).state == "paused"
    time.sleep(0.5)
    assert sample.doc_ids_named("later") == []
    assert other.control("resume").state != "paused"
    sample.wait_until_found("later")
    wait_until_state(client, "ready")


_SLOW_TO_LISTEN = """
import sys, time
from scry.indexer import server
_handle = server.IndexerServer._handle
def handle(self, client, request):
    if type(request).__name__ == "ControlRequest":
        time.sleep(3.0)
    _handle(self, client, request)
server.IndexerServer._handle = handle
from scry.indexer.process import main
sys.exit(main())
"""
"""The indexer's process on a machine so busy that it takes seconds to do what it is told."""


def test_pause_is_told_as_it_is_by_a_slow_indexer(sample: IndexerProject) -> None:
    sample.address_of(sample.start_process(code=_SLOW_TO_LISTEN))
    sample.connect_when_ready()
    told = json.loads(CommandLine(sample.root).run("index", "--pause", "--json").out)
    assert told["state"] == "paused"


def test_first_pass_can_be_paused_and_resumed(sample: IndexerProject) -> None:
    sample.write_many_files(900)
    client = sample.connect()
    eventually(lambda: client.state().files_indexed > 0, "the first batch is in")
    paused = client.control("pause")
    assert paused.state == "paused"
    assert paused.files_total == 903
    time.sleep(2.0)  # the batch in hand comes to its end, and no other begins
    assert sample.doc_ids_named("add_to_cart") == [], "the last by name"
    assert client.state().state == "paused"
    client.control("resume")
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed) == ("ready", 903)


def test_a_pause_outlives_the_indexer(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    client.control("pause")
    wait_until_state(client, "paused")
    pid = sample.address().pid
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: sample.address().pid != pid, "another has come")
    wait_until_state(client, "paused")


def test_rebuilding_reads_everything_again_and_ends_a_pause(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    client.control("pause")
    wait_until_state(client, "paused")
    before = sample.generation()
    seen: list[str] = []
    client.subscribe(lambda state: seen.append(state.state))
    assert client.control("rebuild").state != "paused"
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed) == ("ready", 3)
    assert sample.generation() > before
    assert "indexing" in seen
    assert sample.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_indexer_ends_after_lingering_without_clients(sample: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "6")  # seconds, in which also a busy machine connects the third
    first, second = sample.connect_when_ready(), sample.connect_when_ready()
    pid = sample.address().pid
    first.close()
    time.sleep(7)
    assert is_running(pid), "the second still needs it"
    second.close()
    third = sample.connect_when_ready()
    assert sample.address().pid == pid, "it was still warm"
    time.sleep(7)
    assert is_running(pid), "the third needs it"
    third.close()
    took = seconds_until(lambda: not is_running(pid), "the indexer has ended")
    assert took > 1.0, "it lingers; a busy machine only takes longer"
    left = {path.name for path in sample.project.cache.iterdir()}
    assert {"indexer.json", "indexer.sock"} & left == set()


def test_terminated_indexer_finishes_its_batch(sample: IndexerProject) -> None:
    sample.write_many_files(600)
    process = sample.start_process()
    sample.address_of(process)
    eventually(lambda: sample.generation() > 0, "the first batch is in")
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) == 0
    assert (process.stderr.read() if process.stderr else b"") == b""
    state = wait_until_state(sample.connect_when_ready(), "ready")
    assert state.files_indexed == 603


def test_states_arrive_at_a_limited_rate_and_end_ready(sample: IndexerProject) -> None:
    sample.write_many_files(600)
    client = sample.connect()
    pushed: list[str] = []
    began = time.monotonic()
    client.subscribe(lambda state: pushed.append(state.state))
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    eventually(lambda: pushed[-1:] == ["ready"], "the last of them is `ready`")
    repeated = sum(now == then for now, then in pairwise(pushed))
    assert repeated <= (time.monotonic() - began) / 0.04 + 2, "a rate, which a busy machine only lowers"


def test_ready_state_stays_while_nothing_changes(sample: IndexerProject) -> None:
    sample.write_many_files(300)
    client = sample.connect()
    pushed: list[str] = []
    client.subscribe(lambda state: pushed.append(f"{state.state} {state.history}"))
    client.wait_until_current(PATIENCE_S, vectors=True)
    eventually(lambda: bool(pushed) and pushed[-1] == "ready none", "nothing is left to be done")
    first = next(at for at, state in enumerate(pushed) if state.startswith("ready"))
    assert all(state.startswith("ready") for state in pushed[first:]), pushed


def test_closing_does_not_wait_for_the_first_pass(sample: IndexerProject) -> None:
    sample.write_many_files(900)
    for delay in (0.0, 0.05, 0.4):
        client = sample.connect()
        time.sleep(delay)
        client.close()
    assert sample.doc_ids_named("add_to_cart") == [], "the last by name"


def test_connecting_and_reporting_do_not_wait_for_the_first_pass(sample: IndexerProject) -> None:
    sample.write_many_files(600)
    client = sample.connect()
    client.state()
    client.report_changed_paths(["shop/zz.py"] * 5000)
    assert sample.doc_ids_named("add_to_cart") == [], "the last by name"
    assert client.wait_until_current(0.001).state in ("starting", "indexing", "ready")
    wait_until_state(client, "ready")
