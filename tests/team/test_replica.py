"""A team's server with a replica: reading from it, and taking it over when the primary is killed under load."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.store.team import TeamDatabase, TeamReader
from scry.store.team.membership import forget_membership, save_membership
from scry.store.team.writer import TeamRepository
from scry.team.indexing import RepositoryOutcome, index_repository
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer
from tests.team.team_samples import SHOP, find, stored_words

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "sum up the prices"
ANSWER = "shop:./shop/cart.py::total_price"


class Servers:
    """A primary that acknowledges a write when its replica has it, as docs/team.md says, and the replica."""

    def __init__(self) -> None:
        self.primary = PostgresServer()
        database = self.primary.create_database()
        self.replica = PostgresServer(replica_of=self.primary)
        self.primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.execute("SELECT pg_reload_conf()")
        name = database.partition("dbname=")[2].partition(" ")[0]
        self.on_primary, self.on_replica = database, self.replica.address(name)
        both = f"{self.primary.folder},{self.replica.folder}"
        self.for_readers = f"host={both} dbname={name} user=postgres"
        self.for_writers = f"{self.for_readers} target_session_attrs=read-write"

    def wait_for_replay(self) -> None:
        """Return once readers of the replica see all that is written."""
        [(written,)] = self.primary.execute("SELECT pg_current_wal_lsn()::text")
        sql = f"SELECT pg_last_wal_replay_lsn() >= '{written}'"
        deadline = time.monotonic() + 60
        while self.replica.execute(sql) != [(True,)]:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def remove(self) -> None:
        self.replica.remove()
        self.primary.remove()


@pytest.fixture
def servers() -> Iterator[Servers]:
    made = Servers()
    yield made
    made.remove()


@pytest.fixture
def shop(tmp_path: Path) -> HistoryProject:
    project = HistoryProject(tmp_path / "shop").init_repository()
    project.commit("Open the shop", SHOP)
    return project


class Load(threading.Thread):
    """Commits and indexes, again and again, until it is stopped or fails. acknowledged: the commits that were told."""

    def __init__(self, address: str, project: HistoryProject) -> None:
        super().__init__()
        self._address = address
        self._project = project
        self._halt = threading.Event()
        self.acknowledged: list[str] = []
        self.has_three = threading.Event()
        self.failure = ""

    def run(self) -> None:
        for at in range(1000):
            if self._halt.is_set():
                return
            self._project.commit(f"Add {at}", {f"shop/part{at}.py": f"def price_of_part_{at}():\n    return {at}\n"})
            outcome = index(self._address, self._project)
            if outcome.error:
                self.failure = outcome.error
                return
            self.acknowledged.append(outcome.commit)
            if len(self.acknowledged) == 3:
                self.has_three.set()

    def stop(self) -> None:
        self._halt.set()
        self.join(60)


def index(address: str, project: HistoryProject) -> RepositoryOutcome:
    return index_repository(address, TeamRepository("shop", str(project.root), "", ("public",)))


def published(address: str) -> str:
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        return next(each.commit for each in TeamReader(database).repositories.values())


@pytest.mark.acceptance("T3")
def test_replica_is_read_and_never_written(servers: Servers, shop: HistoryProject) -> None:
    assert index(servers.on_primary, shop).error == ""
    servers.wait_for_replay()
    assert find(servers.on_replica, QUESTION) == find(servers.on_primary, QUESTION)
    assert find(servers.on_replica, QUESTION)[0][0] == ANSWER
    refused = index(servers.on_replica, shop).error
    assert "read-only" in refused


@pytest.mark.acceptance("T3")
def test_primary_killed_under_load_loses_no_acknowledged_write(
    servers: Servers, shop: HistoryProject, postgres: PostgresServer
) -> None:
    """A replica is promoted; it has each commit that was told, and the next run goes on there."""
    load = Load(servers.for_writers, shop)
    load.start()
    try:
        assert load.has_three.wait(60)
        servers.primary.kill()
        load.join(60)
    finally:
        load.stop()
    assert "the team's index can't be used" in load.failure
    servers.replica.promote()
    commits = shop.git("rev-list", "HEAD").split()  # the newest first
    assert commits.index(published(servers.for_readers)) <= commits.index(load.acknowledged[-1])
    assert index(servers.for_writers, shop).error == ""
    assert published(servers.for_readers) == commits[0]
    resumed = stored_words(servers.on_replica)
    fresh = postgres.create_database()
    assert index(fresh, shop).error == ""
    assert stored_words(fresh) == resumed


@pytest.mark.acceptance("T3")
def test_reader_finds_again_after_the_promotion(servers: Servers, shop: HistoryProject, tmp_path: Path) -> None:
    """A person who joined with both hosts is told of the fault at most, and has the same results afterwards."""
    assert index(servers.for_writers, shop).error == ""
    servers.wait_for_replay()
    here = HistoryProject(tmp_path / "here").init_repository()
    here.commit("Begin", {"notes.py": "def prices_of_notes():\n    return 1\n"})
    here.update_all()
    save_membership(servers.for_readers)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    try:
        with closing(ProjectRouter(pool, HomeWorkspace(pool, here.root))) as router:
            before = [each.doc_id for each in ask(router).results]
            assert ANSWER in before
            servers.primary.kill()
            during = ask(router)
            assert "here:./notes.py::prices_of_notes" in [each.doc_id for each in during.results]
            servers.replica.promote()
            after = ask(router)
            assert [each.doc_id for each in after.results] == before
            assert after.faults == []
    finally:
        forget_membership()


def ask(router: ProjectRouter) -> messages.Answer:
    return router.find(messages.FindParams(QUESTION, team=True), RequestContext(team_timeout_s=30.0))
