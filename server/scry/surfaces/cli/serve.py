"""`scry serve`: HTTP for programs on this machine."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.options import Root
from scry.surfaces.cli.starting import started_in

PORT = 50051


def serve(
    *,
    port: Annotated[int | None, Parameter(help=f"The port of localhost; {PORT} by default, 0 for any.")] = None,
    socket: Annotated[Path | None, Parameter(help="Listen on this Unix socket instead; it needs no token.")] = None,
    root: Root = None,
    log_queries: Annotated[bool, Parameter(help="Write what is asked to standard error, too.")] = False,
) -> int:
    """Answers over HTTP on this machine until it is stopped: POST /scry, GET /health, GET /openapi.json.

    Over TCP each request shows a token, which is made on first use; docs/agents.md has examples. On standard error is
    one line a request, without its words.
    """
    from scry.surfaces.wire.extras import missing_extra

    if port is not None and socket is not None:
        raise BadRequest("port", "a port and a socket are two places; name one of them")
    try:
        from scry.surfaces.http.serve import Serving, serve
        from scry.surfaces.web.listening import Place
    except ModuleNotFoundError as error:
        raise missing_extra("http", "scry serve", error) from error
    gc.enable()  # a server lives long enough for cycles of garbage to matter
    place = Place(PORT if port is None else port) if socket is None else Place(path=socket)
    return serve(Serving(place, started_in(root), log_queries))
