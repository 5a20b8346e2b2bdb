"""Answer for one project: the facade that every surface calls. It reads like a table of contents.

Parameters come in and answers leave in the wire's form; between them modes.py works on domain values. Modules that
only some requests need are imported when asked for, so that a find starts fast.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from scry.core.doc_id import file_doc_id, split_off_project
from scry.core.errors import BadRequest
from scry.core.knowledge import NOTES_FOLDER, knowledge_type
from scry.core.notices import COMMAND_LINE, CommandNames
from scry.core.settings import Settings
from scry.core.types import Answer, IndexState
from scry.engine.activity.recorder import Recorder
from scry.engine.context import DEFAULT_CONTEXT, FindRequest, RecentRequest, RequestContext
from scry.engine.modes import ProjectModes
from scry.engine.project_index import IndexAction, ProjectIndex
from scry.engine.response.answer import (
    find_request,
    names_projects,
    neighbors_request,
    orient_request,
    present_answer,
    present_location,
    present_state,
    recent_request,
)
from scry.engine.response.merged import PresentedAnswer
from scry.engine.response.recording import (
    add_index_message,
    record_answer,
    record_detail,
    record_feedback,
    record_use,
)
from scry.projects.project import Project, open_project
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.activity.answer_store import AnswerArchive
    from scry.engine.knowledge.memory import MemoryService
    from scry.engine.response.details import ResultLocation


class KnowledgeService:
    """The knowledge of one project and of the person. Every method may be called from any thread.

    Every method may raise BadRequest naming the parameter, and IndexUnavailable.
    """

    def __init__(self, project: Project, settings: Settings, index: ProjectIndex) -> None:
        """Open nothing yet."""
        self._project = project
        self._settings = settings
        self._index = index

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """Store a note of the person."""
        from scry.engine.response.knowledge import remember_persona_note

        remembered = remember_persona_note(params, self._settings)
        self._index.notify_changed([NOTES_FOLDER])  # the indexer makes the vectors that are missing
        return remembered

    def persona(self, params: messages.PersonaParams) -> messages.PersonaNotes:
        """List, search or delete notes of the person."""
        from scry.engine.response.knowledge import list_or_forget_persona_notes

        return list_or_forget_persona_notes(params)

    def believe(self, params: messages.BelieveParams) -> messages.Beliefs:
        """Write a belief to a file of the project."""
        from scry.engine.knowledge.belief_commands import write_belief
        from scry.engine.response.beliefs import new_belief, present_new_belief

        path, note = write_belief(new_belief(params), self._project)
        self._index.publish_note(path, note.doc_id)
        return present_new_belief(path, note, self._project.root, self._index.belief_snapshot())

    def beliefs(self, params: messages.BeliefsParams) -> messages.Beliefs:
        """Return the project's beliefs, or give one another id."""
        from scry.engine.response.beliefs import present_belief_list, present_new_belief

        if params.action == "rename":
            return self._rename_belief(params, present_new_belief)
        return present_belief_list(params, self._project.root, self._index.store(), self._index.belief_snapshot())

    def _rename_belief(
        self, params: messages.BeliefsParams, present: Callable[..., messages.Beliefs]
    ) -> messages.Beliefs:
        from scry.engine.knowledge.belief_commands import list_beliefs, rename_belief

        notes = list_beliefs(self._project.root, self._index.store(), self._index.belief_snapshot())
        changed, note = rename_belief(notes, params.id or "", params.new_id, self._project.root)
        self._index.notify_changed(changed[1:])
        self._index.publish_note(changed[0], note.doc_id)
        return present(changed[0], note, self._project.root, self._index.belief_snapshot(), f"{note.doc_id} is in")

    def belief_impact(self, doc_id: str, content_type: str) -> messages.BeliefImpact | UnsetType:
        """Return the beliefs that bear on a document; absent for none."""
        beliefs = self._index.belief_snapshot()
        if beliefs is None:
            return UNSET
        from scry.engine.response.beliefs import present_impact_if_any

        return present_impact_if_any(beliefs, doc_id, content_type)


class Engine:
    """The requests of one project. Every method may be called from any thread.

    Every question may raise BadRequest naming the parameter, and Cancelled.
    """

    @classmethod
    def open(
        cls,
        root: Path,
        settings: Settings,
        *,
        force: bool = False,
        start_indexer: bool = True,
        surface: str = "python",
        place: str = "",
    ) -> Engine:
        """Open the project in a folder. Raises ProjectMissing, ProjectRefused.

        start_indexer: have its index made and kept up to date from now on. surface: the way in, for the log, such as
        cli or lsp. place: as of `open_project`.
        """
        return cls(open_project(root, force=force, place=place), settings, start_indexer=start_indexer, surface=surface)

    def __init__(self, project: Project, settings: Settings, *, start_indexer: bool, surface: str) -> None:
        """Use `open`."""
        self.project = project
        self.recorder = Recorder(project, settings, surface)
        self.index = ProjectIndex(project, settings, start_indexer=start_indexer)
        self.modes = ProjectModes(self.index, settings)
        self.knowledge = KnowledgeService(project, settings, self.index)
        self._settings = settings
        self._memory: MemoryService | None = None
        self._memory_lock = threading.Lock()

    # Questions ----------------------------------------------------------------------------------------------------

    def find(self, params: messages.FindParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Return the best documents for a query, or those that meet a relational question."""
        request = find_request(params)
        if not request.is_typed:
            return self._respond(self.modes.find(request, context), request.mode, params, context)
        from scry.engine.search.completion import add_completion_notice

        completed = self.modes.complete_query(request)
        answer = add_completion_notice(self.modes.find(completed, context), request, completed)
        return self._respond(answer, request.mode, params, context)

    def recent(
        self, params: messages.RecentParams, context: RequestContext = DEFAULT_CONTEXT, *, now: float | None = None
    ) -> messages.Answer:
        """Return the latest changes. now: in seconds since the epoch; None for this moment."""
        return self._respond(self.modes.recent(recent_request(params), context, now=now), "recent", params, context)

    def orient(self, params: messages.OrientParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Return the most important files of a folder."""
        return self._respond(self.modes.orient(orient_request(params), context), "orient", params, context)

    def neighbors(self, params: messages.NeighborsParams, context: RequestContext = DEFAULT_CONTEXT) -> messages.Answer:
        """Return the files related to a file, or the targets of a belief."""
        return self._respond(self.modes.neighbors(neighbors_request(params), context), "neighbors", params, context)

    def why(
        self,
        params: messages.WhyParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        answers: Sequence[AnswerArchive] = (),
    ) -> messages.Explanation:
        """Explain why a document has its rank, or none.

        answers: where to look for the question that it is explained for; by default the answers of this project.
        """
        from scry.engine.response.explanation import present_explanation
        from scry.engine.response.merged import qualify_explanation

        archives = answers or (self.recorder.answers,)
        explained = self.modes.why(params.doc_id, params.query, params.query_id, archives, context)
        explanation = present_explanation(explained, self.project, context)
        if explained.target.status == "indexed":
            doc_id = explained.target.doc_id
            impact = self.knowledge.belief_impact(doc_id, knowledge_type(doc_id) or "")
            explanation = replace(explanation, impact=impact)
        if params.record and not context.is_subrequest:
            explanation = record_answer(self.recorder, explanation, params, context.encoding)
        is_qualified = self._has_project_prefix(params.doc_id)
        return qualify_explanation(self.project.name, explanation) if is_qualified else explanation

    def detail(
        self,
        params: messages.DetailParams,
        context: RequestContext = DEFAULT_CONTEXT,
        *,
        answered_by: Recorder | None = None,
    ) -> messages.Detail:
        """Return one result of an earlier answer in full, without a search.

        answered_by: the recorder that stored the answer; by default this project's. Raises BadRequest for an unknown
        answer or rank.
        """
        from scry.engine.response.details import present_full
        from scry.engine.response.merged import qualify_full

        recorder = answered_by or self.recorder
        stored = recorder.answers.require(params.query_id)
        result = stored.place(params.rank, params.doc_id)
        doc_key = stored.doc_key_in(self.project.root, params.rank, result.doc_id)
        named, own_id = split_off_project(result.doc_id)  # its project may have had another name then
        target_detail = self.modes.detail(own_id, doc_key, context)
        if target_detail.full is not None:
            impact = self.knowledge.belief_impact(result.doc_id, result.content_type)
            full = present_full(target_detail.full, impact, self.project.root, context.encoding)
            full = qualify_full(self.project.name, full) if named else full
            result = replace(result, full=full)
        if target_detail.document is not None:
            location = present_location(target_detail.document, self.project.root, context.encoding)
            result = replace(result, location=location)
        note = target_detail.notice.render(context.commands) if target_detail.notice is not None else ""
        detail = messages.Detail(stored.query_id, stored.query, result, target_detail.state, note, text="")
        return record_detail(self.recorder, detail, params, answered_by)

    def is_indexed(self, doc_id: str) -> bool:
        """Return whether a doc_id names an indexed document."""
        return bool(doc_id.strip()) and self.index.snapshot(()).resolve(doc_id).status == "indexed"

    def take_name(self, name: str) -> None:
        """Give the project the name that it has by now: it was registered or renamed, or another one was."""
        if name != self.project.name:
            self.project = self.index.project = self.recorder.project = replace(self.project, name=name)

    def doc_keys(self, doc_ids: Sequence[str]) -> list[int]:
        """Return the doc_keys of these documents, by which `detail` notices changes later; 0 for one without, as a
        whole file of several documents.
        """
        snapshot = self.index.snapshot(())
        targets = [snapshot.resolve(doc_id) for doc_id in doc_ids]
        whole = {each.doc_id for each in targets if each.path and each.doc_id == file_doc_id(each.path)}
        known = snapshot.store.documents.doc_keys_by_id(sorted(whole)) if snapshot.store and whole else {}
        return [known.get(each.doc_id, 0) if each.doc_id in whole else next(iter(each.doc_keys), 0) for each in targets]

    def present(
        self, answer: Answer, mode: str, context: RequestContext, request: FindRequest | RecentRequest | None = None
    ) -> PresentedAnswer:
        """Return an answer in the wire's form. request: says whether results are given in full or with an excerpt."""
        presented = present_answer(answer, mode, self.project, context)
        if request is not None and request.with_full_results:
            presented = self._add_full(presented, answer, context)
        if request is not None and request.excerpt_lines:
            presented = self._add_excerpts(presented, answer, request.excerpt_lines)
        return PresentedAnswer(presented, answer.notices)

    # Acts on answers ----------------------------------------------------------------------------------------------

    def use(
        self,
        params: messages.UseParams,
        commands: CommandNames = COMMAND_LINE,
        *,
        answered_by: Recorder | None = None,
    ) -> messages.Recorded:
        """Record that a result was used. Raises BadRequest for an unknown answer or rank.

        answered_by: the recorder that stored the answer; by default this project's.
        """
        recorded = record_use(self.recorder, params, commands, answered_by, self._fingerprint)
        if params.how in ("jump", "open"):
            stored = (answered_by or self.recorder).answers.get(params.query_id)
            if stored is not None and not stored.origin.is_private:
                place = stored.place(params.rank, params.doc_id)
                self.memory.capture_jump(place.doc_id, stored.query, params.act_id)
                if recorded.recorded and place.commit and self._settings.team_jumps != "off":
                    from scry.engine.activity.team_jumps import give_jump

                    give_jump(place.doc_id, params.rank, stored.query, params.act_id, self._settings.team_jumps)
        return recorded

    def feedback(
        self,
        params: messages.FeedbackParams,
        commands: CommandNames = COMMAND_LINE,
        *,
        answered_by: Recorder | None = None,
    ) -> messages.Recorded:
        """Record that an answer or a result was good or bad. Raises BadRequest as `use`."""
        return record_feedback(self.recorder, params, commands, answered_by)

    def locate_result(
        self, query_id: str, rank: int, doc_id: str | None = None, answered_by: Recorder | None = None
    ) -> ResultLocation:
        """Return where a result of an earlier answer is now. Raises BadRequest, also for one without a location.

        doc_id: of a further place of the result, which is located instead.
        """
        from scry.engine.response.details import locate_result

        stored = (answered_by or self.recorder).answers.require(query_id)
        return locate_result(stored.place(rank, doc_id), self.index.store(), self.project, self._settings)

    def place_now(self, result: messages.ResultItem, encoding: str) -> messages.ResultItem:
        """Return a result of an earlier answer at its present location. Raises BadRequest for one that is gone."""
        from scry.engine.response.details import place_now

        return place_now(result, self.index.snapshot(()), encoding)

    # Memory -------------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> MemoryService:
        """The project's memory, opened when it is first needed: a find writes none."""
        from scry.engine.knowledge.memory import MemoryService

        with self._memory_lock:
            if self._memory is None:
                self._memory = MemoryService(self.project, self._settings)
            return self._memory

    def observe(self, params: messages.ObserveParams, commands: CommandNames = COMMAND_LINE) -> messages.Observed:
        """Record something that happened or was decided. Raises BadRequest."""
        from scry.engine.response.knowledge import record_observation

        return record_observation(self.memory, params, commands)

    def notify_head_moved(self, since: str | None) -> None:
        """Record the commits since this one, because HEAD has moved."""
        self.memory.capture_commits(since)

    def notify_saved(self, paths: Sequence[str]) -> None:
        """Have these saved files, relative to the root, indexed and remembered."""
        self.index.notify_changed(paths)
        for path in paths:
            self.memory.capture_edit(path)

    # The index ----------------------------------------------------------------------------------------------------

    def status(
        self, *, unsaved: Sequence[str] = (), commands: CommandNames = COMMAND_LINE, languages: bool = False
    ) -> messages.IndexState:
        """Return how fresh and complete the index is, also as reported by an indexer that another process started."""
        state = present_state(self.index.live_state(unsaved), commands)
        from scry.engine.activity.replays import describe_replay

        replay = describe_replay(self._settings, self.project.data, state.model)
        state = replace(state, learning=self.modes.describe_learning(), replay=replay)
        if languages and (store := self.index.snapshot(()).store) is not None:
            state = replace(state, languages=store.files.language_counts())
        return add_index_message(state, self.recorder.expected_trouble())

    def control(self, action: IndexAction, commands: CommandNames = COMMAND_LINE) -> messages.IndexState:
        """Start, pause, resume or rebuild the index; return its state."""
        return present_state(self.index.control(action), commands)

    def subscribe(self, listener: Callable[[messages.IndexState], None], commands: CommandNames = COMMAND_LINE) -> None:
        """Call the listener, from another thread, whenever the index's state changes."""
        self.index.subscribe(lambda state: listener(present_state(state, commands)))

    def wait_until_current(
        self,
        timeout: float | None = None,
        progress: Callable[[messages.IndexState], None] | None = None,
        *,
        vectors: bool = False,
    ) -> messages.IndexState:
        """Wait until every file as it is now is searchable, starting an indexer if need be; return the state.

        timeout: in seconds. vectors: wait also for those of a model that takes long.
        """

        def report(state: IndexState) -> None:
            if progress is not None:
                progress(present_state(state))

        return present_state(self.index.wait_until_current(timeout, report, vectors=vectors))

    def wait_for_code_graph(self, timeout: float) -> None:
        """Wait while the code graph of an index that can be searched is still being made, starting an indexer if need
        be: questions about calls and imports have no answer before.

        timeout: in seconds. A graph that is not made, because indexing failed or is paused, is not waited for.
        """

        def is_pending(state: messages.IndexState) -> bool:
            is_made = state.graph == "ready" or state.state in ("failed", "paused")
            return not is_made and state.files_indexed > 0

        if not is_pending(self.status()):
            return
        done = threading.Event()
        self.subscribe(lambda state: None if is_pending(state) else done.set())
        if is_pending(self.status()):  # the graph may have been made before the subscription
            done.wait(max(timeout, 0.0))

    def warm_up(self) -> None:
        """Read the pages that questions read, in advance; nothing is stored or logged. Closing the engine ends it."""
        self.modes.warm_up(
            self.recorder.open_store, lambda answer: present_answer(answer, "find", self.project, DEFAULT_CONTEXT)
        )

    def close(self) -> None:
        """Close all files; the indexer ends by itself once no client is connected."""
        self.modes.close()
        self.index.close()
        self.recorder.close()
        if self._memory is not None:
            self._memory.close()

    # Inside -------------------------------------------------------------------------------------------------------

    def _respond(self, answer: Answer, mode: str, params: msgspec.Struct, context: RequestContext) -> messages.Answer:
        """Return the answer in the wire's form, stored and logged; every mode ends here."""
        if not context.is_subrequest and names_projects(params):
            raise BadRequest("projects", "an engine answers for one project alone; engine.projects asks several")
        presented = present_answer(answer, mode, self.project, context)
        if not context.is_subrequest:
            doc_keys = [hit.document.doc_key for hit in answer.hits]
            doc_keys += [place.document.doc_key for hit in answer.hits for place in hit.further]
            presented = record_answer(self.recorder, presented, params, context.encoding, doc_keys)
        if excerpt := getattr(params, "excerpt", 0):
            presented = self._add_excerpts(presented, answer, excerpt)
        return self._add_full(presented, answer, context) if getattr(params, "full", False) else presented

    def _add_excerpts(self, presented: messages.Answer, answer: Answer, count: int) -> messages.Answer:
        from scry.engine.response.excerpts import add_excerpts

        store = self.index.store()
        return presented if store is None else add_excerpts(presented, answer.hits, store.files.get_text, count)

    def _add_full(self, presented: messages.Answer, answer: Answer, context: RequestContext) -> messages.Answer:
        from scry.engine.response.details import add_full_results

        snapshot, impact = self.index.snapshot(()), self.knowledge.belief_impact
        return add_full_results(presented, answer.hits, snapshot, impact, context.encoding)

    def _fingerprint(self, doc_id: str) -> str:
        """Return the fingerprint of a document's text, by which it is followed when it is renamed; "" for none."""
        from scry.core.text import text_fingerprint
        from scry.oracles.reader import CodeCorpus

        try:
            store = self.index.store()
            found = store.documents.find_by_doc_id(split_off_project(doc_id)[1]) if store is not None else ()
            if store is None or not found or not found[0].symbol.name:
                return ""
            return text_fingerprint(CodeCorpus(store).quotable_texts(found[0])[0], found[0].symbol.name)
        except Exception as error:  # a use is recorded whatever the state of the index
            if not self.index.note_damage(error):
                raise
            return ""

    def _has_project_prefix(self, doc_id: str) -> bool:
        """Return whether a doc_id begins with this project's name; the other doc_ids of the answer then get it, too."""
        return split_off_project(doc_id.strip())[0] == self.project.name
