"""Loading is idempotent, incremental and resumable; a generation becomes visible at once; a bad file costs itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scry.core import IndexUnavailable
from scry.engine.federation import retrieve_from_team
from scry.store.team import TeamDatabase, TeamReader, TeamWriter
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer
from tests.team.team_samples import SHOP, encode, find, load, question_of, stored_words

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "where is the price summed up"


@pytest.fixture
def shop(tmp_path: Path) -> HistoryProject:
    project = HistoryProject(tmp_path / "shop").init_repository()
    project.commit("Open the shop", SHOP)
    return project


def test_loading_again_adds_nothing(address: str, shop: HistoryProject, postgres: PostgresServer) -> None:
    first = load(address, shop)
    before, words = find(address, QUESTION), stored_words(address)
    second = load(address, shop)
    assert (first.staged, first.publication.added, first.publication.unchanged) == (len(SHOP), len(SHOP), 0)
    assert (second.staged, second.publication.added, second.publication.unchanged) == (0, 0, len(SHOP))
    assert second.publication.generation == first.publication.generation + 1
    assert find(address, QUESTION) == before
    assert stored_words(address) == words
    assert before[0][0] == "shop:./shop/cart.py::total_price"
    assert postgres.execute("SELECT count(*) FROM scry.contents", address) == [(len(SHOP),)]


def test_increments_equal_a_fresh_load(address: str, shop: HistoryProject, postgres: PostgresServer) -> None:
    load(address, shop)
    shop.commit("Count in euros", {"shop/cart.py": SHOP["shop/cart.py"].replace("prices", "prices in euros")})
    load(address, shop)
    shop.git("mv", "shop/stock.py", "shop/warehouse.py")
    (shop.root / "README.md").unlink()
    shop.commit("Move the stock", {"shop/rebate.py": "def rebate(price):\n    return price * 9 // 10\n"})
    report = load(address, shop)
    fresh = postgres.create_database()
    load(fresh, shop)
    assert (report.publication.added, report.publication.removed, report.publication.unchanged) == (2, 2, 2)
    assert stored_words(address) == stored_words(fresh)
    assert find(address, QUESTION) == find(fresh, QUESTION)
    statistics = "SELECT documents, length, commits, commit_length, cochange_commits FROM scry.repositories"
    assert postgres.execute(statistics, address) == postgres.execute(statistics, fresh)
    contents = "SELECT key FROM scry.contents ORDER BY key"
    assert postgres.execute(contents, address) == postgres.execute(contents, fresh)


def test_content_of_two_repositories_is_stored_once(
    address: str, shop: HistoryProject, tmp_path: Path, postgres: PostgresServer
) -> None:
    fork = HistoryProject(tmp_path / "fork").init_repository()
    fork.commit("Fork the shop", {**SHOP, "shop/own.py": "def own_price():\n    return 1\n"})
    load(address, shop)
    assert load(address, fork).staged == 1
    assert postgres.execute("SELECT count(*) FROM scry.contents", address) == [(len(SHOP) + 1,)]
    of_both = {name: score for name, score in find(address, QUESTION) if name.endswith("::total_price")}
    assert list(of_both) == ["fork:./shop/cart.py::total_price", "shop:./shop/cart.py::total_price"]
    assert len(set(of_both.values())) == 1, "copies rank together, whether or not they are shown as one"
    with TeamDatabase.open_for_writing(address) as database:
        TeamWriter(database).remove("shop")
    assert postgres.execute("SELECT count(*) FROM scry.contents", address) == [(len(SHOP) + 1,)]
    assert {name.partition(":")[0] for name, _ in find(address, QUESTION)} == {"fork"}


def test_a_snapshot_sees_one_generation(address: str, shop: HistoryProject) -> None:
    load(address, shop)
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        reader = TeamReader(database)
        shop.commit("Close the cart", {"shop/cart.py": "def closed():\n    return 'price'\n"})
        load(address, shop)
        [found] = retrieve_from_team(question_of(QUESTION), reader, encode)
        keys = [match.doc_key for match in found.retrieval.oracle_matches.by_oracle["lexical"]]
        headers = found.retrieval.reader.headers(keys)
        assert "./shop/cart.py::total_price" in {header.doc_id for header in headers.values()}
        assert found.retrieval.reader.code.store.files.get_text("shop/cart.py") == SHOP["shop/cart.py"]
    assert "shop:./shop/cart.py::total_price" not in dict(find(address, QUESTION))


_KILLED_LOADER = """
import os, signal, sys
from pathlib import Path
from scry.store.team import TeamDatabase, TeamRepository, TeamWriter
from scry.team import load_repository
import scry.team.load as load_module

load_module._BATCH_FILES = 1
stage, statistics = TeamWriter.stage, TeamWriter._update_statistics

def stage_and_die(self, contents):
    stage(self, contents)
    os.kill(os.getpid(), signal.SIGKILL)

def die(self, *arguments):
    statistics(self, *arguments)
    os.kill(os.getpid(), signal.SIGKILL)

address, root, moment = sys.argv[1:]
if moment == "staged":
    TeamWriter.stage = stage_and_die
else:
    TeamWriter._update_statistics = die
with TeamDatabase.open_for_writing(address) as database:
    load_repository(database, TeamRepository("shop", "https://example.invalid/shop", "", ("public",)), Path(root))
"""


@pytest.mark.parametrize(("moment", "left"), [("staged", 3), ("published", 0)])
def test_a_killed_load_goes_on_where_it_was(
    address: str, shop: HistoryProject, postgres: PostgresServer, moment: str, left: int
) -> None:
    command = [sys.executable, "-c", _KILLED_LOADER, address, str(shop.root), moment]
    assert subprocess.run(command, check=False).returncode == -9
    assert find(address, QUESTION) == []
    report = load(address, shop)
    assert report.staged == left
    fresh = postgres.create_database()
    load(fresh, shop)
    assert stored_words(address) == stored_words(fresh)
    assert find(address, QUESTION) == find(fresh, QUESTION)
    counts = "SELECT (SELECT count(*) FROM scry.documents), (SELECT count(*) FROM scry.contents)"
    assert postgres.execute(counts, address) == postgres.execute(counts, fresh)


def test_a_file_that_cannot_be_loaded_costs_itself(
    address: str, shop: HistoryProject, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    from scry.team import load as load_module

    pack = load_module.pack_content

    def refuse(content: load_module.NewContent) -> load_module.PackedContent:
        if content.file.path == "shop/stock.py":
            raise ValueError("no such shelf\x00")
        return pack(content)

    monkeypatch.setattr(load_module, "pack_content", refuse)
    report = load(address, shop)
    assert dict(report.faults) == {"shop/stock.py": "store: ValueError: no such shelf"}
    assert postgres.execute("SELECT reason FROM scry.faults", address) == [("store: ValueError: no such shelf",)]
    assert find(address, QUESTION)[0][0] == "shop:./shop/cart.py::total_price"
    monkeypatch.undo()
    assert (load(address, shop).staged, postgres.execute("SELECT * FROM scry.faults", address)) == (1, [])


def test_strange_names_are_stored_and_found(address: str, shop: HistoryProject) -> None:
    """Neither a path that is no UTF-8 nor control characters in a message are texts of PostgreSQL."""
    folder = b"caf\xe9".decode("utf-8", "surrogateescape")
    shop.commit("Say \x01 and \x7f", {f"{folder}/rare.py": 'RARE_PRICE = "\U0001f370"\n'})
    load(address, shop)
    found = dict(find(address, "RARE_PRICE"))
    assert "shop:./caf%E9/rare.py::RARE_PRICE" in found
    assert len([name for name in found if name.startswith("shop:commit:")]) >= 1


def test_a_folder_without_commits_is_refused(address: str, tmp_path: Path) -> None:
    empty = HistoryProject(tmp_path / "empty").init_repository()
    with pytest.raises(IndexUnavailable, match="no commit"):
        load(address, empty)
