"""Hostile frames over every protocol get an error, or silence where the standard says so, and the next is answered.

`make test` sends some thousands with a new seed each time, `make trust` 10^5 over each; TRUST_SEED repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry.indexer import Hello, encode_message, index_format_version
from scry.indexer.protocol import MAX_LINE_BYTES, StateRequest
from scry.projects.indexer_address import connect_to
from scry.surfaces.serving import PROGRAM_OPERATIONS, load_or_create_token
from tests.e2e.http_server import HttpServer
from tests.e2e.lsp_client import LspClient, Message, frame
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.indexer import IndexerProject, open_indexer_project
from tests.sample.project import make_repository
from tests.trust.frames import Numbering, Sent, http_request, indexer_line, lsp_frames, mcp_line

SEED = os.environ.get("TRUST_SEED") or str(random.SystemRandom().randrange(10**6))
COUNT = int(os.environ.get("TRUST_FRAMES", "2000"))
BATCH = 50

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + COUNT // 20)]

PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603

TOLERATED = {json.dumps(each) for each in ("x", "unasked", 10**9, None)}
"""Ids of what is no message: its error may name them, or none."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("protocol") / "shop", SHOP)


class Answers:
    """What was asked and what was answered, by id."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.error_codes: list[int] = []

    def take(self, message: Message) -> None:
        """Count an answer. An error without an id answers bytes that are no message."""
        if "method" in message:
            return
        assert "result" in message or message["error"].get("code") != INTERNAL_ERROR, (SEED, message)
        assert "error" in message or message.get("id") is not None, (SEED, message)
        if "error" in message:
            self.error_codes.append(message["error"]["code"])
        self.answered[json.dumps(message.get("id"))] += 1

    def missing(self) -> dict[str, int]:
        """Return the ids that have not been answered as often as they were asked."""
        return {each: count for each, count in self.asked.items() if self.answered[each] < count}


# Language server --------------------------------------------------------------------------------------------------


def _send_frames(client: LspClient, rng: random.Random, count: int) -> None:
    """Send hostile frames, each few cut anywhere and followed by a good request, and check every answer."""
    modes, numbering, answers = sorted(PROGRAM_OPERATIONS), Numbering(), Answers()
    seen = len(client.received)
    for number in range(0, count, BATCH):
        batch = [lsp_frames(rng, modes, numbering) for _ in range(BATCH)]
        answers.asked.update(each for sent in batch for each in sent.asked)
        data = b"".join(sent.data for sent in batch)
        cut = rng.randrange(len(data))
        client.raw(data[:cut])
        client.raw(data[cut:])
        good = f"good {number}"
        client.raw(frame({"jsonrpc": "2.0", "id": good, "method": "scry/status", "params": {}}))
        answers.asked[json.dumps(good)] += 1

        def all_answered() -> bool:
            nonlocal seen
            fresh = client.received[seen:]
            seen += len(fresh)
            for message in fresh:
                answers.take(message)
            return not answers.missing()

        eventually(all_answered, f"TRUST_SEED={SEED}, batch {number // BATCH}: {list(answers.missing())[:3]}")
        unasked = set(answers.answered) - set(answers.asked) - TOLERATED
        assert not unasked, (SEED, number // BATCH, unasked)
    assert client.noise == b""


def test_language_server_outlives_hostile_frames(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        _send_frames(client, random.Random(f"{SEED} lsp"), COUNT)
        assert client.find("who mails the receipt")["results"]
        assert client.shut_down() == 0
    assert b"Traceback" not in client.errors, client.errors[client.errors.find(b"Traceback") - 300 :][:3000].decode()


# Indexer ----------------------------------------------------------------------------------------------------------

HOSTILE_GREETINGS = (
    b"",
    b"\n",
    b"{}\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b'{"type":"ask","id":1}\n',
    b"\0" * 999,
    b"[" * 9999 + b"\n",
)


class Line:
    """A connection to an indexer, line by line."""

    def __init__(self, sample: IndexerProject) -> None:
        self.socket = connect_to(sample.address(), 60)
        self.socket.settimeout(60)
        self._file = self.socket.makefile("rb")

    def greet(self, sample: IndexerProject) -> None:
        """Say hello, and read the welcome and the first state."""
        self.socket.sendall(encode_message(Hello(index_format_version(), sample.address().token)))
        assert [self.read()["type"], self.read()["type"]] == ["welcome", "state"]

    def read(self) -> dict[str, Any]:
        """Return the next message."""
        line = self._file.readline()
        assert line, f"TRUST_SEED={SEED}: the connection is closed"
        message: dict[str, Any] = json.loads(line)
        return message

    def rest(self) -> bytes:
        """Return all bytes until the connection is closed."""
        with suppress(ConnectionError):
            return self._file.read()
        return b""

    def ask(self, number: int) -> None:
        """Ask for the state, and wait for the answer."""
        self.socket.sendall(encode_message(StateRequest(number)))
        while (message := self.read()).get("answers") != number or message["type"] != "state":
            pass

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self.socket.close()


@contextmanager
def _connection(sample: IndexerProject) -> Generator[Line]:
    line = Line(sample)
    try:
        yield line
    finally:
        line.close()


def _is_greeting(line: bytes) -> bool:
    """Return whether a line is a greeting after all, with fields that an indexer passes over: it is to be answered."""
    try:
        msgspec.json.decode(line, type=Hello)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def test_indexer_outlives_hostile_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    rng = random.Random(f"{SEED} indexer")
    with open_indexer_project(tmp_path / "shop") as sample:
        client = sample.connect_when_ready()
        pid = sample.address().pid
        lines = [line for line in (indexer_line(rng) for _ in range(99)) if not _is_greeting(line)]
        for greeting in (*HOSTILE_GREETINGS, *lines):
            with _connection(sample) as line:
                line.socket.sendall(greeting)
                line.socket.shutdown(socket.SHUT_WR)
                assert line.rest() == b"", (SEED, greeting[:200])
        with _connection(sample) as line:
            line.greet(sample)
            for number in range(10**6, 10**6 + COUNT, BATCH):
                line.socket.sendall(b"".join(indexer_line(rng) for _ in range(BATCH)))
                line.ask(number)
        with _connection(sample) as line:
            line.greet(sample)
            with suppress(ConnectionError):
                line.socket.sendall(b"x" * (MAX_LINE_BYTES + (1 << 20)))
            assert b'"type":"state"' in (line.rest() or b'"type":"state"')
        assert client.wait_until_current(60).state == "ready"
        sample.write_file("shop/after.py", "def after_all():\n    pass\n")
        sample.wait_until_found("after_all")
        assert sample.address().pid == pid
        assert "Traceback" not in (sample.project.cache / "indexer.log").read_text()


# Model Context Protocol -------------------------------------------------------------------------------------------


class McpProcess:
    """`scry mcp` on pipes, with a thread that reads its answers."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "scry", "mcp"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe)
        self.answers = Answers()
        self.errors = b""
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._collect_errors)]
        for thread in self._threads:
            thread.start()

    def send(self, sent: Sent) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.answers.asked.update(sent.asked)
        self.process.stdin.write(sent.data)
        self.process.stdin.flush()

    def call(self, number: int, method: str, params: object) -> None:
        """Send a good request, and wait until all that was asked is answered."""
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(Sent(json.dumps(message).encode() + b"\n", (str(number),)))
        eventually(lambda: not self.answers.missing(), f"an answer to {number}, TRUST_SEED={SEED}")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.answers.take(json.loads(line))

    def _collect_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line


def test_mcp_outlives_hostile_lines(shop: Path) -> None:
    rng, numbering, tools = random.Random(f"{SEED} mcp"), Numbering(), sorted(PROGRAM_OPERATIONS)
    server = McpProcess(shop)
    try:
        for _ in range(20):
            server.send(Sent(mcp_line(rng, tools, numbering).data))  # before initialize
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        first = 2 * 10**9
        server.call(first, "initialize", hello)
        server.send(Sent(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'))
        for number in range(first + 1, first + 1 + COUNT, BATCH):
            for _ in range(BATCH):
                server.send(mcp_line(rng, tools, numbering))
            server.call(number, "tools/call", {"name": "status", "arguments": {}})
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(60) == 0
    finally:
        server.process.kill()
        server.process.wait()
    assert b"Traceback" not in server.errors, server.errors[server.errors.find(b"Traceback") - 300 :][:3000].decode()


def _mcp_request(number: int, text: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":%b}}' % (number, text)


UNREADABLE = {
    "no JSON": (b"{]", PARSE_ERROR, None),
    "over 200 levels": (_mcp_request(7, b"[" * 200 + b"]" * 200), PARSE_ERROR, None),
    "half a surrogate pair": (_mcp_request(8, b'"\\ud800"'), PARSE_ERROR, None),
    "a batch": (b"[" + _mcp_request(9, b"1") + b"]", INVALID_REQUEST, None),
    "no method": (b'{"jsonrpc":"2.0","id":10}', INVALID_REQUEST, 10),
    "params that are no object": (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', INVALID_REQUEST, "a"),
}
SILENT = (b"", b" ", b'{"jsonrpc":"2.0","id":11,"result":1,"error":5}', b'{"jsonrpc":"2.0","id":12,"error":5}')


def test_mcp_answers_lines_that_are_no_message(shop: Path) -> None:
    server = McpProcess(shop)
    try:
        for number, (line, code, id_) in enumerate(UNREADABLE.values()):
            server.send(Sent(line + b"\n", (json.dumps(id_),)))
            eventually(lambda: not server.answers.missing(), f"an answer to {line[:60]!r}")
            assert server.answers.error_codes[number] == code, line[:60]
        for line in SILENT:
            server.send(Sent(line + b"\n"))
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        server.call(99, "initialize", hello)
        assert len(server.answers.error_codes) == len(UNREADABLE), "what can be no request is not answered"
    finally:
        server.process.kill()
        server.process.wait()


# HTTP -------------------------------------------------------------------------------------------------------------


class McpServer(HttpServer):
    """`scry mcp` on a port."""

    command = (sys.executable, "-m", "scry", "mcp")


def _exchange(server: HttpServer, data: bytes) -> bytes:
    """Send a hostile request on a connection of its own; return all that comes back until it is closed."""
    answer = b""
    with server.raw() as connection, suppress(ConnectionError):
        connection.settimeout(60)
        connection.sendall(data)
        with suppress(OSError):  # the server may have closed the connection already
            connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(65536):
            answer += part
    return answer


@pytest.mark.parametrize(("program", "path", "share"), [(HttpServer, "/scry", 1), (McpServer, "/mcp", 4)])
def test_http_outlives_hostile_requests(shop: Path, program: type[HttpServer], path: str, share: int) -> None:
    rng, modes = random.Random(f"{SEED} {path}"), sorted(PROGRAM_OPERATIONS)
    good = b'{"mode":"status"}'
    if path == "/mcp":
        call: Message = {"name": "status", "arguments": {}}
        good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    with program(shop, SCRY_HTTP_PATIENCE="1") as server:
        headers = {
            **server.token(),
            "Content_Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        for number in range(COUNT // share):
            request = http_request(rng, load_or_create_token(), modes, path)
            answer = _exchange(server, request)
            statuses = re.findall(rb"^HTTP/1\.1 (\d{3}) ", answer, re.MULTILINE)  # 100 may come before the answer's
            assert not answer or (statuses and b"500" not in statuses), (SEED, number, request[:300], answer[:500])
            if number % BATCH == 0:
                assert server.send("POST", path, good, **headers).status == 200, (SEED, number)
        assert server.end() == 0
    assert "Traceback" not in "\n".join(server.log), (SEED, server.log[-20:])


def test_http_refuses_once_what_a_right_head_begins_and_no_chunk_follows(shop: Path) -> None:
    with HttpServer(shop) as server:
        request = b"POST /scry HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n\r\n"
        answer = _exchange(server, request)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert answer.count(b"HTTP/1.1 ") == 1
        assert server.end() == 0
    assert "Traceback" not in "\n".join(server.log)
