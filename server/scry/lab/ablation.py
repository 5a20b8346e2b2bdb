"""What each part is worth: the same questions with one oracle or one adjustment left out, or with one oracle alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scry.engine.find import BASE_WEIGHTS
from scry.lab.recipe import ALL, Recipe

_NAIVE = (
    ("vector search", "semantic", "the nearest vectors, and nothing else"),
    ("keyword search", "lexical", "BM25, and nothing else"),
)


def ablations(voted: Collection[str], adjustments: Iterable[str]) -> list[Recipe]:
    """Every oracle off, every oracle alone, the naive searches, every adjustment off, and all of them.

    voted: the oracles that found anything. adjustments: those that moved anything. The others can't matter.
    """
    oracles = [name for name in BASE_WEIGHTS if name in voted]
    found = [Recipe(f"without {name}", f"{name} oracle left out", {name: 0.0}) for name in oracles]
    found += [Recipe(f"{name} alone", f"the {name} oracle with all adjustments", _others(name)) for name in oracles]
    found += [Recipe(name, title, _others(oracle), {ALL: 0.0}) for name, oracle, title in _NAIVE]
    found += [
        Recipe(f"without {name}", f"adjustment {name} left out", adjustments={name: 0.0})
        for name in sorted(set(adjustments))
    ]
    found.append(Recipe("without adjustments", "ranks of the oracles alone", adjustments={ALL: 0.0}))
    return found


def _others(oracle: str) -> dict[str, float]:
    return {name: 0.0 for name in BASE_WEIGHTS if name != oracle}
