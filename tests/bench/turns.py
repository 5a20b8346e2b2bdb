"""The same questions to two engines in turns, so that whatever else the machine does delays both alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scry.engine import Engine
from scry_protocol.messages import Answer, FindParams
from tests.bench.test_bench_find import QUERIES

ROUNDS = 15


@dataclass(frozen=True, slots=True)
class Turns:
    """Milliseconds of processor time of each find, by the engine's name, without the first round; and how many answers
    held what they were looked through for.
    """

    taken: Mapping[str, list[float]]
    held: int

    def growth(self, of: Callable[[list[float]], float]) -> float:
        """How much more the second engine takes than the first."""
        first, second = self.taken.values()
        return of(second) / of(first)


def ask_in_turns(
    engines: Mapping[str, Engine], holds: Callable[[Answer], bool], limit: int = FindParams("").limit
) -> Turns:
    """Asks all questions some times over, prints what that takes, and closes the engines.

    holds: whether an answer of the second engine has what it alone knows.
    """
    taken: dict[str, list[float]] = {name: [] for name in engines}
    last, held = list(engines)[-1], 0
    for query in QUERIES * ROUNDS:
        for name, engine in engines.items():
            start = time.thread_time()  # a find is one thread's work, and others share the machine
            answer = engine.find(FindParams(query, limit=limit))
            taken[name].append((time.thread_time() - start) * 1e3)
            held += name == last and holds(answer)
    for engine in engines.values():
        engine.close()
    for name, values in taken.items():
        del values[: len(QUERIES)]  # until all is read once
        print(f"{name:5} p50 {statistics.median(values):.1f} ms, p95 {p95(values):.1f} ms")
    return Turns(taken, held)


def p95(values: list[float]) -> float:
    """Return the value that one in twenty exceeds."""
    return sorted(values)[int(len(values) * 0.95)]
