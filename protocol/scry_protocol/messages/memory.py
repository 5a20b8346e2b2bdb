"""What was done, what failed, what was decided: told to Scry, to be found again."""

from __future__ import annotations

from typing import Literal

from scry_protocol.messages.base import Params, Result


class ObserveParams(Params, frozen=True):
    """Something that happened, or was decided, to be remembered. Secrets in it are masked before it is kept.

    kind: what it is.
    text: what is to be remembered, such as a command, an error's message or a decision; not empty. Of a long one the
        beginning is kept.
    detail: what belongs to it, such as a command's output. Of a long one the end is kept.
    status: a command's exit status.
    outcome: whether a test or command passed; absent where that is not known, or told by status.
    refs: places that it is about, as `path:line` or `path`.
    scope: how far it is to be found: in this session first, by all who work in the repository, or as an agent's; by its
        kind when absent.
    agent: name of the agent whose memory it is; the person's when empty.
    act_id: a name of this one act that the client made; the same act told twice counts once.
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
    """What became of an observation.

    doc_id: its name, such as `memory:k3v7qa2xbe`; empty where it was not kept.
    session_id: the session that it is part of; empty where it was not kept.
    recorded: whether it is kept; false for one that was told before, and while memory is off or can't be written.
    masked: how many secrets were masked in it.
    note: words for a person, empty when there is nothing to say.
    """

    doc_id: str
    session_id: str
    recorded: bool
    masked: int = 0
    note: str = ""
