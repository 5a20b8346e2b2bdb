"""Requests about an earlier answer: show a result in full, record its use, rate it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from scry_protocol.messages.base import Params, Result
from scry_protocol.messages.result import ResultItem


class DetailParams(Params, frozen=True):
    """A request for one result of an earlier answer in full. Reads the stored answer; nothing is searched again.

    query_id: id of the answer; the last 1,000 answers are stored.
    rank: the result's rank in it.
    folder: URI of the open folder that answered; found by the answer's id when absent.
    doc_id: a further place of the result (`further`) that is meant instead of it; the result itself when absent.
    record_use: whether that the result was used is recorded; false for a client that sends `scry/use` itself.
    record: whether anything is logged; false where the person did not ask for it, as for the location of a jump.
    """

    query_id: str
    rank: Annotated[int, Meta(ge=1)]
    folder: str | None = None
    doc_id: str | None = None
    record_use: bool = True
    record: bool = True


class Detail(Result, frozen=True):
    """One result of an earlier answer in full.

    query_id: id of the answer.
    query: the query that was answered.
    result: the result as it was answered, with `full` as of now. A further place has the rank of its result, and no
        contributions.
    state: current, changed (its text differs from the answer's) or gone (it no longer exists; the stored text is
        returned).
    note: words for a person about the state; empty when it is current.
    text: all of it as Markdown, to show to a person.
    """

    query_id: str
    query: str
    result: ResultItem
    state: str
    note: str
    text: str


class TeamFileParams(Params, frozen=True):
    """A request for the text of a file in the joined team's index.

    uri: the URI of a result's location, of the scheme scry-team.
    """

    uri: str


class TeamFile(Result, frozen=True):
    """The text of a file in the joined team's index, to show read-only.

    uri: the URI that was asked for.
    text: the text, as it is indexed now.
    commit: the commit that it is of.
    is_current: whether that is the commit of the URI; the index holds the newest one only.
    clone: the URI of the same file, with the same text, in a registered project that is a clone of the repository;
        empty where there is none. A jump opens it instead.
    """

    uri: str
    text: str
    commit: str
    is_current: bool
    clone: str = ""


class UseParams(Params, frozen=True):
    """Record that the person, or an agent, used a result.

    query_id: id of the answer.
    rank: the result's rank in it.
    how: how the result was used; inferred: the sidecar concluded a jump from what an editor without a plugin requested.
    act_id: id of this one act, made by the client, 1 to 200 characters; the same act sent twice counts once.
    folder: URI of the open folder that answered; found by the answer's id when absent.
    doc_id: a further place of the result (`further`) that is meant instead of it; the result itself when absent.
    """

    query_id: str
    rank: Annotated[int, Meta(ge=1)]
    how: Literal["jump", "open", "copy", "detail", "agent", "inferred"]
    act_id: str
    folder: str | None = None
    doc_id: str | None = None


class FeedbackParams(Params, frozen=True):
    """Record the person's rating of an answer.

    query_id: id of the answer.
    signal: good or bad.
    comment: the reason, in the person's words; at most 10,000 characters.
    rank: the rated result; the whole answer when absent.
    folder: URI of the open folder that answered; found by the answer's id when absent.
    doc_id: a further place of the rated result (`further`) that is meant instead of it; needs `rank`.
    """

    query_id: str
    signal: Literal["good", "bad"]
    comment: str = ""
    rank: Annotated[int, Meta(ge=1)] | None = None
    folder: str | None = None
    doc_id: str | None = None


class Recorded(Result, frozen=True):
    """Whether an act is in the log, and why not.

    query_id: id of the answer that it is about.
    recorded: whether this request added it to the log; false for a repeated act, and while the log is off or fails.
    note: words for a person; empty when there is nothing to say.
    text: for `copy`, the text for the clipboard.
    """

    query_id: str
    recorded: bool
    note: str = ""
    text: str = ""
