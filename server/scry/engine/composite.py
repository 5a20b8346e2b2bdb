"""How much a file matters to someone who is new to a folder: a composite of what is known of it. Pure.

score = (sum of weight * value over the parts, in their order) * (product of the adjustments' factors)

Structure ranks here and nowhere else: it says what matters, not what a question is about. What each weight is worth,
and what was tried, is in docs/decisions.md.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scry.core.path_kinds import path_kind
from scry.core.structural import Part
from scry.core.types import Adjustment
from scry.engine.words import count
from scry.store.file_reader import FileFacts

WEIGHTS: Mapping[str, float] = {
    "importers": 0.30,
    "centrality": 0.10,
    "entry_point": 0.30,
    "activity": 0.15,
    "commits": 0.15,
}
"""They add up to 1. What others build on, and where one begins to read, weigh most; what changes is where the work is.
Centrality is the importers' place in the project once more, which keeps a folder of little-imported files honest."""

IMPORTERS_HALF = 8
ACTIVITY_HALF = 4
COMMITS_HALF = 20
"""Where a count is worth half: n / (n + half). The first importers say more than the fiftieth, and a value means the
same in every folder, whatever else lies there."""

CENTRALITY_VALUES: Mapping[str, float] = {"high": 1.0, "medium": 0.5, "low": 0.0}

README = 1.0
ENTRY_POINT = 0.8
FACE = 0.7
"""A folder's own README is written for newcomers, a program starts at its entry point, and a package shows what it
offers in its face: `lib.rs`, `__init__.py`, `index.ts`, `doc.go`, or `click.py` beside the folder `click`."""

NEARER_SHARE = 0.7
"""Of the entries of deeper folders each level counts so much less: they are the beginning of something else."""

README_FACTOR = 1.5
"""A README is imported by nothing, and is yet what a newcomer should read first."""

KIND_FACTORS: Mapping[str, float] = {
    "test": 0.25,
    "vendored": 0.25,
    "generated": 0.25,
    "example": 0.4,
    "documentation": 0.5,
    "configuration": 0.5,
    "declaration": 0.6,
}
"""Code about the code, somebody else's, and what tools want to have at the top of a folder, come after what the folder
is about; unless the folder itself is of that kind."""

_README = re.compile(r"readme(\.\w+)?$", re.IGNORECASE)
_FACES = re.compile(r"(lib\.rs|mod\.rs|__init__\.py|index\.[cm]?[jt]sx?|doc\.go|package-info\.java|init\.lua)$")


@dataclass(frozen=True, slots=True)
class Place:
    """A file that was judged: its composite, what moves it besides, the score of both, and what stands out in words."""

    file: FileFacts
    parts: tuple[Part, ...]
    adjustments: tuple[Adjustment, ...]
    score: float
    evidence: tuple[str, ...] = ()


class Composite:
    """The composite of the files of one folder."""

    def __init__(self, folder: str, files: Sequence[FileFacts], commits: Mapping[str, tuple[int, int]] | None) -> None:
        """folder: what was asked about, empty for the project. files: all in it. commits: of each file, how many and
        how many of late; None where no history is known: then no file gets anything for them.
        """
        self.folder = folder
        self.size = len(files)
        self._depth = folder.count("/") + 1 if folder else 0
        self._files = files
        self._commits = commits or {}
        self._history = commits is not None
        self._folders = {posixpath.dirname(file.path) for file in files}
        self._own_kinds = path_kind(f"{folder}/-") if folder else frozenset[str]()

    def best(self, limit: int) -> list[Place]:
        """The best files, best first; equal ones by path.

        What a path's kind does to a score is worked out only as far as needed: it can only lower it.
        """
        raw = sorted((-self._highest(file), file.path, file) for file in self._files)
        judged: list[tuple[float, str, Place]] = []
        for highest, _, file in raw:
            if len(judged) >= limit and highest > judged[limit - 1][0]:
                break
            place = self.judge(file)
            judged.append((-place.score, file.path, place))
            judged.sort(key=lambda entry: entry[:2])
            del judged[limit:]
        return [place for _, _, place in judged]

    def judge(self, file: FileFacts) -> Place:
        """One file with all that makes its score."""
        parts = self._parts(file)
        adjustments = tuple(self._adjustments(file))
        score = weighted_sum(parts)
        for adjustment in adjustments:
            score *= adjustment.factor
        return Place(file, parts, adjustments, score, self._evidence(file))

    def _evidence(self, file: FileFacts) -> tuple[str, ...]:
        if self._is_own_readme(file.path):
            return ("readme",)
        return ("entry point",) if "entry_point" in file.flags else ()

    def rank_of(self, file: FileFacts) -> int:
        """The 1-based place of a file among all."""
        own = self.judge(file)
        others = ((-other.score, other.file.path) for other in map(self.judge, self._files))
        return 1 + sum(1 for other in others if other < (-own.score, file.path))

    # Parts --------------------------------------------------------------------------------------------------------

    def _highest(self, file: FileFacts) -> float:
        """The highest score that a file can have: its parts alone, and for a README what raises it."""
        ties, recent = self._commits.get(file.path, (0, 0))
        total = 0.0
        for weight, value in zip(
            WEIGHTS.values(),
            (
                file.importers / (file.importers + IMPORTERS_HALF),
                CENTRALITY_VALUES.get(file.centrality, 0.0),
                self._entry(file)[0],
                recent / (recent + ACTIVITY_HALF),
                ties / (ties + COMMITS_HALF),
            ),
            strict=True,
        ):
            total += weight * value
        return total * README_FACTOR if self._is_own_readme(file.path) else total

    def _parts(self, file: FileFacts) -> tuple[Part, ...]:
        ties, recent = self._commits.get(file.path, (0, 0))
        entry, why = self._entry(file)
        values = {
            "importers": (file.importers / (file.importers + IMPORTERS_HALF), count(file.importers, "importer")),
            "centrality": (CENTRALITY_VALUES.get(file.centrality, 0.0), f"{file.centrality} among the project's files"),
            "entry_point": (entry, why),
            "activity": (recent / (recent + ACTIVITY_HALF), self._commits_in_words(recent, " in 90 days")),
            "commits": (ties / (ties + COMMITS_HALF), self._commits_in_words(ties, "")),
        }
        return tuple(Part(name, values[name][0], weight, values[name][1]) for name, weight in WEIGHTS.items())

    def _commits_in_words(self, number: int, since: str) -> str:
        return count(number, "commit") + since if self._history else "no history is known"

    def _entry(self, file: FileFacts) -> tuple[float, str]:
        """Whether one begins to read here, and why."""
        if self._is_own_readme(file.path):
            return README, "the folder's own README"
        folder, _, name = file.path.rpartition("/")
        value, why = 0.0, "no place to begin"
        if "entry_point" in file.flags:
            value, why = ENTRY_POINT, "a program or package starts here"
        elif _FACES.match(name) or self._names_a_folder(file.path):
            value, why = FACE, f"shows what {self._what_it_shows(file.path, folder)} offers"
        if not value:
            return value, why
        deeper = (folder.count("/") + 1 if folder else 0) - self._depth
        return value * NEARER_SHARE ** max(0, deeper - 1), why

    def _is_own_readme(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return folder == self.folder and _README.match(name) is not None

    def _names_a_folder(self, path: str) -> bool:
        """Whether a folder of the same name lies beside it, whose face it is: `click.py` beside `click/`."""
        stem = path.rpartition(".")[0]
        return bool(stem) and stem in self._folders

    def _what_it_shows(self, path: str, folder: str) -> str:
        stem = path.rpartition(".")[0]
        return f"{posixpath.basename(stem if stem in self._folders else folder) or 'the project'}"

    # Adjustments --------------------------------------------------------------------------------------------------

    def _adjustments(self, file: FileFacts) -> list[Adjustment]:
        if self._is_own_readme(file.path):
            return [Adjustment("readme", README_FACTOR, "written for who is new here")]
        kinds = _kinds(file.path) - self._own_kinds
        return [
            Adjustment(f"{kind}_path", KIND_FACTORS[kind], f"the path is {kind}, the folder asked about is not")
            for kind in sorted(kinds)
            if kind in KIND_FACTORS
        ]


def _kinds(path: str) -> frozenset[str]:
    """The kinds of a path; what a dot hides from a listing is there for a tool."""
    hidden = posixpath.basename(path).startswith(".")
    return path_kind(path) | {"configuration"} if hidden else path_kind(path)


def weighted_sum(parts: Sequence[Part]) -> float:
    """The sum of weight * value, added from the first to the last."""
    total = 0.0
    for part in parts:
        total += part.weight * part.value
    return total
