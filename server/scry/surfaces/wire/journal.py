"""One line for each request on standard error. What was asked is not in it, unless the person wants that."""

from __future__ import annotations

import logging
import sys

from scry.surfaces.text.printable import printable

log = logging.getLogger("scry.requests")


def start_journal(*, requests: bool = True) -> None:
    """Has warnings written to standard error, and if wanted a line for each request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    for name in ("scry", "uvicorn", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
        logging.getLogger(name).addHandler(handler)
    log.setLevel(logging.INFO if requests else logging.WARNING)


def note_request(mode: str, status: int, seconds: float, query: str | None) -> None:
    """A request was answered. query: its words, where they are to be written."""
    words = "" if query is None else f' "{printable(query)}"'
    log.info("%s %d %.0f ms%s", mode, status, seconds * 1000, words)
