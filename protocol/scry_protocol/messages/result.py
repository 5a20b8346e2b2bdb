"""One result of an answer, with all data that explains it."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from scry_protocol.messages.base import Location, Result
from scry_protocol.messages.knowledge import BeliefImpact


class Contribution(Result, frozen=True):
    """The evidence of one oracle for a result.

    rank: the result's rank in that oracle's results, 1-based.
    raw_score: the score by which that oracle ranked it, rounded to 6 decimals.
    score_type: the unit of raw_score: cosine (-1 to 1), bm25 (above 0), co_change_count (a whole number), relevance
        (0 to 1, of notes by meaning and words) or uses (above 0, of what was used for like questions).
    matches: terms of the query that occur in it; only from oracles that match terms.
    snippet: further words of the oracle: of a persona note its text, of a memory the reason for its rank, of a used
        document when and for what it was used.
    cosine: of a note (belief and persona), the cosine that its relevance is made of, rounded; absent without a vector.
    """

    rank: int
    raw_score: float
    score_type: str
    matches: list[str] | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    cosine: float | UnsetType = UNSET


class Adjustment(Result, frozen=True):
    """A named factor of the result's score beside the oracles' ranks.

    name: the rule's name, such as definition, file_words or test_path.
    factor: the score was multiplied by it; above 1 it raised the result.
    reason: words for a person.
    """

    name: str
    factor: float
    reason: str


class Structural(Result, frozen=True):
    """The structure of the code around a result. In find it explains and does not rank.

    importers: number of the project's files that import the result's file.
    centrality: high, medium or low, among the files of this project.
    activity_level: changes of the file in the 90 days before the newest commit: high (8 commits or more), medium (3 or
        more), low or none; absent while that is not known.
    flags: further properties of the file, such as entry_point or test.
    """

    importers: int
    centrality: str
    activity_level: str | UnsetType = UNSET
    flags: list[str] = []


class CompositePart(Result, frozen=True):
    """One part of the score of a result that no oracle ranked: score = sum of weight * value, times the adjustments.

    name: the measured property: importers, centrality, entry_point, activity, commits, or in recent recency.
    value: 0 to 1, by the rule in docs/decisions/0038 (orient) or docs/decisions/0039 (recent).
    weight: factor of the value; the weights add up to 1.
    reason: the measured property in words for a person, such as "12 importers".
    """

    name: str
    value: float
    weight: float
    reason: str


class Relation(Result, frozen=True):
    """A relation of a neighbour to the file of the query.

    kind: changes_with, imports, imported_by, calls or called_by, with the neighbour as subject: a neighbour that is
        called_by is called by the file of the query.
    count: number of commits, imports or calls.
    confidence: exact, by name or ambiguous; absent where nothing had to be resolved.
    """

    kind: str
    count: int
    confidence: str | UnsetType = UNSET


class Edge(Result, frozen=True):
    """One step of the path that proves a relational answer.

    source: doc_id of the subject: the caller, importer, subclass, definer, or file that changed.
    kind: calls, imports, inherits, defines or changes_with.
    target: doc_id of the object.
    confidence: exact, by name or ambiguous.
    location: where the relation is written, such as the line of the call; absent where no line shows it.
    """

    source: str
    kind: str
    target: str
    confidence: str
    location: Location | UnsetType = UNSET


class Annotations(Result, frozen=True):
    """Data about a result beside the oracles' evidence.

    structural: the code around it; absent where a result is not in the code.
    composite: the parts of its score, in orient, and in recent without a query.
    relations: its relations to the file of the query, in neighbors only.
    proof: the steps that make it an answer, in relational queries only.
    """

    structural: Structural | UnsetType = UNSET
    composite: list[CompositePart] | UnsetType = UNSET
    relations: list[Relation] | UnsetType = UNSET
    proof: list[Edge] | UnsetType = UNSET


class Metadata(Result, frozen=True):
    """Data about a result beside its location.

    timestamp: when it was made, or in recent when it last changed, in UTC, such as 2026-11-21T09:26:00Z.
    code_refs: the locations that knowledge cites, as `file:line` or `file`.
    session_id: the session that knowledge is from.
    domains: the domains of a note, in the person's words.
    entrenchment: how firmly a belief is held, from 0 to 1.
    """

    timestamp: str | UnsetType = UNSET
    code_refs: list[str] | UnsetType = UNSET
    session_id: str | UnsetType = UNSET
    domains: list[str] | UnsetType = UNSET
    entrenchment: float | UnsetType = UNSET


class Link(Result, frozen=True):
    """A document that is related to a result.

    doc_id: the related document.
    count: number of commits, calls or imports.
    confidence: exact, by name or ambiguous; absent where nothing had to be resolved.
    location: the target of a jump; absent where there is none.
    """

    doc_id: str
    count: int = 1
    confidence: str | UnsetType = UNSET
    location: Location | UnsetType = UNSET


class Graph(Result, frozen=True):
    """The neighbours of a result in code and history; each list is cut, best first.

    imports: files that its file imports.
    imported_by: files that import its file.
    callers: documents that call it.
    callees: documents that it calls.
    inherits: documents that it inherits from or implements.
    inherited_by: documents that inherit from or implement it.
    co_changes: files that changed together with its file, with the number of commits.
    totals: by the name of a list above, its length before it was cut.
    note: words for a person on missing data, such as that the graph is still being built; often empty.
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
    signature: on one line, whitespace collapsed; empty where it has none.
    doc: its doc comment without markers, or a commit's message; empty where it has none.
    body: its text as it was indexed, or a commit's patch.
    truncated: whether the body was cut at the maximum size of an answer.
    graph: its neighbours; absent where it can have none.
    impact: the beliefs that are relevant to it; absent where there are none.
    """

    language: str
    signature: str
    doc: str
    body: str
    truncated: bool = False
    graph: Graph | UnsetType = UNSET
    impact: BeliefImpact | UnsetType = UNSET


class FurtherPlace(Result, frozen=True):
    """A further place of a result's file that is worth a look and is no result itself.

    doc_id: its id; detail, use, feedback and why accept it.
    title: a short name to show, such as `evict`, or `lines 10-34` for text outside symbols.
    kind: its kind, as of a result.
    fused_score: its score in this answer, where it would stand below the last result or below the limit.
    location: the target of a jump.
    """

    doc_id: str
    title: str
    kind: str
    fused_score: float
    location: Location


class Copy(Result, frozen=True):
    """A document of another repository of the joined team with the content of a result: its file has the same text.

    project: name of the repository.
    doc_id: its id there; why accepts it.
    link: its address on the forge, where that is known; else empty.
    """

    project: str
    doc_id: str
    link: str = ""


class ExcerptLine(Result, frozen=True):
    """One line of a result's text.

    line: its number in the file, 1-based.
    text: the line, without its end.
    """

    line: int
    text: str


class ResultItem(Result, frozen=True):
    """One result.

    rank: its rank in the answer, 1-based.
    doc_id: its id, stable while other lines change, such as `./src/app.py::Outer.inner`.
    content_type: code, doc, commit, belief, pattern, session, memory or persona.
    title: a short name to show.
    kind: its kind: function, method, class, section, file, text and so on.
    fused_score: 0 to 1, by the formula of Scoring.
    contributions: by oracle, the evidence of each one that found it.
    adjustments: the further factors of its score, in the order of multiplication.
    annotations: data beside the evidence.
    snippet: a few words of it, to show.
    sources: names of the oracles that found it.
    project: name of its project.
    location: the target of a jump; absent where the result is not in a file.
    metadata: further data about it; absent where there is none.
    evidence: the evidence in few words, such as `sem #1 | lex #2 | test x0.5 | imp 12`: ranks, and the factor that
        lowered it most; where no oracle was asked the reason, such as `entry point` or `2 days ago`.
    full: the result in full, where that was requested.
    excerpt: its lines that match the query best, in their order, where they were requested.
    via: the link from the current project to its project, such as LEARNS_FROM; empty without a link.
    more_in_file: number of further places of its file that are worth a look and no results; on the best result of a
        file, in find. The same query with `path:` and the file's path returns them.
    further: the best of these places, best first, at most 5.
    confidence: the estimated probability that it answers the query, by the formula of Scoring; comparable across
        queries, unlike fused_score. Absent where no words were searched.
    commit: of a result of the joined team, the indexed commit of its repository; its location is then a URI of the
        scheme scry-team, whose text `scry/teamFile` returns. Empty for any other result.
    link: of a result of the joined team, its address on the forge, where that is known; else empty.
    copies: number of the other repositories of the joined team that hold the same content, which are no results.
    also_in: the first of them by name, at most 5.
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
    excerpt: list[ExcerptLine] | UnsetType = UNSET
    via: str = ""
    more_in_file: int = 0
    further: list[FurtherPlace] = []
    confidence: float | UnsetType = UNSET
    commit: str = ""
    link: str = ""
    copies: int = 0
    also_in: list[Copy] = []
