from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from scry.core import IndexState
from scry.indexer import (
    STATE_PUSH_INTERVAL_S,
    Hello,
    IndexerServer,
    SettingsOverrides,
    StateMessage,
    SyncReply,
    SyncRequest,
    decode_indexer_message,
    encode_message,
)

_INDEXING = IndexState("indexing", files_total=1000)


class _Handler:
    """An indexer that has no work."""

    def __init__(self) -> None:
        self.settings: list[Mapping[str, object]] = []

    def override_settings(self, settings: Mapping[str, object]) -> None:
        self.settings.append(settings)

    def index_saved_files(self, paths: list[str]) -> None:
        pass

    def control(self, action: object) -> None:
        pass

    def read_newest_commits(self) -> None:
        pass

    def request_sync(self) -> int:
        return 0

    def is_settled(self, number: int, *, vectors: bool) -> bool:
        return True

    def encode_query(self, identity: str, query: str) -> bytes:
        return b""

    def state(self) -> IndexState:
        return IndexState()


async def _pushed_states(path: Path) -> tuple[float, list[IndexState]]:
    """Publish 300 counts and then the end; return the seconds that this took, and what a client received."""
    loop = asyncio.get_running_loop()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(os.fspath(path))
    server = IndexerServer(_Handler(), "1", "", set_idle=lambda _: None, shut_down=lambda: None)
    await server.serve(listening)
    reader, writer = await asyncio.open_unix_connection(os.fspath(path))
    writer.write(encode_message(Hello("1")))
    await reader.readline()
    await reader.readline()
    pushed: list[IndexState] = []

    async def listen() -> None:
        while line := await reader.readline():
            message = decode_indexer_message(line)
            assert isinstance(message, StateMessage)
            pushed.append(message.state)

    listening_task, start = asyncio.create_task(listen()), loop.time()
    for number in range(300):
        server.publish_state(replace(_INDEXING, files_indexed=number))
        await asyncio.sleep(0.001)
    server.publish_state(replace(_INDEXING, state="ready", files_indexed=300))
    while not pushed or pushed[-1].state != "ready":
        await asyncio.sleep(0.001)
    taken = loop.time() - start
    listening_task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await listening_task
    writer.close()
    server.close()
    return taken, pushed


def test_counts_are_pushed_at_a_limited_rate_and_a_new_state_at_once(tmp_path: Path) -> None:
    taken, pushed = asyncio.run(_pushed_states(tmp_path / "socket"))
    assert pushed[-1].files_indexed == 300
    counts = [state.files_indexed for state in pushed if state.state == "indexing"]
    assert 2 < len(counts) <= taken / STATE_PUSH_INTERVAL_S + 1, (taken, counts)


async def _told(path: Path, handler: _Handler) -> None:
    """Connect three clients: one with settings, one without while the first is there, and one after it has left."""
    comings_and_goings: list[bool] = []
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(os.fspath(path))
    server = IndexerServer(handler, "1", "", set_idle=comings_and_goings.append, shut_down=lambda: None)
    await server.serve(listening)

    async def connect(settings: dict[str, object]) -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_unix_connection(os.fspath(path))
        writer.write(encode_message(Hello("1")) + encode_message(SettingsOverrides(settings)))
        writer.write(encode_message(SyncRequest(1)))
        while not isinstance(decode_indexer_message(await reader.readline()), SyncReply):
            pass
        return writer

    first = await connect({"model": "wrong"})
    second = await connect({})
    assert handler.settings == [{"model": "wrong"}]
    first.close()
    while len(comings_and_goings) < 3:
        await asyncio.sleep(0.01)
    third = await connect({})
    assert handler.settings[1:] == [{}]
    second.close()
    third.close()
    server.close()


def test_settings_of_a_client_that_left_are_taken_back_by_one_without(tmp_path: Path) -> None:
    asyncio.run(asyncio.wait_for(_told(tmp_path / "s", _Handler()), 60))
