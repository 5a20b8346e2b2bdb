"""kill -9 at any moment: nothing is left that blocks the next, and nothing is lost that was found."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live_files import remove_live
from tests.polling import PATIENCE_S, eventually
from tests.processes import is_running
from tests.sample.indexer import IndexerProject, open_indexer_project, wait_until_state

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


@pytest.mark.acceptance("F11")
def test_killed_indexer_is_replaced(sample: IndexerProject) -> None:
    clients = [sample.connect_when_ready(), sample.connect_when_ready()]
    killed = sample.address().pid
    sample.write_file("shop/cart.py", "def remove_from_cart():\n    pass\n")
    os.kill(killed, signal.SIGKILL)
    sample.wait_until_found("remove_from_cart")
    assert sample.address().pid != killed
    for client in clients:
        wait_until_state(client, "ready")


def test_waiting_client_survives_an_indexer_kill(sample: IndexerProject) -> None:
    sample.write_many_files(600)
    client = sample.connect()
    wait_until_state(client, "indexing")
    os.kill(sample.address().pid, signal.SIGKILL)
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed) == ("ready", 603)


def test_repeated_kills_during_first_pass_do_not_stop_indexing(sample: IndexerProject) -> None:
    sample.write_many_files(600)
    reached: list[int] = []
    for delay in (0.05, 0.4, 0.7):
        process = sample.start_process()
        sample.address_of(process)
        time.sleep(delay)
        process.kill()
        process.wait()
        reached.append(len(sample.doc_ids_named("step_0_0")))
    state = sample.connect().wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed) == ("ready", 603)
    assert all(sample.doc_ids_named(f"step_{number}_7") for number in range(0, 600, 37))


def test_crash_looping_indexer_is_given_up(sample: IndexerProject) -> None:
    client = sample.connect()
    killed: set[int] = set()

    def given_up() -> bool:
        try:
            pid = sample.address().pid
        except AssertionError:
            pid = 0
        if pid and pid not in killed and is_running(pid):
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        return client.state().state == "failed"

    eventually(given_up, "the indexer is given up")
    state = client.state()
    assert "times within a minute" in state.message
    assert 3 <= len(killed) <= 8
    assert client.wait_until_current(PATIENCE_S).state == "ready", "a request gets another try"


def test_removed_cache_folder_ends_indexer_and_next_rebuilds(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    pid = sample.address().pid
    remove_live(sample.project.cache)
    eventually(lambda: not is_running(pid), "the indexer has ended")
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    assert sample.doc_ids_named("add_to_cart") != []


def test_indexer_ends_after_its_client_is_killed(sample: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "1")
    code = "import sys, time\nfrom pathlib import Path\nfrom tests.sample.indexer import IndexerProject\n"
    code += "IndexerProject(Path(sys.argv[2])).connect_when_ready()\nPath(sys.argv[2], 'up').touch()\ntime.sleep(60)\n"
    process = sample.start_process(code=code)
    eventually((sample.root / "up").exists, "the client is ready")
    pid = sample.address().pid
    process.kill()
    assert is_running(pid), "it outlives who started it"
    eventually(lambda: not is_running(pid), "the indexer has ended")
