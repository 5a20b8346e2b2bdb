"""The engine of one project: what every surface asks. It reads like a table of contents; the work is in the files it
names.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from scry.core.errors import BadRequest, Cancelled
from scry.core.knowledge import BELIEF, knowledge_type
from scry.core.notes import FOLDER
from scry.core.settings import Settings
from scry.core.text import encodable
from scry.core.types import Answer, Hit, IndexState, Intent, Question, Scoring
from scry.engine import fuse
from scry.engine.find import BASE_WEIGHTS, Ranking, Voted, rank, tally, vote
from scry.engine.indexed import Action, Indexed
from scry.engine.plan import plan
from scry.engine.present import present_answer, present_state
from scry.engine.query_id import new_query_id
from scry.engine.reading import nothing_yet
from scry.engine.recorder import Recorder
from scry.engine.rules import highest_factor
from scry.engine.selection import names_projects
from scry.engine.spot import Spot, find_spot
from scry.index.project import Project, open_project
from scry.store.index_store import IndexStore
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.answers import Answers
    from scry.engine.memory import MemoryKeeper

MOST_QUERY_CHARACTERS = 1_000_000
"""A longer query is cut: what follows could not change an answer."""

PATIENCE_S = 1.5
"""How long an answer waits for a model that is in another process; then it goes without (F3)."""


def _never() -> bool:
    return False


class Engine:
    """One project's questions and answers. Every method may be called from any thread."""

    @classmethod
    def open(
        cls,
        root: Path,
        settings: Settings,
        *,
        force: bool = False,
        start_indexer: bool = True,
        surface: str = "python",
    ) -> Engine:
        """Opens the project in a folder. start_indexer: have its index brought and kept up to date from now on.

        surface: the way in, for the log, such as cli or lsp. Raises ProjectMissing, ProjectRefused.
        """
        return cls(open_project(root, force=force), settings, start_indexer=start_indexer, surface=surface)

    def __init__(self, project: Project, settings: Settings, *, start_indexer: bool, surface: str) -> None:
        """Use `open`."""
        self.project = project
        self.recorder = Recorder(project, settings, surface)
        self._settings = settings
        self._index = Indexed(project, settings, start_indexer=start_indexer)
        self._memory: MemoryKeeper | None = None
        self._memory_lock = threading.Lock()

    # Questions ----------------------------------------------------------------------------------------------------

    def find(
        self,
        params: messages.FindParams,
        *,
        encoding: str = "utf-16",
        unsaved: Sequence[str] = (),
        cancelled: Callable[[], bool] = _never,
        patience: float = PATIENCE_S,
        is_part: bool = False,
    ) -> messages.Answer:
        """Where is X? encoding: what characters of positions count. unsaved: files whose editor text is newer.

        patience: how many seconds the answer may wait for a model in another process; the bundled one is in this.
        is_part: the answer is merged with those of other folders, and that one goes to the recorder instead.
        Raises BadRequest naming the parameter, Cancelled.
        """
        if params.reason:
            return self._reason(params, encoding, unsaved, cancelled, is_part=is_part)
        voted = self.vote(params, unsaved=unsaved, cancelled=cancelled, patience=patience)
        return self.tally(voted, params, encoding=encoding, cancelled=cancelled, is_part=is_part)

    def vote(
        self,
        params: messages.FindParams,
        *,
        unsaved: Sequence[str] = (),
        cancelled: Callable[[], bool] = _never,
        patience: float = PATIENCE_S,
    ) -> Voted:
        """The first half of `find`: what the oracles say. Of several projects, their votes are then ranked together."""
        question, index = _plan(params), self._index
        store = index.store()
        if store is None:
            return Voted(question, index.state(unsaved), None)
        state = index.answering_state(unsaved)
        encode, history, knowledge = partial(index.encode, patience), index.history.read, index.knowledge.read
        return Voted(question, state, vote(question, store, encode, cancelled, history, knowledge))

    def tally(
        self,
        voted: Voted,
        params: messages.FindParams,
        *,
        encoding: str = "utf-16",
        cancelled: Callable[[], bool] = _never,
        is_part: bool = False,
    ) -> messages.Answer:
        """The second half of `find`: the answer that follows from the votes."""
        found = tally(voted.ballot, voted.state) if voted.ballot else _empty_answer(voted.question, voted.state)
        return self._leave(found, "find", params, encoding, cancelled, is_part=is_part)

    def recent(
        self,
        params: messages.RecentParams,
        *,
        encoding: str = "utf-16",
        unsaved: Sequence[str] = (),
        cancelled: Callable[[], bool] = _never,
        patience: float = PATIENCE_S,
        is_part: bool = False,
        now: float | None = None,
    ) -> messages.Answer:
        """What changed lately? Arguments and errors as of `find`. now: in seconds since the epoch, else this moment."""
        from scry.engine.changes import Clock  # a find needs none of it
        from scry.engine.recent import list_changes
        from scry.engine.recent_found import rerank

        question = _plan_recent(params)
        reading = self._index.reading(unsaved)
        if reading is None:
            answer = nothing_yet(params.query, params.limit, self._index.state(unsaved))
            return self._leave(answer, "recent", params, encoding, cancelled, is_part=is_part)
        clock = Clock(time.time() if now is None else now, reading.store, reading.history, self._index.edited(unsaved))
        if params.query.strip():
            ranking = self._rank(reading.store, question, patience=patience, cancelled=cancelled)
            answer = rerank(ranking, clock, params.days, params.limit, reading.state)
        else:
            answer = list_changes(question, clock, params.days, reading, cancelled)
        return self._leave(answer, "recent", params, encoding, cancelled, is_part=is_part)

    def orient(
        self,
        params: messages.OrientParams,
        *,
        encoding: str = "utf-16",
        unsaved: Sequence[str] = (),
        cancelled: Callable[[], bool] = _never,
        is_part: bool = False,
    ) -> messages.Answer:
        """What matters here? Arguments and errors as of `find`."""
        from scry.engine.orient import orient

        reading = self._index.reading(unsaved)
        if reading is None:
            answer = nothing_yet(params.path, params.limit, self._index.state(unsaved))
        else:
            answer = orient(params.path, params.limit, self.project.root, reading, cancelled)
        return self._leave(answer, "orient", params, encoding, cancelled, is_part=is_part)

    def neighbors(
        self,
        params: messages.NeighborsParams,
        *,
        encoding: str = "utf-16",
        unsaved: Sequence[str] = (),
        cancelled: Callable[[], bool] = _never,
        is_part: bool = False,
    ) -> messages.Answer:
        """What belongs to this file? Arguments and errors as of `find`."""
        from scry.engine.neighbors import neighbors

        reading = self._index.reading(unsaved)
        if not params.file and params.belief is None:
            raise BadRequest("file", "is missing; name a file, or a belief")
        if params.file and params.belief is not None:
            raise BadRequest("belief", "and file can't both be asked about; give one of them")
        if reading is None:
            answer = nothing_yet(params.file or params.belief or "", params.limit, self._index.state(unsaved))
        elif params.belief is not None:
            from scry.engine.belief_neighbors import belief_neighbors

            answer = belief_neighbors(params.belief, params.types, params.limit, reading, self._index.beliefs())
        else:
            answer = neighbors(params.file, params.by, params.limit, self.project.root, reading, cancelled)
        return self._leave(answer, "neighbors", params, encoding, cancelled, is_part=is_part)

    def why(
        self,
        params: messages.WhyParams,
        *,
        encoding: str = "utf-16",
        unsaved: Sequence[str] = (),
        cancelled: Callable[[], bool] = _never,
        patience: float = PATIENCE_S,
        answers: Sequence[Answers] = (),
        is_part: bool = False,
    ) -> messages.Explanation:
        """Why does this document have its place, or none? Arguments as of `find`.

        answers: where to look for the question that it is explained for; by default among those of this project.
        is_part: it is a part of something else, that nobody asked for by itself: neither kept nor logged.
        Raises BadRequest naming the parameter, Cancelled.
        """
        from scry.engine.explain import explain  # a find needs none of it
        from scry.engine.present_why import present_explanation

        scene = self._index.scene(unsaved)
        target = scene.locate(params.doc_id)
        asked = scene.asked_again(params.query, params.query_id, target, answers or (self.recorder.answers,))
        ranking = partial(self._rank, patience=patience, cancelled=cancelled)
        explained = explain(scene, target, asked, ranking)
        presented = present_explanation(explained, self.project.root, self.project.name, encoding)
        if explained.target.status == "indexed":
            impact = self._impact(explained.target.doc_id, knowledge_type(explained.target.doc_id) or "")
            presented = msgspec.structs.replace(presented, impact=impact)
        return presented if is_part else self.recorder.leave(presented, params, encoding)

    def holds(self, doc_id: str) -> bool:
        """Whether this names something that is indexed here."""
        return bool(doc_id.strip()) and self._index.scene(()).locate(doc_id).status == "indexed"

    def numbers(self, doc_ids: Sequence[str]) -> list[int]:
        """The numbers of these documents, by which `detail` tells later whether they were changed; 0 for none."""
        scene = self._index.scene(())
        return [next(iter(scene.locate(doc_id).numbers), 0) for doc_id in doc_ids]

    def detail(
        self,
        params: messages.DetailParams,
        *,
        encoding: str = "utf-16",
        unsaved: Sequence[str] = (),
        recorder: Recorder | None = None,
    ) -> messages.Detail:
        """One result of an earlier answer in full. Nothing is searched again. Arguments as of `find`.

        recorder: the one that keeps the answer, where that is not this project's.
        Raises BadRequest for an answer or a rank that does not exist.
        """
        from scry.engine.detail import read_detail
        from scry.engine.present_full import present_full

        keeper = recorder or self.recorder
        kept = keeper.answers.read(params.query_id)
        result = kept.result(params.rank)
        found = read_detail(self._index.scene(unsaved), result.doc_id, kept.number_in(self.project.root, params.rank))
        if found.full is not None:
            full = present_full(found.full, self.project.root, encoding)
            full = msgspec.structs.replace(full, impact=self._impact(result.doc_id, result.content_type))
            result = msgspec.structs.replace(result, full=full)
        detail = messages.Detail(kept.query_id, kept.query, result, found.state, found.note, text="")
        return keeper.leave_detail(detail, params)

    # Knowledge ----------------------------------------------------------------------------------------------------

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """Keeps a note of the person. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.persona import remember  # a find needs none of it

        remembered = remember(params, self._settings)
        self._index.changed([FOLDER])  # the indexer makes what vectors are still to be made
        return remembered

    def persona(self, params: messages.PersonaParams) -> messages.PersonaNotes:
        """The person's notes. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.persona import persona

        return persona(params)

    def believe(self, params: messages.BelieveParams) -> messages.Beliefs:
        """Writes a belief to a file of the project. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.believe import believe
        from scry.engine.present_beliefs import present_new

        path, note = believe(params, self.project)
        self._index.changed([path])
        return present_new(path, note, self.project.root)

    def beliefs(self, params: messages.BeliefsParams) -> messages.Beliefs:
        """The project's beliefs. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.look_through import look_through

        return look_through(params, self.project.root, self._index.store(), self._index.beliefs())

    # What is done with answers ------------------------------------------------------------------------------------

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result of an earlier answer was used. Raises BadRequest for an answer or a rank that does not exist."""
        recorded = self.recorder.use(params)
        if params.how in ("jump", "open"):
            kept = self.recorder.answers.find(params.query_id)
            if kept is not None and not kept.asked.is_private:
                self.memory.saw_jump(kept.result(params.rank).doc_id, kept.query, params.act_id)
        return recorded

    def feedback(self, params: messages.FeedbackParams) -> messages.Recorded:
        """An earlier answer was good or bad. Raises BadRequest as `use`."""
        return self.recorder.feedback(params)

    def locate(self, query_id: str, rank: int, recorder: Recorder | None = None) -> Spot:
        """Where a result of an earlier answer is now. Raises BadRequest, also for one that has no place.

        recorder: as of `detail`.
        """
        keeper = recorder or self.recorder
        return find_spot(keeper.answers.read(query_id), rank, self._index.store(), self.project)

    # Memory -------------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> MemoryKeeper:
        """What was done, what failed, what was decided here. Made late: a find writes none of it."""
        from scry.engine.memory import MemoryKeeper

        with self._memory_lock:
            if self._memory is None:
                self._memory = MemoryKeeper(self.project, self._settings)
            return self._memory

    def observe(self, params: messages.ObserveParams) -> messages.Observed:
        """Something happened, or was decided, to be remembered. Raises BadRequest."""
        from scry.engine.observe import observe

        return observe(self.memory, params)

    def saved(self, paths: Sequence[str]) -> None:
        """These files, relative to the root, were saved in an editor: they changed, and that is worth remembering."""
        self.changed(paths)
        for path in paths:
            self.memory.saw_edit(path)

    def head_moved(self, since: str | None) -> None:
        """HEAD is at another commit than `since`: one that was made just now is worth remembering."""
        self.memory.saw_head_move(since)

    # The index ----------------------------------------------------------------------------------------------------

    def status(self, *, unsaved: Sequence[str] = ()) -> messages.IndexState:
        """How fresh and complete the index is, also as an indexer says that works for others."""
        return self.recorder.with_trouble(present_state(self._index.state_elsewhere(unsaved)))

    def control(self, action: Action) -> messages.IndexState:
        """Starts, pauses, resumes or rebuilds the index."""
        return present_state(self._index.control(action))

    def changed(self, paths: Sequence[str]) -> None:
        """These files, relative to the root, were saved, made or removed."""
        self._index.changed(paths)

    def subscribe(self, listener: Callable[[messages.IndexState], None]) -> None:
        """Calls the listener, from another thread, whenever the index's state changes."""
        self._index.subscribe(lambda state: listener(present_state(state)))

    def is_current(self) -> bool:
        """Whether the index equals the files as they are now, by a quick look at sizes and times.

        Vectors of another model than the bundled one may be missing: they come when they come.
        """
        return self._index.is_current()

    def is_complete(self) -> bool:
        """Whether it is current, and all vectors are there and of the model that the settings name."""
        return self._index.is_complete()

    def wait_until_current(
        self,
        timeout: float | None = None,
        progress: Callable[[messages.IndexState], None] | None = None,
        *,
        vectors: bool = False,
    ) -> messages.IndexState:
        """Waits until every file as it is now is searchable, starting an indexer if need be; returns the state.

        vectors: also for those of a model that takes long.
        """

        def report(state: IndexState) -> None:
            if progress is not None:
                progress(present_state(state))

        return present_state(self._index.wait_until_current(timeout, report, vectors=vectors))

    def close(self) -> None:
        """Gives everything free; the indexer ends by itself once nobody needs it."""
        self._index.close()
        self.recorder.close()
        if self._memory is not None:
            self._memory.close()

    # Inside -------------------------------------------------------------------------------------------------------

    def _reason(
        self,
        params: messages.FindParams,
        encoding: str,
        unsaved: Sequence[str],
        cancelled: Callable[[], bool],
        *,
        is_part: bool,
    ) -> messages.Answer:
        """A relational question over the code graph."""
        from scry.engine.reason import reason  # other questions need none of it
        from scry.engine.relation import read_question

        tree = read_question(encodable(params.query))
        reading = self._index.reading(unsaved)
        if reading is None:
            answer = nothing_yet(params.query, params.limit, self._index.state(unsaved))
        else:
            answer = reason(params.query, tree, params.limit, reading, cancelled, params.types, params.min_score)
        return self._leave(answer, "reason", params, encoding, cancelled, is_part=is_part)

    def _impact(self, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
        """What beliefs have to do with a document; absent where there is nothing."""
        scene = self._index.beliefs()
        if scene is None:
            return UNSET
        from scry.engine.present_beliefs import impact_or_nothing

        return impact_or_nothing(scene, doc_id, content_type)

    def _in_full(self, answer: messages.Answer, hits: Sequence[Hit], encoding: str) -> messages.Answer:
        """The answer with every result in full; it is kept and logged without."""
        from scry.engine.full import BODY_CHARACTERS_OF_MANY, make_full
        from scry.engine.present_full import present_full

        scene = self._index.scene(())
        filled: list[messages.ResultItem] = []
        for result, hit in zip(answer.results, hits, strict=True):
            full = make_full(hit.document, self.project, scene.store, scene.history, BODY_CHARACTERS_OF_MANY)
            presented = present_full(full, self.project.root, encoding)
            impact = self._impact(result.doc_id, result.content_type)
            filled.append(msgspec.structs.replace(result, full=msgspec.structs.replace(presented, impact=impact)))
        return msgspec.structs.replace(answer, results=filled)

    def _rank(
        self, store: IndexStore, question: Question, *, patience: float, cancelled: Callable[[], bool]
    ) -> Ranking:
        index = self._index
        encode, history, knowledge = partial(index.encode, patience), index.history.read, index.knowledge.read
        return rank(question, store, encode, cancelled, history, knowledge)

    def _leave(
        self,
        answer: Answer,
        mode: str,
        params: msgspec.Struct,
        encoding: str,
        cancelled: Callable[[], bool],
        *,
        is_part: bool = False,
    ) -> messages.Answer:
        """The one way out of every mode: the answer in the wire's words, kept and logged."""
        if cancelled():  # a newer question may be logged already
            raise Cancelled
        if not is_part and names_projects(params):
            raise BadRequest("projects", "an engine answers for one project alone; engine.projects asks several")
        if any(hit.document.content_type == BELIEF for hit in answer.hits):
            answer = self._index.tell_beliefs(answer)
        presented = present_answer(answer, mode, self.project.root, self.project.name, encoding)
        numbers = [hit.document.number for hit in answer.hits]
        left = presented if is_part else self.recorder.leave(presented, params, encoding, numbers)
        return self._in_full(left, answer.hits, encoding) if getattr(params, "full", False) else left


def _plan(params: messages.FindParams) -> Question:
    if not params.query.strip():
        raise BadRequest("query", "is empty; say what to look for")
    return plan(
        params.query[:MOST_QUERY_CHARACTERS],
        BASE_WEIGHTS,
        limit=params.limit,
        min_score=params.min_score,
        intent=Intent(params.intent) if params.intent else None,
        content_types=tuple(params.types),
    )


def _plan_recent(params: messages.RecentParams) -> Question:
    """Who asks for what is recent asks what happened: commits are as welcome as code."""
    return plan(
        params.query[:MOST_QUERY_CHARACTERS],
        BASE_WEIGHTS,
        limit=params.limit,
        intent=Intent.TEMPORAL,
        content_types=tuple(params.types),
    )


def _empty_answer(question: Question, state: IndexState) -> Answer:
    top = fuse.ceiling(question.weights, highest_factor(question))
    return Answer(question, new_query_id(), Scoring(fuse.K, question.weights, top), state, ())


__all__ = ["Action", "Cancelled", "Engine"]
