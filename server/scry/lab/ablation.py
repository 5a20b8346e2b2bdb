"""Override the weights of oracles and adjustments, and list the ablations of an evaluation. Pure.

An ablation asks the same queries with one oracle or one adjustment left out, or with one oracle alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from scry.core.errors import BadRequest
from scry.core.types import SearchQuery
from scry.engine.search.pipeline import BASE_ORACLE_WEIGHTS

ALL_ADJUSTMENTS = "*"
"""Stands for every adjustment that is not named."""


_BASELINES = (
    ("vector search", "semantic", "the nearest vectors, and nothing else"),
    ("keyword search", "lexical", "BM25, and nothing else"),
)


class WeightOverrides(Struct, frozen=True):
    """Weights that differ from the default.

    name: of the variant.
    title: the overrides in words.
    oracles: factor of an oracle's weight, by name; 0 leaves its results out.
    adjustments: exponent of an adjustment's factor, by name or ALL_ADJUSTMENTS; 0 leaves it out, 2 makes 0.5 to 0.25.
    """

    name: str
    title: str
    oracles: Mapping[str, float] = field(default_factory=dict[str, float])
    adjustments: Mapping[str, float] = field(default_factory=dict[str, float])

    def apply_to(self, question: SearchQuery) -> SearchQuery:
        """Return the query with these weights."""
        weights = {name: weight * self.oracles.get(name, 1.0) for name, weight in question.weights.items()}
        positive = {name: weight for name, weight in weights.items() if weight > 0}
        strengths = dict(question.strengths) if ALL_ADJUSTMENTS not in self.adjustments else {}
        return replace(question, weights=positive, strengths=strengths | dict(self.adjustments))

    def keeps_any_oracle(self, question: SearchQuery) -> bool:
        """Return whether an oracle is left to answer the query."""
        return any(self.oracles.get(name, 1.0) > 0 for name in question.weights)

    def merge(self, other: WeightOverrides) -> WeightOverrides:
        """Return both overrides under the name of the other; where both name a weight, the other's holds."""
        own = {} if ALL_ADJUSTMENTS in other.adjustments else dict(self.adjustments)
        return replace(other, oracles={**self.oracles, **other.oracles}, adjustments={**own, **other.adjustments})


NO_OVERRIDES = WeightOverrides("usual", "as it is")
"""All weights as they are by default."""


def parse_weight_overrides(without: Sequence[str], weights: Mapping[str, float]) -> WeightOverrides:
    """Return the overrides that a person asks for.

    without: oracles and adjustments to leave out. weights: of either, by name. Raises BadRequest where no oracle is
    left. Whether adjustments of these names exist shows only after the queries have run: see `check_override_names`.
    """
    wanted = dict(weights) | dict.fromkeys(without, 0.0)
    for name, value in weights.items():
        if not 0 <= value < math.inf:
            raise BadRequest("weight", f"{name} can't weigh {value:g}; 0 leaves it out, 1 is as it is")
    oracles = {name: value for name, value in wanted.items() if name in BASE_ORACLE_WEIGHTS}
    if all(oracles.get(name, 1.0) == 0 for name in BASE_ORACLE_WEIGHTS):
        raise BadRequest("without", "leaves no oracle to answer")
    title = ", ".join(f"{name} {value:g}" for name, value in wanted.items())
    adjustments = {name: value for name, value in wanted.items() if name not in BASE_ORACLE_WEIGHTS}
    return WeightOverrides("asked for", title, oracles, adjustments) if wanted else NO_OVERRIDES


def check_override_names(overrides: WeightOverrides, adjustments: Collection[str]) -> None:
    """Raise BadRequest for a name that is neither an oracle nor among the adjustments that changed any score."""
    for name in overrides.adjustments:
        if name != ALL_ADJUSTMENTS and name not in adjustments:
            known = ", ".join((*BASE_ORACLE_WEIGHTS, *sorted(adjustments)))
            raise BadRequest("weight", f"{name!r} moves nothing here; there are: {known}")


def list_ablations(oracle_names: Collection[str], adjustments: Iterable[str]) -> list[WeightOverrides]:
    """Return every oracle left out, every oracle alone, the baselines, every adjustment left out, and all of them.

    oracle_names: the oracles that found anything. adjustments: those that changed any score. The others can't matter.
    """
    oracles = [name for name in BASE_ORACLE_WEIGHTS if name in oracle_names]
    variants = [WeightOverrides(f"without {name}", f"{name} oracle left out", {name: 0.0}) for name in oracles]
    variants += [
        WeightOverrides(f"{name} alone", f"the {name} oracle with all adjustments", _all_but(name)) for name in oracles
    ]
    variants += [
        WeightOverrides(name, title, _all_but(oracle), {ALL_ADJUSTMENTS: 0.0}) for name, oracle, title in _BASELINES
    ]
    variants += [
        WeightOverrides(f"without {name}", f"adjustment {name} left out", adjustments={name: 0.0})
        for name in sorted(set(adjustments))
    ]
    variants.append(
        WeightOverrides("without adjustments", "ranks of the oracles alone", adjustments={ALL_ADJUSTMENTS: 0.0})
    )
    return variants


def _all_but(oracle: str) -> dict[str, float]:
    return {name: 0.0 for name in BASE_ORACLE_WEIGHTS if name != oracle}
