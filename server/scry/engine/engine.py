"""Answer questions about one project: the facade that every surface calls.

What a project's people know, told and looked through: notes of the person, beliefs of the team.

The engine of one project: what every surface asks. It reads like a table of contents; the work is in the files it
names. What only some questions need is imported when it is asked for: a find starts fast.
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

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, Cancelled
from scry.core.knowledge import BELIEF, NOTES_FOLDER, knowledge_type
from scry.core.settings import Settings
from scry.core.text import escape_unencodable
from scry.core.types import Answer, IndexState, SearchQuery
from scry.engine.activity.answer_store import ResultLocation, locate_result
from scry.engine.activity.recorder import Recorder
from scry.engine.context import DEFAULT_CONTEXT, RequestContext, names_projects
from scry.engine.project_index import IndexAction, IndexView, ProjectIndex, unindexed_answer
from scry.engine.response.answer import present_answer, present_state
from scry.engine.response.requests import question_from_find, question_from_recent, reject_knowledge_params
from scry.engine.search.pipeline import WARM_UP_QUESTION, Ranking, WarmUp, build_answer, empty_answer, rank_candidates
from scry.engine.search.retrieve import Retrieval, RetrievalResult, retrieve
from scry.projects.project import Project, open_project
from scry.store.index.store import IndexStore
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.activity.answer_store import AnswerArchive
    from scry.engine.browse.recent_search import RecentMatches
    from scry.engine.knowledge.memory import MemoryService


class KnowledgeService:
    """Knowledge of one project and of the person. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, index: ProjectIndex) -> None:
        """Opens nothing yet; what most finds need none of is imported late."""
        self._project = project
        self._settings = settings
        self._index = index

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """Keeps a note of the person. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.knowledge.persona import remember_note

        remembered = remember_note(params, self._settings)
        self._index.notify_changed([NOTES_FOLDER])  # the indexer makes what vectors are still to be made
        return remembered

    def persona(self, params: messages.PersonaParams) -> messages.PersonaNotes:
        """The person's notes. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.knowledge.persona import list_or_forget_notes

        return list_or_forget_notes(params)

    def believe(self, params: messages.BelieveParams) -> messages.Beliefs:
        """Writes a belief to a file of the project. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.knowledge.belief_commands import write_belief
        from scry.engine.response.details import present_new_belief

        path, note = write_belief(params, self._project)
        self._index.notify_changed([path])
        return present_new_belief(path, note, self._project.root)

    def beliefs(self, params: messages.BeliefsParams) -> messages.Beliefs:
        """The project's beliefs. Raises BadRequest naming the parameter, IndexUnavailable."""
        from scry.engine.knowledge.belief_commands import list_beliefs

        return list_beliefs(params, self._project.root, self._index.store(), self._index.belief_snapshot())

    def belief_impact(self, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
        """What beliefs have to do with a document; absent where there is nothing."""
        scene = self._index.belief_snapshot()
        if scene is None:
            return UNSET
        from scry.engine.response.details import present_impact_if_any

        return present_impact_if_any(scene, doc_id, content_type)

    def annotate_beliefs(self, answer: Answer) -> Answer:
        """The answer with what is to be said of its beliefs."""
        if not any(hit.document.content_type == BELIEF for hit in answer.hits):
            return answer
        from scry.engine.knowledge.beliefs import annotate_beliefs

        scene = self._index.belief_snapshot()
        return annotate_beliefs(answer, scene) if scene is not None else answer


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
        self.index = ProjectIndex(project, settings, start_indexer=start_indexer)
        self.knowledge = KnowledgeService(project, settings, self.index)
        self._settings = settings
        self._memory: MemoryService | None = None
        self._memory_lock = threading.Lock()
        self._warm_up = WarmUp()

    # Questions ----------------------------------------------------------------------------------------------------

    def find(self, params: messages.FindParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Where is X? Raises BadRequest naming the parameter, Cancelled."""
        if params.reason:
            return self._reason(params, context)
        return self.build_answer(self.retrieve(params, context), params, context)

    def retrieve(
        self, params: messages.FindParams | messages.RecentParams, context: RequestContext = DEFAULT_CONTEXT
    ) -> RetrievalResult:
        """The first half of `find`: what the oracles say. Of several projects, their votes are then ranked together."""
        self._warm_up.pause()
        return self._retrieve(params, context)

    def build_answer(
        self, retrieved: RetrievalResult, params: messages.FindParams, context: RequestContext = DEFAULT_CONTEXT
    ) -> messages.Answer:
        """The second half of `find`: the answer that follows from the votes."""
        found = (
            build_answer(retrieved.retrieval, retrieved.state)
            if retrieved.retrieval
            else empty_answer(retrieved.question, retrieved.state)
        )
        return self._finish(found, "find", params, context)

    def recent(
        self,
        params: messages.RecentParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        now: float | None = None,
        matches: RecentMatches | None = None,
    ) -> messages.Answer:
        """What changed lately? Errors as of `find`. now: in seconds since the epoch, else this moment.

        found: what there is for its words, where several projects found it together.
        """
        from scry.engine.browse.changes import ChangeDates
        from scry.engine.browse.recent import list_changes
        from scry.engine.browse.recent_search import matches_of_project, rank_by_recency

        question = question_from_recent(params)

        def answer(reading: IndexView) -> Answer:
            at, edited = time.time() if now is None else now, self.index.uncommitted_paths(context.unsaved_paths)
            clock = ChangeDates(at, reading.store, reading.history, edited)
            if not params.query.strip():
                return list_changes(question, clock, params.days, reading, context.cancelled)
            all_found = matches or matches_of_project(self._rank_relevant(context, reading.store, question))
            return rank_by_recency(all_found, clock, params.days, params.limit, reading.state)

        return self._finish(self._browse(params.query, params.limit, context, answer), "recent", params, context)

    def orient(self, params: messages.OrientParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """What matters here? Errors as of `find`."""
        from scry.engine.browse.orient import orient

        def answer(reading: IndexView) -> Answer:
            return orient(params.path, params.limit, self.project.root, reading, context.cancelled)

        return self._finish(self._browse(params.path, params.limit, context, answer), "orient", params, context)

    def neighbors(self, params: messages.NeighborsParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """What belongs to this file? Errors as of `find`."""
        from scry.engine.browse.neighbors import list_belief_neighbors, list_neighbors

        if not params.file and params.belief is None:
            raise BadRequest("file", "is missing; name a file, or a belief")
        if params.file and params.belief is not None:
            raise BadRequest("belief", "and file can't both be asked about; give one of them")

        def answer(reading: IndexView) -> Answer:
            if params.belief is not None:
                return list_belief_neighbors(
                    params.belief, params.types, params.limit, reading, self.index.belief_snapshot()
                )
            return list_neighbors(params.file, params.by, params.limit, self.project.root, reading, context.cancelled)

        asked = params.file or params.belief or ""
        return self._finish(self._browse(asked, params.limit, context, answer), "neighbors", params, context)

    def why(
        self,
        params: messages.WhyParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        answers: Sequence[AnswerArchive] = (),
    ) -> messages.Explanation:
        """Why does this document have its place, or none? Errors as of `find`.

        answers: where to look for the question that it is explained for; by default among those of this project.
        """
        from scry.engine.explain.explain import explain_why
        from scry.engine.response.explanation import present_explanation
        from scry.engine.response.merged import qualify_explanation

        scene = self.index.snapshot(context.unsaved_paths)
        target = scene.resolve(params.doc_id)
        asked = scene.recall_query(params.query, params.query_id, target, answers or (self.recorder.answers,))
        explained = explain_why(scene, target, asked, partial(self._rank_relevant, context))
        presented = present_explanation(explained, self.project.root, self.project.name, context.encoding)
        if explained.target.status == "indexed":
            doc_id = explained.target.doc_id
            impact = self.knowledge.belief_impact(doc_id, knowledge_type(doc_id) or "")
            presented = msgspec.structs.replace(presented, impact=impact)
        left = presented if context.is_subrequest else self.recorder.record_answer(presented, params, context.encoding)
        return qualify_explanation(self.project.name, left) if self._has_project_prefix(params.doc_id) else left

    def is_indexed(self, doc_id: str) -> bool:
        """Whether this names something that is indexed here."""
        return bool(doc_id.strip()) and self.index.snapshot(()).resolve(doc_id).status == "indexed"

    def doc_keys(self, doc_ids: Sequence[str]) -> list[int]:
        """The numbers of these documents, by which `detail` tells later whether they were changed; 0 for none."""
        scene = self.index.snapshot(())
        return [next(iter(scene.resolve(doc_id).doc_keys), 0) for doc_id in doc_ids]

    def detail(
        self,
        params: messages.DetailParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        answered_by: Recorder | None = None,
    ) -> messages.Detail:
        """One result of an earlier answer in full. Nothing is searched again.

        recorder: the one that keeps the answer, where that is not this project's.
        Raises BadRequest for an answer or a rank that does not exist.
        """
        from scry.engine.explain.detail import read_detail
        from scry.engine.response.details import present_full
        from scry.engine.response.merged import qualify_full

        keeper = answered_by or self.recorder
        kept = keeper.answers.require(params.query_id)
        result, number = kept.result(params.rank), kept.doc_key_in(self.project.root, params.rank)
        found = read_detail(self.index.snapshot(context.unsaved_paths), result.doc_id, number)
        if found.full is not None:
            impact = self.knowledge.belief_impact(result.doc_id, result.content_type)
            full = present_full(found.full, impact, self.project.root, context.encoding)
            full = qualify_full(self.project.name, full) if self._has_project_prefix(result.doc_id) else full
            result = msgspec.structs.replace(result, full=full)
        detail = messages.Detail(kept.query_id, kept.query, result, found.state, found.note, text="")
        return keeper.record_detail(detail, params)

    # What is done with answers ------------------------------------------------------------------------------------

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result of an earlier answer was used. Raises BadRequest for an answer or a rank that does not exist."""
        recorded = self.recorder.use(params)
        if params.how in ("jump", "open"):
            kept = self.recorder.answers.get(params.query_id)
            if kept is not None and not kept.asked.is_private:
                self.memory.capture_jump(kept.result(params.rank).doc_id, kept.query, params.act_id)
        return recorded

    def locate_result(self, query_id: str, rank: int, answered_by: Recorder | None = None) -> ResultLocation:
        """Where a result of an earlier answer is now; recorder: as of `detail`. Raises BadRequest, also without one."""
        keeper = answered_by or self.recorder
        return locate_result(keeper.answers.require(query_id), rank, self.index.store(), self.project)

    # Memory -------------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> MemoryService:
        """What was done, what failed, what was decided here. Made late: a find writes none of it."""
        from scry.engine.knowledge.memory import MemoryService

        with self._memory_lock:
            if self._memory is None:
                self._memory = MemoryService(self.project, self._settings)
            return self._memory

    def observe(self, params: messages.ObserveParams) -> messages.Observed:
        """Something happened, or was decided, to be remembered. Raises BadRequest."""
        from scry.engine.knowledge.memory import record_observation

        return record_observation(self.memory, params)

    def notify_head_moved(self, since: str | None) -> None:
        """HEAD is at another commit than `since`: one that was made just now is worth remembering."""
        self.memory.capture_commits(since)

    def notify_saved(self, paths: Sequence[str]) -> None:
        """These files, relative to the root, were saved in an editor: they changed, and that is worth remembering."""
        self.index.notify_changed(paths)
        for path in paths:
            self.memory.capture_edit(path)

    # The index ----------------------------------------------------------------------------------------------------

    def status(self, *, unsaved: Sequence[str] = ()) -> messages.IndexState:
        """How fresh and complete the index is, also as an indexer says that works for others."""
        return self.recorder.add_trouble(present_state(self.index.live_state(unsaved)))

    def control(self, action: IndexAction) -> messages.IndexState:
        """Starts, pauses, resumes or rebuilds the index."""
        return present_state(self.index.control(action))

    def subscribe(self, listener: Callable[[messages.IndexState], None]) -> None:
        """Calls the listener, from another thread, whenever the index's state changes."""
        self.index.subscribe(lambda state: listener(present_state(state)))

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

        return present_state(self.index.wait_until_current(timeout, report, vectors=vectors))

    def close(self) -> None:
        """Gives everything free; the indexer ends by itself once nobody needs it."""
        self._warm_up.stop()
        self.index.close()
        self.recorder.close()
        if self._memory is not None:
            self._memory.close()

    def warm_up(self) -> None:
        """Reads ahead what questions read. Nothing is kept of it or logged; closing the engine ends it."""
        asked = messages.FindParams(WARM_UP_QUESTION)
        self._warm_up.run(
            self.recorder.open_store, lambda ended: self._retrieve(asked, RequestContext(cancelled=ended))
        )

    # Inside -------------------------------------------------------------------------------------------------------

    def _retrieve(
        self, params: messages.FindParams | messages.RecentParams, context: RequestContext
    ) -> RetrievalResult:
        question = (
            question_from_find(params) if isinstance(params, messages.FindParams) else question_from_recent(params)
        )
        store = self.index.store()
        if store is None:
            return RetrievalResult(question, self.index.state(context.unsaved_paths), None)
        state = self.index.state_with_model(context.unsaved_paths)
        return RetrievalResult(question, state, self._retrieve_from(context, store, question))

    def _has_project_prefix(self, doc_id: str) -> bool:
        """Whether a doc_id has this project's name before it: then all others of the answer have it, too."""
        return split_off_project(doc_id.strip())[0] == self.project.name

    def _reason(self, params: messages.FindParams, context: RequestContext) -> messages.Answer:
        """A relational question over the code graph."""
        from scry.engine.graph_query.evaluate import answer_relation_query
        from scry.engine.graph_query.parse import parse_relation_query

        reject_knowledge_params(params)
        tree = parse_relation_query(escape_unencodable(params.query))

        def answer(reading: IndexView) -> Answer:
            asked, limit = params.query, params.limit
            return answer_relation_query(asked, tree, limit, reading, context.cancelled, params.types, params.min_score)

        return self._finish(self._browse(params.query, params.limit, context, answer), "reason", params, context)

    def _browse(
        self, subject: str, limit: int, context: RequestContext, answer: Callable[[IndexView], Answer]
    ) -> Answer:
        """What follows from the index and the history as of now; nothing but the state while there is no index."""
        reading = self.index.view(context.unsaved_paths)
        return (
            unindexed_answer(subject, limit, self.index.state(context.unsaved_paths))
            if reading is None
            else answer(reading)
        )

    def _retrieve_from(self, context: RequestContext, store: IndexStore, question: SearchQuery) -> Retrieval:
        encode = partial(self.index.encode, context.model_timeout_s)
        return retrieve(question, store, encode, context.cancelled, self.index.history.read, self.index.knowledge.read)

    def _rank_relevant(self, context: RequestContext, store: IndexStore, question: SearchQuery) -> Ranking:
        """All that was found, ranked as far as it may be about the question."""
        from scry.engine.browse.recent_search import ranking_depth

        ballot = self._retrieve_from(context, store, question)
        return rank_candidates(question, ballot.reader, ballot.oracle_votes, ranking_depth(ballot.oracle_votes.votes))

    def _finish(self, answer: Answer, mode: str, params: msgspec.Struct, context: RequestContext) -> messages.Answer:
        """The one way out of every mode: the answer in the wire's words, kept and logged."""
        if context.cancelled():  # a newer question may be logged already
            raise Cancelled
        if not context.is_subrequest and names_projects(params):
            raise BadRequest("projects", "an engine answers for one project alone; engine.projects asks several")
        answer = self.knowledge.annotate_beliefs(self.index.report_damage(answer))
        presented = present_answer(answer, mode, self.project.root, self.project.name, context.encoding)
        numbers = [hit.document.doc_key for hit in answer.hits]
        left = (
            presented
            if context.is_subrequest
            else self.recorder.record_answer(presented, params, context.encoding, numbers)
        )
        if not getattr(params, "full", False):
            return left
        from scry.engine.response.details import add_full_results

        return add_full_results(
            left, answer.hits, self.index.snapshot(()), self.knowledge.belief_impact, context.encoding
        )
