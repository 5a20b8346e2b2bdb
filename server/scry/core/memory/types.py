"""Values of memory: work sessions, capsules, observations and memories.

Times are milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from msgspec import Struct

MemoryKind = Literal["command", "error", "test", "edit", "jump", "commit", "decision", "note", "message", "summary"]
MemoryScope = Literal["session", "repository", "agent"]
MemoryOutcome = Literal["", "passed", "failed"]

MEMORY_KINDS: tuple[str, ...] = get_args(MemoryKind)
CAPTURED_KINDS = frozenset({"edit", "jump", "commit"})
"""Kinds that are captured in passing, never written by a person."""

PROSE_KINDS = frozenset({"decision", "note", "message", "summary", "error"})
"""Kinds whose text is prose: they have vectors and are found by meaning too."""


class WorkSession(Struct, frozen=True):
    """A period of work of one person or agent in one work tree.

    intent: empty for a session that was not begun explicitly; such a one lasts as long as observations follow one
    another. agent: its owner; empty for the person. ended: None while it is open. memories: their number.
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


CONTENT_KEY = "content"
"""The key of an observation that is identified by its content: the same one in a session is stored once."""


class Observation(Struct, frozen=True):
    """Something to be remembered, before it is stored. Its texts are not masked yet.

    text: one or a few lines. detail: shown only in full, such as a program's output. status: a command's exit status.
    refs: locations, as path:line or path. scope: who finds it; None for the default of its kind. key: identifies it in
    its capsule, or in its session if it is CONTENT_KEY or begins with `act `; an observation with the same key replaces
    it at a later time.
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
    """A stored observation. A tuple, because a query reads two hundred of them.

    number: its position in the order of storing. capsule_intent: the intent of its capsule. times: how often it was
    observed. doc_key: in the note store, where it is held there.
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
        """Whether the memory is of a failure."""
        return self.kind == "error" or self.outcome == "failed" or bool(self.status)


def default_scope(kind: str, agent: str) -> MemoryScope:
    """Return the default scope of a kind: the repository for what holds for all, the session for the rest."""
    if agent:
        return "agent"
    return "repository" if kind in ("decision", "note", "summary", "commit") else "session"
