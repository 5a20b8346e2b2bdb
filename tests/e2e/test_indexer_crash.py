"""kill -9 at any moment: nothing is left that blocks the next, and nothing is lost that was found."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
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


@pytest.mark.acceptance("F11")
def test_a_killed_indexer_is_replaced_within_five_seconds(scene: IndexerProject) -> None:
    clients = [scene.connect_when_ready(), scene.connect_when_ready()]
    killed = scene.address().pid
    scene.write_file("shop/cart.py", "def remove_from_cart():\n    pass\n")
    os.kill(killed, signal.SIGKILL)
    scene.wait_until_found("remove_from_cart")
    assert scene.address().pid != killed
    for client in clients:
        wait_until_state(client, "ready")


def test_who_waits_while_it_is_killed_gets_an_answer(scene: IndexerProject) -> None:
    scene.write_many_files(600)
    client = scene.connect()
    wait_until_state(client, "indexing")
    os.kill(scene.address().pid, signal.SIGKILL)
    state = client.wait_until_current(60)
    assert (state.state, state.files_indexed) == ("ready", 603)


def test_killed_again_and_again_during_the_first_pass_it_comes_to_the_end(scene: IndexerProject) -> None:
    scene.write_many_files(600)
    reached: list[int] = []
    for delay in (0.05, 0.4, 0.7):
        process = scene.start_process()
        scene.address_of(process)
        time.sleep(delay)
        process.kill()
        process.wait()
        reached.append(len(scene.doc_ids_named("step_0_0")))
    state = scene.connect().wait_until_current(60)
    assert (state.state, state.files_indexed) == ("ready", 603)
    assert all(scene.doc_ids_named(f"step_{number}_7") for number in range(0, 600, 37))


def test_one_that_dies_all_the_time_is_not_started_for_ever(scene: IndexerProject) -> None:
    client = scene.connect()
    killed: set[int] = set()

    def given_up() -> bool:
        try:
            pid = scene.address().pid
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
    assert client.wait_until_current(60).state == "ready", "who asks for it gets another try"


def test_a_removed_cache_folder_ends_the_indexer_and_the_next_one_starts_anew(scene: IndexerProject) -> None:
    import shutil

    client = scene.connect_when_ready()
    pid = scene.address().pid
    shutil.rmtree(scene.project.cache)
    eventually(lambda: not is_running(pid), "the indexer has ended")
    assert client.wait_until_current(60).state == "ready"
    assert scene.doc_ids_named("add_to_cart") != []


def test_a_client_that_is_killed_frees_the_indexer(scene: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "1")
    code = "import sys, time\nfrom pathlib import Path\nfrom tests.e2e.indexer_scene import Scene\n"
    code += "Scene(Path(sys.argv[2])).ready()\nPath(sys.argv[2], 'up').touch()\ntime.sleep(60)\n"
    process = scene.start_process(code=code)
    eventually((scene.root / "up").exists, "the client is ready")
    pid = scene.address().pid
    process.kill()
    assert is_running(pid), "it outlives who started it"
    eventually(lambda: not is_running(pid), "it has ended")
