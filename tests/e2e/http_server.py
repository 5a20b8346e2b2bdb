"""The real `scry serve` as a process, queried over its socket."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from scry.surfaces.serving import load_or_create_token
from tests.polling import eventually

TIMEOUT = 60.0

Json = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """The reply to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        value: Json = json.loads(self.body)
        return value

    @property
    def error(self) -> Json:
        found: Json = self.json["error"]
        return found


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(str(self._path))


class HttpServer:
    """A running server. On TCP the port is any free one; the token is that of the test environment."""

    command: tuple[str, ...] = (sys.executable, "-m", "scry", "serve")

    def __init__(self, folder: Path, *words: str, **environ: str) -> None:
        place = () if "--socket" in words or "--port" in words else ("--port", "0")
        self.process = subprocess.Popen(
            [*self.command, *place, *words],
            cwd=folder,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        assert self.process.stdout is not None
        self.hello = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)|unix:(.+)", self.hello)
        assert found, (self.hello, self.log)
        self.port = int(found[1]) if found[1] else None
        self.path = Path(found[2]) if found[2] else None

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)

    # Asking -------------------------------------------------------------------------------------------------------

    def connection(self) -> http.client.HTTPConnection:
        if self.path is not None:
            return UnixConnection(self.path)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """Return a request with these headers and no others; an underscore stands for a dash."""
        connection = self.connection()
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            named = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, named, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.send("GET", path, None, **{**self.token(), **headers})

    def post(self, body: bytes, **headers: str) -> Reply:
        return self.send("POST", "/scry", body, **{**self.token(), "Content_Type": "application/json", **headers})

    def token(self) -> dict[str, str]:
        return {} if self.path is not None else {"Authorization": f"Bearer {load_or_create_token()}"}

    def ask(self, mode: str = "find", **params: object) -> Json:
        """Return the result of a question."""
        reply = self.try_to_ask(mode, **params)
        assert reply.status == 200, reply
        return reply.json

    def try_to_ask(self, mode: str = "find", **params: object) -> Reply:
        return self.post(json.dumps({"mode": mode, **params}).encode())

    def wait_until_ready(self) -> None:
        def is_ready() -> bool:
            state = self.ask("status")
            assert state["state"] != "failed", state
            return state["state"] == "ready" and state["history"] != "pending"

        eventually(is_ready, "the index is ready")

    def raw(self) -> socket.socket:
        """Return a connection on which anything can be sent."""
        assert self.port is not None
        return socket.create_connection(("127.0.0.1", self.port), TIMEOUT)

    # Ending -------------------------------------------------------------------------------------------------------

    def end(self, number: int = signal.SIGTERM, timeout: float = TIMEOUT) -> int:
        """Terminate the server; return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(timeout)

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for text in self.process.stderr:
            self.log.append(text.rstrip("\n"))
