"""The project's memory: events of work to record, recorded ones, and sessions."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from scry_protocol.messages.base import Params, Result


class ObserveParams(Params, frozen=True):
    """An event or decision to record. Secrets in it are masked before it is stored.

    kind: the kind of event.
    text: the event, such as a command, an error message or a decision; not empty. A long one is cut at its end.
    detail: further text, such as a command's output. A long one is cut at its beginning.
    status: a command's exit status.
    outcome: whether a test or command passed; absent where that is not known, or follows from status.
    refs: locations that it is about, as `path:line` or `path`.
    scope: where it is found: first in this session, by all who work in the repository, or as an agent's memory; by its
        kind when absent.
    agent: name of the agent whose memory it is; the person's when empty.
    act_id: id of this one act, made by the client; the same act sent twice in a session counts once. Without it, an
        event with the same content counts once in a session.
    folder: URI of the open folder that it happened in; the first one when absent.
    """

    kind: Literal["command", "error", "test", "edit", "decision", "note", "message"]
    text: str
    detail: str = ""
    status: int | None = None
    outcome: Literal["passed", "failed"] | None = None
    refs: list[str] = []
    scope: Literal["session", "repository", "agent"] | None = None
    agent: str = ""
    act_id: str = ""
    folder: str | None = None


class Observed(Result, frozen=True):
    """Whether an event was recorded, and why not.

    doc_id: its id, such as `memory:k3v7qa2xbe`; empty where it was not stored.
    session_id: the session that it is part of; empty where it was not stored.
    recorded: whether this request stored it; false for a repeated one, and while memory is off or cannot be written.
    masked: number of secrets that were masked in it.
    note: words for a person; empty when there is nothing to say.
    """

    doc_id: str
    session_id: str
    recorded: bool
    masked: int = 0
    note: str = ""


class MemoryParams(Params, frozen=True):
    """A request to list, search or delete memories of the project.

    action: list (newest first), search (best match first) or forget (delete for good, from every file).
    query: the words to search for.
    ids: doc_ids of the memories to delete.
    limit: maximum number of memories.
    folder: URI of the open folder that they belong to; the first one when absent.
    """

    action: Literal["list", "search", "forget"]
    query: str = ""
    ids: list[str] = []
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    folder: str | None = None


class MemoryEntry(Result, frozen=True):
    """One memory.

    doc_id: its id, such as `memory:k3v7qa2xbe`.
    kind: its kind, as in observe; also jump, commit or summary.
    text: its text, with secrets masked.
    timestamp: when it was recorded last, in UTC.
    session_id: the session that it is part of.
    times: how often it was recorded.
    why: the reason for its rank, of a search; else empty.
    """

    doc_id: str
    kind: str
    text: str
    timestamp: str
    session_id: str
    times: int = 1
    why: str = ""


class Memories(Result, frozen=True):
    """Memories of a project.

    memories: the requested memories; none of those that were deleted.
    note: words for a person; empty when there is nothing to say.
    """

    memories: list[MemoryEntry]
    note: str = ""


class SessionParams(Params, frozen=True):
    """A request to list the sessions of work, or to begin or end one.

    action: list (newest first), start (begin a piece of work) or end (end the session, with a summary).
    intent: the aim of the work to begin.
    limit: maximum number of sessions.
    folder: URI of the open folder that they belong to; the first one when absent.
    """

    action: Literal["list", "start", "end"]
    intent: str = ""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 20
    folder: str | None = None


class Session(Result, frozen=True):
    """A session: a period of work of one person or one agent.

    session_id: its id, such as `20261121-m5q2ttx7ab`.
    intent: its aim; empty for one that began by itself.
    agent: name of the agent whose session it is; empty for the person's.
    started: when it began, in UTC.
    memories: number of its memories.
    ended: when it ended, in UTC; absent while it is open.
    """

    session_id: str
    intent: str
    agent: str
    started: str
    memories: int
    ended: str | UnsetType = UNSET


class Sessions(Result, frozen=True):
    """Sessions of a project.

    sessions: the requested sessions, or the one that was begun or ended.
    note: words for a person; empty when there is nothing to say.
    """

    sessions: list[Session]
    note: str = ""
