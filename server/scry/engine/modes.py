"""Answer every mode of one project: from a domain request to a domain answer, without any wire type.

The named packages do the work. A mode imports the packages that find does not need.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scry.core.errors import BadRequest, Cancelled, IndexDamaged, IndexUnavailable
from scry.core.knowledge import BELIEF, PERSONA
from scry.core.text import escape_unencodable, format_count, search_text
from scry.core.types import INDEX_FAULT, Answer, IndexState, OracleFault, QueryIntent, SearchQuery
from scry.engine.activity.answer_store import RecordingSwitch
from scry.engine.context import (
    DEFAULT_CONTEXT,
    FindRequest,
    NeighborsRequest,
    OrientRequest,
    RecentRequest,
    RequestContext,
)
from scry.engine.project_index import ProjectIndex
from scry.engine.search.pipeline import (
    BASE_ORACLE_WEIGHTS,
    FilterCache,
    Ranking,
    Retrieval,
    RetrievalResult,
    build_answer,
    empty_answer,
    rank_candidates,
    retrieve,
)
from scry.engine.search.query import MAX_QUERY_CHARACTERS, RELATION_QUESTION_PATTERN, parse_query
from scry.projects.project import folder_in_repository
from scry.store.events.log import LEARNT_FILE, WEIGHTS_FILE
from scry.store.index.store import IndexStore

if TYPE_CHECKING:
    from scry.core.settings import Settings
    from scry.engine.activity.answer_store import AnswerArchive
    from scry.engine.browse.recent_search import RecentMatches
    from scry.engine.explain.detail import DocumentDetail
    from scry.engine.explain.explanation import WhyResult
    from scry.engine.index_view import IndexView
    from scry.engine.search.warm_up import WarmUp
    from scry.oracles.reader import FindUsedPlaces
    from scry.store.events.learnt import LearntUses, WeightsFile


class ProjectModes:
    """The modes of one project. Every method may be called from any thread; each may raise BadRequest and Cancelled."""

    def __init__(self, index: ProjectIndex, settings: Settings) -> None:
        self._index = index
        self._settings = settings
        self._learnt_path = index.project.data / LEARNT_FILE
        self._learnt: LearntUses | None = None
        self._weights_path = index.project.data / WEIGHTS_FILE
        self._weights: WeightsFile | None = None
        self._switches = RecordingSwitch(settings, "learn"), RecordingSwitch(settings, "log")
        self._root = index.project.root
        self._filters = FilterCache()
        self._warm_up: WarmUp | None = None
        self._warm_up_lock = threading.Lock()
        self._is_closed = False
        self._queried_at = -inf

    # Find -----------------------------------------------------------------------------------------------------------

    def find(self, request: FindRequest, context: RequestContext = DEFAULT_CONTEXT) -> Answer:
        """Return the best documents for a query, or those that meet a relational question."""
        if request.mode == "reason":
            return self._answer_relation_query(request, context)
        return self.build_answer(self.retrieve(request, context), context)

    def complete_query(self, request: FindRequest) -> FindRequest:
        """Return the request with the last word of its query completed, for a query that is being typed."""
        from scry.engine.search.completion import complete_last_word

        store = self._index.store()
        return request if store is None else complete_last_word(request, [store])

    def retrieve(
        self, request: FindRequest | RecentRequest, context: RequestContext, *, is_warm_up: bool = False
    ) -> RetrievalResult:
        """Return the oracles' matches, the first half of find; those of several projects are then ranked together."""
        if not is_warm_up:
            self._queried_at = time.monotonic()  # a warm-up yields to a query
        question = question_of(request)
        if not context.is_subrequest and self._weights_path.exists():
            question = self._weigh(question)
        store = self._index.store()
        if store is None:
            return RetrievalResult(question, self._index.state(context.unsaved_paths), None)
        try:
            state = self._index.state_with_model(context.unsaved_paths)
            return RetrievalResult(question, state, self._retrieve_from(context, store, question))
        except Exception as error:
            if damage := self._index.note_damage(error):
                return RetrievalResult(question, IndexState(), None, (OracleFault(INDEX_FAULT, damage),))
            raise

    def build_answer(self, retrieved: RetrievalResult, context: RequestContext) -> Answer:
        """Return the answer that follows from the matches, the second half of find."""
        retrieval = retrieved.retrieval
        if retrieval is None:
            empty = empty_answer(retrieved.question, retrieved.state)
            return self._complete(replace(empty, faults=retrieved.faults), context)
        try:
            answer = build_answer(retrieval, retrieved.state)
            if not answer.hits and _asks_own_notes(retrieved.question):
                from scry.engine.notices import NoPersonalNoteFound

                answer = replace(answer, notices=(*answer.notices, NoPersonalNoteFound()))
            if RELATION_QUESTION_PATTERN.match(retrieved.question.words):
                from scry.engine.graph_query.evaluate import suggest_relations

                suggested = suggest_relations(retrieved.question.words, retrieval.reader.code.store)
                answer = replace(answer, notices=(*answer.notices, suggested)) if suggested else answer
            if self._weights is not None and self._weights.trouble:
                from scry.engine.notices import WeightsUnreadable

                answer = replace(answer, notices=(*answer.notices, WeightsUnreadable(self._weights.trouble)))
            return self._complete(answer, context)
        except Exception as error:
            return self._damaged_answer(error, empty_answer(retrieved.question, retrieved.state))

    def warm_up(self, prepare: Callable[[], None], present: Callable[[Answer], object]) -> None:
        """Call `prepare`, then read what questions read and `present` an answer, which is neither stored nor logged."""
        from scry.engine.search.warm_up import WARM_UP_QUESTION, WarmUp  # a command ends before it would help

        with self._warm_up_lock:
            if self._is_closed:
                return
            warm_up = self._warm_up = self._warm_up or WarmUp(lambda: self._queried_at)
        request = FindRequest(WARM_UP_QUESTION)
        warm_up.run(
            prepare, lambda ended: self.retrieve(request, RequestContext(cancelled=ended), is_warm_up=True), present
        )

    def describe_learning(self) -> str:
        """Return what was learnt from use, or why nothing is, in words for a person."""
        if not RecordingSwitch(self._settings, "learn").is_on():
            return "off (the setting learn)"
        if not RecordingSwitch(self._settings, "log").is_on():
            return "off, because the log is off"
        from scry.store.events.learnt import LearntUses

        learnt = LearntUses(self._learnt_path)
        try:
            (questions, places), trust = learnt.count(), learnt.read_trust()
        except IndexUnavailable as error:
            return str(error)
        finally:
            learnt.close()
        used = f"{format_count(places, 'place')} used for {format_count(questions, 'question')}"
        if trust < 0.995:
            used += f"; uses count {trust:.0%}, by how seldom you return from them, and how often you open them again"
        return f"on; {used if questions else 'nothing was opened, copied or rated yet'}{self._describe_weights()}"

    def _describe_weights(self) -> str:
        """Return how the weights are learnt, to follow other words; empty while the defaults rank."""
        if not self._weights_path.exists():
            return ""
        from scry.store.events.learnt import WeightsFile

        file = WeightsFile(self._weights_path)
        weights = file.read()
        if weights is None:
            return f"; the learnt weights can't be read ({file.trouble}), and the defaults rank"
        return f"; weights of {format_count(weights.jumps, 'jump')} {'rank' if weights.is_on else 'are off'}"

    def close(self) -> None:
        """End the warm-up."""
        with self._warm_up_lock:
            self._is_closed = True
        if self._warm_up is not None:
            self._warm_up.stop()
        if self._learnt is not None:
            self._learnt.close()

    # Modes without oracles ------------------------------------------------------------------------------------------

    def recent(
        self,
        request: RecentRequest,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        now: float | None = None,
        matches: RecentMatches | None = None,
    ) -> Answer:
        """Return the latest changes, or the relevant documents by how recently they changed.

        now: seconds since the epoch; None for this moment. matches: those of the query, where several projects were
        searched together.
        """
        from scry.engine.browse.changes import ChangeDates
        from scry.engine.browse.recent import list_changes
        from scry.engine.browse.recent_search import matches_of_project, rank_by_recency

        question = question_of(request)
        if not context.is_subrequest and self._weights_path.exists():
            question = self._weigh(question)

        def answer(view: IndexView) -> Answer:
            if view.history is None and view.state.history == "pending":
                self._index.request_newest_commits()
            at, edited = time.time() if now is None else now, self._index.uncommitted_paths(context.unsaved_paths)
            dates = ChangeDates(at, view.store, view.history, edited)
            if not search_text(question):
                return list_changes(question, dates, request.days, view, context)
            relevant = matches or matches_of_project(self._rank_relevant(context, view.store, question))
            return rank_by_recency(relevant, dates, request.days, request.limit, view.state)

        return self._browse(request.query, request.limit, context, answer)

    def orient(self, request: OrientRequest, context: RequestContext = DEFAULT_CONTEXT) -> Answer:
        """Return the most important files of a folder."""
        from scry.engine.browse.orient import orient

        return self._browse(
            request.path, request.limit, context, lambda view: orient(request, self._root, view, context)
        )

    def neighbors(self, request: NeighborsRequest, context: RequestContext = DEFAULT_CONTEXT) -> Answer:
        """Return the files related to a file, or the targets of a belief."""
        from scry.engine.browse.neighbors import list_belief_neighbors, list_neighbors

        belief = request.belief
        if not request.file and belief is None:
            raise BadRequest("file", "is missing; name a file, or a belief")
        if request.file and belief is not None:
            raise BadRequest("belief", "and file can't both be asked about; give one of them")

        def answer(view: IndexView) -> Answer:
            if belief is not None:
                return list_belief_neighbors(belief, request, view, self._index.belief_snapshot())
            return list_neighbors(request, self._root, view, context)

        return self._browse(request.file or belief or "", request.limit, context, answer)

    # Explanations ---------------------------------------------------------------------------------------------------

    def why(
        self,
        doc_id: str,
        query: str | None,
        query_id: str | None,
        answers: Sequence[AnswerArchive],
        context: RequestContext = DEFAULT_CONTEXT,
    ) -> WhyResult:
        """Return why a document has its rank, or none, for a query or for that of an earlier answer.

        answers: where to look for the earlier answer.
        """
        from scry.engine.explain.explain import explain_why

        with self._index.refusing_damage():
            snapshot = self._index.snapshot(context.unsaved_paths)
            target = snapshot.resolve(doc_id)
            recalled = snapshot.recall_query(query, query_id, target, answers)
            if recalled.question is not None and not context.is_subrequest and self._weights_path.exists():
                recalled = replace(recalled, question=self._weigh(recalled.question))
            return explain_why(snapshot, target, recalled, partial(self._rank_relevant, context))

    def detail(self, doc_id: str, doc_key: int | None, context: RequestContext = DEFAULT_CONTEXT) -> DocumentDetail:
        """Return a result in full, as it is now. doc_key: the key at the time of the answer; None for unknown."""
        from scry.engine.explain.detail import read_detail

        with self._index.refusing_damage():
            return read_detail(self._index.snapshot(context.unsaved_paths), doc_id, doc_key)

    @property
    def learns(self) -> bool:
        """Whether uses rank: neither the log nor learning is switched off."""
        return all(map(RecordingSwitch.is_on, self._switches))

    def learnt(self) -> FindUsedPlaces | None:
        """Return what finds the places used for like questions; None where nothing was learnt, or none shall be."""
        if not self.learns or not self._learnt_path.exists():
            return None
        from scry.store.events.learnt import LearntUses  # a person who used nothing yet needs none of it

        with self._warm_up_lock:
            self._learnt = self._learnt or LearntUses(self._learnt_path, folder_in_repository(self._root))
        return self._learnt.find_places

    # Inside ---------------------------------------------------------------------------------------------------------

    def _retrieve_from(self, context: RequestContext, store: IndexStore, question: SearchQuery) -> Retrieval:
        encode = partial(self._index.encode, context.model_timeout_s)
        history, knowledge = self._index.history.read, self._index.knowledge.read
        learnt, filters = self.learnt(), self._filters
        return retrieve(
            question, store, encode, context.cancelled, history, knowledge, learnt, filters, context.answered_by
        )

    def _weigh(self, question: SearchQuery) -> SearchQuery:
        """Return the question with the weights that were learnt from jumps, where these rank."""
        from scry.store.events.learnt import WeightsFile  # most people have none

        if self._weights is None:
            self._weights = WeightsFile(self._weights_path)
        weights = self._weights.read()
        is_used = weights is not None and weights.is_on and all(map(RecordingSwitch.is_on, self._switches))
        return weights.apply_to(question) if weights is not None and is_used else question

    def _rank_relevant(self, context: RequestContext, store: IndexStore, question: SearchQuery) -> Ranking:
        """Return all matches, ranked as deep as they may be relevant."""
        from scry.engine.browse.recent_search import ranking_depth

        retrieval = self._retrieve_from(context, store, question)
        matches = retrieval.oracle_matches
        return rank_candidates(retrieval.question, retrieval.reader, matches, ranking_depth(matches.by_oracle))

    def _answer_relation_query(self, request: FindRequest, context: RequestContext) -> Answer:
        from scry.engine.graph_query.evaluate import answer_relation_query
        from scry.engine.graph_query.parse import parse_relation_query

        reject_knowledge_filters(request)
        tree = parse_relation_query(escape_unencodable(request.query))
        return self._browse(
            request.query, request.limit, context, lambda view: answer_relation_query(request, tree, view, context)
        )

    def _browse(
        self, subject: str, limit: int, context: RequestContext, answer: Callable[[IndexView], Answer]
    ) -> Answer:
        """Return the answer from the index and the history as of now; without results while there is no index."""
        from scry.engine.index_view import unindexed_answer

        try:
            view = self._index.view(context.unsaved_paths)
            if view is not None:
                return self._complete(answer(view), context)
            return self._complete(unindexed_answer(subject, limit, self._index.state(context.unsaved_paths)), context)
        except Exception as error:
            empty = unindexed_answer(subject, limit, self._index.state(context.unsaved_paths))
            return self._damaged_answer(error, empty)

    def _damaged_answer(self, error: Exception, empty: Answer) -> Answer:
        """Return the empty answer with a fault, where an error is damage of the index. Raises it where it is not."""
        damage = self._index.note_damage(error)
        if not damage:
            raise error
        return self._index.report_damage(replace(empty, faults=(OracleFault(INDEX_FAULT, damage),)))

    def _complete(self, answer: Answer, context: RequestContext) -> Answer:
        """Return the answer with the notice of a damaged index and the annotations of its beliefs."""
        if context.cancelled is not None and context.cancelled():  # a newer question may be logged already
            raise Cancelled
        for fault in answer.faults:
            if fault.damage:
                self._index.note_damage(IndexDamaged(fault.damage))
        answer = self._index.report_damage(answer)
        for hit in answer.hits:
            if hit.document.content_type == BELIEF:
                break
        else:
            return answer
        from scry.index.notes.belief_evaluation import annotate_beliefs

        beliefs = self._index.belief_snapshot()
        return answer if beliefs is None else annotate_beliefs(answer, beliefs)


def _asks_own_notes(question: SearchQuery) -> bool:
    typed = [each.value for each in question.filters if each.field == "source" and not each.exclude]
    return PERSONA in (question.source, *typed)


def question_of(request: FindRequest | RecentRequest) -> SearchQuery:
    """Return the question of a find or a recent. Raises BadRequest for a find without words.

    The intent of a recent is temporal: commits are as welcome as code.
    """
    intent, min_score, prefix = QueryIntent.TEMPORAL, 0.0, ""
    if isinstance(request, FindRequest):
        if not request.query.strip():
            raise BadRequest("query", "is empty; say what to look for")
        intent, min_score = QueryIntent(request.intent) if request.intent else None, request.min_score
        prefix = request.prefix
    return parse_query(
        request.query[:MAX_QUERY_CHARACTERS],
        BASE_ORACLE_WEIGHTS,
        limit=request.limit,
        min_score=min_score,
        intent=intent,
        content_types=tuple(request.types),
        source=request.source,
        domains=tuple(request.domains),
        prefix=prefix,
    )


def reject_knowledge_filters(request: FindRequest) -> None:
    """Raise BadRequest where a relational question, which is about code alone, asks for knowledge."""
    if request.domains:
        raise BadRequest("domains", "relational questions are about code, which is about no domain; leave it out")
    if request.source == "persona":
        raise BadRequest("source", "relational questions are about code, of which your own notes are none")
