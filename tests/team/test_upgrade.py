"""An index of an earlier version is brought up to date by the owner's next run, with all that it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import IndexUnavailable
from scry.store.team import MIGRATIONS, SCHEMA_VERSION, TeamDatabase, TeamReader
from scry.team import index_one_by_one, read_sources
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, find

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "are prices counted in cents"
BELIEF = {".scry/beliefs/cents.md": "---\nstatement: Prices are counted in cents.\n---\n"}
SHAPE = """
SELECT 'column', table_name::text, column_name::text, data_type::text, is_nullable::text FROM information_schema.columns
WHERE table_schema = 'scry'
UNION ALL SELECT 'index', tablename::text, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'scry'
UNION ALL SELECT 'policy', tablename::text, policyname::text, cmd, concat(qual, with_check) FROM pg_policies
UNION ALL SELECT 'grant', table_name::text, grantee::text, privilege_type::text, ''
FROM information_schema.table_privileges WHERE table_schema = 'scry'
ORDER BY 1, 2, 3, 4, 5
"""


FIRST_COLUMNS = {
    "contents": "id, key, language, content_type, documents, length, text, links, terms",
    "commits": "repository_id, number, sha, time, author, subject, body, merge, files, lines",
}
"""The columns of tables of the first version that have more by now."""


@pytest.fixture
def shop(tmp_path: Path) -> HistoryProject:
    project = HistoryProject(tmp_path / "shop").init_repository()
    project.commit("Open the shop", {**SHOP, **BELIEF})
    (tmp_path / "team.toml").write_text('readers = ["public"]\n[[repository]]\nurl = "shop"\n')
    return project


def make_schema(postgres: PostgresServer, address: str, version: int) -> None:
    """Create an index as a Scry with this version of the schema creates it."""
    postgres.execute(
        "CREATE EXTENSION vector SCHEMA public; CREATE SCHEMA scry; "
        "CREATE TABLE scry.meta (key text PRIMARY KEY, value text NOT NULL); "
        f"INSERT INTO scry.meta VALUES ('version', '{version}'); SET search_path = scry, public; "
        + "".join(MIGRATIONS[:version]),
        address,
    )


def index(shop: HistoryProject, address: str) -> None:
    [outcome] = index_one_by_one(address, read_sources(shop.root.parent / "team.toml"))
    assert (outcome.error, outcome.is_unchanged) == ("", False)


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_upgraded_schema_is_that_of_a_new_index(address: str, postgres: PostgresServer, version: int) -> None:
    make_schema(postgres, address, version)
    new = postgres.create_database()
    TeamDatabase.open_for_writing(new).close()
    assert postgres.execute(SHAPE, address) != postgres.execute(SHAPE, new)
    TeamDatabase.open_for_writing(address).close()
    assert postgres.execute(SHAPE, address) == postgres.execute(SHAPE, new)


def test_index_of_the_first_version_is_read_anew_and_stays_visible(
    address: str, postgres: PostgresServer, shop: HistoryProject
) -> None:
    """The rows are those that the first version left; the repository's notes, which it did not read, are then found."""
    index(shop, address)
    columns = "id, name, url, branch, commit_id, generation, next_key, documents, length, commits, commit_length"
    kept = ("grants", "contents", "documents", "files", "postings", "commits", "changed_paths", "changes", "touched")
    old = _copy_of_first_version(postgres, address, columns, kept)
    with pytest.raises(IndexUnavailable, match="the next run of scry team index brings it up to date"):
        TeamDatabase.open_for_reading(old)
    TeamDatabase.open_for_writing(old).close()  # the first thing that a run does
    before = [name for name, _ in find(old, QUESTION)]
    assert "shop:./shop/cart.py::total_price" in before
    of_files = [[each for each in find(here, QUESTION) if each[0].startswith("shop:./")] for here in (old, address)]
    assert of_files[0] == of_files[1], "vectors of files are made from those of their documents"
    assert "shop:belief:cents" not in before
    index(shop, old)  # the commit is published; it was not read by this version
    assert {*before, "shop:belief:cents"} <= {name for name, _ in find(old, QUESTION)}
    contents = "SELECT key FROM scry.contents ORDER BY key"
    assert postgres.execute(contents, old) == postgres.execute(contents, address)
    with TeamDatabase.open_for_reading(as_role(old, "postgres")) as database, database.snapshot():
        assert [each.notes for each in TeamReader(database).repositories.values()] == [1]


def _copy_of_first_version(postgres: PostgresServer, address: str, columns: str, tables: tuple[str, ...]) -> str:
    """Return an index of the first version with the rows of these tables of another one."""
    old = postgres.create_database()
    make_schema(postgres, old, 1)
    postgres.copy_rows(address, old, f"SELECT {columns} FROM scry.repositories", f"scry.repositories ({columns})")
    for table in tables:
        where = " WHERE corpus < 2" if table == "postings" else ""
        own = FIRST_COLUMNS.get(table, "*")
        into = f"scry.{table} ({own})" if table in FIRST_COLUMNS else f"scry.{table}"
        postgres.copy_rows(address, old, f"SELECT {own} FROM scry.{table}{where}", into)
    embedder = "SELECT * FROM scry.meta WHERE key = 'embedder'"
    postgres.copy_rows(address, old, embedder, "scry.meta")
    postgres.execute("UPDATE scry.repositories SET reading = 'parsers of the first version'", old)
    return old
