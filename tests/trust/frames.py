"""Hostile input for every protocol that Scry speaks: frames, lines and requests of a seeded generator.

A generator yields what to send together with the ids that have to be answered, each as often as it was asked. Broken
input asks for nothing: an error without an id, or silence, is right.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

Maker = Callable[[random.Random], "Sent"]


NO_ID = "null"
"""The id of an error that answers a request whose id can't be read."""


class Sent(NamedTuple):
    """Bytes of one hostile message. asked: the ids of the requests in them, as JSON texts; each is answered once."""

    data: bytes
    asked: tuple[str, ...] = ()


# Values -----------------------------------------------------------------------------------------------------------

TEXTS = (
    "", " ", "\0", "\n\r\x1b[2J", "..", "../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "file://", "git:1",
    "http://[", "./a.py::b", "./a.py#L1-L0", "#L9-", "::", "%00", "\ud800", "\U0001f600" * 9, "\u202e", "a" * 5000,
    "' OR 1=1 --", "*" * 300, "(" * 300, "lang:" * 99, '"' * 99, "-x --help", "~", "\ufeff", "é" * 999, "\u0301" * 99,
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**40, 0.5, -0.0, 1e308)


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    """Return JSON that is nested so deep."""
    return opening * depth + "1" + closing * depth


def hostile_value(rng: random.Random, depth: int = 2) -> Any:  # noqa: ANN401 (JSON of any shape)
    """Return a JSON value that a field may not have."""
    kinds: list[Callable[[], Any]] = [
        lambda: rng.choice(TEXTS),
        lambda: rng.choice(NUMBERS),
        lambda: rng.choice((None, True, False)),
        lambda: json.loads(nested(rng.choice((3, 40, 300)))),
    ]
    if depth:
        kinds += [
            lambda: [hostile_value(rng, depth - 1) for _ in range(rng.randrange(4))],
            lambda: {rng.choice(TEXTS)[:50]: hostile_value(rng, depth - 1) for _ in range(rng.randrange(4))},
        ]
    return rng.choice(kinds)()


def hostile_params(rng: random.Random, fields: Sequence[str]) -> Any:  # noqa: ANN401 (JSON of any shape)
    """Return params with some of these fields, one of which at least has a hostile value."""
    if rng.random() < 0.1:
        return hostile_value(rng)
    named = rng.sample(fields, min(len(fields), rng.randrange(1, 4)))
    params = {name: hostile_value(rng) for name in named}
    if rng.random() < 0.3:
        params |= {"query": "receipt", rng.choice(TEXTS)[:40]: hostile_value(rng)}
    return params


_UNKNOWN_CANCELS: tuple[object, ...] = ({"id": 77}, {}, None, {"id": []})


def _dump(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False)
    # A lone surrogate is escaped: its bytes would be no UTF-8, and the message none.
    return (json.dumps(value) if "\ud800" in text else text).encode()


NOT_JSON = (
    b"", b"{", b"}", b"hello", b"{\"a\":1", b"[1,", b'{"a":NaN}', b"Infinity", b"\xff\xfe{}", b"\0\0\0", b"{'a':1}",
    b'"\xed\xa0\x80"', b"\xef\xbb\xbf", b"[" * 3000, b"{\"a\":" * 3000, nested(100_000).encode(), b"1" * 5000, b"1e",
    b'{"jsonrpc":"2.0","id":1,"method":"x"', b"\x1f\x8b\x08", b"GET / HTTP/1.1", b"nul", b"{}{}", b'"' + b"a" * 99_999,
)  # fmt: skip
NOT_A_MESSAGE: tuple[Any, ...] = (
    [], {}, None, 1, "x", True, [[]], [{"jsonrpc": "2.0", "id": 1, "method": "x"}], {"jsonrpc": "1.0", "method": "x"},
    {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": None, "method": "x"}, {"jsonrpc": "2.0", "id": {}, "method": "x"},
    {"jsonrpc": "2.0", "method": 5}, {"jsonrpc": "2.0", "method": None, "params": 1}, {"id": "x", "result": 1},
    {"jsonrpc": "2.0", "id": "unasked", "result": {}}, {"jsonrpc": "2.0", "id": 10**9, "error": {"code": 1}},
    {"jsonrpc": "2.0", "id": "unasked", "error": 5}, {"jsonrpc": "2.0", "id": 0.5, "method": "x"},
    {"jsonrpc": "2.0", "method": "x" * 9999}, {"jsonrpc": "2.0", "id": "unasked", "result": 1, "error": {}},
)  # fmt: skip


class Numbering:
    """The ids of one run: unusual ones that are all different, so that an answer belongs to one request."""

    def __init__(self) -> None:
        """Begin with the first."""
        self._count = 10**6  # more than a client of tests counts to

    def next(self, rng: random.Random) -> int | str:
        """Return an id that no other request has."""
        self._count += 1
        count = self._count
        return rng.choice(
            (
                count,
                -count,
                2**31 + count,
                2**53 + count,
                f"{count}",
                f"\u202e{count}\x1b",
                f"{'x' * 900}{count}",
                f"\U0001f600{count}",
            )
        )


# Language server --------------------------------------------------------------------------------------------------

LSP_FIELDS = (
    "query", "limit", "path", "file", "folder", "project", "projects", "doc_id", "query_id", "picker", "position",
    "textDocument", "id", "sources", "text", "action", "rank", "statement", "name", "note_id", "uri", "contentChanges",
)  # fmt: skip
LSP_STANDARD = (
    "textDocument/hover", "workspace/symbol", "textDocument/definition", "$/unknown", "workspace/executeCommand", "",
    "initialize", "completionItem/resolve", "window/workDoneProgress/cancel", "textDocument/diagnostic", "x" * 3000,
)  # fmt: skip
LSP_NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave", "$/setTrace",
    "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "$/cancelRequest", "$/progress", "\0", "$/x",
    "window/workDoneProgress/cancel", "notebookDocument/didOpen", "workspace/didChangeWorkspaceFolders", "initialized",
)  # fmt: skip


def frame(body: bytes, length: object = None, name: str = "Content-Length") -> bytes:
    """Return a body with its header. length: the one that the header claims."""
    claimed = len(body) if length is None else length
    return f"{name}: {claimed}\r\n\r\n".encode("utf-8", "surrogatepass") + body


def lsp_frames(rng: random.Random, modes: Sequence[str], numbering: Numbering) -> Sent:
    """Return one hostile frame, or a few that belong together."""
    return rng.choice(_LSP_MAKERS)(rng, modes, numbering)


def _broken_header(rng: random.Random, *_: object) -> Sent:
    body = rng.choice((b"{}", b"", b"hello", _dump({"jsonrpc": "2.0", "method": "x"})))
    length = rng.choice(("", "abc", -1, "+2", "2, 2", 10**12, 10**30, "0x2", "2.0", "²", " ", len(body) + 50, 0))
    heads = (
        frame(body, length),
        frame(body, name=rng.choice(("Content-Lenght", "Length", "", " ", ":", "Content-Length\0", "Content Length"))),
        b"Content-Length: 5\r\n",
        b"Content-Length",
        b"\r\n" * rng.randrange(50),
        b"X: " + b"y" * rng.choice((10, 4100, 70_000)) + b"\r\n\r\n",
        bytes(rng.randrange(256) for _ in range(rng.randrange(1, 200))).replace(b"ontent", b""),
        b"Content-Type: application/json\r\n\r\n{}",
        b"Content-Length: 2\nContent-Length: 3\n\n{}",
        frame(b"x" * rng.randrange(2000), rng.randrange(2000)),
    )
    return Sent(rng.choice(heads))


def _broken_body(rng: random.Random, *_: object) -> Sent:
    body = rng.choice(NOT_JSON)
    return Sent(frame(body[: rng.randrange(len(body) + 1)] if rng.random() < 0.2 else body))


def _no_message(rng: random.Random, *_: object) -> Sent:
    return Sent(frame(_dump(rng.choice(NOT_A_MESSAGE))))


def _request(rng: random.Random, modes: Sequence[str], numbering: Numbering) -> Sent:
    method = rng.choice([f"scry/{mode}" for mode in modes] + list(LSP_STANDARD))
    return _call(numbering.next(rng), method, hostile_params(rng, LSP_FIELDS))


def _call(number: int | str, method: str, params: object) -> Sent:
    body = _dump({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    # Params that are neither an object nor an array are refused, with the id of the request.
    return Sent(frame(body), (json.dumps(number),))


def _notification(rng: random.Random, modes: Sequence[str], _: Numbering) -> Sent:
    method = rng.choice([*LSP_NOTIFICATIONS, f"scry/{rng.choice(list(modes))}"])
    params = hostile_params(rng, LSP_FIELDS)
    if rng.random() < 0.5:
        document = {
            "uri": rng.choice(TEXTS),
            "languageId": "x",
            "version": hostile_value(rng),
            "text": rng.choice(TEXTS),
        }
        params = {
            "textDocument": document,
            "contentChanges": [{"text": rng.choice(TEXTS), "range": hostile_value(rng)}],
        }
    return Sent(frame(_dump({"jsonrpc": "2.0", "method": method, "params": params})))


def _duplicates(rng: random.Random, _: Sequence[str], numbering: Numbering) -> Sent:
    number, count = numbering.next(rng), rng.randrange(2, 5)
    one = _call(number, rng.choice(("scry/status", "scry/find", "$/unknown")), {"query": "receipt"})
    return Sent(one.data * count, one.asked * count)


def _cancel_storm(rng: random.Random, _: Sequence[str], numbering: Numbering) -> Sent:
    calls = [
        _call(numbering.next(rng), "scry/find", {"query": f"receipt {rng.random()}", "picker": rng.choice((None, "p"))})
        for _ in range(rng.randrange(1, 8))
    ]
    cancels = [
        frame(_dump({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": json.loads(call.asked[0])}}))
        for call in calls
    ]
    strangers = [
        frame(
            _dump(
                {
                    "jsonrpc": "2.0",
                    "method": "$/cancelRequest",
                    "params": rng.choice(_UNKNOWN_CANCELS),
                }
            )
        )
        for _ in range(rng.randrange(8))
    ]
    storm = [call.data for call in calls] + [each for each in cancels if rng.random() < 0.8] + strangers
    if rng.random() < 0.5:
        rng.shuffle(storm)
    return Sent(b"".join(storm), tuple(call.asked[0] for call in calls))


_LSP_MAKERS = (
    _broken_header, _broken_header, _broken_body, _no_message, _request, _request, _request, _notification,
    _notification, _duplicates, _cancel_storm,
)  # fmt: skip


# Indexer ----------------------------------------------------------------------------------------------------------

INDEXER_TYPES = ("hello", "told", "changed", "control", "sync", "ask", "encode", "welcome", "state", "x", "", None)
INDEXER_FIELDS = ("id", "paths", "settings", "action", "identity", "query", "version", "token", "vectors", "type")


def indexer_line(rng: random.Random) -> bytes:
    """Return one hostile line for an indexer; none of them asks it to end, and none sets a setting."""
    if rng.random() < 0.3:
        return rng.choice(NOT_JSON).replace(b"\n", b"") + b"\n"
    if rng.random() < 0.1:
        return _dump({"type": "changed", "paths": [_base64(rng) for _ in range(rng.randrange(9))]}) + b"\n"
    if rng.random() < 0.1:
        return _dump({"type": "encode", "id": 1, "identity": rng.choice(TEXTS), "query": rng.choice(TEXTS)}) + b"\n"
    message = {name: hostile_value(rng) for name in rng.sample(INDEXER_FIELDS, rng.randrange(5)) if name != "settings"}
    return _dump({**message, "type": rng.choice(INDEXER_TYPES)}) + b"\n"


def _base64(rng: random.Random) -> str:
    return base64.b64encode(rng.choice(TEXTS).encode("utf-8", "surrogatepass")).decode()


# Model Context Protocol -------------------------------------------------------------------------------------------

MCP_METHODS = (
    "tools/list", "tools/call", "resources/list", "resources/read", "prompts/get", "completion/complete", "x", "", "\0",
    "logging/setLevel", "sampling/createMessage", "resources/subscribe", "server/discover", "tasks/get", "ping",
)  # fmt: skip
MCP_FIELDS = ("name", "arguments", "uri", "cursor", "level", "ref", "_meta", "requestId", "query", "protocolVersion")


def mcp_line(rng: random.Random, tools: Sequence[str], numbering: Numbering) -> Sent:
    """Return one hostile line for `scry mcp`, or a few that belong together."""
    return rng.choice(_MCP_MAKERS)(rng, tools, numbering)


def _mcp_noise(rng: random.Random, *_: object) -> Sent:
    return Sent(rng.choice((*NOT_JSON, *map(_dump, NOT_A_MESSAGE))).replace(b"\n", b"") + rng.choice((b"\n", b"\r\n")))


def _mcp_call(rng: random.Random, tools: Sequence[str], numbering: Numbering) -> Sent:
    number = numbering.next(rng)
    method, params = rng.choice(MCP_METHODS), hostile_params(rng, MCP_FIELDS)
    if rng.random() < 0.6:
        method, params = "tools/call", {"name": rng.choice(list(tools)), "arguments": hostile_params(rng, LSP_FIELDS)}
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    # The SDK reads no JSON of over 200 levels or with half a surrogate pair: the id is not known then.
    data = _escaped(body)
    is_readable = b"[" * 150 not in data and b"\\ud800" not in data
    return Sent(data, (json.dumps(number) if is_readable else NO_ID,))


def _mcp_notification(rng: random.Random, *_: object) -> Sent:
    method = rng.choice(("notifications/cancelled", "notifications/progress", "notifications/initialized", "x", ""))
    return Sent(_escaped({"jsonrpc": "2.0", "method": method, "params": hostile_params(rng, MCP_FIELDS)}))


def _mcp_storm(rng: random.Random, _: Sequence[str], numbering: Numbering) -> Sent:
    """Return requests and the notifications that cancel others: a cancelled request gets no answer."""
    cancels = [
        _escaped(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": rng.choice((1, "x", None, []))},
            }
        )
        for _ in range(rng.randrange(9))
    ]
    asked = json.dumps(number := numbering.next(rng))
    ping = _escaped({"jsonrpc": "2.0", "id": number, "method": "ping"})
    return Sent(b"".join([*cancels, ping, *cancels]), (asked,))


def _escaped(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


_MCP_MAKERS = (_mcp_noise, _mcp_noise, _mcp_call, _mcp_call, _mcp_call, _mcp_notification, _mcp_storm)


# HTTP -------------------------------------------------------------------------------------------------------------


def http_request(rng: random.Random, token: str, modes: Sequence[str], path: str) -> bytes:
    """Return the bytes of one connection: a hostile request, or a valid one with a hostile body."""
    body = rng.choice(
        (
            rng.choice(NOT_JSON),
            _dump(rng.choice(NOT_A_MESSAGE)),
            _dump({"mode": rng.choice([*modes, *TEXTS[:5]]), **_object(hostile_params(rng, LSP_FIELDS))}),
            _dump({"mode": rng.choice(list(modes)), **_object(hostile_params(rng, LSP_FIELDS))}),
        )
    )
    length = rng.choice((len(body),) * 6 + (-1, len(body) + 9, "x", "", 10**12, "1, 1", 0))
    method = rng.choice(("POST",) * 6 + ("GET", "PUT", "", "post", "P\0ST", "X" * 9000, "CONNECT"))
    where = rng.choice(
        (path,) * 6 + ("/", "*", "//", "/%00", "/../x", "http://[", "\xff", "/" + "a" * 40_000, path + "?a=1")
    )
    version = rng.choice(("HTTP/1.1",) * 6 + ("HTTP/1.0", "HTTP/9.9", "HTTP", "", "HTTP/2.0"))
    headers = {
        "Host": rng.choice(("localhost",) * 6 + ("", "evil.example", "[", "localhost:x", "\0")),
        "Authorization": rng.choice((f"Bearer {token}",) * 8 + ("", "Bearer", "Bearer \xe9", "Basic x")),
        "Content-Type": rng.choice(("application/json",) * 6 + ("", "text/plain", "application/json; charset=\xe9")),
        "Content-Length": str(length),
        "Accept": rng.choice(("application/json, text/event-stream", "", "*/*;q=x")),
    }
    for name, value in (
        ("Transfer-Encoding", rng.choice(("chunked", "identity", "gzip, chunked", "\0"))),
        ("Expect", "100-continue"),
        ("Upgrade", "websocket"),
        ("X: y\r\nContent-Length", "0"),
        ("a" * 33_000, "b"),
        ("Mcp-Session-Id", "\x7f"),
        ("Connection", rng.choice(("close", "Upgrade", "keep-alive, close"))),
    ):
        if rng.random() < 0.05:
            headers[name] = value
    if rng.random() < 0.1:
        del headers[rng.choice(list(headers))]
    head = f"{method} {where} {version}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    data = head.encode("latin-1", "replace") + b"\r\n" + body
    if rng.random() < 0.1:
        data = data[: rng.randrange(len(data))]
    return data


def _object(params: Any) -> dict[str, Any]:  # noqa: ANN401 (JSON of any shape)
    return cast("dict[str, Any]", params) if isinstance(params, dict) else {"query": params}
