"""The schema is created once, and an index of another version is refused with what to do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from scry.core import IndexUnavailable
from scry.store.team import SCHEMA_VERSION, TeamDatabase, TeamWriter
from scry.store.vector_sets import EmbedderInfo
from tests.team.postgres import PostgresServer, as_role

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]


def test_an_empty_server_has_no_index(address: str) -> None:
    with pytest.raises(IndexUnavailable, match="no index of a team yet"):
        TeamDatabase.open_for_reading(address)


def test_owner_who_may_not_install_pgvector_is_told_what_to_do(postgres: PostgresServer) -> None:
    """The extension is no trusted extension: only a superuser creates it, which the owner of a database rarely is."""
    address = postgres.create_database()
    postgres.execute("CREATE ROLE plain_owner LOGIN")
    postgres.execute("GRANT CREATE ON DATABASE " + address.partition("dbname=")[2].split()[0] + " TO plain_owner")
    owner = as_role(address, "plain_owner")
    with pytest.raises(
        IndexUnavailable, match="as a superuser of the server, run this once in the database: CREATE EX"
    ):
        TeamDatabase.open_for_writing(owner)
    postgres.execute("CREATE EXTENSION vector", address)
    with TeamDatabase.open_for_writing(owner) as database:
        assert database.version() == SCHEMA_VERSION


def test_writers_that_start_together_make_one_schema(address: str) -> None:
    def open_and_close(_: int) -> int:
        with TeamDatabase.open_for_writing(address) as database:
            return database.version()

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(open_and_close, range(4))) == {SCHEMA_VERSION}
    with TeamDatabase.open_for_reading(address) as database:
        assert database.version() == SCHEMA_VERSION


@pytest.mark.parametrize(("version", "message"), [(SCHEMA_VERSION + 1, "newer than"), (-1, "older than")])
def test_another_version_is_refused(address: str, postgres: PostgresServer, version: int, message: str) -> None:
    TeamDatabase.open_for_writing(address).close()
    postgres.execute(f"UPDATE scry.meta SET value = '{version}' WHERE key = 'version'", address)
    with pytest.raises(IndexUnavailable, match=message):
        TeamDatabase.open_for_reading(address)


def test_a_writer_leaves_a_newer_schema_alone(address: str, postgres: PostgresServer) -> None:
    TeamDatabase.open_for_writing(address).close()
    postgres.execute(f"UPDATE scry.meta SET value = '{SCHEMA_VERSION + 1}' WHERE key = 'version'", address)
    with pytest.raises(IndexUnavailable, match="install a newer Scry"):
        TeamDatabase.open_for_writing(address)


def test_vectors_of_another_embedder_are_refused(address: str) -> None:
    with TeamDatabase.open_for_writing(address) as database:
        writer = TeamWriter(database)
        writer.require_embedder(EmbedderInfo("bundled", "one@1/256", 256))
        writer.require_embedder(EmbedderInfo("bundled", "one@1/256", 256))
        with pytest.raises(IndexUnavailable, match="two@2/256"):
            writer.require_embedder(EmbedderInfo("bundled", "two@2/256", 256))


def test_a_server_that_is_away_is_told(postgres: PostgresServer) -> None:
    with pytest.raises(IndexUnavailable, match="can't be used"):
        TeamDatabase.open_for_reading(f"host={postgres.folder}/nowhere dbname=team1 user=postgres")


def test_a_slow_statement_is_cut_off(address: str) -> None:
    TeamDatabase.open_for_writing(address).close()
    with (
        TeamDatabase.open_for_reading(address, timeout_ms=50) as database,
        pytest.raises(IndexUnavailable, match="statement timeout"),
    ):
        database.select("SELECT pg_sleep(30)")


def test_statements_are_answered_in_the_order_in_which_they_are_sent(address: str) -> None:
    TeamDatabase.open_for_writing(address).close()
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        with database.sending("SELECT %s::integer, pg_sleep(0.2)", (1,)) as read:
            assert database.select("SELECT 2") == [(2,)]
            assert [row[0] for row in read()] == [1]
        assert database.select("SELECT 3") == [(3,)]


@pytest.mark.parametrize("is_awaited", [True, False])
def test_sent_statement_that_fails_is_told_and_leaves_the_connection(address: str, is_awaited: bool) -> None:
    TeamDatabase.open_for_writing(address).close()
    with TeamDatabase.open_for_reading(address, timeout_ms=50) as database:
        with pytest.raises(IndexUnavailable, match="statement timeout"):
            _send_slow_statement(database, is_awaited)
        assert database.is_alive()
        assert database.select("SELECT 1") == [(1,)]


def _send_slow_statement(database: TeamDatabase, is_awaited: bool) -> None:
    with database.snapshot(), database.sending("SELECT pg_sleep(30)") as read:
        if is_awaited:
            read()
