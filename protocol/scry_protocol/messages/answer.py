"""Questions, and the answer that they share."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from scry_protocol.messages.base import Params, Result
from scry_protocol.messages.index import IndexState
from scry_protocol.messages.result import ResultItem

ContentType = Literal["code", "doc", "commit", "belief", "pattern", "session", "memory", "persona"]
Source = Literal["project", "persona"]


class FindParams(Params, frozen=True):
    """A question: where is X?

    query: words, identifiers, "exact text", and filters lang:, path:, type:, source:, domain: (with - to exclude).
    limit: how many results at most.
    min_score: results with a lower fused_score are left out.
    intent: what the question is after; detected from its words when absent.
    types: only these content types; all when empty.
    source: project for what the project holds, its memory included; persona for the person's own notes; both when
        absent.
    domains: only knowledge about one of these, by the words of whoever noted it, whatever their case; code, documents,
        commits and memories are about none. All when empty.
    folder: URI of the one open folder to search; all open folders when absent.
    picker: a name that the asker chose; a newer find with the same name cancels the older one, and is logged once it
        settles.
    full: with every result in full.
    reason: read the query as a relational question over the code graph, such as "what calls foo and is called by bar".
    projects: names of the projects to ask, registered or open; those that are open, or asked from, when empty.
    all_projects: ask every registered project, and those that are open.
    linked_projects: ask also the projects to which those are linked that would be asked without this.
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
    reason: bool = False
    projects: list[str] = []
    all_projects: bool = False
    linked_projects: bool = False


class RecentParams(Params, frozen=True):
    """A question: what changed lately?

    query: words to search for first, as in find; what is found is ranked by recency. Empty: whatever changed.
    days: only what changed in so many days; 7 when absent and there is no query.
    limit: how many results at most.
    types: only these content types; all when empty.
    source: as in find.
    domains: as in find.
    folder: URI of the one open folder to search; all open folders when absent.
    picker: as in find.
    full: with every result in full.
    projects: as in find.
    all_projects: as in find.
    linked_projects: as in find.
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
    projects: list[str] = []
    all_projects: bool = False
    linked_projects: bool = False


class OrientParams(Params, frozen=True):
    """A question: what matters here?

    path: a folder or file: its URI, or its path relative to the project; `.` is the whole project. With the name of a
        project and a colon before it, such as `lib:./src`, it is that project's.
    limit: how many files at most.
    folder: URI of the open folder that a relative path belongs to; the first one when absent.
    projects: as in find; the path is looked for in each.
    all_projects: as in find.
    linked_projects: as in find.
    """

    path: str = "."
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    folder: str | None = None
    projects: list[str] = []
    all_projects: bool = False
    linked_projects: bool = False


class NeighborsParams(Params, frozen=True):
    """A question: what belongs to this file, or what does this belief reach?

    file: its URI, or its path relative to the project, or a doc_id in it, also `<project>:` and one of another project;
        empty when a belief is asked about.
    by: cochange for files that changed in the same commits; dependency for imports and calls, in both directions.
    belief: id of the belief that is asked about instead, with or without `belief:` in front.
    types: of what a belief reaches only these content types; all when empty.
    limit: how many results at most.
    folder: URI of the open folder that a relative path belongs to; the first one when absent.
    """

    file: str = ""
    by: Literal["cochange", "dependency"] = "cochange"
    belief: str | None = None
    types: list[ContentType] = []
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    folder: str | None = None


class Scoring(Result, frozen=True):
    """How to recompute a result's `fused_score` from its contributions and adjustments.

    In find and recent, fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the
    adjustments' factors) / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the
    order of the list. In orient, and in recent without a query, it is (sum over annotations.composite of
    weight * value) * (product of the adjustments' factors), from the first to the last, with k and depth 0.
    In neighbors and in relational questions results are ordered by counts, and fused_score is the count as a share of
    the highest, with k and depth 0; of a relational question the parts that a result meets are counted.

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
    """An oracle, or a whole project, that could not answer.

    oracle: its name; empty where a project as a whole could not answer.
    message: why, in words for a person.
    project: name of the project, where the question named several; else empty.
    """

    oracle: str
    message: str
    project: str = ""


class AskedProject(Result, frozen=True):
    """A project that was asked, of several.

    name: its name.
    index: how fresh and complete its index was.
    via: how the project that the question was asked from is tied to it, such as LEARNS_FROM; empty where it is not.
    """

    name: str
    index: IndexState
    via: str = ""


class Answer(Result, frozen=True):
    """What was found, best first, with all that explains it.

    query: the question, as it was asked.
    mode: which kind of question it was, such as find.
    query_id: name of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters.
    intent: the intent that was set or detected.
    scoring: how to recompute the scores.
    index: how fresh and complete the index was.
    results: what was found, best first.
    faults: the oracles, and the projects, that could not answer.
    notice: what a person should know of this answer: what it may lack, or why it is empty; often empty.
    projects: the projects that were asked, where the question named any; else empty.
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
