"""Recent, with words: what find finds for them, and of it what is about them, ranked by when it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from scry.core.types import Answer, Candidate, Hit, IndexState
from scry.engine.changes import Change, Clock
from scry.engine.find import Ranking, make_hits
from scry.engine.fuse import order, with_adjustments
from scry.engine.query_id import new_query_id
from scry.engine.recency import DAY_S, recency_adjustment
from scry.engine.relevance import Bar, bar_of, relevant
from scry.engine.words import ago, count


class Found(Struct, frozen=True):
    """What find ranked, and what of it is about the question."""

    ranking: Ranking
    bar: Bar


def found_alone(ranking: Ranking) -> Found:
    """What a project that is asked alone has found. For several see engine.recent_across."""
    return Found(ranking, bar_of(ranking.ranked))


def rerank(found: Found, clock: Clock, days: int | None, limit: int, state: IndexState) -> Answer:
    """What find found and is about the question, by score times recency; days: only what changed since then."""
    ranking = found.ranking
    about = relevant(ranking.ranked, found.bar)
    documents = ranking.reader.documents([candidate.document.number for candidate in about], described=False)
    changes = clock.of_documents(list(documents.values()))
    dated = [(candidate, changes[candidate.document.doc_id]) for candidate in about if _is_dated(candidate, changes)]
    since = _since(clock.now, days)
    later = [_later(candidate, change, clock, ranking) for candidate, change in dated if change.time >= since]
    hits = make_hits(order(later)[:limit], ranking.question, ranking.reader)
    return Answer(
        question=ranking.question,
        query_id=new_query_id(),
        scoring=ranking.scoring,
        index=state,
        hits=tuple(_timed(hit, changes[hit.document.doc_id], clock.now) for hit in hits),
        faults=ranking.evidence.faults,
        notice="" if hits else _too_old(dated, clock.now, days),
    )


def place_in_recent(number: int, ranking: Ranking, clock: Clock) -> tuple[int | None, int, str]:
    """A document's rank by score times recency, of how many, and why it has none; for `why`."""
    about = relevant(ranking.ranked, bar_of(ranking.ranked))
    documents = ranking.reader.documents([candidate.document.number for candidate in about], described=False)
    changes = clock.of_documents(list(documents.values()))
    dated = [candidate for candidate in about if _is_dated(candidate, changes)]
    ordered = order(_later(candidate, changes[candidate.document.doc_id], clock, ranking) for candidate in dated)
    for rank, candidate in enumerate(ordered, 1):
        if candidate.document.number == number:
            return rank, len(ordered), ""
    found = number in documents
    return None, len(ordered), "when it changed is not known" if found else "it is not about the question"


def _is_dated(candidate: Candidate, changes: Mapping[str, Change]) -> bool:
    return candidate.document.doc_id in changes


def _since(now: float, days: int | None) -> float:
    return 0.0 if days is None else now - days * DAY_S


def _later(candidate: Candidate, change: Change, clock: Clock, ranking: Ranking) -> Candidate:
    adjustment = recency_adjustment(change.time, clock.now, change.what)
    return with_adjustments(candidate, [adjustment], ranking.scoring.ceiling)


def _timed(hit: Hit, change: Change, now: float) -> Hit:
    return replace(hit, document=replace(hit.document, time=int(change.time)), evidence=(ago(now - change.time),))


def _too_old(dated: Sequence[tuple[Candidate, Change]], now: float, days: int | None) -> str:
    if not dated or days is None:
        return ""
    candidate, change = max(dated, key=lambda entry: (entry[1].time, entry[0].document.doc_id))
    newest = f"{candidate.document.doc_id}, {ago(now - change.time)}"
    return f"nothing of what was found changed in the last {count(days, 'day')}; the newest of it is {newest}"
