"""Render log events, memories, sessions and the state of an index as terminal lines."""

from __future__ import annotations

import json
import time
from typing import Any

from scry.core.events import COMPACT, FEEDBACK, FORGET, QUERY, USE, StoredEvent
from scry.core.memory.types import Capsule, Memory, WorkSession
from scry.core.text import format_count
from scry.surfaces.render.styled_text import StyledLine, TextStyle, shorten_question, styled_line
from scry_protocol.messages import IndexState


def format_utc_timestamp(time_ms: int) -> str:
    """Format a time in UTC to the millisecond, such as 2026-11-21T09:26:00.120Z."""
    seconds, rest = divmod(time_ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03d}Z"


def render_event(logged: StoredEvent) -> StyledLine:
    """Render an event: its time, its kind with the main facts, and the id of the answer that it concerns."""
    event = logged.event
    body: dict[str, Any] = json.loads(event.body)
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.time_ms // 1000))
    return styled_line(
        (when, "quiet"), "  ", (_describe_event(event.kind, body), "plain"), (f"  {event.query_id or ''}", "quiet")
    )


def _describe_event(kind: str, body: dict[str, Any]) -> str:
    if kind == QUERY:
        count = body.get("compacted", len(body.get("results", ())))
        question = shorten_question(body.get("query", ""))
        return f'{body.get("mode", "?"):9} "{question}", {count} result{"" if count == 1 else "s"}'
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


_MAX_TEXT_LENGTH = 110
_INDENT = "      "


def render_memory(memory: Memory, why: str = "") -> list[StyledLine]:
    """Render a memory: its id, time, kind and text, and below them why a search found it."""
    kind: TextStyle = "bad" if memory.failed else "tag"
    status = f" (exit {memory.status})" if memory.status else ""
    times = f" ×{memory.times}" if memory.times > 1 else ""
    marks = f"{status}{times}{' pinned' if memory.pinned else ''}"
    first, *rest = memory.text.split("\n")
    head = styled_line(
        (memory.id, "place"),
        "  ",
        (format_local_time(memory.time), "quiet"),
        "  ",
        (f"{memory.kind:8}", kind),
        " ",
        _truncate(first),
        (marks, "evidence"),
    )
    below = [styled_line(_INDENT, _truncate(each)) for each in rest] if memory.kind == "summary" else []
    return [head, *below, *([styled_line(_INDENT, (why, "evidence"))] if why else [])]


def render_full_memory(memory: Memory) -> list[StyledLine]:
    """Render a memory with all its facts and its output."""
    facts = [
        (
            "session",
            f"{memory.session}, {memory.capsule}" + (f' "{memory.capsule_intent}"' if memory.capsule_intent else ""),
        ),
        ("scope", memory.scope),
        ("agent", memory.agent),
        ("about", ", ".join(memory.refs)),
        ("outcome", memory.outcome),
    ]
    fact_lines = [styled_line((f"{name}: ", "quiet"), value) for name, value in facts if value]
    return [
        *render_memory(memory),
        *fact_lines,
        *(styled_line(text) for text in memory.detail.split("\n") if memory.detail),
    ]


def render_session(session: WorkSession, capsules: list[Capsule]) -> list[StyledLine]:
    """Render a session: its times, the number of memories, and its pieces of work."""
    until = "open" if session.ended is None else f"to {format_local_time(session.ended)}"
    owner = f"  {session.agent}" if session.agent else ""
    noted = f"{session.memories} noted"
    head = styled_line(
        (session.id, "place"), "  ", (f"{format_local_time(session.started)} {until}", "quiet"), f"  {noted}{owner}"
    )
    works = [
        styled_line(
            "  ", (each.id, "place"), "  ", _truncate(each.intent), (" (now)" if each.ended is None else "", "quiet")
        )
        for each in capsules
        if each.intent
    ]
    return [head, *works]


def format_local_time(time_ms: int) -> str:
    """Format a time in the local zone to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(time_ms // 1000))


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_TEXT_LENGTH else f"{text[: _MAX_TEXT_LENGTH - 1]}…"


_SHORT_COMMIT_LENGTH = 7

_STATE_STYLES: dict[str, TextStyle] = {"ready": "good", "failed": "bad", "paused": "warning"}


def render_index_state(state: IndexState, root: str) -> list[StyledLine]:
    """Render all facts of an index's state, one a line. root: the folder of the project."""
    lines = [
        styled_line((root, "place")),
        styled_line("  state    ", (state.state, _STATE_STYLES.get(state.state, "strong"))),
        styled_line("  files    ", f"{state.files_indexed} of {state.files_total} indexed, {state.skipped} left out"),
        styled_line("  vectors  ", _describe_vectors(state)),
        styled_line("  history  ", state.history, f", {state.history_extent}" if state.history_extent else ""),
        styled_line("  commit   ", _describe_commits(state)),
    ]
    if state.languages:
        counts = ", ".join([f"{language} {count}" for language, count in state.languages.items()])
        lines.append(styled_line("  languages ", counts))
    if state.learning:
        lines.append(styled_line("  learning ", state.learning))
    if state.replay:
        lines.append(styled_line("  replay   ", state.replay))
    if state.failed:
        told = f"{format_count(state.failed, 'file')} found less well or not at all; scry doctor says why"
        lines.append(styled_line("  failed   ", (told, "warning")))
    if state.unsaved:
        lines.append(styled_line("  unsaved  ", ", ".join(state.unsaved)))
    if state.message:
        lines.append(styled_line("  ", (state.message, "warning")))
    return lines


def _describe_vectors(state: IndexState) -> str:
    if state.model is None:
        return "none"
    return f"{state.vectors} of {state.vectors_total}, made by {state.model}"


def _describe_commits(state: IndexState) -> str:
    if state.head_commit is None and state.index_commit is None:
        return "none"
    index, head = _short_commit(state.index_commit), _short_commit(state.head_commit)
    return index if index == head else f"{index}, while HEAD is {head}"


def _short_commit(commit: str | None) -> str:
    return commit[:_SHORT_COMMIT_LENGTH] if commit else "none"
