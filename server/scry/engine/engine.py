"""The engine of one project: what every surface asks. It reads like a table of contents; the work is in the files it
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

from scry.core.doc_id import split_project
from scry.core.errors import BadRequest, Cancelled
from scry.core.knowledge import knowledge_type
from scry.core.settings import Settings
from scry.core.text import encodable
from scry.core.types import Answer, IndexState, Question
from scry.engine.find import Ballot, Ranking, Voted, nothing_found, tally, vote, weigh
from scry.engine.indexed import Action, Indexed
from scry.engine.knowledge_keeper import KnowledgeKeeper
from scry.engine.manner import AS_USUAL, Manner
from scry.engine.present import present_answer, present_state
from scry.engine.read_params import read_find, read_recent, refuse_knowledge
from scry.engine.reading import Reading, nothing_yet
from scry.engine.recorder import Recorder
from scry.engine.selection import names_projects
from scry.engine.spot import Spot, find_spot
from scry.engine.warm_up import QUESTION, WarmUp
from scry.index.project import Project, open_project
from scry.store.index_store import IndexStore
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.answers import Answers
    from scry.engine.memory import MemoryKeeper
    from scry.engine.recent_found import Found


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
        self.index = Indexed(project, settings, start_indexer=start_indexer)
        self.knowledge = KnowledgeKeeper(project, settings, self.index)
        self._settings = settings
        self._memory: MemoryKeeper | None = None
        self._memory_lock = threading.Lock()
        self._warm_up = WarmUp()

    # Questions ----------------------------------------------------------------------------------------------------

    def find(self, params: messages.FindParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """Where is X? Raises BadRequest naming the parameter, Cancelled."""
        if params.reason:
            return self._reason(params, manner)
        return self.tally(self.vote(params, manner), params, manner)

    def vote(self, params: messages.FindParams | messages.RecentParams, manner: Manner = AS_USUAL) -> Voted:
        """The first half of `find`: what the oracles say. Of several projects, their votes are then ranked together."""
        self._warm_up.give_way()
        return self._vote(params, manner)

    def tally(self, voted: Voted, params: messages.FindParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """The second half of `find`: the answer that follows from the votes."""
        found = tally(voted.ballot, voted.state) if voted.ballot else nothing_found(voted.question, voted.state)
        return self._leave(found, "find", params, manner)

    def recent(
        self,
        params: messages.RecentParams,
        manner: Manner = AS_USUAL,
        *,
        now: float | None = None,
        found: Found | None = None,
    ) -> messages.Answer:
        """What changed lately? Errors as of `find`. now: in seconds since the epoch, else this moment.

        found: what there is for its words, where several projects found it together.
        """
        from scry.engine.changes import Clock
        from scry.engine.recent import list_changes
        from scry.engine.recent_found import found_alone, rerank

        question = read_recent(params)

        def answer(reading: Reading) -> Answer:
            at, edited = time.time() if now is None else now, self.index.edited(manner.unsaved)
            clock = Clock(at, reading.store, reading.history, edited)
            if not params.query.strip():
                return list_changes(question, clock, params.days, reading, manner.cancelled)
            all_found = found or found_alone(self._rank(manner, reading.store, question))
            return rerank(all_found, clock, params.days, params.limit, reading.state)

        return self._leave(self._read(params.query, params.limit, manner, answer), "recent", params, manner)

    def orient(self, params: messages.OrientParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """What matters here? Errors as of `find`."""
        from scry.engine.orient import orient

        def answer(reading: Reading) -> Answer:
            return orient(params.path, params.limit, self.project.root, reading, manner.cancelled)

        return self._leave(self._read(params.path, params.limit, manner, answer), "orient", params, manner)

    def neighbors(self, params: messages.NeighborsParams, manner: Manner = AS_USUAL) -> messages.Answer:
        """What belongs to this file? Errors as of `find`."""
        from scry.engine.belief_neighbors import belief_neighbors
        from scry.engine.neighbors import neighbors

        if not params.file and params.belief is None:
            raise BadRequest("file", "is missing; name a file, or a belief")
        if params.file and params.belief is not None:
            raise BadRequest("belief", "and file can't both be asked about; give one of them")

        def answer(reading: Reading) -> Answer:
            if params.belief is not None:
                return belief_neighbors(params.belief, params.types, params.limit, reading, self.index.beliefs())
            return neighbors(params.file, params.by, params.limit, self.project.root, reading, manner.cancelled)

        asked = params.file or params.belief or ""
        return self._leave(self._read(asked, params.limit, manner, answer), "neighbors", params, manner)

    def why(
        self, params: messages.WhyParams, manner: Manner = AS_USUAL, *, answers: Sequence[Answers] = ()
    ) -> messages.Explanation:
        """Why does this document have its place, or none? Errors as of `find`.

        answers: where to look for the question that it is explained for; by default among those of this project.
        """
        from scry.engine.explain import explain
        from scry.engine.present_elsewhere import explanation_in
        from scry.engine.present_why import present_explanation

        scene = self.index.scene(manner.unsaved)
        target = scene.locate(params.doc_id)
        asked = scene.asked_again(params.query, params.query_id, target, answers or (self.recorder.answers,))
        explained = explain(scene, target, asked, partial(self._rank, manner))
        presented = present_explanation(explained, self.project.root, self.project.name, manner.encoding)
        if explained.target.status == "indexed":
            doc_id = explained.target.doc_id
            impact = self.knowledge.impact(doc_id, knowledge_type(doc_id) or "")
            presented = msgspec.structs.replace(presented, impact=impact)
        left = presented if manner.is_part else self.recorder.leave(presented, params, manner.encoding)
        return explanation_in(self.project.name, left) if self._is_named_in(params.doc_id) else left

    def holds(self, doc_id: str) -> bool:
        """Whether this names something that is indexed here."""
        return bool(doc_id.strip()) and self.index.scene(()).locate(doc_id).status == "indexed"

    def numbers(self, doc_ids: Sequence[str]) -> list[int]:
        """The numbers of these documents, by which `detail` tells later whether they were changed; 0 for none."""
        scene = self.index.scene(())
        return [next(iter(scene.locate(doc_id).numbers), 0) for doc_id in doc_ids]

    def detail(
        self, params: messages.DetailParams, manner: Manner = AS_USUAL, *, recorder: Recorder | None = None
    ) -> messages.Detail:
        """One result of an earlier answer in full. Nothing is searched again.

        recorder: the one that keeps the answer, where that is not this project's.
        Raises BadRequest for an answer or a rank that does not exist.
        """
        from scry.engine.detail import read_detail
        from scry.engine.present_elsewhere import full_in
        from scry.engine.present_full import present_full

        keeper = recorder or self.recorder
        kept = keeper.answers.read(params.query_id)
        result, number = kept.result(params.rank), kept.number_in(self.project.root, params.rank)
        found = read_detail(self.index.scene(manner.unsaved), result.doc_id, number)
        if found.full is not None:
            impact = self.knowledge.impact(result.doc_id, result.content_type)
            full = present_full(found.full, impact, self.project.root, manner.encoding)
            full = full_in(self.project.name, full) if self._is_named_in(result.doc_id) else full
            result = msgspec.structs.replace(result, full=full)
        detail = messages.Detail(kept.query_id, kept.query, result, found.state, found.note, text="")
        return keeper.leave_detail(detail, params)

    # What is done with answers ------------------------------------------------------------------------------------

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result of an earlier answer was used. Raises BadRequest for an answer or a rank that does not exist."""
        recorded = self.recorder.use(params)
        if params.how in ("jump", "open"):
            kept = self.recorder.answers.find(params.query_id)
            if kept is not None and not kept.asked.is_private:
                self.memory.saw_jump(kept.result(params.rank).doc_id, kept.query, params.act_id)
        return recorded

    def locate(self, query_id: str, rank: int, recorder: Recorder | None = None) -> Spot:
        """Where a result of an earlier answer is now; recorder: as of `detail`. Raises BadRequest, also without one."""
        keeper = recorder or self.recorder
        return find_spot(keeper.answers.read(query_id), rank, self.index.store(), self.project)

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

    def head_moved(self, since: str | None) -> None:
        """HEAD is at another commit than `since`: one that was made just now is worth remembering."""
        self.memory.saw_head_move(since)

    def saved(self, paths: Sequence[str]) -> None:
        """These files, relative to the root, were saved in an editor: they changed, and that is worth remembering."""
        self.index.changed(paths)
        for path in paths:
            self.memory.saw_edit(path)

    # The index ----------------------------------------------------------------------------------------------------

    def status(self, *, unsaved: Sequence[str] = ()) -> messages.IndexState:
        """How fresh and complete the index is, also as an indexer says that works for others."""
        return self.recorder.with_trouble(present_state(self.index.state_elsewhere(unsaved)))

    def control(self, action: Action) -> messages.IndexState:
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
        self._warm_up.end()
        self.index.close()
        self.recorder.close()
        if self._memory is not None:
            self._memory.close()

    def warm_up(self) -> None:
        """Reads ahead what questions read. Nothing is kept of it or logged; closing the engine ends it."""
        asked = messages.FindParams(QUESTION)
        self._warm_up.run(self.recorder.prepare, lambda ended: self._vote(asked, Manner(cancelled=ended)))

    # Inside -------------------------------------------------------------------------------------------------------

    def _vote(self, params: messages.FindParams | messages.RecentParams, manner: Manner) -> Voted:
        question = read_find(params) if isinstance(params, messages.FindParams) else read_recent(params)
        store = self.index.store()
        if store is None:
            return Voted(question, self.index.state(manner.unsaved), None)
        state = self.index.answering_state(manner.unsaved)
        return Voted(question, state, self._ballot(manner, store, question))

    def _is_named_in(self, doc_id: str) -> bool:
        """Whether a doc_id has this project's name before it: then all others of the answer have it, too."""
        return split_project(doc_id.strip())[0] == self.project.name

    def _reason(self, params: messages.FindParams, manner: Manner) -> messages.Answer:
        """A relational question over the code graph."""
        from scry.engine.reason import reason
        from scry.engine.relation import read_question

        refuse_knowledge(params)
        tree = read_question(encodable(params.query))

        def answer(reading: Reading) -> Answer:
            asked, limit = params.query, params.limit
            return reason(asked, tree, limit, reading, manner.cancelled, params.types, params.min_score)

        return self._leave(self._read(params.query, params.limit, manner, answer), "reason", params, manner)

    def _read(self, asked: str, limit: int, manner: Manner, answer: Callable[[Reading], Answer]) -> Answer:
        """What follows from the index and the history as of now; nothing but the state while there is no index."""
        reading = self.index.reading(manner.unsaved)
        return nothing_yet(asked, limit, self.index.state(manner.unsaved)) if reading is None else answer(reading)

    def _ballot(self, manner: Manner, store: IndexStore, question: Question) -> Ballot:
        encode = partial(self.index.encode, manner.patience)
        return vote(question, store, encode, manner.cancelled, self.index.history.read, self.index.knowledge.read)

    def _rank(self, manner: Manner, store: IndexStore, question: Question) -> Ranking:
        """All that was found, ranked as far as it may be about the question."""
        from scry.engine.relevance import enough

        ballot = self._ballot(manner, store, question)
        return weigh(question, ballot.reader, ballot.evidence, enough(ballot.evidence.votes))

    def _leave(self, answer: Answer, mode: str, params: msgspec.Struct, manner: Manner) -> messages.Answer:
        """The one way out of every mode: the answer in the wire's words, kept and logged."""
        if manner.cancelled():  # a newer question may be logged already
            raise Cancelled
        if not manner.is_part and names_projects(params):
            raise BadRequest("projects", "an engine answers for one project alone; engine.projects asks several")
        answer = self.knowledge.tell(self.index.mended(answer))
        presented = present_answer(answer, mode, self.project.root, self.project.name, manner.encoding)
        numbers = [hit.document.number for hit in answer.hits]
        left = presented if manner.is_part else self.recorder.leave(presented, params, manner.encoding, numbers)
        if not getattr(params, "full", False):
            return left
        from scry.engine.present_full import fill

        return fill(left, answer.hits, self.index.scene(()), self.knowledge.impact, manner.encoding)
