"""Values of memory: work sessions, capsules, observations and memories.

What memory holds. Times are milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from msgspec import Struct

MemoryKind = Literal["command", "error", "test", "edit", "jump", "commit", "decision", "note", "message", "summary"]
MemoryScope = Literal["session", "repository", "agent"]
MemoryOutcome = Literal["", "passed", "failed"]

MEMORY_KINDS: tuple[str, ...] = get_args(MemoryKind)
CAPTURED_KINDS = frozenset({"edit", "jump", "commit"})
"""Kinds that nobody writes by hand."""

PROSE_KINDS = frozenset({"decision", "note", "message", "summary", "error"})
"""Kinds whose text says something to whoever did not see it happen: they are found by meaning too."""


class WorkSession(Struct, frozen=True):
    """A stretch of work of one person or agent in one work tree.

    intent: what it was begun for; empty for one that nobody began, which is as long as there is something to note
    every now and then. agent: whose it is; empty for the person's. ended: None while it is open. memories: how many.
    """

    id: str
    root: str
    agent: str
    intent: str
    started: int
    ended: int | None
    memories: int = 0


class Capsule(Struct, frozen=True):
    """A piece of work in a session, with an intent. A session has one open at a time."""

    id: str
    session: str
    intent: str
    started: int
    ended: int | None


class Observation(Struct, frozen=True):
    """Something to be noted, before it is. Its texts are not masked yet.

    text: one or a few lines. detail: what is shown in full alone, such as a program's output. status: a command's exit
    status. refs: places, as path:line or path. scope: how far it is to be found; None for what its kind suggests.
    key: names it in its capsule; what is told again under the same key is the same, told at a later time.
    """

    kind: MemoryKind
    text: str
    time: int
    detail: str = ""
    status: int | None = None
    outcome: MemoryOutcome = ""
    refs: tuple[str, ...] = ()
    scope: MemoryScope | None = None
    key: str = ""


class Memory(NamedTuple):
    """Something noted. A tuple, because a question reads two hundred of them.

    number: its place in the order of noting. capsule_intent: what it was done for. times: how often it was told.
    document: its number on the shelf, where it stands there.
    """

    number: int
    id: str
    kind: MemoryKind
    time: int
    session: str
    capsule: str
    capsule_intent: str
    scope: MemoryScope
    agent: str
    text: str
    detail: str = ""
    status: int | None = None
    outcome: MemoryOutcome = ""
    refs: tuple[str, ...] = ()
    times: int = 1
    pinned: bool = False
    doc_key: int | None = None

    @property
    def failed(self) -> bool:
        """Whether it is about something that went wrong."""
        return self.kind == "error" or self.outcome == "failed" or bool(self.status)


def default_scope(kind: str, agent: str) -> MemoryScope:
    """How far something is to be found where nobody said: what holds for all, and what was done in passing."""
    if agent:
        return "agent"
    return "repository" if kind in ("decision", "note", "summary", "commit") else "session"
