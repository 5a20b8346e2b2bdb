"""One server for all tests of a worker, and a new database for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.team.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture
def address(postgres: PostgresServer) -> Iterator[str]:
    """Return the connection string of an empty database, for its superuser."""
    created = postgres.create_database()
    yield created
    postgres.drop_database(created)
