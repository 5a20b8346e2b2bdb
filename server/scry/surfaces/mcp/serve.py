"""`scry mcp`: over standard input and output, as clients start it, or over HTTP, for those that connect."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from threading import Thread
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from msgspec import Struct

from scry.surfaces.mcp.server import McpOptions, make_server
from scry.surfaces.web.guard import MAX_BODY_BYTES, AccessGuard
from scry.surfaces.web.listening import ListenAddress, describe_address, open_listening_socket
from scry.surfaces.web.server import client_timeout, run_server
from scry.surfaces.web.token import load_or_create_token, token_path
from scry.surfaces.wire.home import ServerProjects, open_server_projects
from scry.surfaces.wire.journal import configure_request_log

MCP_PATH = "/mcp"


class McpServerOptions(Struct, frozen=True):
    """What the person wants. place: where to listen; None for standard input and output."""

    options: McpOptions
    address: ListenAddress | None = None


def serve_mcp(server_options: McpServerOptions) -> int:
    """Serves until the client goes, or the process is told to end; returns its exit status. Raises ScryError."""
    projects = open_server_projects(server_options.options.home, "mcp")
    server = make_server(projects, server_options.options)
    configure_request_log(requests=server_options.address is not None)
    if server_options.address is None:
        asyncio.run(_serve_stdio(server, projects))
    else:
        _serve_http(server, server_options.address)
    return 0


async def _serve_stdio(server: Server[Any], projects: ServerProjects) -> None:
    """Until the client closes our input, or a signal comes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has none to be told by
            asyncio.get_running_loop().add_signal_handler(
                number, lambda: Thread(target=_exit_process, args=(projects,)).start()
            )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _exit_process(projects: ServerProjects) -> None:
    """Ends the process. The SDK reads our input in a thread that nothing wakes, so there is no way to return."""
    projects.close()  # writes the log
    os._exit(0)


def _serve_http(server: Server[Any], place: ListenAddress) -> None:
    """One request, one answer: nothing is kept between two requests, so a client may come back at any time."""
    token = load_or_create_token() if place.socket_path is None else None
    with open_listening_socket(place) as bound:
        app = server.streamable_http_app(
            streamable_http_path=MCP_PATH,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MAX_BODY_BYTES,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does that
        )
        print(f"Scry listens on {describe_address(bound, place)}{MCP_PATH}")
        if token is not None:
            print(f"The token is in {token_path()}")
        sys.stdout.flush()
        run_server(AccessGuard(app, token=token, body_timeout=client_timeout()), bound)
