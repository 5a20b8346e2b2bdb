"""Complete the last word of a query that is being typed into a picker, or match it as a prefix too.

A word that occurs nowhere is completed to the word of most documents that begins with it. The answer is that of the
completed query, so that it is explained, logged and asked again as such.

A word that occurs also matches the words that begin with it. Documents that hold such a word, but not the typed one,
get a lexical match at the rank where their BM25 would stand, and are lowered by the adjustment `prefix`: no document
that holds the typed word stands lower because of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from scry.core.errors import IndexUnavailable
from scry.core.text import find_identifiers, query_terms, tokenize
from scry.core.types import Adjustment, Answer, Candidate, DocumentHeader, FileEvidence, OracleMatch, SearchQuery
from scry.engine.context import FindRequest
from scry.engine.notices import LastWordCompleted, LastWordIsPrefix
from scry.engine.search.boosts import BoostRules
from scry.engine.search.fusion import (
    ScoreAdjuster,
    apply_adjustments,
    fuse_matches,
    order_by_rank_sum,
    order_by_score,
)
from scry.engine.search.pipeline import (
    OracleMatches,
    Ranking,
    Retrieval,
    filter_exact_phrases,
    rank_candidates,
)
from scry.oracles.lexical import MAX_PREFIX_TERMS, ORACLE, SCORE_TYPE, prefix_terms
from scry.oracles.reader import RETRIEVAL_DEPTH, OracleReader, min_matching_terms
from scry.store.index.store import IndexStore
from scry.store.lexical import STEM_MARK

MIN_PREFIX = 3
"""Fewer letters begin too many words."""

MAX_CUT = 4
"""Letters by which a prefix may be longer than the stem that the index holds: `initializ` finds `initi`."""

MAX_DOCUMENTS = 30
"""Documents in whose text the word is looked for: those in which few words begin like this are enough."""

PREFIX_FACTOR = 0.8
"""Highest factor of a document that holds only the beginning of a word: it is less than the word itself."""

LEXICAL = ORACLE.name

PREFIX = "prefix"
"""The name of the adjustment."""

_BELOW = 1 - 1e-6
"""Factor that puts a score just below another one."""


# The request ----------------------------------------------------------------------------------------------------------


def complete_last_word(request: FindRequest, stores: Sequence[IndexStore]) -> FindRequest:
    """Return the request with its last word completed, or with it as `prefix`; as it is where neither is possible.

    A word that is followed by a blank, stands in open quotes or is part of a filter or a name is left as it is.
    stores: of the projects that are searched.
    """
    words = request.query.split()
    prefix = words[-1].lower() if words else ""
    is_word = prefix.isascii() and prefix.isalpha() and len(prefix) >= MIN_PREFIX and request.query.endswith(words[-1])
    if not is_word or request.query.count('"') % 2:
        return request
    try:
        if any(store.lexical.document_frequency(prefix) for store in stores):
            is_prefix = any(prefix_terms(prefix, store.lexical) for store in stores)
            return replace(request, prefix=prefix) if is_prefix else request
        frequencies: dict[str, int] = {}
        for store in stores:
            for word in frozenset(_words_that_begin_with(prefix, store)):
                frequencies[word] = frequencies.get(word, 0) + store.lexical.document_frequency(word)
    except IndexUnavailable:  # the search reports it
        return request
    if not frequencies:
        return request
    best = min(frequencies, key=lambda word: (-frequencies[word], len(word), word))
    return replace(request, query=request.query[: -len(prefix)] + best)


def _words_that_begin_with(prefix: str, store: IndexStore) -> Iterator[str]:
    """Yield words of documents that hold a stem with this beginning, or else with a slightly shorter one."""
    for length in range(len(prefix), max(MIN_PREFIX, len(prefix) - MAX_CUT) - 1, -1):
        stems = store.lexical.stems_by_prefix(prefix[:length])[:MAX_PREFIX_TERMS]
        matching = store.lexical.search([STEM_MARK + stem for stem in stems], MAX_DOCUMENTS) if stems else []
        headers = store.documents.headers([doc_key for doc_key, _ in matching])
        found = False
        for path in sorted({header.path for header in headers.values()}):
            runs = set(find_identifiers(f"{path} {store.files.get_text(path) or ''}"))
            holding = [run for run in runs if not run.isascii() or prefix in run.replace("_", "").lower()]
            for word in set(tokenize(" ".join(holding))):
                if word.startswith(prefix):
                    found = True
                    yield word
        if found:
            return


def add_completion_notice(answer: Answer, typed: FindRequest, completed: FindRequest) -> Answer:
    """Return the answer with a notice of how its last word was taken, if it has results that are due to that."""
    if completed.query != typed.query and answer.hits:
        notice = LastWordCompleted(typed.query.split()[-1], completed.query.split()[-1])
        return replace(answer, notices=(*answer.notices, notice))
    if any(each.name == PREFIX for hit in answer.hits for each in hit.candidate.adjustments):
        return replace(answer, notices=(*answer.notices, LastWordIsPrefix(completed.prefix)))
    return answer


# The ranking ----------------------------------------------------------------------------------------------------------


def rank_prefix_matches(ranking: Ranking, added: Mapping[int, OracleMatch], limit: int | None) -> Ranking:
    """Return the ranking with the documents that hold only words that begin with the last one (`question.prefix`).

    ranking: of the query as typed, of all candidates. Whatever is not raised keeps its score. added: the lexical
    matches of these documents. limit: only so many places are needed, and all of their files; None for all. No document
    is raised by which these stay the same.
    """
    question, reader, matches = ranking.question, ranking.reader, ranking.oracle_matches
    by_oracle = _replace_lexical(matches, added).by_oracle
    doc_keys = [match.doc_key for each in by_oracle.values() for match in each]
    fused = fuse_matches(by_oracle, reader.headers(list(dict.fromkeys(doc_keys))), question.weights)
    candidates = filter_exact_phrases(fused, question, reader) if question.phrases else fused
    ceiling, stem = ranking.scoring.ceiling, reader.code.store.lexical.stem
    scores = {each.document.doc_key: each.fused_score for each in ranking.ranked}
    bounds = sorted([*_holding_scores(ranking, question.prefix), *question.holding_scores])
    by_rank_sum = order_by_rank_sum(candidates)
    evidence = _count_beginnings(ranking, [each.document for each in candidates if each.document.doc_key in added])
    adjuster = ScoreAdjuster(BoostRules(question, stem, by_rank_sum, evidence), by_rank_sum, ceiling, question)
    shown = ranking.ranked[:limit]
    least = shown[-1].fused_score if shown and len(shown) == limit else 0.0
    reachable = adjuster.filter_reachable(least / PREFIX_FACTOR, by_rank_sum)
    paths = frozenset([each.document.path for each in chain(shown, reachable)])
    paths &= frozenset([each.document.path for each in candidates if each.document.doc_key in added])
    raised: dict[int, Candidate] = {}
    for each in adjuster.rank([each for each in by_rank_sum if each.document.path in paths]):
        doc_key = each.document.doc_key
        if doc_key in added:
            score = scores.get(doc_key, 0.0)
            at = bisect_left(bounds, score)
            bound = bounds[at] * _BELOW / each.fused_score if at < len(bounds) else PREFIX_FACTOR
            reason = f"only words that begin with {question.prefix}"
            if bound < PREFIX_FACTOR:
                reason += ", behind what holds it whole"
            lowered = apply_adjustments(each, [Adjustment(PREFIX, min(PREFIX_FACTOR, bound), reason)], ceiling)
            if lowered.fused_score > score:
                raised[doc_key] = lowered
    return replace(
        ranking,
        oracle_matches=_replace_lexical(matches, {doc_key: added[doc_key] for doc_key in raised}),
        candidates=[each for each in ranking.candidates if each.document.doc_key not in raised]
        + [each for each in candidates if each.document.doc_key in raised],
        ranked=order_by_score(
            [*(each for each in ranking.ranked if each.document.doc_key not in raised), *raised.values()]
        ),
    )


def _count_beginnings(ranking: Ranking, added: Sequence[DocumentHeader]) -> FileEvidence:
    """Return the evidence for files in which words that begin with the last one count as that word."""
    evidence, weights = ranking.file_evidence, ranking.scoring.term_weights
    paths = {each.path for each in added}
    if evidence.look_up is not None:
        evidence.look_up([each.document.path for each in ranking.candidates] + sorted(paths))
    share = weights.get(ranking.question.prefix, 0.0) / (sum(weights.values()) or 1)
    counted = {path: min(1.0, evidence.words.get(path, 0.0) + share) for path in paths}
    return replace(evidence, words={**evidence.words, **counted}, look_up=None)


def share_holding_scores(retrievals: Sequence[Retrieval]) -> list[Retrieval]:
    """Return the retrievals of one query in several projects, each with the scores of the others' documents that hold
    the last word itself.
    """
    scores: list[list[float]] = []
    for each in retrievals:
        as_typed = replace(each.question, prefix="")
        ranking = rank_candidates(as_typed, each.reader, each.oracle_matches)
        scores.append(_holding_scores(ranking, each.question.prefix))
    return [
        replace(each, question=replace(each.question, holding_scores=tuple(chain(*scores[:at], *scores[at + 1 :]))))
        for at, each in enumerate(retrievals)
    ]


def find_prefix_matches(
    question: SearchQuery, reader: OracleReader, oracle_matches: OracleMatches
) -> dict[int, OracleMatch]:
    """Return lexical matches of code and documents that hold a word that begins with the last one, and not that one.

    A match has the rank behind the matches of the typed query that score as high, and behind those before it.
    """
    index, left = reader.code.store.lexical, reader.code.left
    beginning = prefix_terms(question.prefix, index)
    if not beginning:
        return {}
    typed_terms = query_terms(question)
    others = [term for term in typed_terms if term != question.prefix]
    minimum = min_matching_terms(typed_terms, index, left)
    scored = index.search([*others, *beginning], RETRIEVAL_DEPTH, left, minimum)
    doc_keys = [doc_key for doc_key, _ in scored]
    begins = index.matched_terms(beginning, doc_keys)
    holds = index.matched_terms([question.prefix], doc_keys)
    kept = [(doc_key, score) for doc_key, score in scored if begins[doc_key] and not holds[doc_key]]
    typed = [(match.raw_score, match.rank) for match in oracle_matches.by_oracle.get(LEXICAL, ())]
    added: dict[int, OracleMatch] = {}
    for position, (negated, _, doc_key) in enumerate(reader.sort_by_score(kept), 1):
        rank = position + max([rank for score, rank in typed if score >= -negated], default=0)
        if rank <= RETRIEVAL_DEPTH:
            added[doc_key] = OracleMatch(doc_key, rank, -negated, SCORE_TYPE)
    return added


def _holding_scores(ranking: Ranking, word: str) -> list[float]:
    """Return the scores of the ranked documents that hold a word."""
    doc_keys = [each.document.doc_key for each in ranking.ranked]
    holding: set[int] = set()
    for corpus, own in ranking.reader.by_corpus(doc_keys):
        matched = corpus.matched_terms([word], own)
        holding.update(doc_key for doc_key, terms in matched.items() if terms)
    return [each.fused_score for each in ranking.ranked if each.document.doc_key in holding]


def _replace_lexical(matches: OracleMatches, added: Mapping[int, OracleMatch]) -> OracleMatches:
    """Return the matches with these lexical ones, in place of those of the same documents."""
    typed = [match for match in matches.by_oracle.get(LEXICAL, ()) if match.doc_key not in added]
    return OracleMatches({**matches.by_oracle, LEXICAL: [*added.values(), *typed]}, matches.faults)
