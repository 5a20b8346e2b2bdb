"""One indexer per project for all clients."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import scry
from scry.indexer import EndRequest, index_format_version
from scry.indexer.client import IndexerConnection
from scry.projects import IndexerAddress, open_listening_socket, publish_address
from tests.e2e.command_line import CommandLine
from tests.polling import PATIENCE_S, eventually
from tests.processes import is_running
from tests.sample.indexer import IndexerProject, open_indexer_project, wait_until_state

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
from tests.sample.indexer import IndexerProject, wait_until_state
sample = IndexerProject(Path(sys.argv[2]))
state = wait_until_state(sample.connect(), "failed")
draft = Path(sys.argv[2], "draft")
draft.write_text(state.message)
draft.rename(Path(sys.argv[2], "told"))
time.sleep(60)
"""


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


@pytest.mark.acceptance("F11")
def test_two_clients_of_a_project_share_one_indexer(sample: IndexerProject) -> None:
    first = sample.connect()
    second = sample.connect()
    states = [client.wait_until_current(PATIENCE_S) for client in (first, second)]
    pid = sample.address().pid
    assert [(state.state, state.files_indexed) for state in states] == [("ready", 3), ("ready", 3)]
    third = sample.connect_when_ready()
    assert sample.address().pid == pid
    eventually(lambda: third.state() == second.state() == first.state(), "all know the same state")
    assert sample.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_one_of_many_started_indexers_remains(sample: IndexerProject) -> None:
    started = [sample.start_process() for _ in range(6)]
    eventually(lambda: sum(process.poll() is None for process in started) == 1, "all but one have ended")
    ended = [process for process in started if process.poll() is not None]
    assert [process.returncode for process in ended] == [0] * 5
    assert b"".join(process.communicate()[1] for process in ended) == b""
    survivor = next(process for process in started if process.poll() is None)
    assert sample.address_of(survivor).pid == survivor.pid
    wait_until_state(sample.connect_when_ready(), "ready")


def test_other_version_indexer_is_replaced_and_clients_told(sample: IndexerProject) -> None:
    other = sample.start_process(code=_OTHER_VERSION)
    assert sample.address_of(other).version.startswith("0.0.1+")
    client = sample.connect_when_ready()
    assert other.wait(PATIENCE_S) == 0
    address = sample.address()
    assert (address.version, address.pid != other.pid) == (index_format_version(), True)

    usurper = sample.start_process(code=_OTHER_VERSION)
    assert usurper.wait(PATIENCE_S) == 0, "an indexer does not take the lock from a running one"
    wait_until_state(client, "ready")


def test_client_of_a_replaced_indexer_reports_and_yields(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    before = sample.address()
    link = IndexerConnection.open(sample.project.cache)
    assert link is not None
    link.send([EndRequest("9.9")])
    state = wait_until_state(client, "failed")
    link.close()
    assert "Scry 9.9 has taken over" in state.message
    assert state.files_indexed == 3
    eventually(lambda: not is_running(before.pid), "the old indexer has ended")
    successor = sample.start_process()
    sample.address_of(successor)
    assert client.state() == state
    client.control("start")
    wait_until_state(client, "ready")


def test_an_older_client_leaves_a_newer_indexer_alone(sample: IndexerProject) -> None:
    newer = sample.connect_when_ready()
    pid = sample.address().pid
    sample.start_process(code=_OLD_CLIENT)
    eventually((sample.root / "told").exists, "the old one has given up")
    assert (sample.root / "told").read_text() == (
        f"This project is indexed by Scry {index_format_version()}, "
        f"and this is Scry 0.0.1+{index_format_version().partition('+')[2]}: "
        "restart to update it."
    )
    newer.control("start")
    wait_until_state(newer, "ready")
    assert sample.address().pid == pid


def test_client_of_a_downgraded_installation_gives_up(sample: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scry, "__version__", "9.9")  # the processes that it starts have the real one
    state = wait_until_state(sample.connect(), "failed")
    assert "restart to update it" in state.message


def test_indexer_writing_an_older_format_is_replaced(sample: IndexerProject) -> None:
    other = sample.start_process(code=_OLDER_SHAPE)
    assert sample.address_of(other).version != index_format_version()
    sample.connect_when_ready()
    assert other.wait(PATIENCE_S) == 0
    assert sample.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


def test_indexer_writing_a_newer_format_is_not_called_ready(
    sample: IndexerProject,
) -> None:
    other = sample.start_process(code=_NEWER_SHAPE)
    newer = sample.address_of(other).version
    said = f"This project is indexed by Scry {newer}, and this is Scry {index_format_version()}: restart to update it."
    state = wait_until_state(sample.connect(), "failed")
    assert (state.message, other.poll()) == (said, None)
    command_line = CommandLine(sample.root)
    status = json.loads(command_line.run("status", "--json").out)
    assert (status["state"], status["message"]) == ("failed", said)
    found = command_line.run("find", "add to cart")
    assert (found.status, said in found.err) == (1, True)


def test_stale_address_does_not_block_a_start(sample: IndexerProject) -> None:
    cache = sample.project.cache
    cache.mkdir(parents=True)
    publish_address(cache, IndexerAddress(os.getpid(), "1", socket=os.fsencode(cache / "indexer.sock")))
    (cache / "indexer.lock").write_text("")
    assert sample.connect_when_ready().state().files_indexed == 3
    assert sample.address().pid != os.getpid()


def test_address_of_another_program_does_not_block_a_start(sample: IndexerProject) -> None:
    cache = sample.project.cache
    cache.mkdir(parents=True)
    server, address = open_listening_socket(cache, "1")
    publish_address(cache, address)
    with server:  # accepts, and never says a word
        assert sample.connect_when_ready().state().files_indexed == 3


def test_folder_too_deep_for_a_socket_works(
    sample: IndexerProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ("deep" * 30)))
    assert sample.connect_when_ready().state().files_indexed == 3
    path = os.fsdecode(sample.address().socket)
    assert not path.startswith(str(tmp_path / "deep"))
    os.kill(sample.address().pid, signal.SIGTERM)
    eventually(lambda: not Path(path).exists(), "the socket is removed")


def test_client_that_may_not_start_finds_a_later_indexer(sample: IndexerProject) -> None:
    waiting = sample.connect(start=False)
    assert waiting.wait_until_current(0.3).state == "starting"
    sample.connect_when_ready()
    assert waiting.wait_until_current(PATIENCE_S).state == "ready"
