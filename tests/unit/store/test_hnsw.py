"""A snapshot of near rows names candidates: scores are those of an exact search, and everyone finds the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scry.core.errors import Cancelled
from scry.core.types import Point, Span, Symbol
from scry.store import hnsw, nearest, vectors
from scry.store.index_store import IndexStore
from scry.store.rows import NewDocument, NewFile
from scry.store.vector_sets import Maker
from scry.store.vectors import Vectors

MAKER = Maker("bundled", "bundled@1/64", 64)
FILES, EACH = 100, 20
NEAREST = """
import sys, numpy as np
from pathlib import Path
from scry.store.index_store import IndexStore
store = IndexStore.open(Path(sys.argv[1]), write=False)
for query in np.load(sys.argv[2]):
    print(store.nearest("bundled@1/64", query, 100))
assert "usearch" in sys.modules
"""


def nothing() -> None:
    """Nothing else is to be done first."""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that happens to many rows happens to few."""
    monkeypatch.setattr(hnsw, "WORTH_ROWS", 1_000)
    monkeypatch.setattr(hnsw, "TAIL_ROWS", 100)
    monkeypatch.setattr(hnsw, "_AT_ONCE", 150)
    monkeypatch.setattr(vectors, "_IN_MEMORY", 1_000)


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


def exact(store: IndexStore, query: Vectors, monkeypatch: pytest.MonkeyPatch, limit: int = 100) -> dict[int, float]:
    with monkeypatch.context() as patch:
        patch.setattr(nearest, "MOST_NAMED", 0)
        return dict(near(store, query, limit))


def snapshots(folder: Path) -> list[Path]:
    return sorted(folder.glob("vectors-*.hnsw-*"))


@pytest.mark.acceptance("F10")
def test_what_is_found_has_the_scores_of_an_exact_search(
    store: IndexStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.write_snapshot(nothing)
    assert [path.name for path in snapshots(folder)] == ["vectors-1-1.hnsw-2000"]
    recall: list[float] = []
    for query in QUERIES:
        wanted, found = exact(store, query, monkeypatch), near(store, query)
        assert len(found) == 100
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
        everything = exact(store, query, monkeypatch, FILES * EACH)
        assert all(everything[number] == cosine for number, cosine in found), "bit for bit"
        recall.append(len(wanted.keys() & dict(found).keys()) / len(wanted))
    assert np.mean(recall) > 0.98


@pytest.mark.acceptance("F10")
@pytest.mark.slow
def test_every_process_finds_the_same(store: IndexStore, folder: Path, tmp_path: Path) -> None:
    store.write_snapshot(nothing)
    np.save(tmp_path / "queries.npy", QUERIES)
    command = [sys.executable, "-c", NEAREST, str(folder), str(tmp_path / "queries.npy")]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert runs[0] == runs[1] == "".join(f"{near(store, query)}\n" for query in QUERIES)


def test_there_is_none_for_few_rows(tmp_path: Path) -> None:
    store = IndexStore.open(tmp_path / "few", write=True)
    publish(store, ["a.py"], 1)
    assert not store.write_snapshot(nothing)
    assert snapshots(tmp_path / "few") == []


def test_newer_rows_are_found_and_deleted_ones_are_not(store: IndexStore) -> None:
    store.write_snapshot(nothing)
    numbers = publish(store, ["late.py"], 500)
    row = clustered(500, EACH)[7]
    assert near(store, row, 1)[0][0] == numbers[7]
    store.publish([], gone=["late.py"])
    assert store.outlines([number for number, _ in near(store, row, 1)]) == {}, "who asks drops the dead"


def test_it_is_gone_on_with_when_many_rows_are_newer(store: IndexStore, folder: Path) -> None:
    store.write_snapshot(nothing)
    publish(store, ["late.py"], 500)
    assert not store.write_snapshot(nothing), "a few are looked at one by one"
    publish(store, ["later.py"], 501, 100)
    assert store.write_snapshot(nothing)
    assert [path.name for path in snapshots(folder)] == ["vectors-1-1.hnsw-2120"]


def test_a_rewritten_file_has_none_until_one_is_made_of_it(store: IndexStore, folder: Path) -> None:
    store.write_snapshot(nothing)
    store.publish([], gone=[f"f{number}.py" for number in range(30)])
    store.drop_dead_vectors()
    assert snapshots(folder) == []
    assert len(near(store, QUERIES[0])) == 100
    assert store.write_snapshot(nothing)
    assert [path.name for path in snapshots(folder)] == ["vectors-1-2.hnsw-1400"]


def test_only_what_the_filters_leave_is_found(store: IndexStore) -> None:
    store.write_snapshot(nothing)
    files = [store.numbers_of(f"f{number}.py")[0] for number in range(60)]
    for part in (files[:1], files):  # few are looked at one by one; for many the snapshot names more
        numbers = {number for at in range(len(part)) for number, _ in store.numbers_of(f"f{at}.py")[1]}
        found = store.nearest(MAKER.identity, QUERIES[3], 100, part)
        assert len(found) == min(100, len(numbers))
        assert {number for number, _ in found} <= numbers


def test_more_than_it_can_name_is_looked_up_in_all(store: IndexStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write_snapshot(nothing)
    assert dict(near(store, QUERIES[0], 1_500)) == exact(store, QUERIES[0], monkeypatch, 1_500)


def test_a_reader_takes_the_next_one_up(store: IndexStore, folder: Path) -> None:
    store.write_snapshot(nothing)
    reader = IndexStore.open(folder, write=False)
    before = near(reader, QUERIES[0])
    publish(store, ["later.py"], 501, 120)
    store.write_snapshot(nothing)
    assert near(reader, QUERIES[0]) == near(store, QUERIES[0])
    assert before != []


def test_cut_short_nothing_is_written(store: IndexStore, folder: Path) -> None:
    calls: list[int] = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Cancelled("stop here")

    with pytest.raises(Cancelled):
        store.write_snapshot(stop)
    assert snapshots(folder) == []
    assert len(near(store, QUERIES[0])) == 100


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_damaged_one_costs_speed_alone(
    store: IndexStore, folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_snapshot(nothing)
    (path,) = snapshots(folder)
    wanted = exact(store, QUERIES[0], monkeypatch)
    store.close()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:1000])
    again = IndexStore.open(folder, write=True)
    assert dict(near(again, QUERIES[0])) == wanted
    assert again.state().vectors == FILES * EACH
    assert again.write_snapshot(nothing)
    assert len(near(again, QUERIES[0])) == 100
