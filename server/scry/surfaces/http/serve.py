"""`scry serve`: from where to listen to the end."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec import Struct

from scry.surfaces.http.app import make_app
from scry.surfaces.web.listening import Place, address_of, listen
from scry.surfaces.web.server import patience, run_server
from scry.surfaces.web.token import read_token, token_path
from scry.surfaces.wire.home import open_home
from scry.surfaces.wire.journal import start_journal


class Serving(Struct, frozen=True):
    """What the person wants. home: the project that a request means which names none; None for no such."""

    place: Place
    home: Path | None
    with_queries: bool = False


def serve(serving: Serving) -> int:
    """Serves until the process is told to end; returns its exit status. Raises ScryError where that can't begin."""
    token = read_token() if serving.place.path is None else None
    with listen(serving.place) as bound:
        start_journal()
        projects = open_home(serving.home, "http")
        app = make_app(projects, token=token, patience=patience(), with_queries=serving.with_queries)
        print(f"Scry listens on {address_of(bound, serving.place)}")
        if token is not None:
            print(f"The token is in {token_path()}")
        sys.stdout.flush()
        run_server(app, bound)
    return 0
