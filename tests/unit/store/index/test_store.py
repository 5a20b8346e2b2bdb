"""Publishing: every reader sees whole generations and nothing that a crash left behind."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from msgspec.structs import replace

from scry.core import (
    DocumentHeader,
    FileStructure,
    IndexUnavailable,
    Point,
    SkippedFile,
    SkipReason,
    Span,
    Symbol,
    symbol_doc_id,
)
from scry.store import LexicalEntry, LexicalIndex
from scry.store.index import INDEX_SCHEMA, IndexStore, NewDocument, NewFile, database, documents
from scry.store.index.database import IndexDatabase


def _symbol(name: str, line: int = 0) -> Symbol:
    span = Span(Point(line, 4, 3), Point(line + 2, 1, 1))
    return Symbol(name, "function", "", f"def {name}()", "Says what.", span, span, "")


def _file(path: str, *names: str, content: str = "x") -> NewFile:
    documents = tuple(
        NewDocument(symbol_doc_id(path, n, 0), 0, _symbol(n, i), f"{n} common") for i, n in enumerate(names)
    )
    digest = content.encode("utf-8", "surrogatepass")
    return NewFile(path, len(content), 7, digest, language="python", text=content, documents=documents)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(folder: Path) -> IndexStore:
    return IndexStore.open(folder, write=True)


def _matched_ids(store: IndexStore, term: str) -> list[str]:
    store.refresh()
    numbers = [number for number, _ in store.lexical.search([term], 100)]
    return sorted(outline.doc_id for outline in store.documents.headers(numbers).values())


def test_a_reader_sees_each_generation_whole(folder: Path, store: IndexStore) -> None:
    store.publish([_file("a.py", "one", "two"), _file("b.py", "three")])
    reader = IndexStore.open(folder, write=False)
    assert _matched_ids(reader, "common") == ["./a.py::one", "./a.py::two", "./b.py::three"]
    store.publish([_file("a.py", "four")], removed_paths=["b.py"])
    assert _matched_ids(reader, "common") == ["./a.py::four"]
    assert _matched_ids(reader, "three") == []


def test_counts_that_are_kept_are_those_of_the_rows(folder: Path, store: IndexStore) -> None:
    def counted(sql: str) -> int:
        with closing(sqlite3.connect(folder / "index.sqlite")) as db:
            return int(db.execute(sql).fetchone()[0])

    def check() -> None:
        for index in (store, IndexStore.open(folder, write=False)):
            assert index.vectors.counts()[1] == counted("SELECT count(*) FROM documents")
            in_sql = [counted(f"SELECT count(*) FROM files WHERE skip_reason IS {null} NULL") for null in ("", "NOT")]
            assert list(index.files.count()) == in_sql

    check()
    skipped = NewFile("c.bin", 5, 7, b"", SkippedFile(SkipReason.BINARY))
    store.publish([_file("a.py", "one", "two"), _file("b.py", "three"), skipped])
    check()
    store.publish([_file("a.py", "four"), _file("d.py", *"efghij")], removed_paths=["b.py", "never.py"])
    check()
    store.publish([_file("c.bin", "five")], removed_paths=["a.py"])
    check()
    with pytest.raises(OverflowError):
        store.publish([_file("d.py", "six"), replace(_file("e.py", "seven"), size=1 << 70)])
    check()
    store.reset()
    check()
    store.publish([_file("a.py", "eight", "nine")])
    store.close()
    store = IndexStore.replace(folder)
    check()


def test_times_are_read_of_all_files_but_ignored_ones(store: IndexStore) -> None:
    binary = NewFile("c.bin", 5, 7, b"", SkippedFile(SkipReason.BINARY))
    store.publish([_file("z.py", "one"), binary, replace(binary, path="log", skip=SkippedFile(SkipReason.IGNORED))])
    assert sorted(store.files.file_stats()) == [("c.bin", 5, 7, 0), ("z.py", 1, 7, 0)]


def test_reader_that_sees_the_tables_of_a_new_index_finds_its_words(folder: Path) -> None:
    folder.mkdir()
    IndexDatabase(folder, write=True).connection.close()  # as far as a writer is whose index is just being created
    assert not _matched_ids(IndexStore.open(folder, write=False), "common")


def test_saved_note_needs_no_maintenance(store: IndexStore) -> None:
    note = NewFile(".scry/beliefs/a.md", 1, 7, b"x", SkippedFile(SkipReason.KNOWLEDGE, "belief:a"))
    store.publish([_file("a.py", "one"), note])
    store.files.save_structures({})
    before = store.publish([])
    assert store.publish([note]) > before
    assert store.publish([], removed_paths=[note.path]) > before
    assert (store.files.is_structure_outdated, store.dead_file_count) == (False, 0)
    store.publish([NewFile("a.py", 1, 7, b"x", SkippedFile(SkipReason.BINARY))])
    assert (store.files.is_structure_outdated, store.dead_file_count) == (True, 1)
    assert _matched_ids(store, "common") == []


def test_published_document_is_read_back(store: IndexStore) -> None:
    store.publish([_file("a.py", "one", content="def one():\n  pass\n")])
    (document,) = store.documents.find_by_doc_id("./a.py::one")
    assert document.symbol == _symbol("one")
    assert (document.path, document.language, document.content_type) == ("a.py", "python", "code")
    assert [d.doc_id for d in store.documents.headers_by_name(["one"])] == ["./a.py::one"]
    assert store.files.get_text("a.py") == "def one():\n  pass\n"


def test_headers_of_many_documents_come_back_in_full(store: IndexStore) -> None:
    """Long ones, of a text longer than compression looks back, and such as do not stand in the text at all."""
    names = [f"name{number}" for number in range(300)]
    text = "".join(f"# Says what {name} does.\ndef {name}():\n    pass\n\n" * 5 for name in names)
    symbols = [structs.replace(_symbol(name, at), doc=f"Says what {name} does. é" * 9) for at, name in enumerate(names)]
    documents = tuple(NewDocument(symbol_doc_id("a.py", s.name, 0), 0, s, s.name) for s in symbols)
    store.publish([_file("b.py", "other"), NewFile("a.py", 1, 1, b"x", text=text, documents=documents)])
    numbers = [number for number, _ in store.documents.doc_keys_in_file("a.py")[1]]
    assert [document.symbol for document in store.documents.get_documents(numbers).values()] == symbols
    bare = store.documents.get_documents(numbers[7:8], with_descriptions=False)[numbers[7]].symbol
    assert bare == structs.replace(symbols[7], signature="", doc="")


def test_doc_id_is_derived_from_its_document(store: IndexStore) -> None:
    span = Span(Point(3, 0, 0), Point(9, 0, 0))
    kinds = (("", "text", "", 0), ("Use", "section", "Guide > Start", 0), ("run", "method", "Shop.Cart", 2))
    symbols = [(Symbol(name, kind, container, "", "", span, span, ""), at) for name, kind, container, at in kinds]
    ids = ["./a %231.md#L4-L9", "./a %231.md::Guide > Start > Use", "./a %231.md::Shop.Cart.run~3"]
    documents = tuple(NewDocument(doc_id, at, s, "x") for doc_id, (s, at) in zip(ids, symbols, strict=True))
    store.publish([NewFile("a #1.md", 1, 1, b"x", documents=documents)])
    assert [doc_id for _, doc_id in store.documents.doc_keys_in_file("a #1.md")[1]] == ids
    assert [outline.doc_id for outline in store.documents.headers([1, 2, 3]).values()] == ids
    assert [store.documents.find_by_doc_id(doc_id)[0].doc_id for doc_id in ids] == ids
    assert list(store.documents.doc_keys_by_id(ids)) == ids


def test_undecodable_paths_and_lone_surrogates_are_kept(store: IndexStore) -> None:
    path = b"b\xff.py".decode("utf-8", "surrogateescape")
    store.publish([_file(path, "one", content="\ud800")])
    assert list(store.files.all_files()) == [path]
    assert store.files.get_text(path) == "\ud800"
    assert store.publish([], removed_paths=[path])
    assert store.files.all_files() == {}


def test_doc_keys_are_never_reused(store: IndexStore) -> None:
    store.publish([_file("a.py", "one", "two")])
    before = {number for number, _ in store.documents.doc_keys_in_file("a.py")[1]}
    store.publish([], removed_paths=["a.py"])
    store.publish([_file("a.py", "one", "two")])
    assert before.isdisjoint(number for number, _ in store.documents.doc_keys_in_file("a.py")[1])


def test_documents_of_files_are_the_current_ones(store: IndexStore) -> None:
    def ids() -> dict[str, int]:
        return {path: number for number, path, _, _ in store.files.indexed_files()}

    def selected(files: list[int]) -> list[int]:
        return np.flatnonzero(store.documents.select_files(files).mask).tolist()

    store.publish([_file("a.py", "one", "two"), _file("b.py"), _file("c.py", "three")])
    before = ids()
    assert selected(list(before.values())) == [1, 2, 3]
    store.publish([_file("a.py", "one", "two", "four"), _file("d.py", "five")], removed_paths=["c.py"])
    store.refresh()
    assert ids().keys() == {"a.py", "b.py", "d.py"}
    for paths in (["a.py"], ["d.py", "a.py"], ["b.py"], []):
        numbers = sorted(number for path in paths for number, _ in store.documents.doc_keys_in_file(path)[1])
        assert selected([ids()[path] for path in paths]) == numbers
    assert selected([before["a.py"], before["c.py"], 99]) == []


def test_unpublished_terms_left_by_a_crash_are_removed(folder: Path, store: IndexStore) -> None:
    store.publish([_file("a.py", "one")])
    store.lexical.write([], [LexicalEntry(99, 99, "ghost common")])
    store.close()
    again = IndexStore.open(folder, write=True)
    assert again.lexical.document_count == 1
    again.publish([_file("b.py", "two")])
    assert _matched_ids(again, "common") == ["./a.py::one", "./b.py::two"]


class _KilledError(BaseException):
    """The end of a process."""


def test_replaced_documents_keep_their_words_when_a_publication_is_killed(
    folder: Path, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.publish([_file("a.py", "one"), _file("b.py", "two")])
    commit = LexicalIndex.commit

    def kill_after(index: LexicalIndex) -> None:
        commit(index)
        raise _KilledError

    with monkeypatch.context() as patch:
        patch.setattr(LexicalIndex, "commit", kill_after)
        with pytest.raises(_KilledError):
            store.publish([_file("a.py", "three")], removed_paths=["b.py"])
    store.close()
    assert _matched_ids(IndexStore.open(folder, write=False), "common") == ["./a.py::one", "./b.py::two"]
    again = IndexStore.open(folder, write=True)
    assert again.lexical.document_count == 2
    assert _matched_ids(again, "common") == ["./a.py::one", "./b.py::two"]


@pytest.mark.parametrize("how", ["remove", "publish", "reopen"])
def test_words_of_replaced_documents_are_removed(folder: Path, store: IndexStore, how: str) -> None:
    store.publish([_file("a.py", "one"), _file("b.py", "two")])
    store.publish([_file("a.py", "three")], removed_paths=["b.py"])
    assert _matched_ids(store, "common") == ["./a.py::three"]
    reader = IndexStore.open(folder, write=False)
    expected = 1
    if how == "remove":
        store.remove_dead_words()
    elif how == "publish":
        store.publish([_file("c.py", "four")])
        expected = 2
    else:
        store.close()
        store = IndexStore.open(folder, write=True)
    for each in (store, reader):
        each.refresh()
        assert (each.lexical.document_count, each.lexical.document_frequency("common")) == (expected, expected)


def test_reader_ignores_terms_of_unpublished_generations(folder: Path, store: IndexStore) -> None:
    store.publish([_file("a.py", "one")])
    reader = IndexStore.open(folder, write=False)
    store.lexical.write([], [LexicalEntry(99, 99, "ghost common")])
    store.publish([], restated=[])
    assert _matched_ids(reader, "ghost") == []


def test_a_failed_transaction_leaves_the_last_generation(store: IndexStore) -> None:
    store.publish([_file("a.py", "one")])
    generation = store.refresh()
    broken = NewFile("b.py", 1, 1, b"", documents=(NewDocument("x", object(), _symbol("x"), "x"),))  # type: ignore[arg-type]
    with pytest.raises(Exception, match="type"):
        store.publish([broken])
    assert store.refresh() == generation
    assert list(store.files.all_files()) == ["a.py"]


def test_compacted_terms_drop_dead_documents_and_readers_follow(folder: Path, store: IndexStore) -> None:
    store.publish([_file(f"{n}.py", "same") for n in range(20)])
    reader = IndexStore.open(folder, write=False)
    store.publish([], removed_paths=[f"{n}.py" for n in range(19)])
    fresh = IndexStore.open(folder.parent / "fresh", write=True)
    fresh.publish([_file("19.py", "same")])
    number, _ = store.documents.doc_keys_in_file("19.py")[1][0]
    file_id = store.documents.doc_keys_in_file("19.py")[0]
    store.rewrite_lexical([LexicalEntry(number, file_id, "same common")])
    reader.refresh()
    expected = [score for _, score in fresh.lexical.search(["same"], 5)]
    assert [score for _, score in reader.lexical.search(["same"], 5)] == expected


def test_skip_rows_say_why_and_hold_no_documents(store: IndexStore) -> None:
    store.publish([NewFile("a.bin", 9, 1, b"", SkippedFile(SkipReason.BINARY, "byte 3")), _file("a.py", "one")])
    assert store.files.skip_for_path("a.bin") == SkippedFile(SkipReason.BINARY, "byte 3")
    assert store.files.skip_for_path("a.py") is None
    state = store.state()
    assert (state.files_indexed, state.skipped) == (1, 1)


def test_structure_is_kept_beside_the_generation(store: IndexStore) -> None:
    generation = store.publish([_file("a.py", "one")])
    store.files.save_structures({"a.py": FileStructure(3, "high", None, ("test",))})
    assert store.files.get_structures(["a.py"]) == {"a.py": FileStructure(3, "high", None, ("test",))}
    assert store.refresh() == generation


def test_missing_index_is_refused_and_damaged_one_rebuilt(folder: Path, store: IndexStore) -> None:
    with pytest.raises(IndexUnavailable, match="nothing is indexed"):
        IndexStore.open(folder.parent / "none", write=False)
    store.publish([_file("a.py", "one")])
    store.close()
    (folder / "index.sqlite").write_bytes(b"no database at all" * 100)
    again = IndexStore.open(folder, write=True)
    assert again.files.all_files() == {}
    again.publish([_file("a.py", "one")])
    assert _matched_ids(again, "one") == ["./a.py::one"]


def test_many_threads_may_read_while_one_writes(folder: Path, store: IndexStore) -> None:
    store.publish([_file("a.py", "one")])
    reader = IndexStore.open(folder, write=False)
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = _matched_ids(reader, "one")
            if found not in ([], ["./a.py::one"]):
                wrong.append(found)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        store.publish([_file("a.py", "one")])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_doc_ids_with_equal_hashes_are_distinguished(store: IndexStore) -> None:
    names = ("read_it", "readIt", "a.b.read_it", "a > read_it", "x::read_it#1~2")
    store.publish([_file("a.py", *names), _file("b.py", *names), _file("c#d.py", *names)])
    ids = [symbol_doc_id(path, name, 0) for path in ("a.py", "b.py", "c#d.py") for name in names]
    assert list(store.documents.doc_keys_by_id(ids)) == ids
    assert len(set(store.documents.doc_keys_by_id(ids).values())) == len(ids)
    for doc_id in ids:
        assert [document.doc_id for document in store.documents.find_by_doc_id(doc_id)] == [doc_id]
    for other in ("./a.py::readit", "a.py::read_it", "./a.py", "./a.py::read_it~2", "./gone.py::read_it", ""):
        assert store.documents.find_by_doc_id(other) == []


def test_older_index_format_is_read_into_a_new_word_index(folder: Path) -> None:
    folder.mkdir()
    words = LexicalIndex(folder / "words-3", write=True)
    words.write([], [LexicalEntry(41, 7, "old words")])
    words.close()
    db = sqlite3.connect(folder / "index.sqlite", isolation_level=None)
    db.executescript(f"{INDEX_SCHEMA.script} PRAGMA user_version=5;")
    meta = {"generation": 12, "next_number": 42, "next_file": 8, "lexical": "words-3", "basis": "x", "documents": 9}
    db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    db.execute("INSERT INTO files (id, path, size, mtime_ns) VALUES (7, 'a.py', 1, 1)")
    db.close()
    store = IndexStore.open(folder, write=True)
    assert (store.files.all_files(), store.fingerprint, store.state().generation) == ({}, None, 13)
    assert not (folder / "words-3").exists()
    store.publish([_file("a.py", "one")])
    assert _matched_ids(store, "old") == []
    assert _matched_ids(store, "common") == ["./a.py::one"]
    assert list(store.documents.doc_keys_by_id(["./a.py::one"]).values()) == [42]


def test_long_wal_is_truncated_without_waiting_for_readers(
    folder: Path, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = folder / "index.sqlite-wal"
    store.publish([_file("a.py", "one")])
    store.truncate_wal()
    assert journal.stat().st_size > 0, "the WAL is short"
    monkeypatch.setattr("scry.store.index.store._LONG_JOURNAL", 1)
    with closing(sqlite3.connect(folder / "index.sqlite")) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM files").fetchone() == (1,)
        store.publish([_file("b.py", "two")])
        store.truncate_wal()
        assert journal.stat().st_size > 0
    store.truncate_wal()
    assert journal.stat().st_size == 0
    assert _matched_ids(store, "common") == ["./a.py::one", "./b.py::two"]


def test_long_wal_is_truncated_between_two_queries(
    folder: Path, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scry.store.index.store._LONG_JOURNAL", 1)
    monkeypatch.setattr("scry.store.index.store._READERS_PAUSE_MS", 20_000)
    store.publish([_file("a.py", "one")])
    with closing(sqlite3.connect(folder / "index.sqlite", check_same_thread=False)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM files").fetchone() == (1,)
        store.publish([_file("b.py", "two")])
        end = threading.Timer(0.1, reader.rollback)
        end.start()
        store.truncate_wal()
        end.join()
    assert (folder / "index.sqlite-wal").stat().st_size == 0


def test_files_are_listed_by_name_and_write_time(store: IndexStore) -> None:
    files = [
        replace(_file(f"{name}.py", name), mtime_ns=time) for name, time in (("a", 5), ("b", 9), ("c", 9), ("d", 1))
    ]
    store.publish([*files, NewFile("e.bin", 9, 9, b"", SkippedFile(SkipReason.BINARY, "byte 3"))])
    assert set(store.files.get_files(["a.py", "d.py", "e.bin", "none.py"])) == {"a.py", "d.py"}
    assert store.files.get_files([]) == {}
    assert [file.path for file in store.files.recently_modified_files(0.0, 0, 3)] == ["b.py", "c.py", "a.py"]
    assert [file.path for file in store.files.recently_modified_files(5e-9, 2, 3)] == ["a.py"]


_ALL_KEYS = range(1, 1000)


@pytest.mark.parametrize("seed", range(6))
def test_cached_documents_are_those_of_the_index_after_any_publication(
    folder: Path, store: IndexStore, seed: int
) -> None:
    """Headers and keys that a reader has cached equal those that a new reader reads, however many it missed."""
    chance = random.Random(seed)
    store.publish([_file("a.py", "one")])
    reader = IndexStore.open(folder, write=False)
    paths, names = [f"{name}.py" for name in "abcdef"], ["one", "two", "three", "four"]
    doc_ids = [symbol_doc_id(path, name, 0) for path in paths for name in names]
    for _ in range(30):
        for _ in range(chance.choice([0, 1, 1, 2, 5])):
            changed, removed = chance.sample(paths, 2), chance.sample(paths, chance.randrange(3))
            files = [_file(path, *chance.sample(names, chance.randrange(4))) for path in changed if path not in removed]
            store.publish(files, removed)
            if chance.random() < 0.3:
                store.remove_dead_words()
            if chance.random() < 0.05:
                store.reset()
        reader.refresh()
        with closing(IndexStore.open(folder, write=False)) as new:
            asked = chance.sample(doc_ids, 12)
            assert reader.documents.doc_keys_by_id(asked) == new.documents.doc_keys_by_id(asked)
            assert reader.documents.headers(_ALL_KEYS) == new.documents.headers(_ALL_KEYS)


def test_headers_are_read_once_whatever_else_is_published(
    folder: Path, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.publish([_file("a.py", "one", "two"), _file("b.py", "three")])
    reader = IndexStore.open(folder, write=False)
    before = reader.documents.headers(range(1, 10))
    store.publish([_file("b.py", "four")])
    store.remove_dead_words()
    reader.refresh()
    read: list[int] = []
    read_headers = documents.read_headers

    def noting(rows: Sequence[Sequence[Any]]) -> list[DocumentHeader]:
        read.extend(row[0] for row in rows)
        return read_headers(rows)

    monkeypatch.setattr(documents, "read_headers", noting)
    after = reader.documents.headers(range(1, 10))
    assert read == [4]
    assert [after[key] for key in (1, 2)] == [before[key] for key in (1, 2)]
    assert sorted(after) == [1, 2, 4]


def test_reader_that_missed_too_many_publications_reads_all_again(
    folder: Path, store: IndexStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_MAX_REMOVALS", 2)
    store.publish([_file("a.py", "one"), _file("b.py", "two"), _file("c.py", "three")])
    reader = IndexStore.open(folder, write=False)
    assert sorted(reader.documents.headers(range(1, 10))) == [1, 2, 3]
    for path in ("a.py", "b.py"):
        store.publish([], [path])
    store.publish([_file("d.py", "four")])
    reader.refresh()
    assert sorted(reader.documents.headers(range(1, 10))) == [3, 4]
    store.publish([], ["c.py", "d.py"])
    store.publish([_file("e.py", "five")])
    reader.refresh()
    assert sorted(reader.documents.headers(range(1, 10))) == [5]
