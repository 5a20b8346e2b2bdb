"""`scry serve`: HTTP for programs on this machine."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.options import RootOption
from scry.surfaces.cli.starting import resolve_server_folder

DEFAULT_HTTP_PORT = 50051


def serve(
    *,
    port: Annotated[int | None, Parameter(help=f"The port of localhost; {DEFAULT_HTTP_PORT} by default, 0 for any.")] = None,
    socket: Annotated[Path | None, Parameter(help="Listen on this Unix socket instead; it needs no token.")] = None,
    root: RootOption = None,
    log_queries: Annotated[bool, Parameter(help="Write what is asked to standard error, too.")] = False,
) -> int:
    """Answers over HTTP on this machine until it is stopped: POST /scry, GET /health, GET /openapi.json.

    Over TCP each request shows a token, which is made on first use; docs/agents.md has examples. On standard error is
    one line a request, without its words.
    """
    from scry.surfaces.wire.extras import missing_extra_error

    if port is not None and socket is not None:
        raise BadRequest("port", "a port and a socket are two places; name one of them")
    try:
        from scry.surfaces.http.serve import HttpServerOptions, serve_http
        from scry.surfaces.web.listening import ListenAddress
    except ModuleNotFoundError as error:
        raise missing_extra_error("http", "scry serve", error) from error
    gc.enable()  # a server lives long enough for cycles of garbage to matter
    place = ListenAddress(DEFAULT_HTTP_PORT if port is None else port) if socket is None else ListenAddress(socket_path=socket)
    return serve_http(HttpServerOptions(place, resolve_server_folder(root), log_queries))
