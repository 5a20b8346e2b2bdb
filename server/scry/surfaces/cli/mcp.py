"""`scry mcp`: tools for agents, and how an agent's client comes to know of them."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.mcp_install import install
from scry.surfaces.cli.options import RootOption
from scry.surfaces.cli.starting import resolve_server_folder

mcp = App(
    name="mcp",
    help="Offers Scry to agents, over the Model Context Protocol.",
    default_parameter=Parameter(negative=(), show_default=False),
)
mcp.command(install)


@mcp.default
def serve_mcp(
    *,
    text_only: Annotated[
        bool, Parameter(help="Answer in text alone, for clients that show a model structured output instead of it.")
    ] = False,
    port: Annotated[int | None, Parameter(help="Listen on this port of localhost, at /mcp; 0 for any.")] = None,
    socket: Annotated[Path | None, Parameter(help="Listen on this Unix socket, at /mcp.")] = None,
    root: RootOption = None,
) -> int:
    """Offers find, orient, recent, neighbors, why, detail and more to agents as tools.

    Clients start it by themselves and speak with it over its standard input and output; scry mcp install tells yours
    to. With a port or a socket, it serves those that connect, as scry serve does, token and all.
    """
    from scry.surfaces.wire.extras import missing_extra_error

    if port is not None and socket is not None:
        raise BadRequest("port", "a port and a socket are two places; name one of them")
    try:
        from scry.surfaces.mcp.serve import McpServerOptions, serve_mcp
        from scry.surfaces.mcp.server import McpOptions
        from scry.surfaces.web.listening import ListenAddress
    except ModuleNotFoundError as error:
        raise missing_extra_error("mcp", "scry mcp", error) from error
    gc.enable()  # a server lives long enough for cycles of garbage to matter
    place = None if port is None and socket is None else ListenAddress(port, socket)
    return serve_mcp(McpServerOptions(McpOptions(resolve_server_folder(root), with_structure=not text_only), place))
