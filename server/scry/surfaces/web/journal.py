"""One line for each request on standard error. What was asked is not in it, unless the person wants that."""

from __future__ import annotations

import logging
import sys

from scry.surfaces.text.printable import printable

log = logging.getLogger("scry.web")


def start_journal() -> None:
    """Has warnings and the lines below written to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    for name, level in (("scry", logging.WARNING), ("uvicorn", logging.WARNING), ("scry.web", logging.INFO)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
    for name in ("scry", "uvicorn"):
        logging.getLogger(name).addHandler(handler)


def note_request(mode: str, status: int, seconds: float, query: str | None) -> None:
    """A request was answered. query: its words, where they are to be written."""
    words = "" if query is None else f' "{printable(query)}"'
    log.info("%s %d %.0f ms%s", mode, status, seconds * 1000, words)
