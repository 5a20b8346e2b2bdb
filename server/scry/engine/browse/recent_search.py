"""Rank the relevant results of a search by recency (recent with a query), in one project or in several as one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scry.core.doc_id import new_query_id
from scry.core.text import format_age
from scry.core.types import Answer, Candidate, Hit, IndexState, OracleMatch
from scry.engine.browse.changes import DAY_S, ChangeDates, LastChange, recency_adjustment
from scry.engine.notices import MatchesOlder
from scry.engine.search.document_boosts import MENTIONED_NAME_FACTOR
from scry.engine.search.fusion import apply_adjustments, order_by_score
from scry.engine.search.pipeline import Ranking
from scry.engine.search.results import make_hits
from scry.oracles.reader import NoteCorpus

POOL_SIZE = 50
"""Number of find's best results that are ranked by time: further down few are relevant."""

MIN_SCORE_SHARES = {"lexical": 0.7, "semantic": 0.77}
"""Share of an oracle's best raw score from which a document is relevant to the question. Raw scores of one oracle for
one question are comparable. With a smaller share, a new document with one of two words came first: for "timeout of
connections" a list of exported names. Co-change with relevant documents does not make a document relevant. As many
documents reach the share of the best cosine as reached 0.75 with the model before (docs/decisions/0112)."""

MIN_COSINE_ALONE = 0.35
"""Cosine from which a document is relevant where no word of the question occurs. In click, the nearest to made-up words
has 0.22 to 0.32, the nearest to `kubernetes` 0.32, to `colour`, which is written `color` there, 0.67."""

NAME_BOOST_THRESHOLD = ("definition", MENTIONED_NAME_FACTOR)
"""An adjustment that makes a document relevant by itself, and its least factor: a word of a sentence, such as `again`,
that is also some new function's name, stays below it."""


class RelevanceThreshold(Struct, frozen=True):
    """The conditions for a document to be relevant to the question.

    min_fused: fused score of the last of find's best. min_raw: raw score of each oracle, of which one must be reached.
    """

    min_fused: float
    min_raw: Mapping[str, float]


class ProjectRanking(Struct, frozen=True):
    """The ranking of one project.

    units: by oracle, the unit of its raw scores, by which they compare with those of other projects; an absent oracle's
    scores do not compare.
    """

    ranked: Sequence[Candidate]
    units: Mapping[str, float]


def relevance_threshold(ranked: Sequence[Candidate]) -> RelevanceThreshold:
    """Return the threshold of a project that is asked alone."""
    rankings = [ProjectRanking(ranked, {})]
    return raise_without_words(shared_thresholds(rankings), rankings)[0]


def raise_without_words(
    thresholds: Sequence[RelevanceThreshold], rankings: Sequence[ProjectRanking]
) -> Sequence[RelevanceThreshold]:
    """Return the thresholds with at least MIN_COSINE_ALONE where nothing holds a word of the question."""
    if any("lexical" in each.oracle_matches for own in rankings for each in own.ranked[:POOL_SIZE]):
        return thresholds
    return [
        replace(each, min_raw={**each.min_raw, "semantic": max(each.min_raw["semantic"], MIN_COSINE_ALONE)})
        for each in thresholds
    ]


def shared_thresholds(rankings: Sequence[ProjectRanking]) -> list[RelevanceThreshold]:
    """Return the threshold of each project where several are searched as one.

    The best results of all projects set the threshold, because the best of a project without any match is not relevant.
    Notes are compared with the best of the other documents, and take no rank from them (K5).
    """
    others = _pool_best(rankings, lambda candidate: not NoteCorpus.owns(candidate.document.doc_key))
    pool = others or _pool_best(rankings, lambda _: True)
    last = others[-1].candidate.fused_score if len(others) == POOL_SIZE else 0.0
    return [
        RelevanceThreshold(last, {name: _min_raw_score(name, own, rankings, pool) for name in MIN_SCORE_SHARES})
        for own in rankings
    ]


def ranking_depth(matches_by_oracle: Mapping[str, Sequence[OracleMatch]]) -> int:
    """Return how many ranks decide which documents are relevant; notes take no rank of the other documents."""
    return POOL_SIZE + len(
        {match.doc_key for matches in matches_by_oracle.values() for match in matches if NoteCorpus.owns(match.doc_key)}
    )


def filter_relevant(ranked: Sequence[Candidate], threshold: RelevanceThreshold) -> list[Candidate]:
    """Return the candidates above the threshold, in their order."""
    return [
        candidate
        for candidate in ranked
        if candidate.fused_score >= threshold.min_fused and _is_relevant(candidate, threshold)
    ]


class _PooledCandidate(NamedTuple):
    """A candidate, and the index of its project."""

    at: int
    candidate: Candidate


def _pool_best(rankings: Sequence[ProjectRanking], counts: Callable[[Candidate], bool]) -> list[_PooledCandidate]:
    """Return the best candidates of all projects for which `counts` is true, best first."""
    best = [
        _PooledCandidate(at, each)
        for at, own in enumerate(rankings)
        for each in islice(filter(counts, own.ranked), POOL_SIZE)
    ]
    return sorted(best, key=lambda each: (-each.candidate.fused_score, each.at))[:POOL_SIZE]


def _min_raw_score(
    oracle: str, own: ProjectRanking, rankings: Sequence[ProjectRanking], pool: Sequence[_PooledCandidate]
) -> float:
    """Return the raw score that makes a document relevant: a share of the best one of all projects, in its own unit."""
    scores = [
        each.candidate.oracle_matches[oracle].raw_score * scale
        for each in pool
        if oracle in each.candidate.oracle_matches
        and (scale := _score_scale(oracle, own, rankings[each.at])) is not None
    ]
    return MIN_SCORE_SHARES[oracle] * max(scores, default=0.0)


def _score_scale(oracle: str, own: ProjectRanking, other: ProjectRanking) -> float | None:
    """Return the factor that converts another project's raw score to this one's unit; None where they don't compare."""
    if own is other:
        return 1.0
    return own.units[oracle] / other.units[oracle] if oracle in own.units and oracle in other.units else None


def _is_relevant(candidate: Candidate, threshold: RelevanceThreshold) -> bool:
    name, min_factor = NAME_BOOST_THRESHOLD
    if any(adjustment.name == name and adjustment.factor >= min_factor for adjustment in candidate.adjustments):
        return True
    matches = candidate.oracle_matches
    return any(
        oracle in matches and matches[oracle].raw_score >= min_score for oracle, min_score in threshold.min_raw.items()
    )


class RecentMatches(Struct, frozen=True):
    """The ranking of a find, and the relevant part of it."""

    ranking: Ranking
    threshold: RelevanceThreshold


def matches_of_project(ranking: Ranking) -> RecentMatches:
    """Return the matches of a project that is asked alone; for several see engine/federation/recent.py."""
    return RecentMatches(ranking, relevance_threshold(ranking.ranked))


def rank_by_recency(
    matches: RecentMatches, clock: ChangeDates, days: int | None, limit: int, state: IndexState
) -> Answer:
    """Return the relevant matches by score times recency. days: only those changed since then; None for all."""
    ranking = matches.ranking
    about = filter_relevant(ranking.ranked, matches.threshold)
    documents = ranking.reader.get_documents(
        [candidate.document.doc_key for candidate in about], with_descriptions=False
    )
    changes = clock.of_documents(list(documents.values()))
    dated = [(candidate, changes[candidate.document.doc_id]) for candidate in about if _is_dated(candidate, changes)]
    since = _earliest_time(clock.now, days)
    later = [_apply_recency(candidate, change, clock, ranking) for candidate, change in dated if change.time >= since]
    hits = make_hits(order_by_score(later)[:limit], ranking.question, ranking.reader, ranking.scoring)
    return Answer(
        question=ranking.question,
        query_id=new_query_id(),
        scoring=ranking.scoring,
        index=state,
        hits=tuple(_add_change_time(hit, changes[hit.document.doc_id], clock.now) for hit in hits),
        faults=ranking.oracle_matches.faults,
        notices=() if hits else _older_notices(dated, clock.now, days),
    )


def rank_in_recent(doc_key: int, ranking: Ranking, clock: ChangeDates) -> tuple[int | None, int, str]:
    """Return a document's rank by score times recency, the number of ranks, and why it has none; for `why`."""
    about = filter_relevant(ranking.ranked, relevance_threshold(ranking.ranked))
    documents = ranking.reader.get_documents(
        [candidate.document.doc_key for candidate in about], with_descriptions=False
    )
    changes = clock.of_documents(list(documents.values()))
    dated = [candidate for candidate in about if _is_dated(candidate, changes)]
    ordered = order_by_score(
        _apply_recency(candidate, changes[candidate.document.doc_id], clock, ranking) for candidate in dated
    )
    for rank, candidate in enumerate(ordered, 1):
        if candidate.document.doc_key == doc_key:
            return rank, len(ordered), ""
    is_relevant = doc_key in documents
    return None, len(ordered), "when it changed is not known" if is_relevant else "it is not about the question"


def _is_dated(candidate: Candidate, changes: Mapping[str, LastChange]) -> bool:
    return candidate.document.doc_id in changes


def _earliest_time(now: float, days: int | None) -> float:
    return 0.0 if days is None else now - days * DAY_S


def _apply_recency(candidate: Candidate, change: LastChange, clock: ChangeDates, ranking: Ranking) -> Candidate:
    adjustment = recency_adjustment(change.time, clock.now, change.description)
    return apply_adjustments(candidate, [adjustment], ranking.scoring.ceiling)


def _add_change_time(hit: Hit, change: LastChange, now: float) -> Hit:
    return replace(
        hit, document=replace(hit.document, time=int(change.time)), evidence=(format_age(now - change.time),)
    )


def _older_notices(
    dated: Sequence[tuple[Candidate, LastChange]], now: float, days: int | None
) -> tuple[MatchesOlder, ...]:
    if not dated or days is None:
        return ()
    candidate, change = max(dated, key=lambda entry: (entry[1].time, entry[0].document.doc_id))
    return (MatchesOlder(days, candidate.document.doc_id, now - change.time),)
