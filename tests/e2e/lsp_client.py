"""A small, strict LSP client for tests: it starts the real sidecar and takes nothing but well-formed frames from it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from scry.projects import open_project
from scry.store.events import EventReader
from tests.polling import PATIENCE_S, eventually

COMMAND = (sys.executable, "-m", "scry", "lsp")
TIMEOUT = PATIENCE_S

_HEADER = re.compile(rb"Content-Length: (\d+)\r\n(?:Content-Type: [ -~]+\r\n)?\r\n")

Message = dict[str, Any]


class RpcError(Exception):
    """The sidecar answered with an error."""

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]


def frame(message: object) -> bytes:
    """Return a message with its header."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class LspClient:
    """A sidecar process. `received` has every message in order, `noise` all bytes outside of frames."""

    def __init__(self, cwd: Path, command: Sequence[str] = COMMAND, environ: Mapping[str, str] | None = None) -> None:
        self.cwd = cwd
        self.received: list[Message] = []
        self.noise = b""
        self.errors = b""
        self.capabilities: Message = {}
        self._count = 0
        self._news = threading.Condition()
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(environ or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._collect_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> LspClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(5)

    # Sending ------------------------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        """Send these bytes."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def post(self, method: str, params: object = None) -> int:
        """Send a request; returns its id."""
        self._count += 1
        self.raw(frame({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}))
        return self._count

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.raw(frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def request(self, method: str, params: object = None, timeout: float = TIMEOUT) -> Any:  # noqa: ANN401 (JSON of any shape)
        """Send a request and return its result. Raises RpcError."""
        return self.result(self.post(method, params), timeout)

    def initialize(
        self,
        *roots: Path,
        encodings: Sequence[str] | None = None,
        options: object = None,
        capabilities: Message | None = None,
        client: int | None = None,
    ) -> Message:
        """Open these folders; returns what the sidecar answered to `initialize`."""
        general = {} if encodings is None else {"general": {"positionEncodings": list(encodings)}}
        answer: Message = self.request(
            "initialize",
            {
                "processId": os.getpid() if client is None else client,
                "rootUri": roots[0].as_uri() if roots else None,
                "workspaceFolders": [folder(root) for root in roots],
                "capabilities": {**general, **(capabilities or {})},
                "initializationOptions": options,
            },
        )
        self.capabilities = answer["capabilities"]
        self.notify("initialized", {})
        return answer

    def find(self, query: str, **params: object) -> Message:
        """Return the answer to `scry/find`."""
        answer: Message = self.request("scry/find", {"query": query, **params})
        return answer

    def wait_until_ready(self, root: Path | None = None, timeout: float = PATIENCE_S) -> Message:
        """Ask for the status until it is `ready` and the history is no longer pending."""
        params = {"folder": root.as_uri()} if root else {}

        def ready() -> Message | None:
            state: Message = self.request("scry/status", params)
            assert state["state"] != "failed", state
            return state if state["state"] == "ready" and state["history"] != "pending" else None

        state = eventually(ready, "the index is ready", patience_s=timeout, interval_s=0.02)
        assert state is not None
        return state

    # Hearing ------------------------------------------------------------------------------------------------------

    def result(self, request: int, timeout: float = TIMEOUT) -> Any:  # noqa: ANN401 (JSON of any shape)
        """Return the result of a request that was posted. Raises RpcError."""
        answer = self.wait_for(lambda message: message.get("id") == request and "method" not in message, timeout)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def wait_for(self, wanted: Callable[[Message], bool], timeout: float = TIMEOUT, start: int = 0) -> Message:
        """Return the first message, of those heard after `start`, that is wanted."""
        end = time.monotonic() + timeout
        seen = start
        with self._news:
            while True:
                for message in self.received[seen:]:
                    if wanted(message):
                        return message
                seen = len(self.received)
                left = end - time.monotonic()
                assert left > 0, f"not received within {timeout} s; last: {self.received[-3:]}; {self.errors!r}"
                self._news.wait(min(left, 0.1))

    def is_heard_out(self) -> bool:
        """Return whether the process has ended, and all that it sent was received."""
        return self.process.poll() is not None and not any(thread.is_alive() for thread in self._threads)

    def notifications(self, method: str) -> list[Any]:
        """Return the params of all such notifications so far."""
        return [message["params"] for message in list(self.received) if message.get("method") == method]

    # Ending -------------------------------------------------------------------------------------------------------

    def shut_down(self) -> int:
        """End as editors do; returns the exit status."""
        assert self.request("shutdown") is None
        self.notify("exit")
        return self.wait_for_end()

    def wait_for_end(self, timeout: float = TIMEOUT) -> int:
        """Wait until the process is gone; returns its exit status."""
        return self.process.wait(timeout)

    def _listen(self) -> None:
        assert self.process.stdout
        buffer = b""
        while data := os.read(self.process.stdout.fileno(), 65536):
            buffer = self._take(buffer + data)
        self.noise += buffer

    def _take(self, buffer: bytes) -> bytes:
        """Take all complete frames; returns the rest."""
        while b"\r\n\r\n" in buffer:
            header = _HEADER.match(buffer)
            if not header:
                self.noise, buffer = self.noise + buffer[:1], buffer[1:]
                continue
            end = header.end() + int(header[1])
            if len(buffer) < end:
                break
            self._receive(json.loads(buffer[header.end() : end]))
            buffer = buffer[end:]
        return buffer

    def _receive(self, message: Message) -> None:
        with self._news:
            self.received.append(message)
            self._news.notify_all()
        if "method" in message and "id" in message:
            self.raw(frame({"jsonrpc": "2.0", "id": message["id"], "result": None}))

    def _collect_errors(self) -> None:
        assert self.process.stderr
        while data := os.read(self.process.stderr.fileno(), 65536):
            self.errors += data


def folder(root: Path) -> Message:
    """Return a workspace folder."""
    return {"uri": root.as_uri(), "name": root.name}


def events(root: Path) -> list[tuple[str, str | None, dict[str, Any]]]:
    """Return (kind, query_id, body) of all events in a project's log, in their order."""
    reader = EventReader.open(open_project(root).data)
    if reader is None:
        return []
    return [(each.event.kind, each.event.query_id, json.loads(each.event.body)) for each in reader.iter_events()]
