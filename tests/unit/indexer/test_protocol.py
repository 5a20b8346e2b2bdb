from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from scry.core import IndexDamage, IndexState
from scry.indexer import (
    ClientMessage,
    ControlRequest,
    EncodeReply,
    EncodeRequest,
    EndRequest,
    Hello,
    IndexerMessage,
    InvalidMessage,
    LineSplitter,
    NewestCommitsRequest,
    PathsChanged,
    ReplacedMessage,
    SettingsOverrides,
    StateMessage,
    StateRequest,
    SyncReply,
    SyncRequest,
    Welcome,
    decode_changed_paths,
    decode_client_message,
    decode_indexer_message,
    encode_message,
    make_paths_changed,
)

_STATE = IndexState(
    *("indexing", "pending", 7, 3, 9, 20, 40, 2, ("a.py",), "a" * 40, None, "bundled"),
    message="goes on: “so” \u2028\x00",
    history_extent="some",
    failed=3,
    graph="pending",
    notices=(IndexDamage(),),
)


@pytest.mark.parametrize(
    "request_",
    [
        Hello("1.0", "t"),
        SettingsOverrides({"model": "m", "ignore": ["*.md"], "max_file_bytes": 7}),
        PathsChanged((b"a/b.py", b"\xff")),
        ControlRequest(4, "rebuild"),
        SyncRequest(5),
        SyncRequest(5, True),
        StateRequest(6),
        NewestCommitsRequest(),
        EncodeRequest(7, "m@1/8", "where\n\x00 is 🙂"),
        EndRequest("2.0"),
    ],
)
def test_requests_round_trip(request_: ClientMessage) -> None:
    line = encode_message(request_)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_client_message(line) == request_


@pytest.mark.parametrize(
    "reply",
    [
        Welcome("1.0", 17),
        StateMessage(_STATE),
        StateMessage(_STATE, 3),
        SyncReply(9, _STATE),
        EncodeReply(7, b"\x00\xff\n\x80"),
        EncodeReply(7, problem="none"),
        ReplacedMessage("2"),
    ],
)
def test_replies_round_trip(reply: IndexerMessage) -> None:
    line = encode_message(reply)
    assert line.count(b"\n") == 1
    assert decode_indexer_message(line) == reply


def test_every_field_of_a_state_is_sent() -> None:
    default = IndexState()
    assert all(
        getattr(_STATE, each.name) != getattr(default, each.name)
        for each in fields(_STATE)
        if each.name != "head_commit"
    )


@pytest.mark.parametrize(
    "line", [b"", b"\xff\n", b"[]", b"{}", b'{"type":"steal"}', b'{"type":"sync"}', b'{"type":"sync","id":"1"}']
)
def test_invalid_messages_are_rejected(line: bytes) -> None:
    with pytest.raises(InvalidMessage):
        decode_client_message(line)
    with pytest.raises(InvalidMessage):
        decode_indexer_message(line)


def test_unknown_fields_are_ignored() -> None:
    assert decode_client_message(b'{"type":"hello","version":"9","token":"","colour":"blue"}') == Hello("9")
    assert decode_indexer_message(b'{"type":"welcome","version":"9","pid":3,"mood":1}') == Welcome("9", 3)


@given(st.lists(st.binary(min_size=1, max_size=40).filter(lambda path: b"\0" not in path), max_size=1000))
def test_any_path_round_trips(names: list[bytes]) -> None:
    paths = [os.fsdecode(name) for name in names]
    messages = [decode_client_message(encode_message(message)) for message in make_paths_changed(paths)]
    assert [path for each in messages if isinstance(each, PathsChanged) for path in decode_changed_paths(each)] == paths


def test_undecodable_path_in_a_message_is_escaped() -> None:
    reply = decode_indexer_message(
        encode_message(
            StateMessage(IndexState(message=os.fsdecode(b"caf\xe9.py is gone"), unsaved=(os.fsdecode(b"\xff"),)))
        )
    )
    assert isinstance(reply, StateMessage)
    assert reply.state.message == "caf\\udce9.py is gone"
    assert reply.state.unsaved == ("\\udcff",)


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line and line.strip() != b"")), st.data())
def test_lines_are_reassembled_from_any_chunks(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    splitter = LineSplitter()
    found: list[bytes] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += splitter.feed(stream[:size])
        stream = stream[size:]
    assert found == lines


def test_an_endless_line_is_refused() -> None:
    splitter = LineSplitter(max_bytes=100)
    assert splitter.feed(b"x" * 90) == []
    with pytest.raises(InvalidMessage):
        splitter.feed(b"x" * 20)
