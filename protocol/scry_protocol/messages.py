"""Every struct that crosses the wire. Field names are the same on every surface.

Params are closed: an unknown field or an unlisted value is refused, by name. Results are open: a client must accept a
field and a string that it does not know yet.

A docstring says what the message is and, below that, one `field: meaning` for each of its fields, in their order; a
longer meaning goes on in lines that are indented. The generated forms carry these words, and none is made without them.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a client sends."""


class Result(msgspec.Struct, frozen=True):
    """Base of what Scry answers."""


class Position(Result, frozen=True):
    """A place in a text, as in LSP.

    line: 0-based.
    character: 0-based, counted in the negotiated position encoding.
    """

    line: int
    character: int


class Range(Result, frozen=True):
    """A half-open range of a text, as in LSP.

    start: its first place.
    end: the place just after its last.
    """

    start: Position
    end: Position


class Location(Result, frozen=True):
    """A range in a file.

    uri: the file's URI.
    range: the range in it.
    """

    uri: str
    range: Range


class Contribution(Result, frozen=True):
    """What one oracle says of a result.

    rank: its place among that oracle's votes, 1-based.
    raw_score: the score by which that oracle ranked it, rounded to 6 decimals.
    score_type: the unit of raw_score: cosine (-1 to 1), bm25 (above 0) or co_change_count (a whole number).
    matches: terms of the query that occur in it; only from oracles that match terms.
    """

    rank: int
    raw_score: float
    score_type: str
    matches: list[str] | UnsetType = UNSET


class Adjustment(Result, frozen=True):
    """A named factor that moved the result beside the oracles' ranks.

    name: the rule's name, such as definition, file_hits or test_path.
    factor: what the score was multiplied by; above 1 it raised the result.
    reason: words for a person.
    """

    name: str
    factor: float
    reason: str


class Structural(Result, frozen=True):
    """What the code around a result says of it. It explains, and does not rank, in find.

    importers: how many files of the project import the result's file.
    centrality: high, medium or low, among the files of this project.
    activity_level: how much the file changed in the 90 days before the newest commit: high (8 commits or more), medium
        (3 or more), low or none; absent while that is not known.
    flags: what the file is besides, such as entry_point or test.
    """

    importers: int
    centrality: str
    activity_level: str | UnsetType = UNSET
    flags: list[str] = []


class Annotations(Result, frozen=True):
    """What is known beside the evidence.

    structural: the code around it; absent where a result has no place in the code.
    """

    structural: Structural | UnsetType = UNSET


class Metadata(Result, frozen=True):
    """What is known of a result that is no place in the code.

    timestamp: when it came to be, in UTC, such as 2026-11-21T09:26:00Z.
    """

    timestamp: str | UnsetType = UNSET


class ResultItem(Result, frozen=True):
    """One result.

    rank: its place in the answer, 1-based.
    doc_id: its name, stable while other lines change, such as `./src/app.py::Outer.inner`.
    content_type: code, doc or commit.
    title: a short name to show.
    kind: what it is: function, method, class, section, file, text and so on.
    fused_score: 0 to 1, by the formula of Scoring.
    contributions: by oracle, what each one that matched says of it.
    adjustments: what else moved it, in the order in which the factors are multiplied.
    annotations: what is known of it beside the evidence.
    snippet: a few words of it, to show.
    sources: names of the oracles that found it.
    project: name of the project that it is from.
    location: where a jump leads; absent where the result has no place in a file.
    metadata: what else is known of it; absent where there is nothing.
    """

    rank: int
    doc_id: str
    content_type: str
    title: str
    kind: str
    fused_score: float
    contributions: dict[str, Contribution]
    adjustments: list[Adjustment]
    annotations: Annotations
    snippet: str
    sources: list[str]
    project: str
    location: Location | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class Scoring(Result, frozen=True):
    """How to recompute a result's `fused_score` from its contributions and adjustments.

    fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the adjustments' factors)
    / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the order of the list.

    k: the constant of reciprocal rank fusion.
    depth: how many votes each oracle had.
    weights: by oracle, the weight of its votes for this question.
    ceiling: the most that any result could collect.
    """

    k: int
    depth: int
    weights: dict[str, float]
    ceiling: float


class Fault(Result, frozen=True):
    """An oracle that could not answer.

    oracle: its name.
    message: why, in words for a person.
    """

    oracle: str
    message: str


class IndexState(Result, frozen=True):
    """How fresh and complete the index is.

    state: starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on
        disk.
    history: pending, ready or none.
    generation: number of the published index; it rises with every change that can be searched.
    files_indexed: files whose words are searchable.
    files_total: files that are to be searchable.
    vectors: vectors that are searchable.
    vectors_total: vectors that are to be searchable.
    skipped: files that are known and left out.
    unsaved: files whose text in the editor is not the text that was searched.
    index_commit: the commit that the index was last compared with; null where there is no git.
    head_commit: the commit that is checked out; null where there is none.
    model: name of the model that made the vectors; null where there are none.
    message: words for a person, empty when there is nothing to say.
    """

    state: str
    history: str
    generation: int
    files_indexed: int
    files_total: int
    vectors: int
    vectors_total: int
    skipped: int
    unsaved: list[str]
    index_commit: str | None
    head_commit: str | None
    model: str | None
    message: str


class FindParams(Params, frozen=True):
    """A question: where is X?

    query: words, identifiers, "exact text", and filters lang:, path:, type: (with - to exclude).
    limit: how many results at most.
    min_score: results with a lower fused_score are left out.
    intent: what the question is after; detected from its words when absent.
    types: only these content types; all when empty.
    folder: URI of the one open folder to search; all open folders when absent.
    picker: a name that the asker chose; a newer find with the same name cancels the older one.
    """

    query: str
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    min_score: Annotated[float, Meta(ge=0, le=1)] = 0.0
    intent: Literal["general", "temporal", "rationale", "mechanism", "definition"] | None = None
    types: list[Literal["code", "doc", "commit"]] = []
    folder: str | None = None
    picker: str | None = None


class Answer(Result, frozen=True):
    """What was found, best first, with all that explains it.

    query: the question, as it was asked.
    mode: which kind of question it was, such as find.
    query_id: name of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters.
    intent: the intent that was set or detected.
    scoring: how to recompute the scores.
    index: how fresh and complete the index was.
    results: what was found, best first.
    faults: the oracles that could not answer.
    """

    query: str
    mode: str
    query_id: str
    intent: str
    scoring: Scoring
    index: IndexState
    results: list[ResultItem]
    faults: list[Fault]


class StatusParams(Params, frozen=True):
    """Which index to ask about.

    folder: URI of an open folder; the first one when absent.
    """

    folder: str | None = None


class IndexParams(Params, frozen=True):
    """What to do with an index.

    action: what to do: start it, pause it, resume it, or rebuild it from nothing.
    folder: URI of the open folder that it belongs to; the first one when absent.
    """

    action: Literal["start", "pause", "resume", "rebuild"]
    folder: str | None = None


class StatusChanged(Result, frozen=True):
    """Sent whenever the state of an open folder's index changes.

    folder: URI of the open folder.
    status: the state that its index is in now.
    """

    folder: str
    status: IndexState
