"""Retrieve the documents whose vectors are nearest to that of a query.

Reads the vectors of code, documents and notes; silent where no document is near. Commits have no vectors.

The raw score is the cosine of the query's and the document's vectors, from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scry.core.errors import IndexUnavailable, ModelUnavailable
from scry.core.text import format_down, search_text
from scry.core.types import Candidate, DocumentHeader, OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.oracles.oracle import (
    Oracle,
    RankLookup,
    ScoreScale,
    count_better,
    min_score_in_depth,
    rank_in_scores,
    rank_notes_among_others,
)
from scry.oracles.reader import RETRIEVAL_DEPTH, OracleReader, ScoredKeys
from scry.store.notes.reader import NoteStores
from scry.store.vector_sets import EmbedderInfo, EmbedderMismatch

WEIGHT = 1.8
"""Above the lexical oracle's 1.0: where a query shares no word with its answer, every match by words is wrong
(docs/decisions.md, 49). By leave-one-language-out, together with the temporal oracle's, for the bundled model (112)."""

SCORE_TYPE = "cosine"

MIN_COSINE = 0.15
"""Least cosine of a match: of the held-out questions one right answer in fifty lies below, and a quarter of the other
definitions of the package above (docs/decisions.md, 32 and 112). Other models have other ranges (with some, all texts
lie above 0.7): there this cuts little, and RETRIEVAL_DEPTH does."""

_NEAREST_MARGIN = 56


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Return matches by cosine, equal ones in the order of doc_id. Raises ModelUnavailable."""
    try:
        near = _find_nearest(question, reader)
    except EmbedderMismatch:  # another model's vectors took over while the query was encoded
        near = _find_nearest(question, reader)
    ranked = reader.sort_by_score(near)
    matches = [
        OracleMatch(doc_key, rank, -negated, SCORE_TYPE)
        for rank, (negated, _, doc_key) in enumerate(ranked[:RETRIEVAL_DEPTH], 1)
    ]
    if reader.notes.stores is not None:
        matches += _match_notes(question, [-negated for negated, _, _ in ranked], reader, reader.notes.stores)
    return tuple(matches)


def _find_nearest(question: SearchQuery, reader: OracleReader) -> ScoredKeys:
    """Return the code and documents above MIN_COSINE to RETRIEVAL_DEPTH, and all that equal the last one."""
    encoded = reader.query_vector(question)
    if encoded is None:
        return []
    embedder, vector = encoded
    limit = RETRIEVAL_DEPTH + _NEAREST_MARGIN
    while True:
        near = reader.code.store.vectors.nearest(embedder.identity, vector, limit, reader.code.left)
        above = [(doc_key, cosine) for doc_key, cosine in near if cosine >= MIN_COSINE]
        headers = reader.headers([doc_key for doc_key, _ in above])
        existing = [cosine for doc_key, cosine in above if doc_key in headers]
        if len(above) < limit or (len(existing) >= RETRIEVAL_DEPTH and existing[-1] < existing[RETRIEVAL_DEPTH - 1]):
            return above
        limit *= 4  # many of the nearest belong to deleted documents, or are equal


def _match_notes(
    question: SearchQuery, cosines: Sequence[float], reader: OracleReader, stores: NoteStores
) -> list[OracleMatch]:
    """Return notes ranked among code and documents. cosines: of code and documents, best first."""
    encoded = reader.query_vector(question)
    if encoded is None:
        return []
    near = stores.search_vectors(encoded[0].identity, encoded[1], reader.notes.filters)
    scored = near.with_min_score(max(MIN_COSINE, min_score_in_depth(cosines)))
    return rank_notes_among_others(scored, cosines, SCORE_TYPE, stores)


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Return the rank of a document by cosine: a note's among code and documents."""
    words, embedder = search_text(question), reader.code.store.vectors.embedder
    corpus = reader.corpus_of(document.doc_key)
    if not words:
        return RankLookup(note="the question has no words to compare")
    if corpus is reader.commits:
        return RankLookup(note="commits have no vectors")
    if embedder is None:
        return RankLookup(note="there are no vectors yet")
    _, vector = reader.query_vector(question) or (embedder, reader.encode_query(embedder, words))
    if corpus is reader.notes:
        return _lookup_note_rank(embedder, vector, reader, document)
    cosine = reader.code.store.vectors.cosine_of(embedder.identity, vector, document.doc_key)
    if cosine is None or cosine < MIN_COSINE:
        return RankLookup(note=_explain_no_match(cosine))
    nearer = reader.code.store.vectors.above_cosine(embedder.identity, vector, cosine, reader.code.left)
    return RankLookup(rank_in_scores(document, cosine, nearer, reader), cosine)


def _lookup_note_rank(
    embedder: EmbedderInfo, vector: Vectors, reader: OracleReader, document: DocumentHeader
) -> RankLookup:
    stores = reader.notes.stores
    scored = stores.search_vectors(embedder.identity, vector, reader.notes.filters) if stores else None
    cosine = scored.score_of(document.doc_key) if scored else None
    if scored is None or cosine is None or cosine < MIN_COSINE:
        return RankLookup(note=_explain_no_match(cosine))
    nearer = reader.code.store.vectors.above_cosine(embedder.identity, vector, cosine, reader.code.left)
    among_notes = rank_in_scores(document, cosine, scored.with_min_score(cosine).as_pairs(), reader)
    return RankLookup(count_better(cosine, nearer, reader) + among_notes, cosine)


def _explain_no_match(cosine: float | None) -> str:
    """Return why a document does not match by its vector, for a person."""
    if cosine is None:
        return "it has no vector yet"
    return f"its cosine of {format_down(cosine)} lies below the floor of {MIN_COSINE}"


def compare_files(question: SearchQuery, reader: OracleReader, candidates: Sequence[Candidate]) -> Mapping[str, float]:
    """Return the cosines of the candidates' files with the query, by path; none for a query that gives this oracle no
    weight.
    """
    if not question.weights.get(ORACLE.name):
        return {}
    paths = dict.fromkeys([each.document.path for each in candidates if each.document.path])
    try:
        encoded = reader.query_vector(question)
        return reader.code.store.vectors.file_cosines(encoded[0].identity, encoded[1], list(paths)) if encoded else {}
    except (ModelUnavailable, IndexUnavailable):  # this oracle's consultation reports it
        return {}


def score_scale(_question: SearchQuery, reader: OracleReader) -> ScoreScale | None:
    """Return the scale of cosines, which compare as they are where the embedder is the same; None without vectors."""
    embedder = reader.code.store.vectors.embedder
    return ScoreScale(embedder.identity) if embedder is not None else None


ORACLE = Oracle("semantic", "sem", "Semantic", WEIGHT, SCORE_TYPE, consult, lookup_rank, score_scale=score_scale)
