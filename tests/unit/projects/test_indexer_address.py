from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.projects import (
    ADDRESS_FILE,
    IndexerAddress,
    connect_to,
    open_listening_socket,
    publish_address,
    read_address,
    remove_address,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Unix sockets")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def _deep(tmp_path: Path) -> Path:
    folder = tmp_path / ("long" * 20) / ("name" * 20)
    folder.mkdir(parents=True)
    return folder


def test_socket_in_the_cache_folder_is_private(tmp_path: Path) -> None:
    server, address = open_listening_socket(tmp_path, "1")
    with server:
        path = Path(os.fsdecode(address.socket))
        assert path.parent == tmp_path
        assert _mode(path) == 0o600
        connect_to(address, 1.0).close()


def test_path_too_long_for_a_socket_uses_a_private_folder(tmp_path: Path) -> None:
    server, address = open_listening_socket(_deep(tmp_path), "1")
    with server:
        path = Path(os.fsdecode(address.socket))
        assert len(os.fsencode(path)) <= 100
        assert _mode(path.parent) == 0o700
        assert _mode(path) == 0o600
        connect_to(address, 1.0).close()


@pytest.fixture
def short() -> Iterator[Path]:
    """Return a folder whose path leaves room for a socket's, which the test runner's own may not."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        yield Path(folder)


def test_world_writable_temp_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: Path) -> None:
    temp = short
    planted = temp / f"scry-{os.getuid()}"
    planted.mkdir(parents=True)
    planted.chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    server, address = open_listening_socket(_deep(tmp_path), "1")
    with server:
        folder = Path(os.fsdecode(address.socket)).parent
        assert folder != planted
        assert folder.parent == temp
        assert _mode(folder) == 0o700


def test_socket_left_by_a_crash_is_replaced(tmp_path: Path) -> None:
    old, before = open_listening_socket(tmp_path, "1")
    publish_address(tmp_path, before)
    old.close()  # as the system does for a killed process: the socket's file stays
    with pytest.raises(OSError, match="refused"):
        connect_to(before, 1.0)
    server, address = open_listening_socket(tmp_path, "1")
    with server:
        publish_address(tmp_path, address)
        assert read_address(tmp_path) == address
        connect_to(address, 1.0).close()


def test_address_is_private_and_withdrawn_only_by_its_owner(tmp_path: Path) -> None:
    server, address = open_listening_socket(tmp_path, "1")
    with server:
        publish_address(tmp_path, address)
        assert _mode(tmp_path / ADDRESS_FILE) == 0o600
        remove_address(tmp_path, IndexerAddress(address.pid + 1, "1", socket=address.socket))
        assert read_address(tmp_path) == address
        remove_address(tmp_path, address)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b'{"pid": "x"}', b'{"pid": 1}'])
def test_malformed_address_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ADDRESS_FILE).write_bytes(content)
    assert read_address(tmp_path) is None


def test_an_undecodable_cache_folder_can_be_listened_in(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    server, address = open_listening_socket(folder, "1")
    with server:
        publish_address(folder, address)
        known = read_address(folder)
        assert known is not None
        connect_to(known, 1.0).close()
