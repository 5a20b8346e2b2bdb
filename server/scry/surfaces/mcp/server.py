"""The server: tools and resources bound to the SDK."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from scry import __version__
from scry.core.errors import ScryError
from scry.surfaces.mcp.arguments import read_arguments
from scry.surfaces.mcp.resources import JSON, read_resource, resources
from scry.surfaces.mcp.results import error_of, result_of
from scry.surfaces.mcp.schemas import input_schema, output_schema
from scry.surfaces.mcp.tools import TOOLS, Tool, instructions
from scry.surfaces.wire.calls import CALLS, CancelledCheck
from scry.surfaces.wire.desk import Desk
from scry.surfaces.wire.home import Home
from scry.surfaces.wire.journal import note_request

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any]

FIRST_INDEX_S = 10.0
"""So long a question waits for an index that is only being made: an agent can't see an answer grow, as a person can."""


class Manner(msgspec.Struct, frozen=True):
    """home: the project that is asked where none is named. with_structure: give structured output beside the text."""

    home: Path | None
    with_structure: bool = True


def make_server(projects: Home, manner: Manner) -> Server[Any]:
    """The server; it closes the projects when it ends."""
    service = _Service(projects, manner)
    return Server(
        "scry",
        version=__version__,
        title="Scry",
        description="Searches a code base by meaning, words and history, and shows why it answered so.",
        instructions=instructions(projects.others()),
        lifespan=service.lifespan,
        on_list_tools=service.list_tools,
        on_call_tool=service.call,
        on_list_resources=service.list_resources,
        on_read_resource=service.read,
    )


class _Service:
    """What is behind the SDK's handlers."""

    def __init__(self, projects: Home, manner: Manner) -> None:
        self._projects = projects
        self._manner = manner
        self._desk = Desk()
        self._tools = {tool.mode: tool for tool in TOOLS}

    @asynccontextmanager
    async def lifespan(self, _: Server[Any]) -> AsyncGenerator[dict[str, Any]]:
        self._projects.warm_up()
        try:
            yield {}
        finally:
            self._desk.close()
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._projects.close))

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        several = bool(await asyncio.get_running_loop().run_in_executor(None, self._projects.others))
        return types.ListToolsResult(tools=[self._offer(tool, several=several) for tool in TOOLS])

    async def call(self, _: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool {params.name!r}; there are {', '.join(self._tools)}"
            )
        began = time.monotonic()
        try:
            asked, budget = read_arguments(tool, params.arguments or {})
            result = await self._desk.ask(lambda cancelled: self._ask(tool, asked, cancelled))
            answer = result_of(result, budget, home=self._home_name, with_structure=self._manner.with_structure)
        except ScryError as error:
            answer = error_of(error)
        except Exception as error:
            log.exception("a tool failed")
            answer = error_of(
                ScryError(f"something went wrong inside of Scry ({type(error).__name__}); its log says what")
            )
        note_request(tool.mode, 400 if answer.is_error else 200, time.monotonic() - began, None)
        return answer

    async def list_resources(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=resources())

    async def read(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            text = await self._desk.ask(lambda _: read_resource(params.uri, self._projects, self._manner.home))
        except ScryError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=JSON, text=text)]
        )

    @property
    def _home_name(self) -> str:
        return self._projects.home_name

    def _ask(self, tool: Tool, asked: msgspec.Struct, cancelled: CancelledCheck) -> msgspec.Struct:
        if tool.searches:
            self._projects.wait_for_first_index(asked, FIRST_INDEX_S)
        return CALLS[tool.mode].ask(self._projects, asked, cancelled)

    def _offer(self, tool: Tool, *, several: bool) -> types.Tool:
        return types.Tool(
            name=tool.mode,
            title=tool.title,
            description=tool.description,
            input_schema=input_schema(tool, several=several),
            output_schema=output_schema(tool) if self._manner.with_structure else None,
            annotations=types.ToolAnnotations(
                title=tool.title,
                read_only_hint=tool.reads_only,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )
