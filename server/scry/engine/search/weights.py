"""Apply the weights that were learnt from a person's jumps in a project (U2).

`weights.json` in the project's data folder holds them; `engine.activity.weights` fits them. A learnt weight is a factor
of an oracle's weight, or an exponent of an adjustment's factor, near 1. The defaults rank where there is no such file,
where it is switched off or can't be read, and

- questions that are an exact name, and those for memory or a commit: what comes first there is promised (F8, M5);
- answers of several projects, whose scores have to compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scry.core.platform import user_id
from scry.core.text import is_single_term
from scry.core.types import SearchQuery

WEIGHTS_FORMAT = 1

ORACLE_BOUNDS = (0.5, 2.0)
EXPONENT_BOUNDS = (0.5, 1.5)
"""Learnt weights stay within these: a few hundred jumps say which way, and not that an oracle is worthless."""

LEAST_EXPONENTS: Mapping[str, float] = {"definition": 1.0}
"""Where the name of a symbol is asked for, its definition comes first whatever was learnt (F8)."""

WEIGHED_ADJUSTMENTS = (
    *("definition", "file_hits", "path_words", "past_changes", "tested", "test_path", "documentation_path"),
    *("vendored_path", "generated_path", "example_path", "superseded_path", "platform_path", "declaration_path"),
    "commit",
)
"""The adjustments that are weighed. `place` and `repeat` depend on the other documents of the file, which an event does
not hold, and `prefix` on what is being typed."""


class HeldBackGain(Struct, frozen=True):
    """The gain over the defaults on jumps that the weights were not fitted to: of NDCG@10, with its 95 % interval.

    before: with the defaults.
    """

    before: float
    gain: float
    low: float
    high: float


class LearntWeights(Struct, frozen=True):
    """Weights that were fitted to jumps, and on how many.

    is_on: whether answers are ranked by them. fitted_ms: when, since the epoch. oracles: factors of their weights.
    adjustments: exponents of their factors.
    """

    format: int
    is_on: bool
    fitted_ms: int
    jumps: int
    oracles: dict[str, float]
    adjustments: dict[str, float]
    held_back: HeldBackGain

    def apply_to(self, question: SearchQuery) -> SearchQuery:
        """Return the question with these weights; as it is where the defaults rank."""
        memory_weight = question.weights.get("memory", 0.0)
        if is_single_term(question) or question.asks_for_commits or memory_weight > MAX_WEIGHED_MEMORY:
            return question
        weights = {name: weight * self.oracles.get(name, 1.0) for name, weight in question.weights.items()}
        return replace(question, weights=weights, strengths=self.adjustments, use_factor=self.oracles.get("use", 1.0))


MAX_WEIGHED_MEMORY = 10.0
"""A query with a higher weight of memory asks for memory alone (search.query.MEMORY_QUESTION_FACTOR)."""


class WeightsFile:
    """The weights of a project, read again where the file has changed. Safe to share between threads.

    trouble: why the file can't be used, in words for a person; empty where it can.
    """

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self._path = path
        self._known: tuple[tuple[int, int, int], LearntWeights | None, str] | None = None
        self.trouble = ""

    def read(self) -> LearntWeights | None:
        """Return the weights, switched on or off; None where there are none, or none that can be used."""
        try:
            status = self._path.stat()
        except OSError:
            self.trouble = ""
            return None
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        known = self._known
        if known is None or known[0] != stamp:
            weights, trouble = None, ""
            try:
                if status.st_uid != user_id():
                    raise ValueError("it belongs to another user")
                weights = decode_weights(self._path.read_bytes())
            except (OSError, ValueError) as error:  # what msgspec raises is a ValueError
                trouble = str(error)
            known = self._known = stamp, weights, trouble
        self.trouble = known[2]
        return known[1]

    def write(self, weights: LearntWeights) -> None:
        """Replace the file as a whole. Raises OSError."""
        from scry.core.files import replace_file_text

        replace_file_text(self._path, msgspec.json.format(msgspec.json.encode(weights), indent=1).decode() + "\n")

    def remove(self) -> bool:
        """Remove the file; return whether there was one. Raises OSError."""
        existed = self._path.exists()
        self._path.unlink(missing_ok=True)
        return existed


def decode_weights(content: bytes) -> LearntWeights:
    """Return the weights that a file holds. Raises ValueError for anything that can't rank."""
    weights = msgspec.json.decode(content, type=LearntWeights)
    if weights.format != WEIGHTS_FORMAT:
        raise ValueError(f"it has format {weights.format}, not {WEIGHTS_FORMAT}")
    for values, (least, most) in ((weights.oracles, ORACLE_BOUNDS), (weights.adjustments, EXPONENT_BOUNDS)):
        for name, value in values.items():
            if not max(least, LEAST_EXPONENTS.get(name, least)) <= value <= most:
                raise ValueError(f"{name} is {value:g}, not from {least:g} to {most:g}")
    if not weights.adjustments or not weights.adjustments.keys() <= frozenset(WEIGHED_ADJUSTMENTS):
        raise ValueError("its adjustments are not those that are weighed")
    return weights
