"""Why: the steps from a document's name and a question to an explanation in the domain's words (W1, W2).

The question is ranked anew by find's own functions on what is indexed now, so that ranks and scores are those that find
would give now; nothing is remembered of an earlier answer but its question.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from msgspec.structs import replace

from scry.core.errors import IndexUnavailable
from scry.core.types import DocumentHeader, SearchQuery, FileStructure
from scry.embedding.shares import CosineAttribution
from scry.engine.asked_again import RecalledQuery
from scry.engine.changes import ChangeDates
from scry.engine.explanation import DocumentExplanation, WhyResult, ModeRank
from scry.engine.find import Ranking
from scry.engine.lived import FileHistory, read_file_history
from scry.engine.locate import ResolvedDocument
from scry.engine.make_case import explain_document
from scry.engine.orient import rank_in_orient
from scry.engine.query_id import new_query_id
from scry.engine.reading import IndexView
from scry.engine.recent_found import rank_in_recent
from scry.engine.scene import ProjectSnapshot
from scry.engine.split import split_semantic_score
from scry.engine.why_line import format_ordinal
from scry.index.git_status import uncommitted_paths
from scry.index.project import Project
from scry.store.index_store import IndexStore

RankQuestion = Callable[[IndexStore, SearchQuery], Ranking]
ReadUncommitted = Callable[[], frozenset[str]]


def explain_why(scene: ProjectSnapshot, target: ResolvedDocument, asked: RecalledQuery, rank: RankQuestion) -> WhyResult:
    """Why the target has its place for the question. rank: find's ranking of it. Raises Cancelled."""
    with _UncommittedPaths(scene.project, target) as uncommitted:
        ranking = _rank_for_target(scene, target, asked.question, rank)
        case = explain_document(target.doc_keys, ranking, partial(_split_shares, scene)) if ranking else None
        return WhyResult(
            target=target,
            query=asked.query,
            query_id=new_query_id(),
            index=scene.state,
            explanation=case,
            mode_ranks=tuple(_list_mode_ranks(scene, target, case, ranking, uncommitted)),
            file_history=_read_target_history(scene, target, uncommitted),
            structure=_read_target_structure(scene, target, case),
            remark=asked.remark or _describe_rank_change(asked.rank, case),
        )


def _describe_rank_change(before: int | None, case: DocumentExplanation | None) -> str:
    """What is to be said of a place that is not the one in the answer which it is explained for."""
    if before is None or case is None or case.hit is None or case.hit.rank == before:
        return ""
    return f"The answer had it {format_ordinal(before)}; what is indexed has changed since."


def _rank_for_target(scene: ProjectSnapshot, target: ResolvedDocument, question: SearchQuery | None, rank: RankQuestion) -> Ranking | None:
    if question is None or scene.store is None or target.status != "indexed" or not target.doc_keys:
        return None
    return rank(scene.store, question)


def _split_shares(scene: ProjectSnapshot, document: DocumentHeader, words: str) -> CosineAttribution | str:
    if scene.store is None:
        return "there is no index"
    return split_semantic_score(scene.project, scene.store, scene.knowledge, document, words)


def _list_mode_ranks(
    scene: ProjectSnapshot, target: ResolvedDocument, case: DocumentExplanation | None, ranking: Ranking | None, uncommitted: ReadUncommitted
) -> Iterator[ModeRank]:
    """Where it stands in each mode: in find and recent for the question, in orient in its file's own folder."""
    if scene.store is None or target.status != "indexed":
        return
    if case is not None and ranking is not None:
        yield ModeRank("find", case.hit.rank if case.hit else None, case.ranked_count, case.absence)
    if target.path:
        reading = IndexView(scene.store, scene.state, scene.history)
        yield ModeRank("orient", *rank_in_orient(target.path, reading))
    if case is not None and ranking is not None:
        clock = ChangeDates(time.time(), scene.store, scene.history, uncommitted())
        yield ModeRank("recent", *rank_in_recent(case.document.doc_key, ranking, clock))


def _read_target_history(scene: ProjectSnapshot, target: ResolvedDocument, uncommitted: ReadUncommitted) -> FileHistory | None:
    if not target.path or target.status != "indexed":
        return None
    return read_file_history(target.path, scene.history, target.path in uncommitted())


def _read_target_structure(scene: ProjectSnapshot, target: ResolvedDocument, case: DocumentExplanation | None) -> FileStructure | None:
    """What the code around its file says, also of what find does not rank."""
    if case is not None and case.hit is not None:
        return case.hit.structure
    if scene.store is None or target.status != "indexed" or not target.path:
        return None
    found: Mapping[str, FileStructure] = scene.store.get_structures([target.path])
    try:
        levels = scene.history.activity_levels([target.path]) if scene.history else {}
    except IndexUnavailable:
        levels = {}
    return replace(found.get(target.path, FileStructure()), activity_level=levels.get(target.path))


class _UncommittedPaths:
    """Asks git, while the rest is worked out, which files have changes that are not committed."""

    def __init__(self, project: Project, target: ResolvedDocument) -> None:
        self._project = project
        self._wanted = target.status == "indexed"
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="scry-git")
        self._asked: Future[tuple[str, ...] | None] | None = None

    def __enter__(self) -> ReadUncommitted:
        if self._wanted:
            self._asked = self._pool.submit(uncommitted_paths, self._project.root)
        return self._answer

    def _answer(self) -> frozenset[str]:
        return frozenset(self._asked.result() or ()) if self._asked else frozenset()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
