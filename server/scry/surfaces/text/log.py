"""Events of the log, one line each."""

from __future__ import annotations

import json
import time
from typing import Any

from scry.core.events import COMPACT, FEEDBACK, FORGET, QUERY, USE, StoredEvent
from scry.surfaces.text.line import StyledLine, styled_line


def format_utc_timestamp(time_ms: int) -> str:
    """In UTC, to the millisecond, such as 2026-11-21T09:26:00.120Z."""
    seconds, rest = divmod(time_ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03d}Z"


def render_event(logged: StoredEvent) -> StyledLine:
    """When, what, and about which answer."""
    event = logged.event
    body: dict[str, Any] = json.loads(event.body)
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.time_ms // 1000))
    return styled_line((when, "quiet"), "  ", (_describe_event(event.kind, body), "plain"), (f"  {event.query_id or ''}", "quiet"))


def _describe_event(kind: str, body: dict[str, Any]) -> str:
    if kind == QUERY:
        count = body.get("compacted", len(body.get("results", ())))
        return f'{body.get("mode", "?"):9} "{body.get("query", "")}", {count} result{"" if count == 1 else "s"}'
    if kind == USE:
        return f"{body.get('how', '?'):9} #{body.get('rank')} {body.get('result_used')}"
    if kind == FEEDBACK:
        comment = body.get("comment")
        return f"{body.get('signal', '?'):9} {f'“{comment}”' if comment else ''}".rstrip()
    if kind == FORGET:
        return f"forgotten {body.get('events')} events, by {', '.join(body.get('by', ()))}"
    if kind == COMPACT:
        return f"compacted {body.get('queries')} queries"
    return kind
