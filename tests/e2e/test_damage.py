"""A part of the index that is damaged costs itself: the answer goes on, says so, and the index is made anew."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core.errors import IndexUnavailable
from scry.store.index import describe_damage
from tests.e2e.command_line import CommandLine
from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[IndexerProject]:
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def is_whole(cache: Path) -> bool:
    """Return whether the index is there and intact; while an indexer replaces it, it cannot be opened."""
    try:
        return describe_damage(cache) == ""
    except IndexUnavailable:
        return False


@pytest.mark.acceptance("F11")
def test_find_survives_damaged_description_and_index_is_rebuilt(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    whole = scry.find("add_to_cart")
    assert (whole.results[0].snippet, whole.notice) == ("def add_to_cart(item)", "")
    sample.end()
    with closing(sqlite3.connect(sample.project.cache / "index.sqlite")) as db, db:
        db.execute("UPDATE files SET text = ? WHERE path = 'shop/cart.py'", (b"x\x9cnothing like it",))
    doctor = {check["name"]: check for check in json.loads(scry.run("doctor", "--json").out)["checks"]}
    assert (doctor["index"]["level"], "--rebuild" in doctor["index"]["advice"]) == ("fail", True)
    messages = scry.find("add_to_cart")
    assert messages.results[0].doc_id == whole.results[0].doc_id
    assert "the index was damaged" in messages.notice
    eventually(lambda: is_whole(sample.project.cache), "the index is whole again")
    again = scry.find("add_to_cart")
    assert (again.results[0].snippet, again.notice) == (whole.results[0].snippet, "")


@pytest.mark.acceptance("F11")
def test_find_survives_damaged_vectors_and_index_is_rebuilt(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    whole = scry.find("add_to_cart")
    sample.end()
    (vectors,) = sample.project.cache.glob("vectors-*")
    vectors.write_bytes(b"\xff" * vectors.stat().st_size)
    messages = scry.find("add_to_cart")
    assert messages.results[0].doc_id == whole.results[0].doc_id
    assert any("damaged" in line for line in messages.notice.splitlines())
    eventually(lambda: is_whole(sample.project.cache), "the index is whole again")
    again = scry.find("add_to_cart")
    assert ([each.doc_id for each in again.results], again.notice) == ([each.doc_id for each in whole.results], "")
