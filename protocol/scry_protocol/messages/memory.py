"""Events of work to record in the project's memory: commands, errors, tests, decisions."""

from __future__ import annotations

from typing import Literal

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
