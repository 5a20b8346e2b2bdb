"""Stored answers: bounded, shared by processes, and never delaying an answer."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from scry.store import ANSWERS_FILE, MAX_ANSWERS, AnswerStore
from tests.polling import eventually


def open_store(folder: Path, kept: int = MAX_ANSWERS) -> AnswerStore:
    return AnswerStore(folder, lambda: folder.mkdir(parents=True, exist_ok=True), kept)


@pytest.mark.acceptance("D1")
def test_stored_answer_is_read_by_another_process(tmp_path: Path) -> None:
    open_store(tmp_path / "data").put("q_1", ["./a.py::f"], b"an answer")
    assert open_store(tmp_path / "data").get("q_1") == b"an answer"


@pytest.mark.acceptance("D1")
def test_last_thousand_answers_are_kept(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    for number in range(MAX_ANSWERS):
        store.put(f"q_{number}", [], b"")
    assert store.oldest_query_id() is None
    store.put("q_last", [], b"")
    assert (store.get("q_0"), store.get("q_1"), store.oldest_query_id()) == (None, b"", "q_1")


def test_newest_answer_is_found_by_full_doc_id(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put("q_1", ["./a.py::f", "./b.py"], b"one")
    store.put("q_2", ["./a.py::f"], b"two")
    store.put("q_3", ["./a.py::f2", "x./b.py"], b"three")
    assert (store.newest_with_document("./a.py::f"), store.newest_with_document("./b.py")) == (b"two", b"one")
    assert store.newest_with_document("./a.py") is None


def test_answers_are_listed_newest_first_across_pages(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    assert list(store.newest_first()) == []
    for number in range(45):
        store.put(f"q_{number}", [], f"{number}".encode())
    assert list(open_store(tmp_path).newest_first()) == [f"{number}".encode() for number in reversed(range(45))]


def test_a_long_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    open_store(tmp_path).put("q_1", [], b"long " * 100_000)
    assert open_store(tmp_path).get("q_1") == b"long " * 100_000
    assert (tmp_path / ANSWERS_FILE).stat().st_size < 100_000


def test_damaged_answer_file_is_recreated(tmp_path: Path) -> None:
    (tmp_path / ANSWERS_FILE).write_bytes(b"nonsense " * 1000)
    store = open_store(tmp_path)
    store.put("q_1", [], b"one")
    assert (store.last_error, open_store(tmp_path).get("q_1")) == ("", b"one")


def test_removed_answer_file_is_recreated(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put("q_1", [], b"one")
    for path in tmp_path.iterdir():
        path.unlink()
    store.put("q_2", [], b"two")
    assert (store.get("q_1"), open_store(tmp_path).get("q_2")) == (None, b"two")


def test_unwritable_answers_are_kept_in_memory(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    store = open_store(tmp_path / "data")
    store.put("q_1", ["./a.py"], b"one")
    assert "data" in store.last_error
    assert (store.get("q_1"), store.newest_with_document("./a.py"), store.oldest_query_id()) == (b"one", b"one", None)
    assert list(store.newest_first()) == [b"one"]


def test_storing_an_answer_does_not_wait_for_a_lock(tmp_path: Path) -> None:
    open_store(tmp_path).put("q_0", [], b"zero")
    holder = sqlite3.connect(tmp_path / ANSWERS_FILE, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    store = open_store(tmp_path)
    store.put("q_1", [], b"one")
    assert "locked" in store.last_error
    assert (store.get("q_1"), store.get("q_0")) == (b"one", b"zero")
    holder.close()


def test_lock_of_a_moment_is_no_error_and_loses_no_answer(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put("q_0", [], b"zero")
    holder = sqlite3.connect(tmp_path / ANSWERS_FILE, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    store.put("q_1", [], b"one")
    assert store.lasting_error == ""
    holder.close()
    store.put("q_2", [], b"two")
    assert store.last_error == ""
    holder = sqlite3.connect(tmp_path / ANSWERS_FILE, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    store.put("q_3", [], b"three")
    holder.close()
    eventually(lambda: open_store(tmp_path).get("q_3"), "it is saved without another answer")
    other = open_store(tmp_path)
    assert [other.get(name) for name in ("q_0", "q_1", "q_2")] == [b"zero", b"one", b"two"]


def test_answer_is_saved_once_a_lock_ends_that_outlasted_the_first_tries(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.put("q_0", [], b"zero")
    with closing(sqlite3.connect(tmp_path / ANSWERS_FILE, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        store.put("q_1", [], b"one")
        time.sleep(1.0)  # the first tries end within 0.6 s
    eventually(lambda: open_store(tmp_path).get("q_1"), "it is saved without another answer")
    assert store.lasting_error == ""
