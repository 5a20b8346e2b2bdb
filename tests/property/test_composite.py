"""Orient's composite: what is chosen from columns is what judging every file by itself would choose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.engine.browse import FileImportance
from scry.store.index import FileColumns, IndexedFileInfo

_FOLDERS = ["", "click", "tests", "a/b", "a.b", "docs"]
_NAMES = [
    "README.md",
    "click.py",
    "__init__.py",
    "index.ts",
    "b.go",
    ".hidden",
    "Makefile",
    "cart.dart",
    "BUILD.bazel",
    "cart.nix",
    "test_x.py",
    "caf\udce9.c",
]
_PATHS = [f"{folder}/{name}" if folder else name for folder in _FOLDERS for name in _NAMES]

_COUNTS = st.integers(0, 30)


@st.composite
def folders(draw: st.DrawFn) -> tuple[list[IndexedFileInfo], dict[str, int], dict[str, tuple[int, int]]]:
    """Files in the order in which the index lists them, the callers of each, and the commits of some."""
    paths = draw(st.lists(st.sampled_from(_PATHS), unique=True, min_size=1))
    level, flags = st.sampled_from(["high", "medium", "low"]), st.sampled_from(["", "entry_point", "test"])
    listed = sorted(paths, key=lambda path: (not path.isascii(), path))
    files = [IndexedFileInfo(path, "code", "", 0, draw(_COUNTS), draw(level), draw(flags)) for path in listed]
    callers = {path: draw(st.one_of(st.just(0), st.integers(0, 300))) for path in listed}
    return files, callers, draw(st.dictionaries(st.sampled_from(paths), st.tuples(_COUNTS, _COUNTS)))


@pytest.mark.acceptance("O1")
@given(folders(), st.sampled_from(["", "click", "tests"]), st.integers(1, 12), st.sets(st.sampled_from(_PATHS)))
def test_best_composite_results_equal_full_ranking(
    made: tuple[list[IndexedFileInfo], dict[str, int], dict[str, tuple[int, int]]],
    folder: str,
    limit: int,
    named: set[str],
) -> None:
    every, callers, commits = made
    files = [file for file in every if file.path.startswith(f"{folder}/" if folder else "")]
    rows = [(_as_stored(file.path), file.importers, file.centrality, file.flags, callers[file.path]) for file in files]
    namesakes = {file.path: "Click" for file in files if file.path in named}
    composite = FileImportance(folder, FileColumns.from_rows(rows), commits, namesakes)
    judged = sorted((-composite.score_file(file).score, file.path) for file in files)
    assert composite.top_paths(limit) == [path for _, path in judged][:limit]
    ranks = {path: rank for rank, (_, path) in enumerate(judged, 1)}
    assert {file.path: composite.rank_of(file) for file in files} == ranks


def _as_stored(path: str) -> str | bytes:
    """Return a path that is no UTF-8 comes out of the index as bytes, after all others."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape")


@pytest.mark.acceptance("O1")
def test_file_suggests_the_folder_of_the_same_name() -> None:
    rows = [(path, 0, "low", "", 0) for path in ("a.b/Makefile", "a/x.py", "click.py", "click/core.py")]
    composite = FileImportance("", FileColumns.from_rows(rows), None)
    entries = {
        file.path: composite.score_file(file).parts[3]
        for file in (IndexedFileInfo(path, "code", "", 0, 0, "low", "") for path, *_ in rows)
    }
    assert entries["click.py"].reason == "shows what click offers"
    assert {path for path, part in entries.items() if part.value} == {"click.py"}


@pytest.mark.acceptance("O1")
def test_importers_stand_for_callers_where_calls_are_not_read() -> None:
    rows = [(path, 20, "low", "", 0) for path in ("WORKSPACE", "cart.dart", "cart.py", "prices.dart")]
    rows[3] = (*rows[3][:4], 40)
    composite = FileImportance("", FileColumns.from_rows(rows), None)
    files = [IndexedFileInfo(path, "code", "", 0, 20, "low", "") for path, *_ in rows]
    callers = {file.path: composite.score_file(file).parts[1] for file in files}
    assert [callers[path].value for path, *_ in rows] == [0.5, 0.5, 0.0, 0.5]
    assert callers["cart.dart"].reason == "calls are not read in dart: as two for each importer"
    assert (callers["cart.py"].reason, callers["prices.dart"].reason) == ("0 callers", "40 callers")
    assert composite.top_paths(3) == ["WORKSPACE", "cart.dart", "prices.dart"]
