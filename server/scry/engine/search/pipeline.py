"""Answer a find: consult the oracles, fuse and boost their matches, and turn the best into results.

`retrieve` is the first half, `build_answer` the second: across several projects, the matches of all are ranked together
between the two (engine.federation.rank_merge).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from scry.core.doc_id import new_query_id
from scry.core.errors import Cancelled, IndexUnavailable, ScryError
from scry.core.notices import Notice
from scry.core.settings import BUNDLED_MODEL
from scry.core.text import query_terms
from scry.core.types import (
    Answer,
    Candidate,
    FileEvidence,
    FusionScoring,
    IndexState,
    OracleFault,
    OracleMatch,
    SearchQuery,
)
from scry.embedding.embedder import Vectors
from scry.engine.search.boosts import RRF_K, max_boost
from scry.engine.search.fusion import drop_unreachable, fuse_matches, fused_score_ceiling, rank_with_boosts
from scry.engine.search.query import COMMIT_QUESTION_WORDS, FileRow, FilteredDocuments, apply_filters
from scry.engine.search.results import filter_confident, find_hidden_repeats, make_hits
from scry.oracles import ORACLES
from scry.oracles.lexical import WordsOfFiles
from scry.oracles.reader import RETRIEVAL_DEPTH, CodeCorpus, CommitCorpus, FindUsedPlaces, NoteCorpus, OracleReader
from scry.oracles.semantic import compare_files
from scry.oracles.temporal import count_past_changes
from scry.store.bm25 import BM25_K1
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.notes.reader import NoteStores
from scry.store.selection import FileSelection
from scry.store.sqlite.database import describe_damage_error
from scry.store.vector_sets import EmbedderInfo

BASE_ORACLE_WEIGHTS = {oracle.name: oracle.weight for oracle in ORACLES}
"""Each oracle's weight in fusion, in the order in which terms are summed."""

_log = logging.getLogger(__name__)


class OracleMatches(Struct, frozen=True):
    """The matches of all oracles, by oracle name, and the oracles that failed."""

    by_oracle: Mapping[str, Sequence[OracleMatch]]
    faults: tuple[OracleFault, ...]


class Retrieval(Struct, frozen=True):
    """The oracles' matches for a query, before fusion.

    reader: what the oracles read. content_ids: of a team's repository, what identifies the content of each match that
    another repository has, too, by doc_key.
    """

    question: SearchQuery
    reader: OracleReader
    oracle_matches: OracleMatches
    content_ids: Mapping[int, Hashable] = MappingProxyType({})


class RetrievalResult(Struct, frozen=True):
    """The first half of a find. state: of the index, just before.

    retrieval: None while there is no index, and where `faults` says why it can't be read.
    """

    question: SearchQuery
    state: IndexState
    retrieval: Retrieval | None
    faults: tuple[OracleFault, ...] = ()


class Ranking(Struct, frozen=True):
    """The ranking of all matches of a query, before the answer is cut to its limit.

    candidates: with their matches, not yet adjusted. ranked: the same with their adjustments, best first.
    """

    question: SearchQuery
    reader: OracleReader
    oracle_matches: OracleMatches
    scoring: FusionScoring
    candidates: Sequence[Candidate]
    ranked: Sequence[Candidate]
    file_evidence: FileEvidence


# Filters --------------------------------------------------------------------------------------------------------------


_SELECTIONS_KEPT = 4
"""Selections of files that a project keeps; each takes a byte for each document."""


class FilterCache:
    """The files that the last filters left, until the project's files change. May be called from any thread.

    A person types on behind the same filter, and a folder that another project answers for stays the same: without this
    each question would look at every file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[_KeptSelection] = []

    def apply(
        self, question: SearchQuery, store: IndexStore, answered_by: Container[str] = ()
    ) -> tuple[FilteredDocuments, FileSelection | None]:
        """Return what the filters leave, and the selection of its files; None where no file is left out.

        answered_by: as of `apply_filters`; it must be the same object as long as it holds the same.
        """
        answered_by = answered_by or ()
        filters = question.filters, question.content_types, question.source, question.domains, question.phrases
        if not (answered_by or any(filters)):
            return FilteredDocuments(), None
        files = store.files.indexed_files()  # the same object until they change
        with self._lock:
            for kept in self._kept:
                if kept.files is files and kept.filters == filters and kept.answered_by is answered_by:
                    return kept.left, kept.selection
        left = _leave_phrases(apply_filters(question, lambda: files, answered_by), question, store)
        selection = None if left.file_ids is None else store.documents.select_files(left.file_ids)
        with self._lock:
            others = [kept for kept in self._kept if kept.files is files][: _SELECTIONS_KEPT - 1]
            self._kept = [_KeptSelection(files, filters, answered_by, left, selection), *others]
        return left, selection


def _leave_phrases(left: FilteredDocuments, question: SearchQuery, store: IndexStore) -> FilteredDocuments:
    """Return what filters leave, without the files that surely do not hold the quoted texts."""
    if not question.phrases:
        return left
    from scry.engine.search.phrases import find_phrase_files

    holding = find_phrase_files(question, store)
    left = replace(left, sought_in_best=holding.sought_in_best)
    if holding.ids is None:
        return left
    allowed = holding.ids if left.file_ids is None else set(left.file_ids).intersection(holding.ids)
    return replace(left, file_ids=tuple(sorted(allowed)))


class _KeptSelection(Struct, frozen=True, eq=False):
    """What filters leave of these files."""

    files: Sequence[FileRow]
    filters: tuple[object, ...]
    answered_by: Container[str]
    left: FilteredDocuments
    selection: FileSelection | None


# Retrieval ------------------------------------------------------------------------------------------------------------


def retrieve(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool] | None,
    history: Callable[[], HistoryReader | None],
    knowledge: Callable[[], NoteStores | None],
    learnt: FindUsedPlaces | None = None,
    filters: FilterCache | None = None,
    answered_by: Mapping[str, str] = MappingProxyType({}),
) -> Retrieval:
    """Consult every oracle on the index as it is published now. Raises Cancelled when nobody waits any more.

    encode: see OracleReader. cancelled: None for a query that nobody can withdraw. history: returns the history as of
    now; may raise IndexUnavailable, which costs only what the history would have added and is reported by the temporal
    oracle. knowledge: returns the note stores, None where all are empty. learnt: see OracleReader; the oracle of use
    takes part where it has matches. filters: keeps what filters leave, for the next questions. answered_by: see
    RequestContext; these files are left out.
    """
    store.refresh()
    left, selection = (filters or FilterCache()).apply(question, store, answered_by)
    notes = NoteCorpus(knowledge(), left.notes)
    try:
        commits = CommitCorpus(history(), left.has_commits)
    except IndexUnavailable as error:
        commits = CommitCorpus(None, left.has_commits, str(error))
    code = CodeCorpus(store, selection, answered_by, left.sought_in_best)
    reader = OracleReader(code, commits, notes, encode, learnt)
    matches = consult_oracles(question, reader, cancelled)
    return Retrieval(weigh_use(question) if "use" in matches.by_oracle else question, reader, matches)


def weigh_use(question: SearchQuery) -> SearchQuery:
    """Return a question in whose answer the oracle of use takes part, with its weight."""
    from scry.oracles.use import WEIGHT

    return replace(question, weights={**question.weights, "use": WEIGHT * question.use_factor})


def consult_oracles(
    question: SearchQuery,
    reader: OracleReader,
    cancelled: Callable[[], bool] | None,
    known: Mapping[str, Callable[[], tuple[OracleMatch, ...]]] = MappingProxyType({}),
) -> OracleMatches:
    """Return every oracle's matches; an oracle that fails is reported and costs only its own (F3). Raises Cancelled.

    known: by name, what returns the matches of an oracle instead of itself.
    """
    by_oracle: dict[str, tuple[OracleMatch, ...]] = {}
    faults: list[OracleFault] = []
    oracles = ORACLES
    if reader.learnt is not None:
        from scry.oracles.use import ORACLE  # only where something was learnt

        oracles = (*ORACLES, ORACLE)
    for oracle in oracles:
        if cancelled is not None and cancelled():
            raise Cancelled("the question was withdrawn")
        if oracle.notes_only and reader.notes.stores is None:
            by_oracle[oracle.name] = ()
            continue
        try:
            own = known.get(oracle.name)
            by_oracle[oracle.name] = oracle.consult(question, reader) if own is None else own()
        except Exception as error:  # whatever an oracle raises, the others answer
            is_told = isinstance(error, ScryError)
            _log.warning("oracle %s failed: %s", oracle.name, error, exc_info=not is_told)
            message = str(error) if is_told else f"{type(error).__name__}: {error}"
            faults.append(OracleFault(oracle.name, message, describe_damage_error(error)))
    if not by_oracle.get("use"):
        by_oracle.pop("use", None)
    return OracleMatches(by_oracle, tuple(faults))


# Ranking --------------------------------------------------------------------------------------------------------------


def rank_candidates(
    question: SearchQuery,
    reader: OracleReader,
    oracle_matches: OracleMatches,
    limit: int | None = None,
    min_score: float = 0.0,
) -> Ranking:
    """Return the ranking of the oracles' matches by the query's weights.

    limit: only so many places are needed; candidates below them may be missing from `ranked`. None for all.
    min_score: only places of this score are needed; candidates below it may be missing, too.
    """
    doc_keys = [match.doc_key for matches in oracle_matches.by_oracle.values() for match in matches]
    fused = fuse_matches(oracle_matches.by_oracle, reader.headers(list(dict.fromkeys(doc_keys))), question.weights)
    candidates = filter_exact_phrases(fused, question, reader) if question.phrases else fused
    scoring = _scoring_of(question, reader.code)
    held = WordsOfFiles(question, reader, candidates, scoring.term_weights)
    evidence = FileEvidence(
        count_past_changes(question, reader),
        compare_files(question, reader, candidates),
        held.words,
        held.identifiers,
        held.look_up,
        highest_bm25=sum(scoring.term_weights.values()) * (BM25_K1 + 1),
    )
    stem, ceiling = reader.code.store.lexical.stem, scoring.ceiling
    if not question.prefix:
        ranked = rank_with_boosts(candidates, question, ceiling, stem, limit, evidence, min_score)
        return Ranking(question, reader, oracle_matches, scoring, candidates, ranked, evidence)
    from scry.engine.search.completion import find_prefix_matches, rank_prefix_matches  # only while one types

    added = find_prefix_matches(question, reader, oracle_matches)
    ranked = rank_with_boosts(candidates, question, ceiling, stem, None if added else limit, evidence)
    ranking = Ranking(question, reader, oracle_matches, scoring, candidates, ranked, evidence)
    return rank_prefix_matches(ranking, added, limit) if added else ranking


def filter_exact_phrases(
    candidates: Sequence[Candidate], question: SearchQuery, reader: OracleReader
) -> list[Candidate]:
    """Return the candidates whose text, path or name holds every quoted phrase as written."""
    documents = reader.get_documents([candidate.document.doc_key for candidate in candidates], with_descriptions=False)
    matching: list[Candidate] = []
    for candidate in candidates:
        doc_key = candidate.document.doc_key
        texts = reader.corpus_of(doc_key).quotable_texts(documents[doc_key])
        if all(any(phrase in text for text in texts) for phrase in question.phrases):
            matching.append(candidate)
    return matching


def _scoring_of(question: SearchQuery, code: CodeCorpus | None = None) -> FusionScoring:
    """Return how results of a query are scored. code: weighs its words; None while there is no index.

    A word weighs its inverse document frequency in code and documents, as in BM25. A word that occurs nowhere weighs
    most.
    """
    ceiling = fused_score_ceiling(question.weights, max_boost(question))
    if code is None:
        return FusionScoring(RRF_K, question.weights, ceiling, RETRIEVAL_DEPTH, exponents=question.strengths)
    index, embedder = code.store.lexical, code.store.vectors.embedder
    terms = query_terms(question)
    if question.asks_for_commits:
        terms = [term for term in terms if term not in COMMIT_QUESTION_WORDS] or terms
    term_weights = {term: index.inverse_document_frequency(index.stem(term)) for term in terms}
    is_calibrated = embedder is not None and embedder.model == BUNDLED_MODEL
    return FusionScoring(
        RRF_K,
        question.weights,
        ceiling,
        RETRIEVAL_DEPTH,
        term_weights,
        is_calibrated,
        question.prefix,
        question.strengths,
    )


# Answers --------------------------------------------------------------------------------------------------------------


def build_answer(retrieval: Retrieval, state: IndexState) -> Answer:
    """Return the answer that follows from the oracles' matches."""
    question, oracle_matches, notes = retrieval.question, retrieval.oracle_matches, retrieval.reader.notes
    if notes.stores is not None and not question.phrases:  # a phrase may leave out what leads
        by_oracle = drop_unreachable(oracle_matches.by_oracle, question.weights, question.limit, notes.keys)
        oracle_matches = OracleMatches(by_oracle, oracle_matches.faults)
    is_bounded = question.min_score > 0
    ranking = rank_candidates(question, retrieval.reader, oracle_matches, None if is_bounded else question.limit)
    reader, scoring, ranked = ranking.reader, ranking.scoring, ranking.ranked
    best = (filter_confident(ranked, question, reader, scoring) if is_bounded else ranked)[: question.limit]
    hits = make_hits(best, question, reader, scoring, find_hidden_repeats(ranked, best))
    notices: tuple[Notice, ...] = ()
    seen = [term for hit in hits for match in hit.candidate.oracle_matches.values() for term in match.matches]
    index, unseen = reader.code.store.lexical, frozenset(query_terms(question)).difference(seen)
    are_known = [index.document_frequency(term) > 0 for term in unseen]
    if question.filters or question.unknown_filters or question.phrases or not all(are_known):
        from scry.engine.search.unmatched import unmatched_notices

        notices = unmatched_notices(question, reader, hits, state)
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=scoring,
        index=state,
        hits=hits,
        faults=oracle_matches.faults,
        notices=notices,
    )


def empty_answer(question: SearchQuery, state: IndexState) -> Answer:
    """Return the answer while there is no index: its state, and how results would be scored."""
    return Answer(question, new_query_id(), _scoring_of(question), state, ())
