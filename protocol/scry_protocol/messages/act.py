"""What is done with an answer: a result shown in full, used, or judged."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from scry_protocol.messages.base import Params, Result
from scry_protocol.messages.result import ResultItem


class DetailParams(Params, frozen=True):
    """Which result of an earlier answer to show in full. Nothing is searched again.

    query_id: name of the answer; the last 1,000 are kept.
    rank: the result's place in it.
    folder: URI of the open folder that answered; found by the answer's name when absent.
    """

    query_id: str
    rank: Annotated[int, Meta(ge=1)]
    folder: str | None = None


class Detail(Result, frozen=True):
    """One result of an earlier answer in full.

    query_id: name of the answer.
    query: the question that was answered.
    result: the result as it was answered, with `full` as it is now.
    state: current, changed (its text is another since the answer) or gone (it is no more; what was kept is given).
    note: words for a person about the state; empty when it is current.
    text: all of it as Markdown, to show to a person.
    """

    query_id: str
    query: str
    result: ResultItem
    state: str
    note: str
    text: str


class UseParams(Params, frozen=True):
    """The person, or an agent, used a result.

    query_id: name of the answer.
    rank: the result's place in it.
    how: what was done with it.
    act_id: a name of this one act that the client made; the same act told twice counts once.
        1 to 200 characters.
    folder: URI of the open folder that answered; found by the answer's name when absent.
    """

    query_id: str
    rank: Annotated[int, Meta(ge=1)]
    how: Literal["jump", "open", "copy", "detail", "agent"]
    act_id: str
    folder: str | None = None


class FeedbackParams(Params, frozen=True):
    """What the person thinks of an answer.

    query_id: name of the answer.
    signal: good or bad.
    comment: why, in the person's words; at most 10,000 characters.
    rank: the result that it is about; the whole answer when absent.
    folder: URI of the open folder that answered; found by the answer's name when absent.
    """

    query_id: str
    signal: Literal["good", "bad"]
    comment: str = ""
    rank: Annotated[int, Meta(ge=1)] | None = None
    folder: str | None = None


class Recorded(Result, frozen=True):
    """An act is in the log, or why it is not.

    query_id: name of the answer that it is about.
    recorded: whether it is in the log now; false for an act that was told before, and while the log is off or fails.
    note: words for a person, empty when there is nothing to say.
    text: for `copy`, what belongs on the clipboard.
    """

    query_id: str
    recorded: bool
    note: str = ""
    text: str = ""
