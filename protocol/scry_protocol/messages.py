"""Every struct that crosses the wire. Field names are the same on every surface.

Params are closed: an unknown field or an unlisted value is refused, by name. Results are open: a client must accept a
field and a string that it does not know yet.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a client sends."""


class Result(msgspec.Struct, frozen=True):
    """Base of what Scry answers."""


class Position(Result):
    """A place in a text: 0-based line and character, counted in the negotiated position encoding."""

    line: int
    character: int


class Range(Result):
    """A half-open range, as in LSP."""

    start: Position
    end: Position


class Location(Result):
    """A range in a file."""

    uri: str
    range: Range


class Contribution(Result):
    """What one oracle says of a result: its rank among that oracle's votes (1-based), its raw score and that score's type."""

    rank: int
    raw_score: float
    score_type: str
    matches: list[str] | UnsetType = UNSET


class Adjustment(Result):
    """A named factor that moved the result beside the oracles' ranks."""

    name: str
    factor: float
    reason: str


class Structural(Result):
    """What the code around a result says of it. It explains, and does not rank, in find."""

    importers: int
    centrality: str
    activity_level: str | UnsetType = UNSET
    flags: list[str] = []


class Annotations(Result):
    """What is known beside the evidence; `structural` is absent where a result has no place in the code."""

    structural: Structural | UnsetType = UNSET


class ResultItem(Result):
    """One result. `contributions` holds only the oracles that matched."""

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


class Scoring(Result):
    """How to recompute a result's `fused_score` from its contributions and adjustments.

    fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the adjustments' factors) / ceiling,
    in this order of operations: oracles in the order of `weights`, adjustments in the order of the list.
    """

    k: int
    depth: int
    weights: dict[str, float]
    ceiling: float


class Fault(Result):
    """An oracle that could not answer, and why."""

    oracle: str
    message: str


class IndexState(Result):
    """How fresh and complete the index is.

    state: starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on disk.
    history: pending, ready or none. unsaved: files whose text in the editor is not the text that was searched.
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


class FindParams(Params):
    """A question: where is X?

    query: words, identifiers, "exact text", and filters lang:, path:, type: (with - to exclude).
    limit: how many results at most. min_score: results with a lower fused_score are left out.
    intent: what the question is after; detected from its words when absent.
    types: only these content types. folder: URI of the one open folder to search; all open folders when absent.
    picker: a name that the asker chose; a newer find with the same name cancels the older one.
    """

    query: str
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    min_score: Annotated[float, Meta(ge=0, le=1)] = 0.0
    intent: Literal["general", "temporal", "rationale", "mechanism", "definition"] | None = None
    types: list[Literal["code", "doc"]] = []
    folder: str | None = None
    picker: str | None = None


class Answer(Result):
    """What was found, best first, with all that explains it."""

    query: str
    mode: str
    query_id: str
    intent: str
    scoring: Scoring
    index: IndexState
    results: list[ResultItem]
    faults: list[Fault]


class StatusParams(Params):
    """Which index: the open folder with this URI, or the first one."""

    folder: str | None = None


class IndexParams(Params):
    """What to do with the index of the open folder with this URI, or of the first one."""

    action: Literal["start", "pause", "resume", "rebuild"]
    folder: str | None = None


class StatusChanged(Result):
    """Sent whenever the state of an open folder's index changes."""

    folder: str
    status: IndexState
