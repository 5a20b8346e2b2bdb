"""`scry serve`: from where to listen to the end."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec import Struct

from scry.surfaces.http.app import make_app
from scry.surfaces.web.listening import ListenAddress, describe_address, open_listening_socket
from scry.surfaces.web.server import client_timeout, run_server
from scry.surfaces.web.token import load_or_create_token, token_path
from scry.surfaces.wire.home import open_server_projects
from scry.surfaces.wire.journal import configure_request_log


class HttpServerOptions(Struct, frozen=True):
    """What the person wants. home: the project that a request means which names none; None for no such."""

    address: ListenAddress
    home: Path | None
    log_queries: bool = False


def serve_http(options: HttpServerOptions) -> int:
    """Serves until the process is told to end; returns its exit status. Raises ScryError where that can't begin."""
    token = load_or_create_token() if options.address.socket_path is None else None
    with open_listening_socket(options.address) as bound:
        configure_request_log()
        projects = open_server_projects(options.home, "http")
        app = make_app(projects, token=token, body_timeout=client_timeout(), log_queries=options.log_queries)
        print(f"Scry listens on {describe_address(bound, options.address)}")
        if token is not None:
            print(f"The token is in {token_path()}")
        sys.stdout.flush()
        run_server(app, bound)
    return 0
