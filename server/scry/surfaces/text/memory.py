"""Memories and sessions, a line or a few each."""

from __future__ import annotations

import time

from scry.core.memory.types import Capsule, Memory, Session
from scry.surfaces.text.line import Line, Part, line

_TEXT = 110
_INDENT = "      "


def show_memory(memory: Memory, why: str = "") -> list[Line]:
    """Its name, when, what, and below why it was found."""
    kind: Part = "bad" if memory.failed else "tag"
    status = f" (exit {memory.status})" if memory.status else ""
    times = f" ×{memory.times}" if memory.times > 1 else ""
    marks = f"{status}{times}{' pinned' if memory.pinned else ''}"
    first, *rest = memory.text.split("\n")
    head = line(
        (memory.id, "place"), "  ", (clock(memory.time), "quiet"), "  ", (f"{memory.kind:8}", kind), " ", _cut(first),
        (marks, "evidence"),
    )  # fmt: skip
    below = [line(_INDENT, _cut(each)) for each in rest] if memory.kind == "summary" else []
    return [head, *below, *([line(_INDENT, (why, "evidence"))] if why else [])]


def show_whole(memory: Memory) -> list[Line]:
    """All of it."""
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
    told = [line((f"{name}: ", "quiet"), value) for name, value in facts if value]
    return [*show_memory(memory), *told, *(line(text) for text in memory.detail.split("\n") if memory.detail)]


def show_session(session: Session, capsules: list[Capsule]) -> list[Line]:
    """When, how much was noted, and the pieces of work."""
    until = "open" if session.ended is None else f"to {clock(session.ended)}"
    owner = f"  {session.agent}" if session.agent else ""
    noted = f"{session.memories} noted"
    head = line((session.id, "place"), "  ", (f"{clock(session.started)} {until}", "quiet"), f"  {noted}{owner}")
    works = [line("  ", (each.id, "place"), "  ", _cut(each.intent), (" (now)" if each.ended is None else "", "quiet"))
             for each in capsules if each.intent]  # fmt: skip
    return [head, *works]


def clock(time_ms: int) -> str:
    """Local time to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(time_ms // 1000))


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
