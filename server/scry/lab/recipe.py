"""What is weighed otherwise than by default: an oracle more, less or not at all, an adjustment likewise. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scry.core.errors import BadRequest
from scry.core.types import Question
from scry.engine.find import BASE_WEIGHTS

ALL = "*"
"""Stands for every adjustment that is not named."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """oracles: what multiplies an oracle's weight, by name; 0 leaves its votes out. adjustments: the exponent of an
    adjustment's factor, by name or ALL; 0 leaves it out, 2 makes a factor of 0.5 one of 0.25. title: in words.
    """

    name: str
    title: str
    oracles: Mapping[str, float] = field(default_factory=dict[str, float])
    adjustments: Mapping[str, float] = field(default_factory=dict[str, float])

    def applied(self, question: Question) -> Question:
        """The question, weighed by this recipe."""
        weights = {name: weight * self.oracles.get(name, 1.0) for name, weight in question.weights.items()}
        kept = {name: weight for name, weight in weights.items() if weight > 0}
        return replace(question, weights=kept, strengths=dict(self.adjustments))

    def and_also(self, other: Recipe) -> Recipe:
        """Both at once, under the name of the other; what both name is as the other says."""
        own = {} if ALL in other.adjustments else dict(self.adjustments)
        return replace(other, oracles={**self.oracles, **other.oracles}, adjustments={**own, **other.adjustments})


USUAL = Recipe("usual", "as it is")
"""All as it is by default."""


def read_recipe(without: Sequence[str], weights: Mapping[str, float], adjustments: Sequence[str]) -> Recipe:
    """The recipe that a person asks for. without: oracles and adjustments to leave out. weights: of either, by name.

    adjustments: the names that exist. Raises BadRequest for a name that does not, and where no oracle is left.
    """
    wanted = dict(weights) | dict.fromkeys(without, 0.0)
    known = (*BASE_WEIGHTS, *adjustments, ALL)
    for name, value in wanted.items():
        field_name = "without" if name in without else "weight"
        if name not in known:
            raise BadRequest(field_name, f"{name!r} is no oracle and no adjustment; there are: {', '.join(known)}")
        if value < 0:
            raise BadRequest(field_name, f"{name} can't weigh less than nothing; 0 leaves it out")
    oracles = {name: value for name, value in wanted.items() if name in BASE_WEIGHTS}
    if all(oracles.get(name, 1.0) == 0 for name in BASE_WEIGHTS):
        raise BadRequest("without", "leaves no oracle to answer")
    title = ", ".join(f"{name} {value:g}" for name, value in wanted.items())
    rest = {name: value for name, value in wanted.items() if name not in BASE_WEIGHTS}
    return Recipe("asked for", title, oracles, rest) if wanted else USUAL
