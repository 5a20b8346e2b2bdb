"""What each part is worth: the same questions with one oracle or one adjustment left out, or with one oracle alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scry.engine.find import BASE_ORACLE_WEIGHTS
from scry.lab.recipe import ALL_ADJUSTMENTS, WeightOverrides

_BASELINES = (
    ("vector search", "semantic", "the nearest vectors, and nothing else"),
    ("keyword search", "lexical", "BM25, and nothing else"),
)


def list_ablations(oracle_names: Collection[str], adjustments: Iterable[str]) -> list[WeightOverrides]:
    """Every oracle off, every oracle alone, the naive searches, every adjustment off, and all of them.

    voted: the oracles that found anything. adjustments: those that moved anything. The others can't matter.
    """
    oracles = [name for name in BASE_ORACLE_WEIGHTS if name in oracle_names]
    found = [WeightOverrides(f"without {name}", f"{name} oracle left out", {name: 0.0}) for name in oracles]
    found += [WeightOverrides(f"{name} alone", f"the {name} oracle with all adjustments", _all_but(name)) for name in oracles]
    found += [WeightOverrides(name, title, _all_but(oracle), {ALL_ADJUSTMENTS: 0.0}) for name, oracle, title in _BASELINES]
    found += [
        WeightOverrides(f"without {name}", f"adjustment {name} left out", adjustments={name: 0.0})
        for name in sorted(set(adjustments))
    ]
    found.append(WeightOverrides("without adjustments", "ranks of the oracles alone", adjustments={ALL_ADJUSTMENTS: 0.0}))
    return found


def _all_but(oracle: str) -> dict[str, float]:
    return {name: 0.0 for name in BASE_ORACLE_WEIGHTS if name != oracle}
