from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scry.surfaces.lsp import INVALID_REQUEST, PARSE_ERROR, FrameReader, JsonRpcMessage, MalformedMessage

LIMIT = 2000
PING: JsonRpcMessage = {"jsonrpc": "2.0", "method": "ping", "params": None, "id": 7}


def frame(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read(data: bytes, cuts: list[int] | None = None) -> list[JsonRpcMessage | MalformedMessage]:
    """Return what a guard makes of these bytes, cut at these places."""
    guard = FrameReader(LIMIT)
    places = sorted({0, *(cut % (len(data) + 1) for cut in cuts or ()), len(data)})
    messages = [message for a, b in pairwise(places) for message in guard.feed(data[a:b])]
    end = guard.finish()
    return [*messages, end] if end else messages


def codes(messages: list[JsonRpcMessage | MalformedMessage]) -> list[int | str]:
    """Each message as its error code, or `ok`."""
    return [message.code if isinstance(message, MalformedMessage) else "ok" for message in messages]


GOOD = frame(PING)
BROKEN = {
    "no number": b"Content-Length: abc\r\n\r\n{}",
    "negative": b"Content-Length: -5\r\n\r\n{}",
    "signed": b"Content-Length: +2\r\n\r\n{}",
    "no value": b"Content-Length:\r\n\r\n{}",
    "two values": b"Content-Length: 2, 2\r\n\r\n{}",
    "thousand billion": b"Content-Length: 1000000000000\r\n\r\n{}",
    "zero": b"Content-Length: 0\r\n\r\n",
    "no length": b"Content-Type: application/json\r\n\r\n{}",
    "garbage line": b"hello there\r\n\r\n",
    "garbage without a line end": b"\x00\x01\xff garbage ",
    "garbage that looks like a header": b"garbage",
    "garbage after a length": b"Content-Length: 5\r\nhello there\r\n\r\n",
    "not JSON": b"Content-Length: 5\r\n\r\nhello",
    "half JSON": b'Content-Length: 6\r\n\r\n{"a":1',
    "not UTF-8": b"Content-Length: 2\r\n\r\n\xff\xfe",
    "NaN": b'Content-Length: 9\r\n\r\n{"a":NaN}',
    "deep": b"Content-Length: 1900\r\n\r\n" + b"[" * 1900,
    "longer than the body": b'Content-Length: 60\r\n\r\n{"a":1}',
    "much longer than the body": b'Content-Length: 1900\r\n\r\n{"a":1}',
    "longer by a little": b'Content-Length: 12\r\n\r\n{"a":1}',
    "shorter than the body": b'Content-Length: 4\r\n\r\n{"a":1}',
    "a header alone": b"Content-Length: 5\r\n",
    "a header and a part of the next": b"Content-Length: 5\r\nContent-Len",
    "a header and a part of another": b"Content-Length: 5\r\nContent-Type: applica",
    "a long header line": b"X: " + b"y" * 9000 + b"\r\n\r\n",
    "an endless header line": b"y" * 9000,
    "oversized, with its body": b"Content-Length: 3000\r\n\r\n" + b'{"q":"' + b"x" * 2992 + b'"}',
}
NOT_MESSAGES: dict[str, object] = {
    "array": [],
    "batch": [PING],
    "string": "ping",
    "null": None,
    "no version": {"id": 1, "method": "ping"},
    "old version": {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    "method is no string": {"jsonrpc": "2.0", "id": 1, "method": 5},
    "id is null": {"jsonrpc": "2.0", "id": None, "method": "ping"},
    "id is an object": {"jsonrpc": "2.0", "id": {}, "method": "ping"},
    "id is a boolean": {"jsonrpc": "2.0", "id": True, "method": "ping"},
    "neither": {"jsonrpc": "2.0", "id": 1},
    "params are a string": {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"},
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_frame_is_answered_and_next_is_read(case: str) -> None:
    messages = read(BROKEN[case] + GOOD)
    assert messages[-1] == PING
    errors = codes(messages)[:-1]
    assert 1 <= len(errors) <= 2
    assert set(errors) <= {PARSE_ERROR, INVALID_REQUEST}


@pytest.mark.parametrize("case", NOT_MESSAGES)
def test_json_that_is_no_message_is_refused_and_next_read(case: str) -> None:
    messages = read(frame(NOT_MESSAGES[case]) + GOOD)
    assert len(messages) == 2
    assert isinstance(messages[0], MalformedMessage)
    assert messages[0].code in (INVALID_REQUEST, -32602)
    assert messages[1] == PING


def test_an_oversized_body_is_refused_before_it_comes() -> None:
    messages = list(FrameReader(LIMIT).feed(b"Content-Length: %d\r\n\r\n" % (LIMIT + 1)))
    assert codes(messages) == [INVALID_REQUEST]


def test_refusal_carries_the_id_where_there_is_one() -> None:
    refused = read(frame({"jsonrpc": "1.0", "id": 1, "method": "ping"}))[0]
    assert isinstance(refused, MalformedMessage)
    assert refused.id == 1


@pytest.mark.parametrize(
    "head",
    [
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length : %d \r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: x\r\n\r\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
    ],
)
def test_header_spelling_variants_are_parsed(head: bytes) -> None:
    body = json.dumps(PING).encode()
    assert read(head % len(body) + body) == [PING]


def test_pretty_printed_body_containing_headers_is_one_message() -> None:
    message = {**PING, "params": {"query": "Content-Length: 12", "limit": 3, "note": "x\r\nContent-Length: 5\r\n"}}
    body = json.dumps(message, indent=2).encode()
    assert read(b"Content-Length: %d\r\n\r\n%s" % (len(body), body)) == [message]


@pytest.mark.parametrize("cut", [5, 17, 19, 25])
def test_input_that_ends_within_a_frame_is_answered(cut: int) -> None:
    assert codes(read(GOOD + GOOD[:cut])) == ["ok", PARSE_ERROR]


def test_clean_end_of_input_gives_no_answer() -> None:
    assert read(GOOD + b"\r\n") == [PING]


def test_lone_surrogates_become_replacement_characters() -> None:
    body = rb'{"jsonrpc":"2.0","method":"m","params":{"\ud800k":["\udc00","\ud83d\ude00"]}}'
    message = read(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))[0]
    assert message == {"jsonrpc": "2.0", "method": "m", "params": {"�k": ["�", "😀"]}}


texts = st.text(max_size=40)
calls = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": texts, "params": st.dictionaries(texts, texts | st.integers(), max_size=3)},
    optional={"id": st.integers(-(10**6), 10**6) | texts},
)


@given(st.lists(calls, max_size=5), st.lists(st.integers(0, 10_000), max_size=12))
def test_any_chunking_of_valid_frames_gives_the_same_messages(messages: list[JsonRpcMessage], cuts: list[int]) -> None:
    data = b"".join(frame(message) for message in messages)
    assert read(data, cuts) == messages


pieces = st.sampled_from(sorted(BROKEN.values())) | st.binary(max_size=30) | calls.map(frame)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=6), st.lists(st.integers(0, 30_000), max_size=12))
def test_any_chunking_of_any_bytes_gives_the_same_messages(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    assert read(data, cuts) == read(data)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=6))
def test_valid_message_is_read_within_two_after_any_bytes(parts: list[bytes]) -> None:
    """A wrong header may swallow one valid frame as its body, but never the next one."""
    messages = read(b"".join(parts) + GOOD + GOOD)
    assert messages[-1] == PING
