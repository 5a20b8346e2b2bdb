"""Rank the files of a folder by their importance to a newcomer (orient). Pure.

score = (sum of weight * value over the parts, in their order) * (product of the adjustments' factors)

This is the only mode in which structure ranks: it says which files matter, not which ones answer a question. The
measured worth of each weight, and the alternatives tried, are in docs/decisions/0101-orient-by-callers-and-names.md.
"""

from __future__ import annotations

import posixpath
from bisect import insort
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.doc_id import new_query_id
from scry.core.path_kinds import GENERATED, classify_path, is_entry_file, is_readme, sibling_folder
from scry.core.text import escape_unencodable, format_count
from scry.core.types import Adjustment, Answer, Candidate, Hit, ScorePart
from scry.engine.browse.files import (
    file_document,
    file_header,
    file_structures,
    file_summary,
    raise_unknown_path,
    read_commit_counts,
)
from scry.engine.browse.namesakes import find_namesakes
from scry.engine.browse.paths import parse_project_path
from scry.engine.context import OrientRequest, RequestContext
from scry.engine.index_view import UNFUSED_SCORING, IndexView
from scry.engine.notices import FileImportanceRank, GraphPending
from scry.engine.search.query import browse_question
from scry.index.parse.languages import language_of
from scry.store.index.files import ENTRY_POINT, FileColumns, IndexedFileInfo, ending_of
from scry.store.index.store import IndexStore

IMPORTANCE_WEIGHTS: Mapping[str, float] = {
    "importers": 0.15,
    "callers": 0.30,
    "centrality": 0.05,
    "entry_point": 0.20,
    "activity": 0.15,
    "commits": 0.15,
}
"""The weights of the parts; they add up to 1.

Files that others build on, and files where a reader begins, weigh most; recent changes show where the work is. Callers
tell a package's main module, whose names are imported from the package or need no import, from its shared types and
helpers. Centrality repeats the importers relative to the whole project, which keeps a folder of little-imported files
honest."""

IMPORTERS_HALF = 8
CALLERS_HALF = 40
ACTIVITY_HALF = 4
COMMITS_HALF = 20
"""Count at which a value is one half: n / (n + half).

The first importers say more than the fiftieth, and a value means the same in every folder."""

CALLERS_PER_IMPORTER = 2
"""Callers that an importer stands for in a language whose imports are read, but not its calls (docs/decisions/0159)."""

CENTRALITY_VALUES: Mapping[str, float] = {"high": 1.0, "medium": 0.5, "low": 0.0}

README_VALUE = 1.0
ENTRY_POINT_VALUE = 0.8
FACE_VALUE = 0.7
"""Values of the files where a reader begins.

A folder's own README is written for newcomers, a program starts at its entry point, and a package shows its interface
in its entry file (`lib.rs`, `__init__.py`, `index.ts`, `doc.go`, or `click.py` beside the folder `click`), in the file
with its name (`gin.go`), and in the one that defines the type or function with its name (`Flask` in `flask/app.py`)."""

DEPTH_DECAY = 0.7
"""Factor per folder level on the value of an entry file: deeper ones are the entries of other packages."""

README_FACTOR = 1.5
"""Factor of the folder's README: nothing imports it, and yet a newcomer should read it first."""

IMPORTANCE_KIND_FACTORS: Mapping[str, float] = {
    "test": 0.25,
    "vendored": 0.25,
    "generated": 0.25,
    "example": 0.4,
    "documentation": 0.5,
    "configuration": 0.5,
    "declaration": 0.6,
}
"""Factors that put tests, vendored code and tool files after the folder's own subject.

They do not apply where the folder itself is of that kind."""


class ScoredFile(Struct, frozen=True):
    """A file with its composite, its adjustments, the score of both, and the evidence in words."""

    file: IndexedFileInfo
    parts: tuple[ScorePart, ...]
    adjustments: tuple[Adjustment, ...]
    score: float
    evidence: tuple[str, ...] = ()


class FileImportance:
    """The composite of the files of one folder."""

    def __init__(
        self,
        folder: str,
        files: FileColumns,
        commits: Mapping[str, tuple[int, int]] | None,
        namesakes: Mapping[str, str] | None = None,
        *,
        is_graph_current: bool = True,
    ) -> None:
        """Prepare the scores of all files in a folder.

        folder: empty for the project. files: all in it. commits: of each file, the number of all and of recent commits;
        None where no history is known: then no file has a value for them. namesakes: by path, what marks a file as the
        one that a package is named after. is_graph_current: whether the callers are known.
        """
        self.folder = folder
        self.size = len(files)
        self._rows = {path: row for row, path in enumerate(files.paths)}
        self._depth = folder.count("/") + 1 if folder else 0
        self._files = files
        self._commits = commits or {}
        self._history = commits is not None
        self._namesakes = namesakes or {}
        self.is_graph_current = is_graph_current
        self._own_kinds = classify_path(f"{folder}/-") if folder else frozenset[str]()
        self._own_readmes = files.is_readme & (files.depths == self._depth)
        self._sums = self._weighted_sums()

    def top_paths(self, limit: int) -> list[str]:
        """Return the paths of the best files, best first; equal ones by path.

        The factor of a path's kind is computed only for files that may be among them, because it can only lower a
        score.
        """
        highest = np.where(self._own_readmes, self._sums * README_FACTOR, self._sums)
        best: list[tuple[float, str]] = []
        rows: list[int] = np.argsort(-highest, kind="stable").tolist()  # equal ones stay in the order of their paths
        for row in rows:
            path = self._files.paths[row]
            if len(best) >= limit and (-float(highest[row]), path) > best[-1]:
                break
            insort(best, (-self._score(row), path))
            del best[limit:]
        return [path for _, path in best]

    def score_file(self, file: IndexedFileInfo) -> ScoredFile:
        """Return a file with its score and everything that makes it."""
        parts = self._parts(file)
        adjustments = tuple(self._adjustments(file.path, GENERATED in file.flags))
        score = weighted_sum(parts)
        for adjustment in adjustments:
            score *= adjustment.factor
        return ScoredFile(file, parts, adjustments, score, self._evidence(file))

    def _evidence(self, file: IndexedFileInfo) -> tuple[str, ...]:
        if self._is_own_readme(file.path):
            return ("readme",)
        return ("entry point",) if ENTRY_POINT in file.flags else ()

    def rank_of(self, file: IndexedFileInfo) -> int:
        """Return the 1-based rank of a file among all."""
        own = -self.score_file(file).score, file.path
        highest = np.where(self._own_readmes, self._sums * README_FACTOR, self._sums)
        possible: list[int] = np.flatnonzero(highest >= -own[0]).tolist()
        return 1 + sum(1 for row in possible if (-self._score(row), self._files.paths[row]) < own)

    # Scores of all files, as arrays --------------------------------------------------------------------------------

    def _weighted_sums(self) -> NDArray[np.float64]:
        """Return the weighted sum of each file: the same products as in `_parts`, added in the same order."""
        files = self._files
        commits, recent = self._commit_counts()
        levels = np.array([CENTRALITY_VALUES.get(level, 0.0) for level in files.levels])
        callers = np.array(files.callers, np.int64)
        unread = [number for number, ending in enumerate(files.endings) if _language_without_calls(ending)]
        rows = np.isin(files.file_endings, unread) & (files.callers == 0)
        callers[rows] = CALLERS_PER_IMPORTER * files.importers[rows]
        columns = {
            "importers": files.importers / (files.importers + IMPORTERS_HALF),
            "callers": callers / (callers + CALLERS_HALF),
            "centrality": levels[files.centralities],
            "entry_point": self._entry_values(),
            "activity": recent / (recent + ACTIVITY_HALF),
            "commits": commits / (commits + COMMITS_HALF),
        }
        total = np.zeros(self.size)
        for name, weight in IMPORTANCE_WEIGHTS.items():
            total = total + weight * columns[name]
        return total

    def _commit_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each file the number of all and of recent commits."""
        if not self._commits:
            return np.zeros(self.size, np.int64), np.zeros(self.size, np.int64)
        pairs = [self._commits.get(path, (0, 0)) for path in self._files.paths]
        return np.array([commits for commits, _ in pairs], np.int64), np.array(
            [recent for _, recent in pairs], np.int64
        )

    def _entry_values(self) -> NDArray[np.float64]:
        files = self._files
        shares = np.array([DEPTH_DECAY**level for level in range(int(files.depths.max(initial=0)) + 1)])
        nearer = shares[np.maximum(files.depths - self._depth - 1, 0)]
        is_face = np.array(files.is_facade, np.bool_)
        is_face[[self._rows[path] for path in self._namesakes]] = True
        value = np.where(files.is_entry_point, ENTRY_POINT_VALUE, np.where(is_face, FACE_VALUE, 0.0))
        return np.where(self._own_readmes, README_VALUE, value * nearer)

    def _score(self, row: int) -> float:
        score = float(self._sums[row])
        for adjustment in self._adjustments(self._files.paths[row], bool(self._files.is_generated[row])):
            score *= adjustment.factor
        return score

    # Parts --------------------------------------------------------------------------------------------------------

    def _parts(self, file: IndexedFileInfo) -> tuple[ScorePart, ...]:
        commits, recent = self._commits.get(file.path, (0, 0))
        entry, why = self._entry_value(file)
        callers, callers_in_words = self._count_callers(file)
        values = {
            "importers": (file.importers / (file.importers + IMPORTERS_HALF), format_count(file.importers, "importer")),
            "callers": (callers / (callers + CALLERS_HALF), callers_in_words),
            "centrality": (CENTRALITY_VALUES.get(file.centrality, 0.0), f"{file.centrality} among the project's files"),
            "entry_point": (entry, why),
            "activity": (recent / (recent + ACTIVITY_HALF), self._commits_in_words(recent, " in 90 days")),
            "commits": (commits / (commits + COMMITS_HALF), self._commits_in_words(commits, "")),
        }
        return tuple(
            ScorePart(name, values[name][0], weight, values[name][1]) for name, weight in IMPORTANCE_WEIGHTS.items()
        )

    def _count_callers(self, file: IndexedFileInfo) -> tuple[int, str]:
        """Return the number of a file's callers that counts, and that in words."""
        count = int(self._files.callers[self._rows[file.path]])
        if not count and (language := _language_without_calls(ending_of(file.path))):
            return CALLERS_PER_IMPORTER * file.importers, f"calls are not read in {language}: as two for each importer"
        pending = "" if self.is_graph_current else ", the graph is still being made"
        return count, format_count(count, "caller") + pending

    def _commits_in_words(self, count: int, since: str) -> str:
        return format_count(count, "commit") + since if self._history else "no history is known"

    def _entry_value(self, file: IndexedFileInfo) -> tuple[float, str]:
        """Return the value of a file as a place to begin reading, and the reason."""
        if self._is_own_readme(file.path):
            return README_VALUE, "the folder's own README"
        folder = file.path.rpartition("/")[0]
        value, why = 0.0, "no place to begin"
        if ENTRY_POINT in file.flags:
            value, why = ENTRY_POINT_VALUE, "a program or package starts here"
        elif file.path in self._namesakes:
            value, why = FACE_VALUE, self._namesakes[file.path]
        elif shown := self._shown_folder(file.path):
            value, why = FACE_VALUE, f"shows what {shown} offers"
        if not value:
            return value, why
        deeper = (folder.count("/") + 1 if folder else 0) - self._depth
        return value * DEPTH_DECAY ** max(0, deeper - 1), why

    def _is_own_readme(self, path: str) -> bool:
        return path.rpartition("/")[0] == self.folder and is_readme(path)

    def _shown_folder(self, path: str) -> str:
        """Return what a file shows, by the name of a folder; empty for nothing."""
        if not is_entry_file(path, self._files.folders):
            return ""
        sibling = sibling_folder(path)
        shown = sibling if sibling in self._files.folders else posixpath.dirname(path)
        return posixpath.basename(shown) or "the project"

    # Adjustments --------------------------------------------------------------------------------------------------

    def _adjustments(self, path: str, is_generated: bool) -> list[Adjustment]:
        """Return the adjustments of a file. is_generated: by its text."""
        if self._is_own_readme(path):
            return [Adjustment("readme", README_FACTOR, "written for who is new here")]
        by_path = _path_kinds(path)
        kinds = (by_path | {GENERATED} if is_generated else by_path) - self._own_kinds
        return [
            Adjustment(
                f"{kind}_path",
                IMPORTANCE_KIND_FACTORS[kind],
                f"the {'path' if kind in by_path else 'file'} is {kind}, the folder asked about is not",
            )
            for kind in sorted(kinds)
            if kind in IMPORTANCE_KIND_FACTORS
        ]


@lru_cache(512)
def _language_without_calls(ending: str) -> str:
    """Return the language of files with an ending, if its imports are read, but no calls; "" for any other."""
    language = language_of(f"x{ending}" if ending.startswith(".") else ending)
    return language.name if language and language.has_known_imports and language.grammar is None else ""


def _path_kinds(path: str) -> frozenset[str]:
    """Return the kinds of a path; a hidden file counts as one of a tool."""
    hidden = posixpath.basename(path).startswith(".")
    return classify_path(path) | {"configuration"} if hidden else classify_path(path)


def weighted_sum(parts: Sequence[ScorePart]) -> float:
    """Return the sum of weight * value, added from the first to the last."""
    total = 0.0
    for part in parts:
        total += part.weight * part.value
    return total


def orient(request: OrientRequest, root: Path, reading: IndexView, context: RequestContext) -> Answer:
    """Return the best files of a folder, or the one requested file with its rank among its siblings.

    Reads nothing but the index and the history; of a folder that is not read yet there is nothing to show. Raises
    BadRequest for an unknown path, Cancelled.
    """
    store = reading.store
    path = parse_project_path("path", request.path, root)
    file = store.files.get_file(path) if path else None
    composite = folder_importance(path.rpartition("/")[0] if file else path, reading)
    is_read = reading.state.state not in ("starting", "indexing")
    if not composite.size and path and (is_read or not (root / path).is_dir()):
        raise_unknown_path("path", path, store, reading.state)
    context.raise_if_cancelled()
    scored = [composite.score_file(each) for each in ([file] if file else _top_files(composite, request.limit, store))]
    return Answer(
        question=browse_question(path or ".", request.limit),
        query_id=new_query_id(),
        scoring=UNFUSED_SCORING,
        index=reading.state,
        hits=_make_file_hits(scored, reading),
        faults=reading.faults,
        notices=(
            *((_rank_notice(composite, file),) if file else ()),
            *((GraphPending("callers and importers"),) if composite.size and not composite.is_graph_current else ()),
        ),
    )


def _top_files(composite: FileImportance, limit: int, store: IndexStore) -> list[IndexedFileInfo]:
    files = (store.files.get_file(path) for path in composite.top_paths(limit))
    return [file for file in files if file is not None]  # one may have gone since


def rank_in_orient(path: str, reading: IndexView) -> tuple[int | None, int, str]:
    """Return a file's rank among the files of its folder, their number, and a note; for `why`."""
    folder = path.rpartition("/")[0]
    composite = folder_importance(folder, reading)
    file = reading.store.files.get_file(path)
    if file is None:
        return None, composite.size, "not an indexed file"
    return composite.rank_of(file), composite.size, f"of the files in {escape_unencodable(folder) or 'the project'}"


def folder_importance(folder: str, reading: IndexView) -> FileImportance:
    """Return the composite scores of all files in a folder and below it."""
    columns = reading.store.files.columns_in_folder(folder)
    return FileImportance(
        folder,
        columns,
        read_commit_counts(reading.history, folder),
        find_namesakes(folder, columns, reading.store),
        is_graph_current=reading.store.graph.is_current,
    )


def _rank_notice(composite: FileImportance, file: IndexedFileInfo) -> FileImportanceRank:
    return FileImportanceRank(file.path, composite.rank_of(file), composite.size, composite.folder)


def _make_file_hits(scored: Sequence[ScoredFile], reading: IndexView) -> tuple[Hit, ...]:
    structures = file_structures([each.file for each in scored], reading.history)
    return tuple(
        Hit(
            rank,
            Candidate(file_header(each.file), {}, 0.0, each.adjustments, each.score),
            file_document(each.file),
            structures[each.file.path],
            file_summary(each.file.path, reading.store),
            composite=each.parts,
            evidence=each.evidence,
        )
        for rank, each in enumerate(scored, 1)
    )
