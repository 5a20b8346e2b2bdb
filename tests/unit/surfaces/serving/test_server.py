"""Listening sockets of a server, and its connections."""

from __future__ import annotations

import asyncio
import socket
import stat
import sys
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.surfaces.serving import ListenAddress, open_listening_socket

unix = pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")


def test_answer_is_not_delayed_by_unacknowledged_data() -> None:
    """A head and a body are two writes: without TCP_NODELAY the second waits 40 ms for a delayed acknowledgement."""

    async def accepted(bound: socket.socket) -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            taken: socket.socket = writer.get_extra_info("socket")
            found.set_result(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(look, sock=bound):
            _, writer = await asyncio.open_connection(*bound.getsockname())
            writer.close()
            return await asyncio.wait_for(found, 10)

    with open_listening_socket(ListenAddress(0)) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
        assert asyncio.run(accepted(bound))


def test_a_port_that_is_taken_is_refused_by_name() -> None:
    with (
        open_listening_socket(ListenAddress(0)) as bound,
        pytest.raises(BadRequest, match="port"),
        open_listening_socket(ListenAddress(bound.getsockname()[1])),
    ):
        pass


@unix
def test_unix_socket_is_private_and_removed_at_the_end(tmp_path: Path) -> None:
    place = tmp_path / "scry.sock"
    with open_listening_socket(ListenAddress(socket_path=place)):
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert not place.exists()


@unix
def test_socket_of_a_killed_server_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "scry.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(place))
    with (
        open_listening_socket(ListenAddress(socket_path=place)),
        pytest.raises(BadRequest, match="another server"),
        open_listening_socket(ListenAddress(socket_path=place)),
    ):
        pass
    place.write_text("a person's file")
    with pytest.raises(BadRequest, match="no socket"), open_listening_socket(ListenAddress(socket_path=place)):
        pass
    assert place.read_text() == "a person's file"
