"""`scry lsp`, `scry serve` and `scry mcp`: start a server.

`lsp` stands here for the help alone: `scry.main` starts the language server without the command line.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.engines import resolve_server_folder
from scry.surfaces.cli.mcp_install import install, uninstall
from scry.surfaces.cli.options import RootOption


def lsp() -> int:
    """Starts the sidecar: a language server on standard input and output, for editors to start."""
    raise BadRequest("lsp", "is started as `scry lsp`, with --stdio at most")


DEFAULT_HTTP_PORT = 50051


def serve(
    *,
    port: Annotated[
        int | None, Parameter(help=f"The port of localhost; {DEFAULT_HTTP_PORT} by default, 0 for any.")
    ] = None,
    socket: Annotated[Path | None, Parameter(help="Listen on this Unix socket instead; it needs no token.")] = None,
    root: RootOption = None,
    log_queries: Annotated[bool, Parameter(help="Write what is asked to standard error, too.")] = False,
) -> int:
    """Answers over HTTP on this machine until it is stopped: POST /scry, GET /health, GET /openapi.json.

    Over TCP each request shows a token, which is made on first use; docs/agents.md has examples. On standard error is
    one line a request, without its words.
    """
    from scry.surfaces.serving.params import missing_part_error

    if port is not None and socket is not None:
        raise BadRequest("port", "a port and a socket are two places; name one of them")
    try:
        from scry.surfaces.http.server import HttpServerOptions, serve_http
        from scry.surfaces.serving.server import ListenAddress
    except ModuleNotFoundError as error:
        raise missing_part_error("scry serve", error) from error
    gc.enable()  # a server lives long enough for reference cycles to pile up
    address = (
        ListenAddress(DEFAULT_HTTP_PORT if port is None else port)
        if socket is None
        else ListenAddress(socket_path=socket)
    )
    return serve_http(HttpServerOptions(address, resolve_server_folder(root), log_queries))


mcp = App(
    name="mcp",
    help="Offers Scry to agents, over the Model Context Protocol.",
    default_parameter=Parameter(negative=(), show_default=False),
)
mcp.command(install)
mcp.command(uninstall)


@mcp.default
def serve_mcp(
    *,
    structured: Annotated[
        bool, Parameter(help="Answer in structured output by the protocol's schema, too, for programs.")
    ] = False,
    text_only: Annotated[bool, Parameter(help="Answer in text alone, which is the default.", show=False)] = False,
    port: Annotated[int | None, Parameter(help="Listen on this port of localhost, at /mcp; 0 for any.")] = None,
    socket: Annotated[Path | None, Parameter(help="Listen on this Unix socket, at /mcp.")] = None,
    root: RootOption = None,
) -> int:
    """Offers find, orient, recent, neighbors, why, detail and more to agents as tools.

    Clients start it by themselves and speak with it over its standard input and output; scry mcp install tells yours
    to. With a port or a socket, it serves those that connect, as scry serve does, token and all.
    """
    from scry.surfaces.serving.params import missing_part_error

    if port is not None and socket is not None:
        raise BadRequest("port", "a port and a socket are two places; name one of them")
    if structured and text_only:
        raise BadRequest("structured", "and --text-only contradict each other; name one of them")
    try:
        from scry.surfaces.mcp.server import McpOptions, McpServerOptions, serve_mcp
        from scry.surfaces.serving.server import ListenAddress
    except ModuleNotFoundError as error:
        raise missing_part_error("scry mcp", error) from error
    gc.enable()  # a server lives long enough for reference cycles to pile up
    address = None if port is None and socket is None else ListenAddress(port, socket)
    return serve_mcp(McpServerOptions(McpOptions(resolve_server_folder(root), with_structure=structured), address))
