"""One indexer per project, whoever asks for it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import scry
from scry.indexer.client.connection import IndexerConnection
from scry.indexer.freshness import index_format_version
from scry.indexer.protocol import EndRequest
from scry.projects.indexer_address import IndexerAddress, open_listening_socket, publish_address
from tests.e2e.command_line import CommandLine
from tests.e2e.indexer_scene import IndexerProject, open_indexer_project, wait_until_state
from tests.polling import eventually
from tests.processes import is_running

pytestmark = pytest.mark.slow

_OTHER_VERSION = """
import sys
import scry
scry.__version__ = "0.0.1"
from scry.indexer.process import main
sys.exit(main())
"""

_OTHER_SHAPE = """
import sys
from scry.store.index import database
database.INDEX_SCHEMA = database.INDEX_SCHEMA._replace({shape})
from scry.indexer.process import main
sys.exit(main())
"""

_OLDER_SHAPE = _OTHER_SHAPE.format(shape="format=database.INDEX_SCHEMA.format - 1")
_NEWER_SHAPE = _OTHER_SHAPE.format(shape="format=database.INDEX_SCHEMA.format + 1")

_OLD_CLIENT = """
import sys, time
from pathlib import Path
import scry
scry.__version__ = "0.0.1"
from tests.e2e.indexer_scene import Scene, wait_until_state
scene = Scene(Path(sys.argv[2]))
state = wait_until_state(scene.connect(), "failed")
draft = Path(sys.argv[2], "draft")
draft.write_text(state.message)
draft.rename(Path(sys.argv[2], "told"))
time.sleep(60)
"""


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as scene:
        yield scene


@pytest.mark.acceptance("F11")
def test_two_who_open_a_project_share_one_indexer(scene: IndexerProject) -> None:
    first = scene.connect()
    second = scene.connect()
    states = [client.wait_until_current(60) for client in (first, second)]
    pid = scene.address().pid
    assert [(state.state, state.files_indexed) for state in states] == [("ready", 3), ("ready", 3)]
    third = scene.connect_when_ready()
    assert scene.address().pid == pid
    assert third.state() == second.state() == first.state()
    assert scene.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_of_many_that_are_started_at_once_one_stays_and_the_others_end_quietly(scene: IndexerProject) -> None:
    started = [scene.start_process() for _ in range(6)]
    eventually(lambda: sum(process.poll() is None for process in started) == 1, "all but one have ended")
    ended = [process for process in started if process.poll() is not None]
    assert [process.returncode for process in ended] == [0] * 5
    assert b"".join(process.communicate()[1] for process in ended) == b""
    survivor = next(process for process in started if process.poll() is None)
    assert scene.address_of(survivor).pid == survivor.pid
    assert scene.connect_when_ready().state().state == "ready"


def test_an_indexer_of_another_version_is_replaced_and_its_clients_are_told(scene: IndexerProject) -> None:
    other = scene.start_process(code=_OTHER_VERSION)
    assert scene.address_of(other).version.startswith("0.0.1+")
    client = scene.connect_when_ready()
    assert other.wait(10) == 0
    address = scene.address()
    assert (address.version, address.pid != other.pid) == (index_format_version(), True)

    usurper = scene.start_process(code=_OTHER_VERSION)
    assert usurper.wait(20) == 0, "an indexer does not take the lock from a running one"
    assert client.state().state == "ready"


def test_a_client_of_an_indexer_that_was_replaced_says_so_and_does_not_fight(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    before = scene.address()
    link = IndexerConnection.open(scene.project.cache)
    assert link is not None
    link.send([EndRequest("9.9")])
    state = wait_until_state(client, "failed")
    link.close()
    assert "Scry 9.9 has taken over" in state.message
    assert state.files_indexed == 3
    eventually(lambda: not is_running(before.pid), "the old indexer has ended")
    successor = scene.start_process()
    scene.address_of(successor)
    assert client.state() == state
    assert client.control("start").state in ("starting", "indexing", "ready")
    wait_until_state(client, "ready")


def test_an_older_client_leaves_a_newer_indexer_alone(scene: IndexerProject) -> None:
    newer = scene.connect_when_ready()
    pid = scene.address().pid
    scene.start_process(code=_OLD_CLIENT)
    eventually((scene.root / "told").exists, "the old one has given up")
    assert (scene.root / "told").read_text() == (
        f"This project is indexed by Scry {index_format_version()}, "
        f"and this is Scry 0.0.1+{index_format_version().partition('+')[2]}: "
        "restart to update it."
    )
    assert (newer.control("start").state, scene.address().pid) == ("ready", pid)


def test_a_client_whose_installed_scry_was_replaced_by_an_older_one_gives_up(
    scene: IndexerProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scry, "__version__", "9.9")  # the processes that it starts have the real one
    state = wait_until_state(scene.connect(), "failed")
    assert "restart to update it" in state.message


def test_an_indexer_of_our_version_that_writes_an_older_shape_is_replaced(scene: IndexerProject) -> None:
    other = scene.start_process(code=_OLDER_SHAPE)
    assert scene.address_of(other).version != index_format_version()
    scene.connect_when_ready()
    assert other.wait(10) == 0
    assert scene.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_an_indexer_of_our_version_that_writes_a_newer_shape_is_told_and_not_called_ready(scene: IndexerProject) -> None:
    other = scene.start_process(code=_NEWER_SHAPE)
    newer = scene.address_of(other).version
    said = f"This project is indexed by Scry {newer}, and this is Scry {index_format_version()}: restart to update it."
    state = wait_until_state(scene.connect(), "failed")
    assert (state.message, other.poll()) == (said, None)
    command_line = CommandLine(scene.root)
    status = json.loads(command_line.run("status", "--json").out)
    assert (status["state"], status["message"]) == ("failed", said)
    found = command_line.run("find", "add to cart")
    assert (found.status, said in found.err) == (1, True)


def test_an_address_that_nobody_listens_at_blocks_nobody(scene: IndexerProject) -> None:
    cache = scene.project.cache
    cache.mkdir(parents=True)
    publish_address(cache, IndexerAddress(os.getpid(), "1", socket=os.fsencode(cache / "indexer.sock")))
    (cache / "indexer.lock").write_text("")
    assert scene.connect_when_ready().state().files_indexed == 3
    assert scene.address().pid != os.getpid()


def test_an_address_that_leads_to_a_stranger_blocks_nobody(scene: IndexerProject) -> None:
    cache = scene.project.cache
    cache.mkdir(parents=True)
    server, address = open_listening_socket(cache, "1")
    publish_address(cache, address)
    with server:  # accepts, and never says a word
        assert scene.connect_when_ready().state().files_indexed == 3


def test_a_folder_too_deep_for_a_socket_works_all_the_same(
    scene: IndexerProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ("deep" * 30)))
    assert scene.connect_when_ready().state().files_indexed == 3
    path = os.fsdecode(scene.address().socket)
    assert not path.startswith(str(tmp_path / "deep"))
    os.kill(scene.address().pid, signal.SIGTERM)
    eventually(lambda: not Path(path).exists(), "the socket is removed")


def test_without_leave_to_start_one_a_client_finds_the_one_that_comes(scene: IndexerProject) -> None:
    waiting = scene.connect(start=False)
    assert waiting.wait_until_current(0.3).state == "starting"
    scene.connect_when_ready()
    assert waiting.wait_until_current(60).state == "ready"
