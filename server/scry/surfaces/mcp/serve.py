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

from scry.surfaces.mcp.server import Manner, make_server
from scry.surfaces.web.guard import MOST_BODY, Guard
from scry.surfaces.web.listening import Place, address_of, listen
from scry.surfaces.web.server import patience, run_server
from scry.surfaces.web.token import read_token, token_path
from scry.surfaces.wire.home import Home, open_home
from scry.surfaces.wire.journal import start_journal

PATH = "/mcp"


class Serving(Struct, frozen=True):
    """What the person wants. place: where to listen; None for standard input and output."""

    manner: Manner
    place: Place | None = None


def serve(serving: Serving) -> int:
    """Serves until the client goes, or the process is told to end; returns its exit status. Raises ScryError."""
    projects = open_home(serving.manner.home, "mcp")
    server = make_server(projects, serving.manner)
    start_journal(requests=serving.place is not None)
    if serving.place is None:
        asyncio.run(_over_stdio(server, projects))
    else:
        _over_http(server, serving.place)
    return 0


async def _over_stdio(server: Server[Any], projects: Home) -> None:
    """Until the client closes our input, or a signal comes."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows has none to be told by
            asyncio.get_running_loop().add_signal_handler(
                number, lambda: Thread(target=_leave, args=(projects,)).start()
            )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _leave(projects: Home) -> None:
    """Ends the process. The SDK reads our input in a thread that nothing wakes, so there is no way to return."""
    projects.close()  # writes the log
    os._exit(0)


def _over_http(server: Server[Any], place: Place) -> None:
    """One request, one answer: nothing is kept between two requests, so a client may come back at any time."""
    token = read_token() if place.path is None else None
    with listen(place) as bound:
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MOST_BODY,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does that
        )
        print(f"Scry listens on {address_of(bound, place)}{PATH}")
        if token is not None:
            print(f"The token is in {token_path()}")
        sys.stdout.flush()
        run_server(Guard(app, token=token, patience=patience()), bound)
