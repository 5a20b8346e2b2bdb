"""Find: where is X? The steps from a planned question to an answer in the domain's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, structs
from msgspec.structs import replace

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import is_knowledge
from scry.core.text import split_source_lines
from scry.core.types import Answer, Candidate, Document, Hit, IndexState, SearchQuery, FusionScoring, FileStructure, OracleMatch
from scry.embedding.embedder import Vectors
from scry.engine import fuse
from scry.engine.adjust import rank_with_boosts
from scry.engine.consult import OracleVotes, consult_oracles
from scry.engine.diversity import count_hidden_repeats, add_hidden_counts
from scry.engine.query_id import new_query_id
from scry.engine.rules import max_boost
from scry.engine.scope import allows_commits, filtered_file_ids, knowledge_filters
from scry.engine.snippet import make_snippet
from scry.oracles import ORACLES
from scry.oracles.oracle import RETRIEVAL_DEPTH, Oracle, OracleReader
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore
from scry.store.shelves import NoteStores
from scry.store.vector_sets import EmbedderInfo

BASE_ORACLE_WEIGHTS = {oracle.name: oracle.weight for oracle in ORACLES}
"""Each oracle's weight in fusion, in the order in which terms are summed."""


def return_none() -> None:
    return None


def find(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    state: IndexState,
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = return_none,
    knowledge: Callable[[], NoteStores | None] = return_none,
) -> Answer:
    """The answer to a question from what is indexed. Raises Cancelled when nobody waits any more.

    encode: see oracles.oracle.Reader. history: gives it as of now; may raise IndexUnavailable. knowledge: likewise,
    None where there is none.
    """
    return build_answer(retrieve(question, store, encode, cancelled, history, knowledge), state)


class Retrieval(Struct, frozen=True):
    """What the oracles say to a question, before it is weighed. reader: what they read."""

    question: SearchQuery
    reader: OracleReader
    oracle_votes: OracleVotes


class RetrievalResult(Struct, frozen=True):
    """The first half of a find. state: of the index, just before. ballot: None while there is no index."""

    question: SearchQuery
    state: IndexState
    retrieval: Retrieval | None


def retrieve(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = return_none,
    knowledge: Callable[[], NoteStores | None] = return_none,
) -> Retrieval:
    """Asks every oracle. Arguments and errors as of `find`."""
    store.refresh()
    reader = _make_reader(question, store, encode, history, knowledge())
    return Retrieval(question, reader, consult_oracles(ORACLES, question, reader, cancelled))


def build_answer(retrieval: Retrieval, state: IndexState) -> Answer:
    """The answer that follows from what the oracles said."""
    question = retrieval.question
    ranking = rank_candidates(question, retrieval.reader, _drop_unreachable(retrieval), question.limit)
    best = [candidate for candidate in ranking.ranked if candidate.fused_score >= question.min_score][: question.limit]
    held_back = count_hidden_repeats(ranking.ranked, best, question)
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=ranking.scoring,
        index=state,
        hits=add_hidden_counts(make_hits(best, question, ranking.reader), held_back),
        faults=ranking.oracle_votes.faults,
    )


def _drop_unreachable(retrieval: Retrieval) -> OracleVotes:
    """What was said of all that an answer can show."""
    question, evidence = retrieval.question, retrieval.oracle_votes
    if question.phrases:  # an exact text may leave out what leads
        return evidence
    return replace(evidence, votes=fuse.drop_unreachable_notes(evidence.votes, question.weights, question.limit))


class Ranking(Struct, frozen=True):
    """All that was found for a question, before it is cut to an answer.

    candidates: with the votes for them, as yet unadjusted. ranked: the same with their adjustments, best first.
    """

    question: SearchQuery
    reader: OracleReader
    oracle_votes: OracleVotes
    scoring: FusionScoring
    candidates: Sequence[Candidate]
    ranked: Sequence[Candidate]


def retrieve_and_rank(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = return_none,
    knowledge: Callable[[], NoteStores | None] = return_none,
    limit: int | None = None,
) -> Ranking:
    """Asks, fuses and adjusts: all that decides an order. Arguments and errors as of `find`.

    limit: how many places are asked for; below them candidates may be missing from `ranked`. None for all.
    """
    ballot = retrieve(question, store, encode, cancelled, history, knowledge)
    return rank_candidates(question, ballot.reader, ballot.oracle_votes, limit)


def rank_candidates(question: SearchQuery, reader: OracleReader, oracle_votes: OracleVotes, limit: int | None = None) -> Ranking:
    """The ranking that follows from what the oracles said, by the question's own weights. limit: as of `rank`."""
    stem = reader.store.lexical.stem
    numbers = list(dict.fromkeys(vote.doc_key for cast in oracle_votes.votes.values() for vote in cast))
    gathered = fuse.fuse_votes(oracle_votes.votes, reader.headers(numbers), question.weights)
    candidates = filter_exact_phrases(gathered, question, reader)
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    ranked = rank_with_boosts(candidates, question, top, stem, limit)
    return Ranking(question, reader, oracle_votes, FusionScoring(fuse.RRF_K, question.weights, top, RETRIEVAL_DEPTH), candidates, ranked)


def _make_reader(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    history: Callable[[], HistoryReader | None],
    knowledge: NoteStores | None,
) -> OracleReader:
    """A history that can't be read costs what it would have told; the temporal oracle says so."""
    opened, trouble = None, ""
    try:
        opened = history()
    except IndexUnavailable as error:
        trouble = str(error)
    return OracleReader(
        store,
        filtered_file_ids(question, store),
        encode,
        opened,
        allows_commits(question),
        trouble,
        knowledge,
        knowledge_filters(question),
    )


def filter_exact_phrases(candidates: Sequence[Candidate], question: SearchQuery, reader: OracleReader) -> list[Candidate]:
    """Those whose lines, or whose path or name, hold every quoted text as it was written."""
    if not question.phrases:
        return list(candidates)
    documents = reader.get_documents([candidate.document.doc_key for candidate in candidates], with_descriptions=False)
    texts: dict[str, list[str]] = {}
    return [
        c for c in candidates if _contains_phrases(documents[c.document.doc_key], question.phrases, reader.store, texts)
    ]


def _contains_phrases(document: Document, phrases: Sequence[str], store: IndexStore, texts: dict[str, list[str]]) -> bool:
    if document.content_type == "commit" or is_knowledge(document.doc_key):
        return all(phrase in f"{document.symbol.name}\n{document.symbol.doc}" for phrase in phrases)
    if document.path not in texts:
        texts[document.path] = split_source_lines(store.get_text(document.path) or "")
    span = document.symbol.span
    passage = "\n".join(texts[document.path][span.start.line : span.end.line + 1])
    return all(phrase in passage or phrase in document.doc_id for phrase in phrases)


def empty_answer(question: SearchQuery, state: IndexState) -> Answer:
    """The answer while there is no index: nothing but its state, and how it would have been scored."""
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    return Answer(question, new_query_id(), FusionScoring(fuse.RRF_K, question.weights, top), state, ())


def make_hits(best: Sequence[Candidate], question: SearchQuery, reader: OracleReader) -> tuple[Hit, ...]:
    """These candidates as results, in their order, with all that a person sees of them."""
    documents = reader.get_documents([candidate.document.doc_key for candidate in best])
    structures = _read_structures(sorted({candidate.document.path for candidate in best} - {""}), reader)
    matched = {oracle.name: oracle.matched_terms(question, reader, _voted_doc_keys(best, oracle)) for oracle in ORACLES}
    shown = [candidate for candidate in best if candidate.document.doc_key in documents]
    return tuple(
        Hit(
            rank,
            structs.replace(candidate, votes=_add_matches(candidate, matched)),
            documents[candidate.document.doc_key],
            structures.get(candidate.document.path),
            _read_snippet(documents[candidate.document.doc_key], reader.store),
        )
        for rank, candidate in enumerate(shown, 1)
    )


def _read_structures(paths: Sequence[str], reader: OracleReader) -> dict[str, FileStructure]:
    """What the code around these files says of them, and how much they changed of late."""
    found = reader.store.get_structures(paths)
    levels = reader.activity_levels(paths)
    return {path: structs.replace(found.get(path, FileStructure()), activity_level=levels.get(path)) for path in paths}


def _voted_doc_keys(best: Sequence[Candidate], oracle: Oracle) -> list[int]:
    return [candidate.document.doc_key for candidate in best if oracle.name in candidate.votes]


def _add_matches(candidate: Candidate, matched: Mapping[str, Mapping[int, tuple[str, ...]]]) -> dict[str, OracleMatch]:
    number = candidate.document.doc_key
    return {
        name: structs.replace(vote, matches=matched[name].get(number, vote.matches))
        for name, vote in candidate.votes.items()
    }


def _read_snippet(document: Document, store: IndexStore) -> str:
    needs_text = document.symbol.kind in ("section", "text")
    return make_snippet(document, store.get_text(document.path) if needs_text else None)
