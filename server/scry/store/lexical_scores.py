"""Compute scores of a tantivy index in double precision, where those of tantivy leave open how they round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import tantivy

from scry.core.decoding import decode_json
from scry.store.bm25 import BM25_UNIT, length_norms, read_frequencies, round_lengths
from scry.store.lexical_statistics import Explained, Snapshot

TermQuery = Callable[[str, str], tantivy.Query]
"""Returns the query for a stem, and what of it is read ("freq": how often documents hold it)."""


def compute_scores(
    snapshot: Snapshot,
    stems: Mapping[str, int],
    addresses: Sequence[tantivy.DocAddress],
    term_query: TermQuery,
    documents_query: Callable[[Sequence[int]], tantivy.Query],
) -> list[float]:
    """Return the rounded BM25 of these documents.

    Frequencies follow from tantivy's score for each term alone, and lengths are stored. Where a frequency is not
    certain, tantivy explains the score, which takes several times as long. stems: how many terms each stands for; their
    statistics are read. documents_query: returns the query for documents by their keys.
    """
    searcher = snapshot.searcher
    doc_keys = [int(each or 0) for each in searcher.fast_field_values("number", list(addresses))]
    stored = [int(each or 0) for each in searcher.fast_field_values("length", list(addresses))]
    lengths, rows = round_lengths(np.array(stored, np.int64)), dict(zip(doc_keys, range(len(doc_keys)), strict=True))
    norms, counted_norms = [length_norms(lengths, each) for each in (snapshot.average, snapshot.counted_average)]
    wanted = documents_query(doc_keys)
    scores, is_certain = np.zeros(len(doc_keys)), np.ones(len(doc_keys), np.bool_)
    for stem, times in stems.items():
        known, query = snapshot.terms[stem], restrict_query(term_query(stem, "freq"), wanted)
        hits = searcher.search(query, len(doc_keys), count=False).hits if known.living else []
        if not hits:
            continue
        holding = searcher.fast_field_values("number", [address for _, address in hits])
        own = np.array([rows[int(each or 0)] for each in holding], np.intp)
        counted = np.array([score for score, _ in hits], np.float64)
        frequencies, is_read = read_frequencies(counted, known.weight / known.boost, counted_norms[own])
        is_certain[own] &= is_read
        scores[own] += times * known.weight * frequencies / (frequencies + norms[own])
    rounded: list[float] = (np.rint(scores * BM25_UNIT) / BM25_UNIT).tolist()
    uncertain: list[int] = np.flatnonzero(~is_certain).tolist()
    for row in uncertain:
        rounded[row] = explain_score(snapshot, stems, addresses[row], term_query)
    return rounded


def explain_score(
    snapshot: Snapshot, stems: Mapping[str, int], address: tantivy.DocAddress, term_query: TermQuery
) -> float:
    """Return the rounded BM25 of one document from the frequencies and the length that tantivy names. See
    `compute_scores`.

    Each stem is boosted by its number, by which the parts of the explanation are told apart.
    """
    numbered = list(enumerate(stems.items(), 1))
    boosted = [tantivy.Query.boost_query(term_query(stem, "freq"), float(number)) for number, (stem, _) in numbered]
    query = tantivy.Query.boolean_query([(tantivy.Occur.Should, each) for each in boosted])
    explained = decode_json(query.explain(snapshot.searcher, address).to_json(), Explained)
    clauses = {clause.description: clause.details[0] for clause in explained.details}
    score = 0.0
    for number, (stem, times) in numbered:
        clause = clauses.get(f"Boost x{number} of ...")
        if clause is not None:
            frequency, _, _, length, _ = [part.value for part in clause.details[2].details]
            norm = float(length_norms(np.array([length], np.int64), snapshot.average)[0])
            score += times * snapshot.terms[stem].weight * frequency / (frequency + norm)
    return round(score * BM25_UNIT) / BM25_UNIT


def restrict_query(query: tantivy.Query, allowed: tantivy.Query) -> tantivy.Query:
    """Return a query for what both find, scored by the first."""
    silent = tantivy.Query.const_score_query(allowed, 0.0)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, silent)])
