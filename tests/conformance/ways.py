"""The surfaces as real processes with one interface: mode and params in, JSON out."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, cast

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.e2e.command_line import CommandLine
from tests.e2e.http_server import HttpServer
from tests.e2e.lsp_client import LspClient, RpcError
from tests.e2e.mcp_session import text_of
from tests.polling import eventually

Json = dict[str, Any]

TIMEOUT = 60.0


class Refused(Exception):
    """The question was refused; the text is the words that the asker got."""


class Way(Protocol):
    """A surface, open on a folder."""

    name: str

    def ask(self, mode: str, params: Mapping[str, Any]) -> Json:
        """Return the result of a question. Raises Refused."""
        ...

    def close(self) -> None: ...


class OverLsp:
    """An editor with the folder open."""

    name = "lsp"

    def __init__(self, folder: Path) -> None:
        self.client = LspClient(folder)
        self.client.initialize(folder)
        self.client.wait_until_ready()

    def ask(self, mode: str, params: Mapping[str, Any]) -> Json:
        try:
            answer: Json = self.client.request(f"scry/{mode}", dict(params), TIMEOUT)
        except RpcError as error:
            raise Refused(error.message) from error
        return answer

    def close(self) -> None:
        self.client.shut_down()
        self.client.__exit__(None, None, None)


class OverCommandLine:
    """A process for each question."""

    name = "cli"

    def __init__(self, folder: Path) -> None:
        self._line = CommandLine(folder)

    def ask(self, mode: str, params: Mapping[str, Any]) -> Json:
        done = self._line.run(mode, "--json", *_words(mode, params))
        answer: Json = json.loads(done.out)
        if "error" in answer:
            raise Refused(answer["error"]["message"])
        assert done.status == int(answer.get("results") == []), (mode, params, done.status)
        return answer

    def close(self) -> None:
        return None


_PLACED = ("query_id", "doc_id", "path", "signal")
"""Params that stand in the command line by their place, in this order; a query comes after two dashes."""


def _words(mode: str, params: Mapping[str, Any]) -> Sequence[str]:
    left = dict(params)
    placed = [str(left.pop(name)) for name in _PLACED if name in left and (name, mode) != ("query_id", "why")]
    if mode == "detail":
        placed.append(str(left.pop("rank")))
    query = left.pop("query", None)
    options = [word for name, value in left.items() for word in _option(name, value)]
    return [*options, *placed, *(["--", query] if query is not None else [])]


_OPTIONS = {"types": "type", "domains": "domain"}
"""Repeatable options are named in the singular."""


def _option(name: str, value: object) -> list[str]:
    option = f"--{_OPTIONS.get(name, name.replace('_', '-'))}"
    if value is True:
        return [option]
    texts = [str(each) for each in cast("list[object]", value)] if isinstance(value, list) else [str(value)]
    return [option, ",".join(texts)]


class OverHttp:
    """A server on a Unix socket."""

    name = "http"

    def __init__(self, folder: Path, socket: Path) -> None:
        self._server = HttpServer(folder, "--socket", str(socket))
        self._server.wait_until_ready()

    def ask(self, mode: str, params: Mapping[str, Any]) -> Json:
        reply = self._server.try_to_ask(mode, **params)
        if reply.status != 200:
            raise Refused(reply.error["message"])
        return reply.json

    def close(self) -> None:
        self._server.end()
        self._server.__exit__(None, None, None)


class OverMcp:
    """An agent's server, with one client that stays; its SDK lives on a loop in a thread."""

    name = "mcp"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._asked: asyncio.Queue[tuple[str, dict[str, Any], Future[Any]] | None] = asyncio.Queue()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._run()), daemon=True)
        self._thread.start()

    def ask(self, mode: str, params: Mapping[str, Any]) -> Json:
        future: Future[Any] = Future()
        self._loop.call_soon_threadsafe(self._asked.put_nowait, (mode, dict(params), future))
        result = future.result(TIMEOUT)
        if result.is_error:
            raise Refused(text_of(result))
        structure: Json = result.structured_content
        return structure

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._asked.put_nowait, None)
        self._thread.join(TIMEOUT)

    async def _run(self) -> None:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "scry", "mcp", "--structured"], cwd=self._folder, env=dict(os.environ)
        )
        async with Client(command, cache=None) as client:  # pyright: ignore[reportArgumentType]
            while (asked := await self._asked.get()) is not None:
                mode, params, future = asked
                try:
                    future.set_result(await client.call_tool(mode, params))
                except Exception as error:
                    future.set_exception(error)


class Ways:
    """All of them at once on one folder."""

    def __init__(self, folder: Path, socket: Path) -> None:
        self.line = OverCommandLine(folder)
        self.line.ask("find", {"query": "anything"})  # brings the index up to date
        self.lsp = OverLsp(folder)
        self.all: tuple[Way, ...] = (self.line, self.lsp, OverHttp(folder, socket), OverMcp(folder))

    def wait_until_ready(self, project: str) -> None:
        """Until each way that stays open has heard that the index of another project is ready."""

        def is_ready(way: Way) -> bool:
            return way.ask("status", {"project": project})["state"] == "ready"

        for way in self.all[1:]:
            eventually(partial(is_ready, way), f"{way.name} has {project} ready", patience_s=TIMEOUT)

    def __enter__(self) -> Ways:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for way in self.all:
            way.close()

    def ask(self, mode: str, params: Mapping[str, Any]) -> dict[str, Json]:
        """By the way's name, what each answers."""
        return {way.name: way.ask(mode, params) for way in self.all}

    def refusals(self, mode: str, params: Mapping[str, Any]) -> dict[str, str]:
        """By the way's name, the words with which each refuses; empty where it does not."""
        words: dict[str, str] = {}
        for way in self.all:
            try:
                way.ask(mode, params)
                words[way.name] = ""
            except Refused as refused:
                words[way.name] = str(refused)
        return words
