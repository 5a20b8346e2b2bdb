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
from scry.core.types import Outline, Question, Structure
from scry.embedding.shares import Shares
from scry.engine.asked_again import AskedAgain
from scry.engine.changes import Clock
from scry.engine.explanation import Case, Explained, Place
from scry.engine.find import Ranking
from scry.engine.lived import Lived, read_lived
from scry.engine.locate import Target
from scry.engine.make_case import make_case
from scry.engine.orient import place_in_orient
from scry.engine.query_id import new_query_id
from scry.engine.reading import Reading
from scry.engine.recent_found import place_in_recent
from scry.engine.scene import Scene
from scry.engine.split import split
from scry.engine.why_line import ordinal
from scry.index.git_status import uncommitted_paths
from scry.index.project import Project
from scry.store.index_store import IndexStore

Rank = Callable[[IndexStore, Question], Ranking]
Edited = Callable[[], frozenset[str]]


def explain(scene: Scene, target: Target, asked: AskedAgain, rank: Rank) -> Explained:
    """Why the target has its place for the question. rank: find's ranking of it. Raises Cancelled."""
    with _Uncommitted(scene.project, target) as uncommitted:
        ranking = _ranking(scene, target, asked.question, rank)
        case = make_case(target.numbers, ranking, partial(_split, scene)) if ranking else None
        return Explained(
            target=target,
            query=asked.query,
            query_id=new_query_id(),
            index=scene.state,
            case=case,
            places=tuple(_places(scene, target, case, ranking, uncommitted)),
            lived=_lived(scene, target, uncommitted),
            structure=_structure(scene, target, case),
            remark=asked.remark or _moved(asked.rank, case),
        )


def _moved(before: int | None, case: Case | None) -> str:
    """What is to be said of a place that is not the one in the answer which it is explained for."""
    if before is None or case is None or case.hit is None or case.hit.rank == before:
        return ""
    return f"The answer had it {ordinal(before)}; what is indexed has changed since."


def _ranking(scene: Scene, target: Target, question: Question | None, rank: Rank) -> Ranking | None:
    if question is None or scene.store is None or target.status != "indexed" or not target.numbers:
        return None
    return rank(scene.store, question)


def _split(scene: Scene, document: Outline, words: str) -> Shares | str:
    if scene.store is None:
        return "there is no index"
    return split(scene.project, scene.store, scene.knowledge, document, words)


def _places(
    scene: Scene, target: Target, case: Case | None, ranking: Ranking | None, uncommitted: Edited
) -> Iterator[Place]:
    """Where it stands in each mode: in find and recent for the question, in orient in its file's own folder."""
    if scene.store is None or target.status != "indexed":
        return
    if case is not None and ranking is not None:
        yield Place("find", case.hit.rank if case.hit else None, case.ranked, case.absence)
    if target.path:
        reading = Reading(scene.store, scene.state, scene.history)
        yield Place("orient", *place_in_orient(target.path, reading))
    if case is not None and ranking is not None:
        clock = Clock(time.time(), scene.store, scene.history, uncommitted())
        yield Place("recent", *place_in_recent(case.document.number, ranking, clock))


def _lived(scene: Scene, target: Target, uncommitted: Edited) -> Lived | None:
    if not target.path or target.status != "indexed":
        return None
    return read_lived(target.path, scene.history, target.path in uncommitted())


def _structure(scene: Scene, target: Target, case: Case | None) -> Structure | None:
    """What the code around its file says, also of what find does not rank."""
    if case is not None and case.hit is not None:
        return case.hit.structure
    if scene.store is None or target.status != "indexed" or not target.path:
        return None
    found: Mapping[str, Structure] = scene.store.structures([target.path])
    try:
        levels = scene.history.activity([target.path]) if scene.history else {}
    except IndexUnavailable:
        levels = {}
    return replace(found.get(target.path, Structure()), activity_level=levels.get(target.path))


class _Uncommitted:
    """Asks git, while the rest is worked out, which files have changes that are not committed."""

    def __init__(self, project: Project, target: Target) -> None:
        self._project = project
        self._wanted = target.status == "indexed"
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="scry-git")
        self._asked: Future[tuple[str, ...] | None] | None = None

    def __enter__(self) -> Edited:
        if self._wanted:
            self._asked = self._pool.submit(uncommitted_paths, self._project.root)
        return self._answer

    def _answer(self) -> frozenset[str]:
        return frozenset(self._asked.result() or ()) if self._asked else frozenset()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
