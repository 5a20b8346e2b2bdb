"""Warming up the rows that queries read, without visible effects."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from scry.core import DocumentHeader
from scry.engine.search import warm_up
from scry.store import answers
from scry.store.events import log as events
from scry.store.history.reader import HistoryReader
from scry.store.index import documents as document_reader
from scry_protocol.messages import FindParams
from tests.polling import eventually
from tests.sample.indexed import IndexedProject


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[DocumentHeader]:
    """Return the documents that were read from the index for ranking, as they are read."""
    found: list[DocumentHeader] = []
    read_headers = document_reader.read_headers

    def noting(rows: Sequence[Sequence[object]]) -> list[DocumentHeader]:
        headers = read_headers(rows)
        found.extend(headers)
        return headers

    monkeypatch.setattr(document_reader, "read_headers", noting)
    return found


def test_find_after_warm_up_reads_no_ranking_rows(shop: IndexedProject, read: list[DocumentHeader]) -> None:
    with closing(shop.engine()) as engine:
        engine.warm_up()
        ahead = len(read)
        answer = engine.find(FindParams("fuses rankings"))
        assert answer.results
        assert ahead == len({outline.doc_key for outline in read}) == len(read)


def test_warm_up_is_not_logged_or_stored(own_shop: IndexedProject) -> None:
    with closing(own_shop.engine()) as engine:
        engine.warm_up()
        assert not (own_shop.project.data / events.EVENTS_FILE).exists()
        with closing(sqlite3.connect(own_shop.project.data / answers.ANSWERS_FILE)) as kept:
            assert kept.execute("SELECT count(*) FROM answers").fetchone() == (0,)


def test_warm_up_yields_to_queries(
    shop: IndexedProject, read: list[DocumentHeader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "PAUSE_S", 3600.0)
    with closing(shop.engine()) as engine:
        total = engine.status().vectors_total
        engine.find(FindParams("fuses rankings"))
        reading = Thread(target=engine.warm_up)
        reading.start()
        reading.join(0.5)
        assert reading.is_alive()
        assert len(read) < total
    reading.join()
    assert len(read) < total


def test_large_projects_are_not_warmed_up(
    shop: IndexedProject, read: list[DocumentHeader], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(shop.engine()) as engine:
        total = engine.status().vectors_total
        monkeypatch.setattr(warm_up, "MAX_WARM_DOCUMENTS", total)
        engine.warm_up()
        assert len(read) == total
        read.clear()
    with closing(shop.engine()) as engine:
        monkeypatch.setattr(warm_up, "MAX_WARM_DOCUMENTS", total - 1)
        engine.warm_up()
        assert len(read) < total


def test_warm_up_without_an_index_does_nothing(tmp_path: Path) -> None:
    with closing(IndexedProject(tmp_path / "new").init_repository().engine()) as engine:
        engine.warm_up()


def test_closing_the_engine_ends_warm_up(shop: IndexedProject, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(20):
        engine = shop.engine()
        thread = Thread(target=engine.warm_up)
        thread.start()
        engine.close()
        thread.join()
    assert caplog.records == []


def test_closed_engine_does_not_warm_up(shop: IndexedProject, read: list[DocumentHeader]) -> None:
    engine = shop.engine()
    engine.close()
    engine.warm_up()
    assert read == []


def test_cached_objects_are_frozen_out_of_garbage_collection_once(shop: IndexedProject) -> None:
    with closing(shop.engine()) as engine:
        gc.freeze()  # as the language server does with what it imported
        imported = gc.get_freeze_count()
        engine.warm_up()
        warm = gc.get_freeze_count()
        engine.warm_up()
        assert imported < warm >= gc.get_freeze_count()
    gc.unfreeze()


def test_find_after_warm_up_looks_no_doc_id_up(shop: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    look_up = document_reader.possible_names_of_doc_ids

    def noting(doc_ids: Sequence[str]) -> list[tuple[str, str, str]]:
        looked_up.extend(doc_ids)
        return look_up(doc_ids)

    monkeypatch.setattr(document_reader, "possible_names_of_doc_ids", noting)
    with closing(shop.engine()) as engine:
        engine.warm_up()
        looked_up.clear()
        store = engine.index.store()
        assert store is not None
        headers = store.documents.headers(range(1, 1000))
        found = store.documents.doc_keys_by_id([header.doc_id for header in headers.values()])
        assert found == {header.doc_id: header.doc_key for header in headers.values()}
        assert looked_up == []


def test_only_one_warm_up_waits_for_another(shop: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "PAUSE_S", 3600.0)
    with closing(shop.engine()) as engine:
        engine.find(FindParams("fuses rankings"))
        waiting = [Thread(target=engine.warm_up) for _ in range(4)]
        for thread in waiting:
            thread.start()
        eventually(lambda: sum(thread.is_alive() for thread in waiting) == 2, "one warm-up runs and one waits")
    for thread in waiting:
        thread.join()


def test_second_warm_up_reads_nothing_again(
    shop: IndexedProject, read: list[DocumentHeader], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(shop.engine()) as engine:
        engine.warm_up()
        read.clear()
        monkeypatch.delattr(HistoryReader, "all_keys")  # which would fail the warm-up
        engine.warm_up()
        assert read == []
