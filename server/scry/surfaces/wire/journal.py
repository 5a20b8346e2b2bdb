"""One line for each request on standard error. What was asked is not in it, unless the person wants that."""

from __future__ import annotations

import logging
import sys

from scry.surfaces.text.printable import make_printable

request_log = logging.getLogger("scry.requests")


def configure_request_log(*, requests: bool = True) -> None:
    """Has warnings written to standard error, and if wanted a line for each request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    for name in ("scry", "uvicorn", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
        logging.getLogger(name).addHandler(handler)
    request_log.setLevel(logging.INFO if requests else logging.WARNING)


def log_request(mode: str, status: int, seconds: float, query: str | None) -> None:
    """A request was answered. query: its words, where they are to be written."""
    words = "" if query is None else f' "{make_printable(query)}"'
    request_log.info("%s %d %.0f ms%s", mode, status, seconds * 1000, words)
