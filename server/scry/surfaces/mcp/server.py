"""Serve the tools and resources over the MCP SDK: on standard input and output, as clients start it, or over HTTP."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, cast

import anyio
import msgspec
from anyio.streams.memory import MemoryObjectSendStream
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from msgspec import Struct
from pydantic import ValidationError

from scry import __version__
from scry.core.errors import ScryError
from scry.core.heap import limit_heap
from scry.core.platform import call_on_signals
from scry.engine.context import CancelledCheck, RequestContext
from scry.engine.federation.router import ProjectRouter, open_home_router
from scry.surfaces.mcp.results import (
    JSON_MEDIA_TYPE,
    available_resources,
    read_resource,
    to_error_result,
    to_tool_result,
)
from scry.surfaces.mcp.tools import (
    AGENT_COMMANDS,
    TOOLS,
    ToolDefinition,
    build_instructions,
    input_schema,
    output_schema,
    parse_arguments,
)
from scry.surfaces.serving.limits import RequestPool
from scry.surfaces.serving.methods import PROGRAM_OPERATIONS
from scry.surfaces.serving.server import (
    ListenAddress,
    client_timeout,
    configure_request_log,
    log_request,
    serve_with_token,
)
from scry.surfaces.serving.tokens import MAX_BODY_BYTES, AccessGuard
from scry_protocol.messages import DetailParams, FindParams, NeighborsParams, OrientParams, StatusParams

log = logging.getLogger(__name__)

McpContext = ServerRequestContext[Any]

FIRST_INDEX_TIMEOUT_S = 10.0
"""Seconds that a question waits for a first index: an agent can't see an answer grow, as a person can."""


class FirstIndexWaiter:
    """Waits for the first index of a project, once and for a limited time; then it is answered from what there is.

    A question about calls and imports also waits for the code graph, which is made after the index.
    """

    def __init__(self, router: ProjectRouter) -> None:
        """Wait for nothing yet."""
        self._router = router
        self._deadlines: dict[Path, float] = {}

    def wait(self, params: msgspec.Struct, timeout: float) -> None:
        """Wait while an index that a question needs is being made for the first time.

        timeout: seconds for all the projects together, and for each from when it was first needed.
        """
        until = time.monotonic() + timeout
        with suppress(ScryError):  # the question itself gets the error
            for root in self._router.roots_to_ask(params):
                self._wait_for_root(root, min(until, self._deadlines.setdefault(root, until)), _asks_graph(params))

    def _wait_for_root(self, root: Path, until: float, with_graph: bool) -> None:
        if until <= time.monotonic() or not root.is_dir():
            return
        with self._router.pool.borrow(root) as engine:
            state = engine.status()
            has_words = 0 < state.files_indexed == state.files_total
            is_new = not has_words or state.vectors * 2 < state.vectors_total
            if state.state in ("starting", "indexing") and is_new:
                engine.wait_until_current(until - time.monotonic())
            if with_graph:
                engine.wait_for_code_graph(until - time.monotonic())


def _asks_graph(params: msgspec.Struct) -> bool:
    """Return whether a question's answer holds calls or imports."""
    if isinstance(params, NeighborsParams):
        return params.by == "dependency"
    return isinstance(params, (OrientParams, DetailParams)) or (isinstance(params, FindParams) and params.reason)


class McpOptions(msgspec.Struct, frozen=True):
    """The server's options.

    home: the project that is asked where none is named. with_structure: give structured output beside the text.
    """

    home: Path | None
    with_structure: bool = True


def make_server(projects: ProjectRouter, options: McpOptions) -> Server[Any]:
    """Return the server; it closes the router when it ends."""
    service = _McpService(projects, options)
    return Server(
        "scry",
        version=__version__,
        title="Scry",
        description="Searches a code base by meaning, words and history, and shows why it answered so.",
        instructions=build_instructions(projects.other_project_names()),
        lifespan=service.lifespan,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_resource_templates,
        on_read_resource=service.read_resource_contents,
    )


class _McpService:
    """The handlers that the SDK calls."""

    def __init__(self, projects: ProjectRouter, options: McpOptions) -> None:
        self._projects = projects
        self._options = options
        self._requests = RequestPool()
        self._first_indexes = FirstIndexWaiter(projects)
        self._tools = {tool.name: tool for tool in TOOLS}

    @asynccontextmanager
    async def lifespan(self, _: Server[Any]) -> AsyncGenerator[dict[str, Any]]:
        self._projects.warm_up()
        try:
            yield {}
        finally:
            self._requests.close()
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._projects.close))

    async def list_tools(self, _: McpContext, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        several = bool(await asyncio.get_running_loop().run_in_executor(None, self._projects.other_project_names))
        from scry.store.team.membership import has_joined

        return types.ListToolsResult(
            tools=[self._describe_tool(tool, several=several, with_team=has_joined()) for tool in TOOLS]
        )

    async def call_tool(self, _: McpContext, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool {params.name!r}; there are {', '.join(self._tools)}"
            )
        began = time.monotonic()
        try:
            tool_params, budget = parse_arguments(
                tool, params.arguments or {}, with_structure=self._options.with_structure
            )
            result = await self._requests.run(lambda cancelled: self._run_tool(tool, tool_params, cancelled))
            home = self._name_of_state(tool_params) or self._home_name
            answer = to_tool_result(result, budget, home=home, with_structure=self._options.with_structure)
        except ScryError as error:
            answer = to_error_result(error)
        except Exception as error:
            log.exception("a tool failed")
            answer = to_error_result(
                ScryError(f"something went wrong inside of Scry ({type(error).__name__}); its log says what")
            )
        log_request(tool.name, 400 if answer.is_error else 200, time.monotonic() - began, None)
        return answer

    async def list_resources(
        self, _: McpContext, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=available_resources())

    async def list_resource_templates(
        self, _: McpContext, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource_contents(
        self, _: McpContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            text = await self._requests.run(lambda _: read_resource(params.uri, self._projects, self._options.home))
        except ScryError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=JSON_MEDIA_TYPE, text=text)]
        )

    @property
    def _home_name(self) -> str:
        return self._projects.home_name

    def _name_of_state(self, params: msgspec.Struct) -> str:
        """Return the project whose state is asked for, by the name of its folder where that is gone; "" for others."""
        if not isinstance(params, StatusParams):
            return ""
        folder = self._options.home
        return params.project or self._home_name or (folder.name if folder is not None else "")

    def _run_tool(self, tool: ToolDefinition, params: msgspec.Struct, cancelled: CancelledCheck) -> msgspec.Struct:
        if tool.depends_on_index:
            self._first_indexes.wait(params, FIRST_INDEX_TIMEOUT_S)
        return PROGRAM_OPERATIONS[tool.mode].run(
            self._projects, params, RequestContext(cancelled=cancelled, commands=AGENT_COMMANDS)
        )

    def _describe_tool(self, tool: ToolDefinition, *, several: bool, with_team: bool) -> types.Tool:
        return types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=input_schema(tool, with_other_projects=several, with_team=with_team),
            output_schema=output_schema(tool) if self._options.with_structure else None,
            annotations=_annotate_tool(tool),
        )


def _annotate_tool(tool: ToolDefinition) -> types.ToolAnnotations:
    """Return the hints on a tool. Those on how a tool changes things mean nothing for one that only reads."""
    if tool.is_read_only:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=tool.is_idempotent, open_world_hint=False
    )


MCP_PATH = "/mcp"


class McpServerOptions(Struct, frozen=True):
    """The options of `scry mcp`. address: None for standard input and output."""

    options: McpOptions
    address: ListenAddress | None = None


def serve_mcp(server_options: McpServerOptions) -> int:
    """Serve until the client closes the connection, or a signal; return the exit status. Raises ScryError."""
    projects = open_home_router(server_options.options.home, "mcp")
    server = make_server(projects, server_options.options)
    configure_request_log(requests=server_options.address is not None)
    if server_options.address is None:
        asyncio.run(_serve_stdio(server, projects))
    else:
        _serve_http(server, server_options.address)
    return 0


async def _serve_stdio(server: Server[Any], projects: ProjectRouter) -> None:
    """Serve until the client closes our input, or a signal comes."""
    limit_heap()
    call_on_signals(
        asyncio.get_running_loop(),
        ("SIGINT", "SIGTERM"),
        lambda: Thread(target=_exit_process, args=(projects,)).start(),
    )
    send, messages = anyio.create_memory_object_stream[SessionMessage | Exception]()
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(_forward_messages, incoming, send, outgoing.send)
        await server.run(messages, outgoing, server.create_initialization_options())


async def _forward_messages(
    incoming: AsyncIterable[SessionMessage | Exception],
    messages: MemoryObjectSendStream[SessionMessage | Exception],
    answer: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Forward what the SDK has read of our input, and answer each line that it could not read, which it only drops."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended
        async with messages:
            async for item in incoming:
                if not isinstance(item, ValidationError):
                    await messages.send(item)
                elif error := _answer_invalid_line(item):
                    await answer(SessionMessage(error))


def _answer_invalid_line(reason: ValidationError) -> types.JSONRPCError | None:
    """Return the error that answers a line which is no message; None for an empty line and for a broken response.

    The SDK reads no JSON of over 200 levels or with half a surrogate pair: the id of such a request can't be known.
    """
    details = reason.errors(include_url=False)
    if details[0]["type"] == "json_invalid":
        code, number = types.PARSE_ERROR, None
        if not str(details[0]["input"]).strip():
            return None
    else:
        whole: Any = next((each["input"] for each in details if each["type"] == "missing"), None)
        message = cast("dict[str, Any]", whole) if isinstance(whole, dict) else {}
        if "method" not in message and ("result" in message or "error" in message):
            return None
        code, number = types.INVALID_REQUEST, message.get("id")
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=number if type(number) in (int, str) else None,
        error=types.ErrorData(code=code, message=f"this line is no message of JSON-RPC: {details[0]['msg']}"),
    )


def _exit_process(projects: ProjectRouter) -> None:
    """Exit the process. The SDK reads our input in a thread that nothing interrupts, so the server can't return."""
    projects.close()  # writes the log
    os._exit(0)


def _serve_http(server: Server[Any], address: ListenAddress) -> None:
    """Serve over HTTP without sessions: nothing is kept between two requests, so a client may return at any time."""

    def make_app(token: str | None) -> AccessGuard:
        app = server.streamable_http_app(
            streamable_http_path=MCP_PATH,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MAX_BODY_BYTES,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does that
        )
        return AccessGuard(app, token=token, body_timeout=client_timeout())

    serve_with_token(address, make_app, MCP_PATH)
