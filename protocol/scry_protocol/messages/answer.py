"""Queries, and the answer that all of them share."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from scry_protocol.messages.base import Params, Result
from scry_protocol.messages.index import IndexState
from scry_protocol.messages.result import ResultItem

ContentType = Literal["code", "doc", "commit", "belief", "pattern", "session", "memory", "persona"]
Source = Literal["project", "persona"]


class FindParams(Params, frozen=True):
    """A search query.

    query: words, identifiers, "exact text", and filters lang:, path:, type:, source:, domain: (with - to exclude).
    limit: maximum number of results.
    min_score: results with a lower confidence are left out; of a relational query those with a lower fused_score.
    intent: the query's intent; detected from its words when absent.
    types: only results of these content types; all when empty.
    source: project for the project's content, its memory included; persona for the person's own notes; both when
        absent.
    domains: only knowledge with one of these domains, case-insensitive; code, documents, commits and memories have
        none. All when empty.
    folder: URI of the one open folder to search; all open folders when absent.
    picker: id of the client's picker; a newer find with the same id cancels the older one, and is logged once it
        settles.
    full: return every result in full.
    excerpt: number of lines of each result's text to return, those that match the query best; 0 for none.
    reason: read the query as a relational query over the code graph, such as "what calls foo and is called by bar".
    projects: names of the projects to search, registered or open; the open ones, or the current one, when empty.
    all_projects: search every registered project, and the open ones.
    linked_projects: also search the projects that the selected ones are linked to.
    team: also search the index of the joined team; its repositories that are projects here are searched here alone.
    """

    query: str
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    min_score: Annotated[float, Meta(ge=0, le=1)] = 0.0
    intent: Literal["general", "temporal", "rationale", "mechanism", "definition"] | None = None
    types: list[ContentType] = []
    source: Source | None = None
    domains: list[str] = []
    folder: str | None = None
    picker: str | None = None
    full: bool = False
    excerpt: Annotated[int, Meta(ge=0, le=50)] = 0
    reason: bool = False
    projects: list[str] = []
    all_projects: bool = False
    linked_projects: bool = False
    team: bool = False


class RecentParams(Params, frozen=True):
    """A query for recent changes.

    query: words to search for first, as in find; the results are ranked by recency. All changes when empty.
    days: only changes of the last so many days; 7 when absent and there is no query.
    limit: maximum number of results.
    types: only results of these content types; all when empty.
    source: as in find.
    domains: as in find.
    folder: URI of the one open folder to search; all open folders when absent.
    picker: as in find.
    full: return every result in full.
    excerpt: as in find, where there is a query; nothing matches best without one.
    projects: as in find.
    all_projects: as in find.
    linked_projects: as in find.
    team: as in find.
    """

    query: str = ""
    days: Annotated[int, Meta(ge=1, le=36500)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    types: list[ContentType] = []
    source: Source | None = None
    domains: list[str] = []
    folder: str | None = None
    picker: str | None = None
    full: bool = False
    excerpt: Annotated[int, Meta(ge=0, le=50)] = 0
    projects: list[str] = []
    all_projects: bool = False
    linked_projects: bool = False
    team: bool = False


class OrientParams(Params, frozen=True):
    """A query for what matters in a folder.

    path: a folder or file: its URI, or its path relative to the project; `.` is the whole project. The name of a
        project and a colon before it, such as `lib:./src`, select that project.
    limit: maximum number of files.
    folder: URI of the open folder that a relative path belongs to; the first one when absent.
    projects: as in find; the path is looked up in each.
    all_projects: as in find.
    linked_projects: as in find.
    team: ask the index of the joined team alone; the name before the path, such as `cart:./src`, is that of one of its
        repositories. The URI of a file of the team names it, too.
    record: whether the question is logged; false where a client asks again by itself until the answer is complete.
    """

    path: str = "."
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    folder: str | None = None
    projects: list[str] = []
    all_projects: bool = False
    linked_projects: bool = False
    team: bool = False
    record: bool = True


class NeighborsParams(Params, frozen=True):
    """A query for the neighbours of a file, for what resembles a place in it, or for the coverage of a belief.

    file: URI of the file, its path relative to the project, or a doc_id in it, also with `<project>:` before it; empty
        when a belief is given.
    by: cochange for files that changed in the same commits; dependency for imports and calls, in both directions;
        similar for functions, classes and sections near in meaning to the one at `line`, or to the one that a doc_id
        names; and for files near in meaning to the whole file, where neither is given.
    line: a line of the file, 1-based, for similar.
    belief: id of the belief whose coverage to return instead, with or without `belief:` before it.
    types: of a belief's coverage only these content types; all when empty.
    limit: maximum number of results.
    folder: URI of the open folder that a relative path belongs to; the first one when absent.
    team: as in orient.
    record: as in orient.
    """

    file: str = ""
    by: Literal["cochange", "dependency", "similar"] = "cochange"
    line: Annotated[int, Meta(ge=1)] | None = None
    belief: str | None = None
    types: list[ContentType] = []
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    folder: str | None = None
    team: bool = False
    record: bool = True


class Scoring(Result, frozen=True):
    """How to recompute a result's `fused_score` from its contributions and adjustments.

    In find and recent, fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the
    adjustments' factors) / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the
    order of the list. In orient, and in recent without a query, it is (sum over annotations.composite of weight *
    value) * (product of the adjustments' factors), from the first to the last, with k and depth 0. In neighbors and in
    relational queries results are ordered by counts, and fused_score is the count as a share of the highest, with k and
    depth 0; in a relational query the conditions that a result meets are counted.

    In find, and in recent for a query, confidence = 1 / (1 + exp(9 - 7.5 share - 14 cosine + 10 share * cosine)),
    rounded to 4 digits: share is the sum of term_weights over the lexical contribution's matches, divided by the sum of
    all; cosine is the raw score of the semantic contribution, 0 without one; for a commit, and for everything unless
    cosine_counts, share / 2 stands for it. A note with neither contribution has the highest raw score of type
    relevance.

    k: the constant of reciprocal rank fusion.
    depth: maximum number of results of each oracle.
    weights: by oracle, its weight for this query.
    ceiling: the highest sum that any result could reach.
    term_weights: by word of the query, its inverse document frequency in the project's code and documents; empty where
        results have no confidence, and where several projects were searched.
    cosine_counts: whether cosines count in the confidence.
    prefix: the last word of a query that is still being typed, where words that begin with it match too; results that
        hold only such words have the adjustment `prefix`.
    exponents: by adjustment, the exponent of its factor where weights learnt from the person's jumps apply, as they do
        to `weights`; the factors of the results are raised already. Empty where the defaults apply.
    """

    k: int
    depth: int
    weights: dict[str, float]
    ceiling: float
    term_weights: dict[str, float] = {}
    cosine_counts: bool = True
    prefix: str = ""
    exponents: dict[str, float] = {}


class Fault(Result, frozen=True):
    """An oracle, or a whole project, that could not answer, or an index that could not be brought up to date.

    oracle: name of the oracle; `index` where indexing failed, so that results may be old; empty where a whole project
        could not answer.
    message: the reason, in words for a person.
    project: name of the project, where the query named several; else empty.
    retry: whether the answer was late, and the same query asked again soon may have it.
    """

    oracle: str
    message: str
    project: str = ""
    retry: bool = False


class AskedProject(Result, frozen=True):
    """One of several searched projects.

    name: name of the project.
    index: how fresh and complete its index was.
    via: the link from the current project to this one, such as LEARNS_FROM; empty without a link.
    term_weights: as of Scoring, in this project.
    cosine_counts: as of Scoring, in this project.
    team: whether it is a repository of the joined team, not a project of this machine.
    """

    name: str
    index: IndexState
    via: str = ""
    term_weights: dict[str, float] = {}
    cosine_counts: bool = True
    team: bool = False


class Answer(Result, frozen=True):
    """The results of a query, best first, with all data that explains them.

    query: the query, as it was sent.
    mode: the kind of query, such as find.
    query_id: id of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters.
    intent: the intent that was set or detected.
    scoring: how to recompute the scores.
    index: how fresh and complete the index was.
    results: the results, best first.
    faults: the oracles, and the projects, that could not answer.
    notice: words for a person about what the answer may lack, or why it is empty; often empty.
    projects: the searched projects, where the query named any; else empty.
    """

    query: str
    mode: str
    query_id: str
    intent: str
    scoring: Scoring
    index: IndexState
    results: list[ResultItem]
    faults: list[Fault]
    notice: str = ""
    projects: list[AskedProject] = []
