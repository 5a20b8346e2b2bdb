"""The joined team as the router asks it: find, why, detail, and the text of a file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from msgspec import UnsetType
from msgspec.structs import replace

from scry.core.doc_id import add_project, new_query_id, split_off_project
from scry.core.errors import BadRequest, IndexUnavailable, RegistryUnavailable
from scry.core.types import DocumentHeader, SearchQuery
from scry.embedding.attribution import CosineAttribution, attribute_cosine
from scry.embedding.static_model import content_words, load_bundled_model
from scry.engine.browse.orient import rank_in_orient
from scry.engine.context import FindRequest, NeighborsRequest, OrientRequest, RecentRequest, RequestContext
from scry.engine.explain.detail import CHANGED, CURRENT, GONE, MAX_BODY_CHARACTERS, DocumentRelations
from scry.engine.explain.explain import MAX_SPLIT_CHARACTERS, explain_document
from scry.engine.explain.explanation import (
    BEYOND_DEPTH,
    DocumentExplanation,
    ModeRank,
    OracleFinding,
    WhyResult,
    format_ordinal,
)
from scry.engine.explain.resolve_id import ResolvedDocument
from scry.engine.federation.fan_out import Participant
from scry.engine.federation.rank_merge import rank_across_projects
from scry.engine.federation.selection import TEAM_SCHEME
from scry.engine.federation.team_answer import (
    TeamAccess,
    encode_question,
    find_with_team,
    present_part,
)
from scry.engine.federation.team_browse import browse_team, relate_with_team, view_repository
from scry.engine.federation.team_copies import TeamCopies, add_copies, find_replacement
from scry.engine.federation.team_documents import (
    TeamDocument,
    find_document,
    present_impact,
    read_graph,
    read_in_full,
    require_repository,
)
from scry.engine.federation.team_links import add_team_place, find_in_clones, team_project
from scry.engine.federation.team_recent import recent_with_team
from scry.engine.federation.team_results import rank_in_team, repository_state
from scry.engine.federation.team_search import retrieve_from_team, used_places_of
from scry.engine.questions import recall_query
from scry.engine.response.answer import present_location
from scry.engine.response.details import present_full
from scry.engine.response.explanation import present_explanation
from scry.engine.response.merged import FederatedAnswer, qualify_explanation, qualify_full
from scry.engine.response.recording import record_answer, record_detail
from scry.engine.search.pipeline import OracleMatches, rank_candidates
from scry.index.parse.documents import assign_doc_ids
from scry.index.parse.parse import parse
from scry.indexer.embed import make_note_passage, make_passages
from scry.oracles.reader import FindUsedPlaces, NoteCorpus
from scry.projects.registration import open_registry
from scry.store.team.membership import read_membership
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex, RepositoryInfo
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.activity.recorder import Recorder
    from scry.engine.engine import Engine

READ_TIMEOUT_S = 10.0
"""Longest wait of why, detail and a file for the server."""

T = TypeVar("T")

LateListener = Callable[[], None]


class TeamService:
    """The joined team. Every method may be called from any thread; each may raise IndexUnavailable and PartMissing."""

    def __init__(self, on_late: LateListener | None = None) -> None:
        """Connect to nothing yet. on_late: called when results have come that no answer waited for."""
        self.on_late = on_late
        self._lock = threading.Lock()
        self._access: TeamAccess | None = None

    def find(self, projects: Sequence[Participant], request: FindRequest, context: RequestContext) -> FederatedAnswer:
        """Return the answers of these projects and of the team to a find. Raises BadRequest."""
        if request.mode == "reason":
            return relate_with_team(self.require(), projects, request, context, self.on_late)
        return find_with_team(self.require(), projects, request, context, self.on_late)

    def recent(
        self, projects: Sequence[Participant], request: RecentRequest, context: RequestContext
    ) -> FederatedAnswer:
        """Return the answers of these projects and of the team to a recent."""
        return recent_with_team(self.require(), projects, request, context, self.on_late)

    def browse(
        self, _: Sequence[Participant], request: OrientRequest | NeighborsRequest, context: RequestContext
    ) -> FederatedAnswer:
        """Return the answer of the team's repository that is named before the request's path. Raises BadRequest."""
        answers = self._read(partial(browse_team, request, context))
        return FederatedAnswer([present_part(each, request, context) for each in answers], request.limit)

    def why(
        self, params: messages.WhyParams, projects: Sequence[Engine], context: RequestContext
    ) -> messages.Explanation:
        """Explain the rank of a document of a team's repository, by its qualified doc_id.

        projects: those that may have answered, at least one; the first logs. Raises BadRequest.
        """
        name, doc_id = split_off_project(params.doc_id.strip())
        archives, learnt = [each.recorder.answers for each in projects], used_places_of(projects)
        recalled = recall_query(params.query, params.query_id, [params.doc_id], archives)

        def explain(reader: TeamReader) -> tuple[RepositoryInfo, WhyResult, TeamCopies | None]:
            found = find_document(reader, name, doc_id)
            explained = _explain(reader, found, recalled.question, doc_id, learnt)
            remark = recalled.remark or explained.remark
            copies = _copies_of(reader, found.index, explained)
            return found.index.info, replace(explained, query=recalled.query, remark=remark), copies

        info, explained, copies = self._read(explain)
        explanation = present_explanation(explained, team_project(info), context)
        hit = explained.explanation.hit if explained.explanation else None
        if hit is not None and not isinstance(explanation.result, UnsetType):
            result = add_copies(add_team_place(explanation.result, info), copies, hit)
            explanation = replace(explanation, result=result)
        explanation = qualify_explanation(name, explanation)
        if params.record and not context.is_subrequest:
            explanation = record_answer(projects[0].recorder, explanation, params, context.encoding)
        return explanation

    def detail(self, recorder: Recorder, params: messages.DetailParams, context: RequestContext) -> messages.Detail:
        """Return one result of the team in full. recorder: that stored the answer."""
        stored = recorder.answers.require(params.query_id)
        result = stored.place(params.rank, params.doc_id)
        commit = stored.result(params.rank).commit
        try:
            found, relations = self._read(partial(_find_with_graph, split_off_project(result.doc_id)))
        except BadRequest as error:
            detail = messages.Detail(stored.query_id, stored.query, result, GONE, str(error), text="")
            return record_detail(recorder, detail, params)
        info = found.index.info
        whole = read_in_full(found.document, found.text, relations, MAX_BODY_CHARACTERS)
        full = present_full(whole, present_impact(found.belief), team_project(info).root, context.encoding)
        full = qualify_full(split_off_project(result.doc_id)[0], full)
        location = present_location(found.document, team_project(info).root, context.encoding)
        result = add_team_place(replace(result, full=full, location=location), info)
        state, note = CURRENT, ""
        if info.commit != commit:
            state, note = CHANGED, f"the team's index has {info.name} at {info.commit[:10]} now"
        return record_detail(recorder, messages.Detail(stored.query_id, stored.query, result, state, note, ""), params)

    def file(self, params: messages.TeamFileParams) -> messages.TeamFile:
        """Return the text of a file of the team by its URI, as it is indexed now. Raises BadRequest."""
        parts = urlsplit(params.uri)
        name, _, rest = parts.path.lstrip("/").partition("/")
        commit, _, path = rest.partition("/")
        if parts.scheme != TEAM_SCHEME or not path:
            raise BadRequest("uri", f"names no file of a team, such as {TEAM_SCHEME}:///cart/4f2a…/src/app.py")

        def read(reader: TeamReader) -> tuple[RepositoryInfo, str | None]:
            index = require_repository(reader, unquote(name))
            text = index.files.get_text(unquote(path))
            return index.info, index.notes.text_of_file(unquote(path)) if text is None else text

        info, text = self._read(read)
        if text is None:
            raise BadRequest("uri", f"{unquote(path)} is not in {info.name} at {info.commit[:10]}")
        try:
            roots = [each.root for each in open_registry().list_projects()]
        except RegistryUnavailable:
            roots = []
        clone = find_in_clones(info.url, roots, unquote(path), text)
        return messages.TeamFile(params.uri, text, info.commit, is_current=info.commit == commit, clone=clone)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            access, self._access = self._access, None
        if access is not None:
            access.close()

    def require(self) -> TeamAccess:
        """Return the access to the team that is joined now. Raises BadRequest where none is."""
        membership = read_membership()
        if membership is None:
            raise BadRequest("team", "none is joined; join one with: scry team join postgresql://HOST/DATABASE")
        with self._lock:
            before = self._access
            if before is not None and before.membership == membership:
                return before
            access = self._access = TeamAccess(membership)
        if before is not None:
            before.close()
        return access

    def _read(self, read: Callable[[TeamReader], T]) -> T:
        """Return what is read in one snapshot, in a thread of its own: a server that hangs is waited for no longer."""
        access, outcome = self.require(), Future[T]()

        def run() -> None:
            try:
                found = access.read(read)
            except BaseException as error:
                outcome.set_exception(error)
            else:
                outcome.set_result(found)

        threading.Thread(target=run, name="scry-team", daemon=True).start()
        try:
            return outcome.result(READ_TIMEOUT_S)
        except FutureTimeout as error:
            raise IndexUnavailable("the team's server does not answer") from error


def _find_with_graph(
    name_and_doc_id: tuple[str, str], reader: TeamReader
) -> tuple[TeamDocument, DocumentRelations | None]:
    """Return a document of the team with its relations. Raises BadRequest where there is none."""
    found = find_document(reader, *name_and_doc_id)
    return found, read_graph(found.document, found.index)


def _explain(
    reader: TeamReader,
    found: TeamDocument,
    question: SearchQuery | None,
    doc_id: str,
    learnt: Sequence[FindUsedPlaces] | None,
) -> WhyResult:
    """Return why a document has its rank: within its repository, by the ranks of oracles in the whole team."""
    info = found.index.info
    explanation, places, remark = None, list[ModeRank](), ""
    if question is not None:
        retrieved = retrieve_from_team(question, reader, encode_question, included=[info.repository_id], learnt=learnt)
        matches = rank_across_projects([each.retrieval for each in retrieved])
        at = [each.repository.repository_id for each in retrieved].index(info.repository_id)
        retrieval, own = retrieved[at].retrieval, matches[at]
        ranking = rank_candidates(retrieval.question, retrieval.reader, own)
        explanation = explain_document(found.keys, ranking, partial(_split_score, found.index))
        others = [each.retrieval.oracle_matches for each in retrieved if each.repository != info]
        explanation = _describe_ranks_in_team(explanation, info.name, others)
        rank = explanation.hit.rank if explanation.hit else None
        places.append(ModeRank("find", rank, explanation.ranked_count, explanation.absence))
        ranked = [each.ranked for each in rank_in_team(retrieved, matches, reader)]
        content_ids = [each.retrieval.content_ids for each in retrieved]
        other = find_replacement(explanation.document.doc_key, at, ranked, content_ids, question.limit)
        if other is not None:
            named = add_project(retrieved[other[0]].repository.name, other[1].document.doc_id)
            remark = f"the answer shows {named} instead, which has the same content and ranks better"
    if found.document.path and not NoteCorpus.owns(found.document.doc_key):
        places.append(ModeRank("orient", *rank_in_orient(found.document.path, view_repository(found.index))))
    structures = found.index.files.get_structures([found.document.path]) if found.document.path else {}
    target = ResolvedDocument(doc_id, "indexed", tuple(found.keys), path=found.document.path)
    structure = structures.get(found.document.path)
    state = repository_state(info)
    return WhyResult(target, None, new_query_id(), state, explanation, tuple(places), None, structure, remark)


def _describe_ranks_in_team(
    explanation: DocumentExplanation, name: str, others: Sequence[OracleMatches]
) -> DocumentExplanation:
    """Return an explanation that says of which oracles the rank is that in the repository alone: of those that have so
    many better matches in other repositories that the document is not among the team's first.

    others: the matches of the other repositories, ranked in each alone.
    """
    depth = explanation.scoring.depth
    hidden = [each for each in explanation.oracles if _is_beyond_depth_in_team(each, depth, others)]
    if not hidden:
        return explanation
    note = f"this is its rank in {name} alone; in the whole team it is not among the first {depth}"
    told = tuple(replace(each, note=note) if each in hidden else each for each in explanation.oracles)
    absence = explanation.absence
    if explanation.hit is None and not absence:
        best = min(hidden, key=lambda each: each.rank or 0)
        rank = format_ordinal(best.rank or 0)
        absence = f"{best.oracle} has it {rank} in {name} alone, not among the team's first {depth}"
    return replace(explanation, oracles=told, absence=absence)


def _is_beyond_depth_in_team(finding: OracleFinding, depth: int, others: Sequence[OracleMatches]) -> bool:
    """Return whether a document that its repository alone ranks within the depth is beyond it in the whole team."""
    rank, score = finding.rank or 0, finding.raw_score
    if finding.state != BEYOND_DEPTH or rank > depth or score is None:
        return False
    matches = [match for each in others for match in each.by_oracle.get(finding.oracle, ())]
    if finding.oracle in _RANKED_BY_SCORE:
        better = sum(match.raw_score > score for match in matches)
    else:
        better = sum(match.rank < rank for match in matches)
    return rank + better > depth


_RANKED_BY_SCORE = ("semantic", "lexical")
"""Oracles whose matches of all repositories are ranked by their scores, those of others by their ranks."""


def _copies_of(reader: TeamReader, index: RepositoryIndex, explained: WhyResult) -> TeamCopies | None:
    """Return the other repositories that hold the content of an explained document; None for none."""
    repository = index.info.repository_id
    if explained.explanation is None:
        return None
    key = explained.explanation.document.doc_key
    found = reader.read_copies({repository: [key]}).get((repository, key))
    return None if found is None else TeamCopies(found, reader.repositories)


def _split_score(index: RepositoryIndex, document: DocumentHeader, words: str) -> CosineAttribution | str:
    """Return the cosine of the question and a document, split by words, or why it can't be split."""
    if NoteCorpus.owns(document.doc_key):
        for note in index.notes.get_documents([document.doc_key]).values():
            passage = make_note_passage(note.symbol.name, note.symbol.doc)
            return attribute_cosine(load_bundled_model(), content_words(words), passage)
    text = index.files.get_text(document.path)
    if text is None or max(len(text), len(words)) > MAX_SPLIT_CHARACTERS:
        return "too long to be split by words"
    assigned = assign_doc_ids(document.path, parse(document.path, text))
    symbols = [symbol for doc_id, _, symbol in assigned if doc_id == document.doc_id]
    for passage in make_passages(document.path, symbols):
        return attribute_cosine(load_bundled_model(), content_words(words), passage)
    return "read by another version of Scry, so that its score can't be split by words"
