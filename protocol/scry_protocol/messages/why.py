"""Why a document has its place, or none."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from scry_protocol.messages.answer import Fault, Scoring
from scry_protocol.messages.base import Params, Result
from scry_protocol.messages.index import IndexState
from scry_protocol.messages.knowledge import BeliefImpact
from scry_protocol.messages.result import Link, ResultItem, Structural


class WhyParams(Params, frozen=True):
    """A question: why did this come up, or why did it not?

    doc_id: what to explain, in any of its forms; returned, not returned, or not even indexed.
    query: the question to explain it for; when absent that of `query_id`, else of the last answer that returned it.
    query_id: name of an answer whose question it is to be explained for.
    folder: URI of the open folder that it is in; when absent, the one that answered or the first one.
    """

    doc_id: str
    query: str | None = None
    query_id: str | None = None
    folder: str | None = None


class Share(Result, frozen=True):
    """A part of a cosine: what one word of the question owes to one word of one field of the document.

    query_word: the question's word.
    document_word: the document's word that it met.
    field: body, name, path, container or head (its first two lines), where in the document that word stands.
    value: what it adds to the cosine; may be negative.
    """

    query_word: str
    document_word: str
    field: str
    value: float


class Shares(Result, frozen=True):
    """The semantic score as a sum: total = the shares' values + remainder.

    total: the cosine, computed anew from the document's words; within 0.002 of the raw score.
    shares: the parts of largest size, largest first.
    remainder: the sum of all parts that are not listed.
    """

    total: float
    shares: list[Share]
    remainder: float


class OracleEvidence(Result, frozen=True):
    """What one oracle says of the document that is explained.

    oracle: its name.
    title: its name as shown to a person.
    state: voted, beyond_depth (it would vote, but lower than the votes go), no_match, other_kind (it votes for another
        kind of documents alone) or failed.
    rank: its place among the votes, or the place that it would have; null without a match.
    raw_score: as in Contribution; null without a match.
    score_type: as in Contribution.
    share: which part of the sum over all oracles' terms is this one's, 0 to 1.
    matches: terms of the query that occur in it.
    missing: terms of the query that do not occur in it.
    note: words for a person, such as "'backoff' does not occur".
    shares: the score split by words, where the model allows it.
    """

    oracle: str
    title: str
    state: str
    rank: int | None
    raw_score: float | None
    score_type: str
    share: float
    matches: list[str] = []
    missing: list[str] = []
    note: str = ""
    shares: Shares | UnsetType = UNSET


class Without(Result, frozen=True):
    """Where the document would stand if one factor of its score were left out, everything else computed anew.

    name: the oracle whose vote, or the adjustment that is left out.
    rank: its place then; null where it would not be found at all.
    """

    name: str
    rank: int | None


class Place(Result, frozen=True):
    """Where a document stands in one mode.

    mode: find, orient or recent.
    rank: its place, 1-based, however far down; null where it has none.
    of: how many were ranked.
    note: words for a person, such as why it has none.
    """

    mode: str
    rank: int | None
    of: int
    note: str = ""


class Lived(Result, frozen=True):
    """What the history says of a document's file.

    commits: how many commits changed it, as far back as the history was read.
    last_commit: the newest of them in words, `sha7: "subject" (N files)`; empty where there is none.
    last_changed: when that was, in UTC, such as 2026-11-21T09:26:00Z; absent where that is not known.
    uncommitted: whether it has changes that are not committed.
    co_changes: the files that most commits changed together with it.
    """

    commits: int
    last_commit: str = ""
    last_changed: str | UnsetType = UNSET
    uncommitted: bool = False
    co_changes: list[Link] = []


class Explanation(Result, frozen=True):
    """Why a document has its place, or none.

    doc_id: what is explained, in its full form.
    query: the question that it is explained for; null where there is none, and then only places and history are given.
    query_id: name of this answer.
    status: indexed, skipped (known and left out), unindexed (it exists, and is not indexed yet), missing (there is no
        such thing) or outside (of the project).
    summary: why, in one line of under 100 characters.
    text: all of it as Markdown, to show to a person.
    index: how fresh and complete the index was.
    reason: why it is not indexed or not ranked, in words for a person; empty where there is nothing to say.
    near: doc_ids of what has a similar name, where there is no such document.
    faults: the oracles that could not answer.
    scoring: how to recompute the score; absent without a question.
    result: the document as a result of find, its rank the place that it has there; absent where find does not rank it.
    oracles: what each oracle says, in the order in which terms are summed; empty without a question.
    decisive: name of the oracle or adjustment without which it would fall furthest; absent where nothing holds it up.
    without: where it would stand without each of the factors of its score: oracles first, then adjustments.
    places: where it stands in each mode.
    structural: what the code around it says; absent where it has no file.
    lived: what the history says; absent where there is none.
    impact: what beliefs have to do with it; absent where there is nothing.
    """

    doc_id: str
    query: str | None
    query_id: str
    status: str
    summary: str
    text: str
    index: IndexState
    reason: str = ""
    near: list[str] = []
    faults: list[Fault] = []
    scoring: Scoring | UnsetType = UNSET
    result: ResultItem | UnsetType = UNSET
    oracles: list[OracleEvidence] = []
    decisive: str | UnsetType = UNSET
    without: list[Without] = []
    places: list[Place] = []
    structural: Structural | UnsetType = UNSET
    lived: Lived | UnsetType = UNSET
    impact: BeliefImpact | UnsetType = UNSET
