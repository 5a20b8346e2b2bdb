"""Recent, with words: what find finds for them, and of it what is about them, ranked by when it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from scry.core.types import Answer, Candidate, Hit, IndexState
from scry.engine.changes import LastChange, ChangeDates
from scry.engine.find import Ranking, make_hits
from scry.engine.fuse import order_by_score, apply_adjustments
from scry.engine.query_id import new_query_id
from scry.engine.recency import DAY_S, recency_adjustment
from scry.engine.relevance import RelevanceThreshold, relevance_threshold, filter_relevant
from scry.engine.words import format_age, format_count


class RecentMatches(Struct, frozen=True):
    """What find ranked, and what of it is about the question."""

    ranking: Ranking
    threshold: RelevanceThreshold


def matches_of_project(ranking: Ranking) -> RecentMatches:
    """What a project that is asked alone has found. For several see engine.recent_across."""
    return RecentMatches(ranking, relevance_threshold(ranking.ranked))


def rank_by_recency(matches: RecentMatches, clock: ChangeDates, days: int | None, limit: int, state: IndexState) -> Answer:
    """What find found and is about the question, by score times recency; days: only what changed since then."""
    ranking = matches.ranking
    about = filter_relevant(ranking.ranked, matches.threshold)
    documents = ranking.reader.get_documents([candidate.document.doc_key for candidate in about], with_descriptions=False)
    changes = clock.of_documents(list(documents.values()))
    dated = [(candidate, changes[candidate.document.doc_id]) for candidate in about if _is_dated(candidate, changes)]
    since = _earliest_time(clock.now, days)
    later = [_apply_recency(candidate, change, clock, ranking) for candidate, change in dated if change.time >= since]
    hits = make_hits(order_by_score(later)[:limit], ranking.question, ranking.reader)
    return Answer(
        question=ranking.question,
        query_id=new_query_id(),
        scoring=ranking.scoring,
        index=state,
        hits=tuple(_add_change_time(hit, changes[hit.document.doc_id], clock.now) for hit in hits),
        faults=ranking.oracle_votes.faults,
        notice="" if hits else _describe_too_old(dated, clock.now, days),
    )


def rank_in_recent(doc_key: int, ranking: Ranking, clock: ChangeDates) -> tuple[int | None, int, str]:
    """A document's rank by score times recency, of how many, and why it has none; for `why`."""
    about = filter_relevant(ranking.ranked, relevance_threshold(ranking.ranked))
    documents = ranking.reader.get_documents([candidate.document.doc_key for candidate in about], with_descriptions=False)
    changes = clock.of_documents(list(documents.values()))
    dated = [candidate for candidate in about if _is_dated(candidate, changes)]
    ordered = order_by_score(_apply_recency(candidate, changes[candidate.document.doc_id], clock, ranking) for candidate in dated)
    for rank, candidate in enumerate(ordered, 1):
        if candidate.document.doc_key == doc_key:
            return rank, len(ordered), ""
    found = doc_key in documents
    return None, len(ordered), "when it changed is not known" if found else "it is not about the question"


def _is_dated(candidate: Candidate, changes: Mapping[str, LastChange]) -> bool:
    return candidate.document.doc_id in changes


def _earliest_time(now: float, days: int | None) -> float:
    return 0.0 if days is None else now - days * DAY_S


def _apply_recency(candidate: Candidate, change: LastChange, clock: ChangeDates, ranking: Ranking) -> Candidate:
    adjustment = recency_adjustment(change.time, clock.now, change.description)
    return apply_adjustments(candidate, [adjustment], ranking.scoring.ceiling)


def _add_change_time(hit: Hit, change: LastChange, now: float) -> Hit:
    return replace(hit, document=replace(hit.document, time=int(change.time)), evidence=(format_age(now - change.time),))


def _describe_too_old(dated: Sequence[tuple[Candidate, LastChange]], now: float, days: int | None) -> str:
    if not dated or days is None:
        return ""
    candidate, change = max(dated, key=lambda entry: (entry[1].time, entry[0].document.doc_id))
    newest = f"{candidate.document.doc_id}, {format_age(now - change.time)}"
    return f"nothing of what was found changed in the last {format_count(days, 'day')}; the newest of it is {newest}"
