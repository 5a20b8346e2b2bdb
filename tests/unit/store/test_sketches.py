"""Sketches say which of many rows can be near: scores are those of an exact search, and everyone finds the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scry.core.types import Point, Span, Symbol
from scry.store import nearest, sketches, vector_sets, vectors
from scry.store.index_store import IndexStore
from scry.store.rows import NewDocument, NewFile
from scry.store.vector_sets import Maker
from scry.store.vectors import Vectors

MAKER = Maker("bundled", "bundled@1/256", 256)
FILES, EACH = 100, 30
NEAREST = """
import sys, numpy as np
from pathlib import Path
from scry.store.index_store import IndexStore
store = IndexStore.open(Path(sys.argv[1]), write=False)
for query in np.load(sys.argv[2]):
    print(store.nearest("bundled@1/256", query, 100))
"""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that happens to many rows happens to few."""
    monkeypatch.setattr(vector_sets, "WORTH_ROWS", 1_000)
    monkeypatch.setattr(sketches, "_BLOCK", 300)
    monkeypatch.setattr(nearest, "_FEW", 100)


def clustered(seed: int, count: int) -> Vectors:
    """Unit vectors that lie in groups, as those of texts do."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((40, MAKER.dimension))
    made = centres[random.integers(0, 40, count)] + 0.6 * random.standard_normal((count, MAKER.dimension))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


QUERIES = clustered(99, 30)


def publish(store: IndexStore, paths: Sequence[str], seed: int, each: int = EACH) -> list[int]:
    """Adds files with so many documents each; returns their numbers."""
    store.publish([_file(path, each) for path in paths])
    numbers = [number for path in paths for number, _ in store.numbers_of(path)[1]]
    store.publish_vectors(MAKER, numbers, clustered(seed, len(numbers)))
    return numbers


def _file(path: str, count: int) -> NewFile:
    span = Span(Point(0, 0, 0), Point(1, 0, 0))
    symbols = [Symbol(f"name{number}", "function", "", "", "", span, span, "") for number in range(count)]
    documents = tuple(NewDocument(f"./{path}::{symbol.name}", 0, symbol, symbol.name) for symbol in symbols)
    return NewFile(path, 1, 1, b"x", language="python", documents=documents)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(folder: Path) -> IndexStore:
    store = IndexStore.open(folder, write=True)
    publish(store, [f"f{number}.py" for number in range(FILES)], 1)
    return store


def near(store: IndexStore, query: Vectors, limit: int = 100) -> list[tuple[int, float]]:
    return store.nearest(MAKER.identity, query, limit)


def exact(
    store: IndexStore, query: Vectors, monkeypatch: pytest.MonkeyPatch, limit: int = 100
) -> list[tuple[int, float]]:
    with monkeypatch.context() as patch:
        patch.setattr(nearest, "_FEW", 1_000_000)
        return near(store, query, limit)


def estimated(path: Path) -> int:
    """How many rows the first file of vectors has sketches for."""
    file = sketches.SketchFile(path / "vectors-1-1", MAKER.dimension)
    file.load(1_000_000)
    return file.size


@pytest.mark.acceptance("F10")
def test_what_is_found_is_what_an_exact_search_finds(
    store: IndexStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert estimated(folder) == FILES * EACH
    missed = 0
    for query in QUERIES:
        found, wanted = near(store, query), exact(store, query, monkeypatch)
        assert len(found) == 100
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
        everything = dict(exact(store, query, monkeypatch, FILES * EACH))
        assert all(everything[number] == cosine for number, cosine in found), "bit for bit"
        missed += len(set(wanted) - set(found))
    assert missed <= len(QUERIES) * 100 / 1_000


def test_most_rows_are_not_looked_at(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    at = vectors._Rows.at  # pyright: ignore[reportPrivateUsage]

    def counted(self: vectors._Rows, places: NDArray[np.int64]) -> vectors._Rows:  # pyright: ignore[reportPrivateUsage]
        looked_at.append(len(places))
        return at(self, places)

    monkeypatch.setattr(vectors._Rows, "at", counted)  # pyright: ignore[reportPrivateUsage]
    near(store, QUERIES[0], 10)
    assert len(looked_at) == 2
    assert max(looked_at) < FILES * EACH / 2


def test_an_estimate_is_hardly_ever_wrong_by_more_than_the_margin(tmp_path: Path) -> None:
    dimension, count = 200, 5_000
    random = np.random.default_rng(1)
    rows = random.standard_normal((count, dimension)) * np.geomspace(8, 1, dimension)  # few numbers hold most
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    file = vectors.VectorFile(tmp_path / "v", dimension)
    file.load(file.append(0, vectors.pack_rows(range(count), rows)))
    made = sketches.SketchFile(tmp_path / "v", dimension)
    made.extend(file)
    made.load(count)
    wrong = np.concatenate([made.estimates(row) - rows @ row for row in rows[:20]])
    assert abs(wrong.mean()) < made.margin / 20
    assert (np.abs(wrong) > made.margin).mean() < 0.02


@pytest.mark.acceptance("F10")
@pytest.mark.slow
def test_every_process_finds_the_same(store: IndexStore, folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "queries.npy", QUERIES)
    command = [sys.executable, "-c", NEAREST, str(folder), str(tmp_path / "queries.npy")]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert runs[0] == runs[1] == "".join(f"{near(store, query)}\n" for query in QUERIES)


def test_few_rows_have_none(tmp_path: Path) -> None:
    publish(IndexStore.open(tmp_path / "few", write=True), ["a.py"], 1)
    assert estimated(tmp_path / "few") == 0


def test_newer_rows_are_found_and_deleted_ones_are_not(store: IndexStore, folder: Path) -> None:
    reader = IndexStore.open(folder, write=False)
    near(reader, QUERIES[0])
    numbers = publish(store, ["late.py"], 500)
    assert estimated(folder) == (FILES + 1) * EACH
    row = clustered(500, EACH)[7]
    assert near(store, row, 1)[0][0] == near(reader, row, 1)[0][0] == numbers[7]
    store.publish([], gone=["late.py"])
    assert store.outlines([number for number, _ in near(store, row, 1)]) == {}, "who asks drops the dead"


def test_rewritten_rows_are_sketched_anew(store: IndexStore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.publish([], gone=[f"f{number}.py" for number in range(30)])
    store.drop_dead_vectors()
    assert sorted(path.name for path in folder.glob("vectors-*")) == ["vectors-1-2", "vectors-1-2.sketches"]
    assert near(store, QUERIES[0]) == exact(store, QUERIES[0], monkeypatch)


@pytest.mark.acceptance("F10")
def test_an_index_that_came_to_be_step_by_step_finds_what_a_fresh_one_does(store: IndexStore, tmp_path: Path) -> None:
    publish(store, ["gone.py"], 2, 200)
    publish(store, ["late.py"], 3)
    store.publish([], gone=["gone.py", "f0.py"])
    fresh = IndexStore.open(tmp_path / "fresh", write=True)
    rows = clustered(1, FILES * EACH)
    paths = [*(f"f{number}.py" for number in range(1, FILES)), "late.py"]
    fresh.publish([_file(path, EACH) for path in paths])
    numbers = [number for path in paths for number, _ in fresh.numbers_of(path)[1]]
    fresh.publish_vectors(MAKER, numbers, np.concatenate([rows[EACH:], clustered(3, EACH)]))
    differing = 0
    for query in QUERIES:
        differing += len(set(named(store, near(store, query, 400))[:100]) - set(named(fresh, near(fresh, query))))
    assert differing <= len(QUERIES) * 100 / 500, "what one misses in a thousand, and the other"


def named(store: IndexStore, found: Sequence[tuple[int, float]]) -> list[tuple[float, str]]:
    """Cosines and names of those that are still there, in an order that numbers have no part in."""
    known = store.outlines([number for number, _ in found])
    return sorted((-cosine, known[number].doc_id) for number, cosine in found if number in known)


def test_only_what_the_filters_leave_is_found(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [store.numbers_of(f"f{number}.py")[0] for number in range(60)]
    for part in (files[:1], files):  # few are looked at one by one, many by their sketches
        numbers = {number for at in range(len(part)) for number, _ in store.numbers_of(f"f{at}.py")[1]}
        found = store.nearest(MAKER.identity, QUERIES[3], 100, part)
        assert len(found) == min(100, len(numbers))
        assert (
            found == [pair for pair in exact(store, QUERIES[3], monkeypatch, FILES * EACH) if pair[0] in numbers][:100]
        )


def test_a_single_cosine_is_that_of_the_search(store: IndexStore) -> None:
    for number, cosine in near(store, QUERIES[0], 5):
        assert store.cosine(MAKER.identity, QUERIES[0], number) == cosine


def test_all_above_a_cosine_are_found_however_many_they_are(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for least in (0.9, 0.5, -1.0):
        found = store.nearest_above(MAKER.identity, QUERIES[0], least, 50)
        everything = exact(store, QUERIES[0], monkeypatch, FILES * EACH)
        assert found == [pair for pair in everything if pair[1] >= least]


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_damaged_sketches_cost_speed_alone_and_are_made_again(
    store: IndexStore, folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = exact(store, QUERIES[0], monkeypatch)
    store.close()
    path = folder / "vectors-1-1.sketches"
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:1001])
    assert near(IndexStore.open(folder, write=False), QUERIES[0]) == wanted
    again = IndexStore.open(folder, write=True)
    assert estimated(folder) == FILES * EACH
    assert near(again, QUERIES[0]) == wanted


def test_what_a_crash_has_left_of_rows_that_do_not_count_is_sketched_anew(
    store: IndexStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(IndexStore, "_set_meta", None)  # rows and sketches are written, then nothing is any more
        with pytest.raises(TypeError):
            store.publish_vectors(MAKER, [1], clustered(9, 1))
    assert estimated(folder) == FILES * EACH + 1
    numbers = publish(store, ["late.py"], 500)
    assert estimated(folder) == (FILES + 1) * EACH
    assert near(store, clustered(500, EACH)[0], 1)[0][0] == numbers[0]
