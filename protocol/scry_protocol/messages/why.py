"""The explanation of a document's rank, or of its absence."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from scry_protocol.messages.answer import Fault, Scoring
from scry_protocol.messages.base import Params, Result
from scry_protocol.messages.index import IndexState
from scry_protocol.messages.knowledge import BeliefImpact
from scry_protocol.messages.result import Link, ResultItem, Structural


class WhyParams(Params, frozen=True):
    """A request to explain a document's rank, or its absence.

    doc_id: the document, in any form of its id; returned, not returned, or not even indexed.
    query: the query to explain it for; when absent that of `query_id`, else of the last answer that returned it.
    query_id: id of an answer whose query to explain it for.
    folder: URI of the open folder that it is in; when absent, the one that answered or the first one.
    brief: whether `text` has only the summary and the oracles' ranks, for a hover.
    record: whether the request is stored and logged; false where the person did not ask for it, as in a hover.
    """

    doc_id: str
    query: str | None = None
    query_id: str | None = None
    folder: str | None = None
    brief: bool = False
    record: bool = True


class Share(Result, frozen=True):
    """The part of a cosine that is due to one word of the query and one word of one field of the document.

    query_word: the word of the query.
    document_word: the word of the document.
    field: body, name, path, container or head (its first two lines): the field with that word.
    value: its part of the cosine; may be negative.
    """

    query_word: str
    document_word: str
    field: str
    value: float


class Shares(Result, frozen=True):
    """The semantic score as a sum: total = the shares' values + remainder.

    total: the cosine, recomputed from the document's words; within 0.002 of the raw score.
    shares: the largest parts by absolute value, largest first.
    remainder: the sum of all other parts.
    """

    total: float
    shares: list[Share]
    remainder: float


class OracleEvidence(Result, frozen=True):
    """The evidence of one oracle for the explained document.

    oracle: its name.
    title: its name as shown to a person.
    state: voted, beyond_depth (found, but ranked below the oracle's depth), no_match, other_kind (the oracle finds only
        another kind of documents) or failed.
    rank: the document's rank in the oracle's results, also beyond its depth; null without a match.
    raw_score: as in Contribution; null without a match.
    score_type: as in Contribution.
    share: the part of the sum over all oracles' terms that is due to this one, 0 to 1.
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
    """The document's rank with one factor of its score left out and everything else recomputed.

    name: the oracle or adjustment that is left out.
    rank: the rank then; null where the document would not be found at all.
    """

    name: str
    rank: int | None


class Place(Result, frozen=True):
    """The document's rank in one mode.

    mode: find, orient or recent.
    rank: its rank, 1-based, however low; null where it has none.
    of: number of ranked documents.
    note: words for a person, such as why it has no rank.
    """

    mode: str
    rank: int | None
    of: int
    note: str = ""


class Lived(Result, frozen=True):
    """The history of a document's file.

    commits: number of commits that changed it, in the stored history.
    last_commit: the newest of them in words, `sha7: "subject" (N files)`; empty where there is none.
    last_changed: time of that commit, in UTC, such as 2026-11-21T09:26:00Z; absent where that is not known.
    uncommitted: whether it has changes that are not committed.
    co_changes: the files that most commits changed together with it.
    """

    commits: int
    last_commit: str = ""
    last_changed: str | UnsetType = UNSET
    uncommitted: bool = False
    co_changes: list[Link] = []


class Explanation(Result, frozen=True):
    """The explanation of a document's rank, or of its absence.

    doc_id: the explained document, its id in full form.
    query: the query that it is explained for; null where there is none, and then only places and history are given.
    query_id: id of this answer.
    status: indexed, skipped (known and not indexed), unindexed (it exists, and is not indexed yet), missing (no such
        document exists) or outside (of the project).
    summary: the reason, on one line of under 100 characters.
    text: all of it as Markdown, to show to a person.
    index: how fresh and complete the index was.
    reason: why it is not indexed or not ranked, in words for a person; empty where there is nothing to say.
    near: doc_ids of documents with a similar name, where it does not exist.
    faults: the oracles that could not answer.
    scoring: how to recompute the score; absent without a query.
    result: the document as a result of find, with its rank there; absent where find does not rank it.
    oracles: the evidence of each oracle, in the order in which terms are summed; empty without a query.
    decisive: name of the oracle or adjustment without which its rank would fall most; absent where none raises it.
    without: its rank without each of the factors of its score: oracles first, then adjustments.
    places: its rank in each mode.
    structural: the code around it; absent where it has no file.
    lived: the history of its file; absent where there is none.
    impact: the beliefs that are relevant to it; absent where there are none.
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
