"""How much lateness counts. Pure; now is given.

recency = 1 / (1 + age in days / HALF_DAYS): 1 for what is changed now, 0.5 after a week, 0.19 after a month, 0.02 after
a year. It falls fast at first and never to 0, so that among old things the later one still comes first.
"""

from __future__ import annotations

from scry.core.structural import ScorePart
from scry.core.types import Adjustment
from scry.engine.words import format_age

DAY_S = 86_400

HALF_DAYS = 7.0
"""A week: as long as `recent` looks back by itself."""


def recency_score(time: float, now: float) -> float:
    """0 to 1 for what changed at a time, both in seconds since the epoch; the future counts as now."""
    return 1.0 / (1.0 + max(0.0, now - time) / DAY_S / HALF_DAYS)


def recency_adjustment(time: float, now: float, what: str) -> Adjustment:
    """The factor of a document that find found. what: what changed then, such as `changed in 3f9c2b7`."""
    return Adjustment("recency", recency_score(time, now), f"{what}, {format_age(now - time)}")


def recency_part(time: float, now: float, what: str) -> ScorePart:
    """The whole score of a change where nothing was searched for."""
    return ScorePart("recency", recency_score(time, now), 1.0, f"{what}, {format_age(now - time)}")
