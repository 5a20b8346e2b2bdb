"""Vectors on disk: exact whatever else is searched, safe from crashes, and never of two embedders at once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scry.core import IndexDamaged, IndexUnavailable
from scry.store import (
    MAX_QUANTIZED,
    MIN_SCALE,
    EmbedderInfo,
    FloatRows,
    VectorFile,
    VectorSet,
    VectorSets,
    pack_blocks,
    quantize,
    rotate,
    unpack_block,
)
from scry.store.index import INDEX_SCHEMA, IndexStore
from scry.store.selection import DocumentMask, mask_of_ranges
from scry.store.sqlite import create_cache_tables, open_database
from scry.store.vectors import QuantizedVectors

BUNDLED = EmbedderInfo("bundled", "bundled@1/8", 8)
OTHER = EmbedderInfo("other", "other@1/8", 8)
THIRD = EmbedderInfo("third", "third@1/16", 16)


def mask_of(doc_keys: NDArray[np.int64]) -> DocumentMask:
    return mask_of_ranges((int(doc_key), 1) for doc_key in doc_keys)


def unit_vectors(seed: int, count: int, dimension: int) -> FloatRows:
    made = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def written(path: Path, numbers: list[int], vectors: FloatRows) -> VectorFile:
    file = VectorFile(path, vectors.shape[1])
    file.load(file.append(0, quantize(numbers, vectors)))
    return file


# One file -------------------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("F10")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.sampled_from([1, 3, 64, 256, 384, 1024]), st.data())
def test_score_depends_only_on_row_and_query(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, dimension: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("vectors")
    vectors, query = unit_vectors(seed, count, dimension), unit_vectors(seed + 1, 1, dimension)[0]
    order = np.random.default_rng(seed).permutation(count)[: data.draw(st.integers(1, count))]
    whole = dict(written(folder / "whole", list(range(count)), vectors).search(query, count))
    part = written(folder / "part", order.tolist(), vectors[order])
    for number, cosine in part.search(query, count):
        alone = written(folder / "alone", [number], vectors[[number]]).search(query, 1)
        assert [(number, cosine)] == alone == [(number, whole[number])], "bit for bit"


@pytest.mark.acceptance("F10")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.integers(1, 50), st.integers(1, 90), st.booleans())
def test_nearest_are_those_of_all_cosines_however_few_rows_are_compared_at_once(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, limit: int, at_once: int, filtered: bool
) -> None:
    random, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("vectors")
    vectors = unit_vectors(seed, 1 + count // 3, 64)[random.integers(0, 1 + count // 3, count)]  # many are equal
    file = written(folder / "v", random.permutation(count).tolist(), vectors)
    query = unit_vectors(seed + 1, 1, 64)[0]
    allowed = np.flatnonzero(random.random(count) < 0.5) if filtered else np.arange(count)
    doc_keys, cosines = file.cosines(query)
    every = [(key, cosine) for key, cosine in zip(doc_keys.tolist(), cosines.tolist(), strict=True) if key in allowed]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scry.store.vectors._ROWS_COMPARED_AT_ONCE", at_once)
        found = file.search(query, limit, mask_of(allowed) if filtered else None)
    assert found == sorted(every, key=lambda pair: (-pair[1], pair[0]))[:limit]
    assert found == VectorFile(file.path, 64).search(query, limit, mask_of(allowed) if filtered else None, unread=count)


@pytest.mark.acceptance("F10")
@pytest.mark.parametrize("cpus", [1, 2, 3, 16])
def test_threads_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpus: int) -> None:
    vectors = unit_vectors(1, 150, 64)[np.random.default_rng(2).integers(0, 150, 1001)]  # many are equal
    file, query = written(tmp_path / "v", list(range(1001)), vectors), unit_vectors(3, 1, 64)[0]
    monkeypatch.setattr("scry.store.vectors._ROWS_COMPARED_AT_ONCE", 40)
    allowed = mask_of(np.arange(0, 1001, 2))
    alone = [file.search(query, limit, among) for limit in (1, 30, 2000) for among in (None, allowed)]
    like = file.search_like(500, 30)
    monkeypatch.setattr("scry.store.vectors._ROWS_PER_THREAD", 70)
    monkeypatch.setattr("scry.store.vectors.available_cpus", lambda: cpus)
    again = written(tmp_path / "w", list(range(1001)), vectors)
    assert [again.search(query, limit, among) for limit in (1, 30, 2000) for among in (None, allowed)] == alone
    assert again.search_like(500, 30) == like


def test_repeated_query_is_compared_with_added_rows_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scry.store.vectors._ROWS_COMPARED_AT_ONCE", 50)
    split, compared = QuantizedVectors.split, list[int]()

    def noted(rows: QuantizedVectors) -> Iterator[QuantizedVectors]:
        compared.append(len(rows.doc_keys))
        return split(rows)

    monkeypatch.setattr(QuantizedVectors, "split", noted)
    vectors, queries = unit_vectors(1, 300, 64), unit_vectors(2, 20, 64)
    file, count = VectorFile(tmp_path / "v", 64), 0
    for end in (100, 101, 170, 300):
        count = file.append(count, quantize(range(count, end), vectors[count:end]))
        file.load(count)
        for query in (queries[0], *queries):  # more than are kept
            for limit in (5, 150):
                compared.clear()
                found = file.search(query, limit)
                assert found == VectorFile(file.path, 64).search(query, limit, unread=count)
        compared.clear()
        for _ in range(2):
            file.search(queries[-1], 5)
        assert not compared, "nothing was added since"
    count = file.append(count, quantize([300], vectors[:1]))
    file.load(count)
    file.search(queries[-1], 5)
    assert compared == [1], "the row that was added"
    file.load(100)
    assert file.search(queries[-1], 5) == VectorFile(file.path, 64).search(queries[-1], 5, unread=100)


def test_scores_are_the_cosines_and_the_nearest_come_first(tmp_path: Path) -> None:
    vectors, query = unit_vectors(1, 500, 256), unit_vectors(2, 1, 256)[0]
    found = written(tmp_path / "v", list(range(500)), vectors).search(query, 20)
    exact = vectors.astype(np.float64) @ query.astype(np.float64)
    assert max(abs(cosine - exact[number]) for number, cosine in found) < 0.002
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert {number for number, _ in found[:5]} <= set(np.argsort(-exact)[:10].tolist())


def test_equal_rows_are_ordered_by_doc_key_at_any_limit(tmp_path: Path) -> None:
    vectors = np.repeat(unit_vectors(3, 1, 16), 50, axis=0)
    numbers = np.random.default_rng(0).permutation(50).tolist()
    file = written(tmp_path / "v", numbers, vectors)
    assert [number for number, _ in file.search(vectors[0], 7)] == list(range(7))


def test_only_allowed_rows_are_found(tmp_path: Path) -> None:
    vectors = unit_vectors(4, 100, 16)
    file = written(tmp_path / "v", list(range(100)), vectors)
    allowed = mask_of(np.array([3, 50, 99, 1000]))
    assert {number for number, _ in file.search(vectors[50], 100, allowed)} == {3, 50, 99}
    assert file.search(vectors[50], 100, allowed)[0][0] == 50


@pytest.mark.parametrize("share", [40, 3, 1])
def test_filtered_rows_keep_their_cosines(tmp_path: Path, share: int) -> None:
    vectors = unit_vectors(5, 200, 16)
    file = written(tmp_path / "v", list(range(200)), vectors)
    allowed = mask_of(np.arange(0, 200, share))
    everything = file.search(vectors[7], 200)
    assert file.search(vectors[7], 200, allowed) == [pair for pair in everything if pair[0] % share == 0]


def test_zero_vectors_match_nothing(tmp_path: Path) -> None:
    vectors = unit_vectors(5, 4, 16)
    vectors[2] = 0
    file = written(tmp_path / "v", [0, 1, 2, 3], vectors)
    assert dict(file.search(vectors[0], 4))[2] == 0.0
    assert file.search(np.zeros(16, np.float32), 4) == []
    assert written(tmp_path / "none", [], vectors[:0]).search(vectors[0], 4) == []


def test_rows_beyond_the_count_are_ignored_and_truncated(tmp_path: Path) -> None:
    vectors = unit_vectors(6, 30, 16)
    file = VectorFile(tmp_path / "v", 16)
    assert file.append(0, quantize(range(10), vectors[:10])) == 10
    file.append(10, quantize(range(10, 20), vectors[10:20]))  # and then the writer died before it counted them
    with file.path.open("ab") as handle:
        handle.write(b"half a row")
    again = VectorFile(tmp_path / "v", 16)
    again.load(10)
    assert {number for number, _ in again.search(vectors[15], 100)} == set(range(10))
    assert again.append(10, quantize(range(20, 30), vectors[20:])) == 20
    again.load(20)
    assert {number for number, _ in again.search(vectors[15], 100)} == {*range(10), *range(20, 30)}
    assert again.search(vectors[25], 1)[0][0] == 25


def test_lost_rows_raise_an_error(tmp_path: Path) -> None:
    vectors = unit_vectors(7, 10, 16)
    file = written(tmp_path / "v", list(range(10)), vectors)
    data = file.path.read_bytes()
    file.path.write_bytes(data[: len(data) // 2])
    with pytest.raises(IndexUnavailable, match="shorter"):
        VectorFile(file.path, 16).load(10)
    with pytest.raises(IndexUnavailable, match="shorter"):
        VectorFile(file.path, 16).append(10, quantize([10], vectors[:1]))


def test_changed_rows_are_reported_and_the_search_continues(tmp_path: Path) -> None:
    vectors = unit_vectors(7, 20, 16)
    file = written(tmp_path / "v", list(range(10)), vectors[:10])
    before = file.search(vectors[3], 10)
    file.append(10, quantize(range(10, 20), vectors[10:]))
    data = bytearray(file.path.read_bytes())
    data[-20] ^= 1
    file.path.write_bytes(data)
    with pytest.raises(IndexDamaged, match="rebuild"):
        file.load(20)
    assert file.search(vectors[3], 10) == before


def test_growing_row_by_row_equals_all_at_once(tmp_path: Path) -> None:
    vectors = unit_vectors(8, 60, 16)
    file = VectorFile(tmp_path / "v", 16)
    for number in range(60):
        file.load(file.append(number, quantize([number], vectors[[number]])))
    all_at_once = written(tmp_path / "w", list(range(60)), vectors)
    assert file.search(vectors[3], 60) == all_at_once.search(vectors[3], 60)


def test_search_is_unaffected_by_concurrent_appends(tmp_path: Path) -> None:
    vectors = unit_vectors(9, 3000, 16)
    file = written(tmp_path / "v", [0], vectors[:1])
    alone = file.search(vectors[0], 1)[0]
    problems: list[BaseException] = []
    ended = threading.Event()

    def search() -> None:
        try:
            while not ended.is_set():
                assert file.search(vectors[0], 5)[0] == alone
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(1, 3000, 7):
        rows = range(number, min(3000, number + 7))
        file.load(file.append(number, quantize(rows, vectors[rows.start : rows.stop])))
    ended.set()
    for thread in threads:
        thread.join()
    assert problems == []


# Sets -----------------------------------------------------------------------------------------------------------------


class VectorSample:
    """Vector sets over a database with documents 1 to 20."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = open_database(folder / "index.sqlite", write=True)
        create_cache_tables(self.db, INDEX_SCHEMA)
        self.db.execute("INSERT INTO files (id, path, size, mtime_ns) VALUES (1, 'a', 0, 0)")
        self.add(range(1, 21))
        self.sets = VectorSets(folder, self.db)

    def add(self, numbers: range) -> None:
        columns = "number, file, name, kind, container, ordinal, place"
        sql = f"INSERT INTO documents ({columns}) VALUES (?, 1, '', '', '', 0, '')"
        self.db.executemany(sql, [(number,) for number in numbers])

    def fill(self, maker: EmbedderInfo, numbers: range) -> None:
        found = self.sets.find_by_identity(maker.identity) or self.sets.create(maker)
        self.sets.append(found, numbers, unit_vectors(numbers.start, len(numbers), maker.dimension))

    def missing_keys(self, maker: EmbedderInfo) -> set[int]:
        found = self.sets.find_by_identity(maker.identity)
        assert found is not None
        rows = self.db.execute(f"SELECT number FROM documents WHERE {found.lacks_condition}")
        return {row[0] for row in rows}

    def found_keys(self, maker: EmbedderInfo) -> set[int]:
        found = self.sets.find_by_identity(maker.identity)
        assert found is not None
        rows = self.sets.open_file(found).search(unit_vectors(0, 1, maker.dimension)[0], 1000)
        assert len(rows) == len(dict(rows)), "no document twice"
        return set(dict(rows))


def _embedder(found: VectorSet | None) -> EmbedderInfo | None:
    return found.embedder if found else None


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[VectorSample]:
    sample = VectorSample(tmp_path)
    yield sample
    sample.db.close()


def test_first_vector_set_answers_at_once_and_next_when_activated(sample: VectorSample) -> None:
    sample.fill(BUNDLED, range(1, 11))
    assert _embedder(sample.sets.active()) == BUNDLED
    sample.fill(BUNDLED, range(11, 21))
    sample.fill(OTHER, range(1, 6))
    assert _embedder(sample.sets.active()) == BUNDLED
    filling = sample.sets.pending()
    assert filling is not None
    assert (filling.embedder, sample.sets.count_documents(filling)) == (OTHER, 5)
    assert (sample.missing_keys(BUNDLED), sample.missing_keys(OTHER)) == (set(), set(range(6, 21)))
    sample.fill(OTHER, range(6, 21))
    sample.sets.activate(filling)
    assert [each.embedder for each in sample.sets.list_sets()] == [OTHER]
    assert sample.found_keys(OTHER) == set(range(1, 21))


def test_each_set_knows_its_own_documents(sample: VectorSample) -> None:
    sample.fill(BUNDLED, range(1, 21))
    sample.fill(OTHER, range(1, 11))
    sample.add(range(21, 25))
    sample.fill(OTHER, range(21, 25))
    assert sample.missing_keys(BUNDLED) == set(range(21, 25))
    sample.fill(BUNDLED, range(21, 25))
    assert sample.missing_keys(BUNDLED) == set()
    assert sample.missing_keys(OTHER) == set(range(11, 21))
    assert sample.found_keys(BUNDLED) == set(range(1, 25)), "no row was lost or doubled by the other set"


def test_vector_sets_follow_and_gaps_are_found_by_index(sample: VectorSample) -> None:
    for maker in (BUNDLED, OTHER, THIRD):
        sample.fill(maker, range(1, 19))
        found = sample.sets.find_by_identity(maker.identity)
        assert found is not None
        sample.sets.activate(found)
        sample.add(range(30, 31))
        assert sample.missing_keys(maker) == {19, 20, 30}
        sample.db.execute("DELETE FROM documents WHERE number = 30")
        active = sample.sets.active()
        assert active is not None
        assert sample.sets.count_documents(active) == 18
        steps = sample.db.execute(
            f"EXPLAIN QUERY PLAN SELECT count(*) FROM documents WHERE {active.lacks_condition}"
        ).fetchall()
        assert "documents_lacking" in steps[0][3]


def test_abandoned_vector_set_leaves_no_file(sample: VectorSample) -> None:
    sample.fill(BUNDLED, range(1, 21))
    sample.fill(OTHER, range(1, 11))
    sample.fill(THIRD, range(1, 4))
    assert [each.embedder for each in sample.sets.list_sets()] == [BUNDLED, THIRD]
    assert sample.missing_keys(THIRD) == set(range(4, 21))
    assert sample.missing_keys(BUNDLED) == set()
    sample.sets.delete_unused_files()
    assert len(list(sample.folder.glob("vectors-*"))) == 2
    sample.fill(OTHER, range(1, 2))
    assert sample.missing_keys(OTHER) == set(range(2, 21)), "the set starts empty"
    assert sample.found_keys(OTHER) == {1}


def test_vector_file_names_are_never_reused(sample: VectorSample) -> None:
    names: set[str] = set()
    for _ in range(4):
        sample.fill(BUNDLED, range(1, 21))
        sample.fill(OTHER, range(1, 3))
        found = sample.sets.find_by_identity(OTHER.identity)
        assert found is not None
        assert found.file not in names, "a reader may still hold rows of the file that had this name"
        names.add(found.file)
        sample.sets.create(THIRD)


def test_rewriting_drops_dead_rows(sample: VectorSample) -> None:
    sample.fill(BUNDLED, range(1, 21))
    sample.db.execute("DELETE FROM documents WHERE number <= 15")
    found = sample.sets.find_by_identity(BUNDLED.identity)
    assert found is not None
    before = dict(sample.sets.open_file(found).search(unit_vectors(99, 1, 8)[0], 100))
    sample.sets.compact(found, np.arange(16, 21, dtype=np.int64))
    after = sample.sets.find_by_identity(BUNDLED.identity)
    assert after is not None
    assert (after.row_count, sample.missing_keys(BUNDLED)) == (5, set())
    now = dict(sample.sets.open_file(after).search(unit_vectors(99, 1, 8)[0], 100))
    assert now == {number: before[number] for number in range(16, 21)}


def test_crash_before_commit_loses_only_the_batch(sample: VectorSample) -> None:
    sample.fill(BUNDLED, range(1, 11))
    sample.db.execute("BEGIN")
    sample.fill(BUNDLED, range(11, 21))
    sample.db.execute("ROLLBACK")
    assert sample.missing_keys(BUNDLED) == set(range(11, 21))
    assert sample.found_keys(BUNDLED) == set(range(1, 11))
    sample.fill(BUNDLED, range(11, 21))
    again = VectorSets(sample.folder, sample.db)
    found = again.active()
    assert found is not None
    rows = again.open_file(found).search(unit_vectors(0, 1, 8)[0], 100)
    assert sorted(number for number, _ in rows) == list(range(1, 21))


def test_vectors_that_are_read_once_are_found_and_reported_damaged_as_loaded_ones(tmp_path: Path) -> None:
    query = unit_vectors(2, 1, 8)[0]
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.vectors.publish(BUNDLED, range(1, 3001), unit_vectors(1, 3000, 8))
        loaded = store.vectors.nearest(BUNDLED.identity, query, 20)
    with closing(IndexStore.open(tmp_path, write=False)) as store:
        store.vectors.reads_once = True
        assert [store.vectors.nearest(BUNDLED.identity, query, 20) for _ in range(2)] == [loaded, loaded]
        assert not store.vectors.reads_once
    (path,) = tmp_path.glob("vectors-*")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    with closing(IndexStore.open(tmp_path, write=False)) as store:
        store.vectors.reads_once = True
        with pytest.raises(IndexDamaged):
            store.vectors.nearest(BUNDLED.identity, query, 20)
        assert store.damaged_files


def test_vectors_of_files_go_with_their_set(sample: VectorSample) -> None:
    sample.fill(BUNDLED, range(1, 21))
    found = sample.sets.find_by_identity(BUNDLED.identity)
    assert found is not None
    sample.db.execute("INSERT INTO file_vectors VALUES (1, ?, x'00')", (found.set_id,))
    sample.sets.drop(found)
    assert not sample.db.execute("SELECT 1 FROM file_vectors").fetchall()


def test_vectors_of_the_first_format_are_rebuilt(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "index.sqlite", isolation_level=None)
    db.executescript(f"{INDEX_SCHEMA.script} PRAGMA user_version=1;")
    db.execute("INSERT INTO vector_sets (identity, dimension, file, rows, active) VALUES ('x', 8, 'vectors-1-1', 3, 1)")
    db.close()
    (tmp_path / "vectors-1-1").write_bytes(b"rows of an older format")
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        assert store.vectors.embedder is None
    assert not (tmp_path / "vectors-1-1").exists()
    with closing(open_database(tmp_path / "index.sqlite", write=True)) as database:
        created = VectorSets(tmp_path, database).create(BUNDLED)
    assert created.file != "vectors-1-1", "a reader may still hold rows of the file that had this name"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 1024), st.sampled_from([1, 8, 12, 100, 256, 384]))
def test_quantized_rows_round_trip_independently(seed: int, count: int, dimension: int) -> None:
    vectors = unit_vectors(seed, count, dimension)
    rows = quantize(range(count), vectors)
    assert np.abs(rows.matrix.astype(np.float32)).max() <= MAX_QUANTIZED
    steps = rows.scales[:, None]
    assert steps.min() >= np.float32(MIN_SCALE)
    assert (np.abs(rows.matrix * steps - rotate(vectors)) <= 0.501 * steps).all(), "half a step"
    for number in range(0, count, 7):
        alone = quantize([number], vectors[[number]])
        assert all(np.array_equal(one, many[[number]]) for one, many in zip(alone, rows, strict=True)), "bit for bit"
    back = unpack_block(pack_blocks(rows)[8:], count, dimension)
    assert all(np.array_equal(before, after) for before, after in zip(rows, back, strict=True))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 1024), st.data())
def test_change_of_any_bit_of_a_block_is_found(seed: int, count: int, data: st.DataObject) -> None:
    block = bytearray(pack_blocks(quantize(range(count), unit_vectors(seed, count, 16)))[8:])
    at = data.draw(st.integers(0, 8 * len(block) - 1))
    block[at // 8] ^= 1 << at % 8
    with pytest.raises(IndexDamaged, match="rebuild"):
        unpack_block(bytes(block), count, 16)
    with pytest.raises(IndexDamaged, match="rebuild"):
        unpack_block(bytes(block[:-1]), count, 16)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 8, 12, 100, 256, 384]))
def test_rotation_preserves_inner_products(seed: int, dimension: int) -> None:
    vectors = unit_vectors(seed, 9, dimension)
    products, before = np.inner(rotate(vectors), rotate(vectors)), np.inner(vectors, vectors)
    assert np.abs(products - before).max() < 1e-5
