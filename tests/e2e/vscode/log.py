"""The events in the log of the person, read from the file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any


def events(home: Path, kind: str) -> list[dict[str, Any]]:
    """Return the bodies of all events of this kind, in their order."""
    found: list[dict[str, Any]] = []
    for file in sorted(home.glob("data/**/events.sqlite")):
        with sqlite3.connect(file) as log:
            if not log.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchall():
                continue  # it is just being made
            rows = log.execute("SELECT query_id, body FROM events WHERE kind = ? ORDER BY sequence", (kind,)).fetchall()
        found += [{"query_id": query_id, **json.loads(body)} for query_id, body in rows]
    return found
