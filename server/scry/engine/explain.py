"""Why: the steps from a document's name and a question to an explanation in the domain's words (W1, W2).

The question is ranked anew by find's own functions on what is indexed now, so that ranks and scores are those that find
would give now; nothing is remembered of an earlier answer but its question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from scry.core.errors import IndexUnavailable
from scry.core.types import Question, Structure
from scry.engine.asked_again import AskedAgain
from scry.engine.explanation import Case, Explained, Place
from scry.engine.find import Ranking
from scry.engine.lived import Lived, read_lived
from scry.engine.locate import Target
from scry.engine.make_case import make_case
from scry.engine.query_id import new_query_id
from scry.engine.scene import Scene
from scry.engine.split import split
from scry.index.git_status import uncommitted_paths
from scry.index.project import Project
from scry.store.index_store import IndexStore

Rank = Callable[[IndexStore, Question], Ranking]


def explain(scene: Scene, target: Target, asked: AskedAgain, rank: Rank) -> Explained:
    """Why the target has its place for the question. rank: find's ranking of it, uncut. Raises Cancelled."""
    with _Uncommitted(scene.project, target.path) as uncommitted:
        case = _case(scene, target, asked.question, rank)
        return Explained(
            target=target,
            query=asked.query,
            query_id=new_query_id(),
            index=scene.state,
            case=case,
            places=_places(case),
            lived=_lived(scene, target, uncommitted),
            structure=_structure(scene, target, case),
            remark=asked.remark,
        )


def _case(scene: Scene, target: Target, question: Question | None, rank: Rank) -> Case | None:
    if question is None or scene.store is None or target.status != "indexed" or not target.numbers:
        return None
    ranking = rank(scene.store, question)
    return make_case(target.numbers, ranking, partial(split, scene.project, scene.store))


def _places(case: Case | None) -> tuple[Place, ...]:
    if case is None:
        return ()
    return (Place("find", case.hit.rank if case.hit else None, case.ranked, case.absence),)


def _lived(scene: Scene, target: Target, uncommitted: Callable[[], bool]) -> Lived | None:
    return read_lived(target.path, scene.history, uncommitted) if target.path and target.status == "indexed" else None


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
    """Asks git, while the rest is worked out, whether a file has changes that are not committed."""

    def __init__(self, project: Project, path: str) -> None:
        self._project = project
        self._path = path
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="scry-git")
        self._asked: Future[tuple[str, ...] | None] | None = None

    def __enter__(self) -> Callable[[], bool]:
        if self._path:
            self._asked = self._pool.submit(uncommitted_paths, self._project.root, self._path)
        return self._answer

    def _answer(self) -> bool:
        return self._path in (self._asked.result() or ()) if self._asked else False

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
