"""One result of an answer, with all that explains it."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from scry_protocol.messages.base import Location, Result
from scry_protocol.messages.knowledge import BeliefImpact


class Contribution(Result, frozen=True):
    """What one oracle says of a result.

    rank: its place among that oracle's votes, 1-based.
    raw_score: the score by which that oracle ranked it, rounded to 6 decimals.
    score_type: the unit of raw_score: cosine (-1 to 1), bm25 (above 0), co_change_count (a whole number) or relevance
        (0 to 1, of notes by meaning and words).
    matches: terms of the query that occur in it; only from oracles that match terms.
    snippet: what the oracle has to say of it besides: of a persona note what it says, of a memory why it has its place.
    """

    rank: int
    raw_score: float
    score_type: str
    matches: list[str] | UnsetType = UNSET
    snippet: str | UnsetType = UNSET


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


class CompositePart(Result, frozen=True):
    """One part of the score of a result that no oracle voted for: score = sum of weight * value, times the adjustments.

    name: what was measured: importers, centrality, entry_point, activity, commits, or in recent recency.
    value: 0 to 1, by the rule that docs/decisions.md gives.
    weight: what the value is multiplied by; the weights add up to 1.
    reason: what was measured, in words for a person, such as "12 importers".
    """

    name: str
    value: float
    weight: float
    reason: str


class Relation(Result, frozen=True):
    """How a neighbour is tied to the file that was asked about.

    kind: changes_with, imports, imported_by, calls or called_by, as said of the neighbour: one that is called_by calls
        nothing itself, it is called by the file that was asked about.
    count: how many commits, imports or calls tie them.
    confidence: exact, by name or ambiguous; absent where nothing had to be resolved.
    """

    kind: str
    count: int
    confidence: str | UnsetType = UNSET


class Edge(Result, frozen=True):
    """One step of the path that proves a relational answer.

    source: doc_id of where the relation starts: who calls, imports, inherits, defines or changes with.
    kind: calls, imports, inherits, defines or changes_with.
    target: doc_id of where it leads.
    confidence: exact, by name or ambiguous.
    location: where the relation is written, such as the line of the call; absent where no line shows it.
    """

    source: str
    kind: str
    target: str
    confidence: str
    location: Location | UnsetType = UNSET


class Annotations(Result, frozen=True):
    """What is known beside the evidence.

    structural: the code around it; absent where a result has no place in the code.
    composite: the parts of its score, in orient, and in recent without a query.
    relations: how it is tied to the file that was asked about, in neighbors only.
    proof: the steps that make it an answer, in relational questions only.
    """

    structural: Structural | UnsetType = UNSET
    composite: list[CompositePart] | UnsetType = UNSET
    relations: list[Relation] | UnsetType = UNSET
    proof: list[Edge] | UnsetType = UNSET


class Metadata(Result, frozen=True):
    """What is known of a result beside its place.

    timestamp: when it came to be, or in recent when it last changed, in UTC, such as 2026-11-21T09:26:00Z.
    code_refs: the places that knowledge cites, as `file:line` or `file`.
    session_id: the session that knowledge is from.
    domains: what a note is about, in the person's words.
    """

    timestamp: str | UnsetType = UNSET
    code_refs: list[str] | UnsetType = UNSET
    session_id: str | UnsetType = UNSET
    domains: list[str] | UnsetType = UNSET


class Link(Result, frozen=True):
    """Something that a result is tied to.

    doc_id: what it is tied to.
    count: how many commits, calls or imports tie them.
    confidence: exact, by name or ambiguous; absent where nothing had to be resolved.
    location: where a jump leads; absent where there is no place.
    """

    doc_id: str
    count: int = 1
    confidence: str | UnsetType = UNSET
    location: Location | UnsetType = UNSET


class Graph(Result, frozen=True):
    """What a result is tied to in code and history; each list is cut, best first.

    imports: files that its file imports.
    imported_by: files that import its file.
    callers: what calls it.
    callees: what it calls.
    inherits: what it inherits from or implements.
    inherited_by: what inherits from or implements it.
    co_changes: files that changed together with its file, with the number of commits.
    totals: by the name of a list above, how many there are before it is cut.
    note: words for a person on what is not known (yet), such as that the graph is still being made; often empty.
    """

    imports: list[Link] = []
    imported_by: list[Link] = []
    callers: list[Link] = []
    callees: list[Link] = []
    inherits: list[Link] = []
    inherited_by: list[Link] = []
    co_changes: list[Link] = []
    totals: dict[str, int] = {}
    note: str = ""


class Full(Result, frozen=True):
    """A result in full.

    language: language of the body, such as python; diff for a commit.
    signature: in one line, whitespace collapsed; empty where it has none.
    doc: its doc comment, markers stripped, or a commit's message; empty where it has none.
    body: its text as it was indexed, or a commit's patch.
    truncated: whether the body was cut at the size that an answer may have.
    graph: what it is tied to; absent where there is nothing that could be.
    impact: what beliefs have to do with it; absent where there is nothing.
    """

    language: str
    signature: str
    doc: str
    body: str
    truncated: bool = False
    graph: Graph | UnsetType = UNSET
    impact: BeliefImpact | UnsetType = UNSET


class ResultItem(Result, frozen=True):
    """One result.

    rank: its place in the answer, 1-based.
    doc_id: its name, stable while other lines change, such as `./src/app.py::Outer.inner`.
    content_type: code, doc, commit, belief, pattern, session, memory or persona.
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
    evidence: what found it in few words, ranks only, such as `sem #1 | lex #2 | imp 12`; where no oracle was asked what
        else brought it here, such as `entry point` or `2 days ago`; at its end more_in_file, where that is not 0.
    full: the result in full, where that was asked for.
    via: how the project that the question was asked from is tied to the one it is from, such as LEARNS_FROM; empty
        where it is not.
    more_in_file: how many more of its file would be results if each file could fill any number of places; on the best
        one of a file, in find. The same question with `path:` and the file's path shows them.
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
    evidence: str = ""
    full: Full | UnsetType = UNSET
    via: str = ""
    more_in_file: int = 0
