"""How much lateness counts, and what is close enough to a question to be re-ranked by it. Pure; now is given.

recency = 1 / (1 + age in days / HALF_DAYS): 1 for what is changed now, 0.5 after a week, 0.19 after a month, 0.02 after
a year. It falls fast at first and never to 0, so that among old things the later one still comes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scry.core.knowledge import is_knowledge
from scry.core.types import Adjustment, Candidate, Part, Vote
from scry.engine.fuse import order
from scry.engine.words import ago

DAY_S = 86_400

HALF_DAYS = 7.0
"""A week: as long as `recent` looks back by itself."""

POOL = 50
"""So many of find's best may be re-ranked: further down little is about the question."""

SHARE = {"lexical": 0.7, "semantic": 0.75}
"""What share of an oracle's best raw score makes a document about the question. Raw scores of one oracle for one
question do compare. With less, a document that holds one word of two came first because it was new: of "timeout of
connections" a list of exported names. That something changed together with others does not make it so."""

NAMED = frozenset({"definition"})
"""Adjustments that show by themselves that the document is what was asked for."""


def recency(time: float, now: float) -> float:
    """0 to 1 for what changed at a time, both in seconds since the epoch; the future counts as now."""
    return 1.0 / (1.0 + max(0.0, now - time) / DAY_S / HALF_DAYS)


def recency_adjustment(time: float, now: float, what: str) -> Adjustment:
    """The factor of a document that find found. what: what changed then, such as `changed in 3f9c2b7`."""
    return Adjustment("recency", recency(time, now), f"{what}, {ago(now - time)}")


def recency_part(time: float, now: float, what: str) -> Part:
    """The whole score of a change where nothing was searched for."""
    return Part("recency", recency(time, now), 1.0, f"{what}, {ago(now - time)}")


def relevant(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Those of find's best that are about the question, in their order.

    Knowledge is judged by what is best of the others, and takes no place of theirs (K5).
    """
    others = [candidate for candidate in ranked if not is_knowledge(candidate.document.number)][:POOL]
    last = others[-1].fused_score if len(others) == POOL else 0.0
    known = [candidate for candidate in ranked if is_knowledge(candidate.document.number)][:POOL]
    pool = order([*others, *(candidate for candidate in known if candidate.fused_score >= last)])
    return _about(pool, others)


def _about(ranked: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    best = {
        name: max((votes[name].raw_score for votes in _votes(others or ranked, name)), default=0.0) for name in SHARE
    }
    return [candidate for candidate in ranked if _is_relevant(candidate, best)]


def _votes(ranked: Sequence[Candidate], oracle: str) -> list[Mapping[str, Vote]]:
    return [candidate.votes for candidate in ranked if oracle in candidate.votes]


def _is_relevant(candidate: Candidate, best: Mapping[str, float]) -> bool:
    if any(adjustment.name in NAMED for adjustment in candidate.adjustments):
        return True
    return any(
        name in candidate.votes and candidate.votes[name].raw_score >= share * best[name]
        for name, share in SHARE.items()
    )
