"""A reader sees what is granted to a role of theirs, whatever they ask, and nothing of what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from scry.engine.federation import retrieve_from_team
from scry.store.team import OWNED_TABLES, TeamDatabase, TeamReader
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, bm25_of, encode, find, load, question_of

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

SECRET = {
    "vault/key.py": 'def open_vault(price):\n    """Open the vault with the price."""\n    return turn_key(price)\n\n\n'
    "def turn_key(price):\n    return price\n"
}
QUESTION = "where is the price summed up"


@pytest.fixture(scope="module")
def team(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of an index with a shop for all, a vault for `guards`, and a part that both share."""
    for role in ("guards", "alice LOGIN IN ROLE guards", "bob LOGIN", "noinherit_guard LOGIN NOINHERIT IN ROLE guards"):
        postgres.execute(f"CREATE ROLE {role}")
    address = postgres.create_database()
    folder = tmp_path_factory.mktemp("repositories")
    for name, files, readers in (("shop", SHOP, ["public"]), ("vault", {**SECRET, **SHOP}, ["guards", "no such role"])):
        project = HistoryProject(folder / name).init_repository()
        project.commit(f"Open the {name} for a price", files)
        load(address, project, readers)
    return address


@pytest.fixture
def shop_alone(postgres: PostgresServer, tmp_path: Path) -> str:
    """Return the address of an index that holds the shop alone."""
    address = postgres.create_database()
    project = HistoryProject(tmp_path / "shop").init_repository()
    project.commit("Open the shop for a price", SHOP)
    load(address, project)
    return address


def scores(address: str) -> dict[str, float]:
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        return bm25_of(retrieve_from_team(question_of(QUESTION), TeamReader(database), encode))


def ask(address: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address, autocommit=True, options="-c search_path=scry,public") as connection:
        return connection.execute(sql.encode()).fetchall()


@pytest.mark.acceptance("T2")
def test_each_role_finds_what_it_is_granted(team: str) -> None:
    for role, seen in (("alice", {"shop", "vault"}), ("bob", {"shop"}), ("noinherit_guard", {"shop"})):
        assert {name.partition(":")[0] for name, _ in find(as_role(team, role), QUESTION)} == seen, role


@pytest.mark.acceptance("T2")
def test_a_hidden_repository_changes_no_score(team: str, shop_alone: str) -> None:
    """What stands in the vault alone makes `price` more common; whoever does not see it must not see that."""
    assert scores(as_role(team, "bob")) == scores(shop_alone)
    assert scores(as_role(team, "alice")) != scores(shop_alone)
    assert find(as_role(team, "bob"), QUESTION) == find(shop_alone, QUESTION)


@pytest.mark.acceptance("T2")
def test_no_table_shows_a_row_of_a_hidden_repository(team: str) -> None:
    bob = as_role(team, "bob")
    [(shop,)] = ask(team, "SELECT id FROM repositories WHERE name = 'shop'")
    assert ask(bob, "SELECT id, name FROM repositories") == [(shop, "shop")]
    assert ask(bob, "SELECT repository_id, role FROM grants") == [(shop, "public")]
    for table in (*OWNED_TABLES, "code_graph"):
        assert set(ask(bob, f"SELECT DISTINCT repository_id FROM {table}")) <= {(shop,)}, table
    own = f"SELECT count(DISTINCT content_id) FROM files WHERE repository_id = {shop}"
    assert ask(bob, "SELECT count(*) FROM contents") == ask(team, own) == [(len(SHOP),)]
    assert ask(team, "SELECT count(*) FROM contents") == [(len(SHOP) + 1,)]
    assert ask(bob, "SELECT * FROM documents WHERE name = 'open_vault'::bytea") == []
    assert len(ask(as_role(team, "alice"), "SELECT * FROM documents WHERE name = 'open_vault'::bytea")) == 1


def test_every_table_has_a_policy(team: str) -> None:
    unprotected = (
        "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
        "WHERE nspname = 'scry' AND relkind IN ('r', 'p', 'v', 'm') AND NOT (relrowsecurity AND EXISTS "
        "(SELECT FROM pg_policy WHERE polrelid = c.oid))"
    )
    assert ask(team, unprotected) == [("meta",)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO grants SELECT 1, 'bob' RETURNING 1",
        "INSERT INTO grants SELECT 2, 'bob' RETURNING 1",
        "DELETE FROM repositories RETURNING id",
        "UPDATE files SET importers = 1 RETURNING 1",
        "ALTER TABLE files DISABLE ROW LEVEL SECURITY",
        "DROP POLICY granted ON files",
        "SET ROLE guards",
        "SET SESSION AUTHORIZATION alice",
        "CREATE TABLE scry.mine (id integer)",
        "SET row_security = off; SELECT * FROM files",
        "COPY (SELECT 1) TO PROGRAM 'true'",
    ],
)
@pytest.mark.acceptance("T2")
def test_a_hostile_client_is_refused(team: str, sql: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(as_role(team, "bob"), sql)


def test_a_leaking_function_sees_no_hidden_row(team: str) -> None:
    """A cheap function of the client's is not called with rows that the policy has not let through."""
    notices: list[str] = []
    spy = (
        "CREATE FUNCTION pg_temp.spy(value bytea) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS "
        "$$BEGIN RAISE NOTICE '%', encode(value, 'escape'); RETURN true; END$$"
    )
    with psycopg.connect(as_role(team, "bob"), autocommit=True, options="-c search_path=scry,public") as connection:
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        connection.execute(spy)
        columns = {"documents": "name", "files": "path", "postings": "term", "commits": "subject", "code_graph": "path"}
        for table, column in columns.items():
            connection.execute(f"SELECT count(*) FROM {table} WHERE pg_temp.spy({column})".encode())
        connection.execute("SELECT * FROM documents WHERE pg_temp.spy(name) ORDER BY vector <#> vector LIMIT 1")
    assert any("total_price" in notice for notice in notices)
    assert not [notice for notice in notices if "vault" in notice]
