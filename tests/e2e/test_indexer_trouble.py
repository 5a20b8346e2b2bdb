"""Problems around an indexer are reported in words and end with their cause."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core import IndexState, load_settings
from scry.indexer.client import IndexerClient
from scry.projects import connect_to
from tests.live_files import remove_live, walk_live
from tests.polling import PATIENCE_S, eventually
from tests.processes import is_running, is_waiting
from tests.sample.indexer import IndexerProject, open_indexer_project, wait_until_state

pytestmark = pytest.mark.slow

_LONG_PAUSE = """
import sys
from scry.indexer import lifetime
lifetime.PAUSE_AFTER_LAST_CLIENT_S = 12.0
from scry.indexer.process import main
sys.exit(main())
"""
"""The indexer's process with a pause so long that a busy machine finds its end no sooner than the test."""


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


@pytest.mark.acceptance("F11")
def test_cache_folder_that_cannot_be_created_is_reported(
    sample: IndexerProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    client = sample.connect()
    state = client.wait_until_current(PATIENCE_S)
    assert state.state == "failed"
    assert "can't be written" in state.message


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="a superuser may write everywhere")
def test_read_only_cache_folder_is_reported_until_writable(
    sample: IndexerProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o500)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    client = sample.connect()
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, "can't be written" in state.message) == ("failed", True)
    cache.chmod(0o700)
    client.control("start")
    wait_until_state(client, "ready")


def test_file_in_place_of_the_index_folder_is_reported(sample: IndexerProject) -> None:
    cache = sample.project.cache
    (cache / "index.sqlite").mkdir(parents=True)
    client = sample.connect()
    state = client.wait_until_current(PATIENCE_S)
    assert state.state == "failed"
    assert state.message
    pid = sample.address().pid
    (cache / "index.sqlite").rmdir()
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    assert sample.address().pid == pid


def test_invalid_setting_is_reported_until_corrected(
    sample: IndexerProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    client = sample.connect_when_ready()
    file = tmp_path / "config" / "scry" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("max_file_bytes = 'many'\n")
    client.control("rebuild")
    state = wait_until_state(client, "failed")
    assert "max_file_bytes" in state.message
    file.write_text("max_file_bytes = 50\n")
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed, state.skipped) == ("ready", 2, 1)


def test_removed_project_keeps_its_index(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    project = sample.project
    away = sample.root.with_name("away")
    sample.root.rename(away)
    client.report_changed_paths(["shop/cart.py"])
    state = wait_until_state(client, "failed")
    assert str(project.root) in state.message
    away.rename(sample.root)
    assert sample.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]
    assert client.wait_until_current(PATIENCE_S).state == "ready"


def test_invalid_socket_data_is_survived(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    pid = sample.address().pid
    for noise in (b"", b"\n", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 100 + b"\n", b"x" * 5_000_000):
        try:
            with connect_to(sample.address(), 2.0) as connection:
                connection.sendall(noise)
        except OSError:
            pass  # it was let go while it still sent
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    assert sample.address().pid == pid


def test_failing_subscriber_does_not_end_the_client(sample: IndexerProject) -> None:
    client = sample.connect()
    pushed: list[str] = []

    def fail(state: IndexState) -> None:
        pushed.append(state.state)
        raise RuntimeError("listener")

    client.subscribe(fail)
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    eventually(lambda: "ready" in pushed, "the listener was called")


def test_editor_settings_apply_in_the_indexer(sample: IndexerProject) -> None:
    settings = load_settings(sample.root, os.environ, {"ignore": ["*.md"]}, surface="editor")
    client = IndexerClient.connect(sample.project, settings)
    sample.indexers.append(client)
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed, state.skipped) == ("ready", 2, 1)


def test_indexer_log_exists_in_a_private_folder(sample: IndexerProject) -> None:
    sample.connect_when_ready()
    log = sample.project.cache / "indexer.log"
    assert "indexes" in log.read_text()
    assert sample.project.cache.stat().st_mode & 0o077 == 0


def test_indexer_pauses_after_the_last_client_leaves(sample: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that leaves may be about to remove the cache. The graph of these files is linked last."""

    def written() -> dict[Path, int]:
        return {path: status.st_mtime_ns for path, status in walk_live(sample.project.cache) if not path.is_dir()}

    monkeypatch.setenv("SCRY_INDEXER_LINGER", "60")
    sample.write_many_files(200)
    sample.address_of(sample.start_process(code=_LONG_PAUSE))
    sample.connect_when_ready()
    sample.indexers.pop().close()
    before: list[dict[Path, int]] = [{}]

    def still() -> bool:
        before.append(written())
        return before[-1] == before[-2] and is_waiting(sample.address().pid)  # not only kept from the processor

    eventually(still, "the work in hand has come to its checkpoint", interval_s=1.0)
    time.sleep(2.0)
    assert written() == before[-1]
    eventually(lambda: written() != before[-1], "the indexer goes on")
    pid = sample.address().pid
    remove_live(sample.project.cache)
    eventually(lambda: not is_running(pid), "the indexer ends")
