"""Connect to a team's PostgreSQL server, create and migrate its schema, and hold one transaction per question.

psycopg is imported when a connection is opened: who has no team never loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from scry.core.errors import IndexUnavailable, PartMissing
from scry.store.team.schema import MIGRATIONS, SCHEMA_VERSION

if TYPE_CHECKING:
    from psycopg import Connection, Cursor
    from typing_extensions import LiteralString

STATEMENT_TIMEOUT_MS = 2000
"""Longest statement of a reader: a slow server costs the team's part of an answer, no more."""

CONNECT_TIMEOUT_S = 5
"""Longest wait of libpq for a server; it knows no fraction of a second, and takes 1 as 2."""

HNSW_CANDIDATES = 600
"""Candidates that a search of the graph of vectors keeps (hnsw.ef_search). It finds 99.2 % of the nearest 200 and all
of the nearest 10; with 400 98.6 and 99.5 %, for 60 % of the time (docs/decisions/0105)."""

_LET_GO_OF_DEAD_WRITERS = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
"""Options by which the server ends the transaction of a writer whose machine is gone after 25 s, and not after two
hours: the row of its repository is locked, and the task that replaces it waits for that."""

_MIGRATION_LOCK = 0x5C121
"""Number of the advisory lock under which the schema is created and migrated."""


class TeamDatabase:
    """One connection to a team's index, used by one thread at a time. Every method may raise IndexUnavailable."""

    def __init__(self, connection: Connection[tuple[Any, ...]]) -> None:
        """Use `open_for_reading` or `open_for_writing`."""
        self.connection = connection
        self._is_in_snapshot = False

    @classmethod
    def open_for_reading(cls, address: str, *, timeout_ms: int = STATEMENT_TIMEOUT_MS) -> TeamDatabase:
        """Connect as a reader. address: a connection string of libpq. Raises IndexUnavailable and PartMissing."""
        options = (
            f"-c statement_timeout={timeout_ms} -c default_transaction_read_only=on "
            f"-c hnsw.ef_search={HNSW_CANDIDATES} -c hnsw.iterative_scan=strict_order"
        )
        database = cls(_connect(address, options))
        try:
            from psycopg import IsolationLevel

            database.connection.isolation_level = IsolationLevel.REPEATABLE_READ
            database.check_version()
            database.register_types()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_for_giving(cls, address: str) -> TeamDatabase:
        """Connect as a member who adds or deletes rows of their own. Raises IndexUnavailable and PartMissing."""
        database = cls(_connect(address, f"-c statement_timeout={STATEMENT_TIMEOUT_MS}"))
        try:
            database.check_version()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def open_for_writing(cls, address: str) -> TeamDatabase:
        """Connect as the owner of the schema; create or migrate it. Raises IndexUnavailable and PartMissing."""
        database = cls(_connect(address, _LET_GO_OF_DEAD_WRITERS))
        try:
            database.migrate()
            database.register_types()
        except BaseException:
            database.close()
            raise
        return database

    def __enter__(self) -> TeamDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def is_alive(self) -> bool:
        """Ask the server whether the connection still is one."""
        import psycopg

        try:
            self.connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def register_types(self) -> None:
        """Make the connection know the types of pgvector."""
        from pgvector.psycopg import register_vector

        with describing_failure():
            register_vector(self.connection)

    # Versions -----------------------------------------------------------------------------------------------------

    def version(self) -> int:
        """Return the version of the schema; 0 where there is none."""
        with describing_failure(), self.connection.transaction():
            if self.connection.execute("SELECT to_regclass('scry.meta')").fetchall() == [(None,)]:
                return 0
            rows = self.connection.execute("SELECT value::integer FROM scry.meta WHERE key = 'version'").fetchall()
            return int(rows[0][0]) if rows else 0

    def check_version(self) -> None:
        """Raise IndexUnavailable unless the schema has the version that is read here."""
        version = self.version()
        if version == 0:
            raise IndexUnavailable("the server has no index of a team yet; make one with: scry team index FILE")
        if version < SCHEMA_VERSION:
            raise IndexUnavailable(
                f"the team's index has version {version} of the schema, older than {SCHEMA_VERSION}, which is read "
                "here; the next run of scry team index brings it up to date"
            )
        if version > SCHEMA_VERSION:
            raise IndexUnavailable(
                f"the team's index has version {version} of the schema, newer than {SCHEMA_VERSION}, which is read "
                "here; install a newer Scry"
            )

    def migrate(self) -> None:
        """Bring the schema to this version, in one transaction; two writers do it one after the other."""
        with describing_failure(), self.connection.transaction():
            self.connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
            version = self.version()
            if version > SCHEMA_VERSION:
                self.check_version()
            if version == SCHEMA_VERSION:
                return
            if version == 0:
                self._create_extension()
                self.connection.execute("CREATE SCHEMA IF NOT EXISTS scry")
                self.connection.execute("CREATE TABLE scry.meta (key text PRIMARY KEY, value text NOT NULL)")
            for statements in MIGRATIONS[version:]:
                self.connection.execute(statements)
            self.connection.execute(
                "INSERT INTO scry.meta VALUES ('version', %s) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
                (str(SCHEMA_VERSION),),
            )

    def _create_extension(self) -> None:
        import psycopg

        try:
            self.connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        except psycopg.errors.InsufficientPrivilege as error:
            raise IndexUnavailable(
                "the database has no pgvector yet, and the owner may not install it; as a superuser of the server, run "
                "this once in the database: CREATE EXTENSION vector"
            ) from error
        except (psycopg.errors.UndefinedFile, psycopg.errors.FeatureNotSupported) as error:
            raise IndexUnavailable("the server lacks the extension pgvector; install it on the server first") from error

    # Statements ---------------------------------------------------------------------------------------------------

    def select(self, sql: LiteralString, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a statement, transferred in binary form.

        values: a list of integers or of bytes is an array, of the type that the statement expects or names.
        """
        with describing_failure():
            return self._execute(sql, values).fetchall()

    @contextmanager
    def sending(
        self, sql: LiteralString, values: Sequence[object] = ()
    ) -> Generator[Callable[[], list[tuple[Any, ...]]]]:
        """Send a statement as `select` does; yield a function that returns its rows, so that the body can do other
        things first, while the server answers. A statement of the body is answered after this one.
        """
        with describing_failure(), self.connection.pipeline():
            yield self._execute(sql, values).fetchall

    def _execute(self, sql: LiteralString, values: Sequence[object]) -> Cursor[tuple[Any, ...]]:
        prepared = [_array_literal(cast("list[object]", each)) if isinstance(each, list) else each for each in values]
        return self.connection.execute(sql, prepared, binary=True)

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Let all statements inside see the index as of one moment, however many generations are published meanwhile.

        One that is inside of another sees what that one sees.
        """
        if self._is_in_snapshot:
            yield
            return
        with describing_failure(), self.connection.transaction():
            self._is_in_snapshot = True
            try:
                yield
            finally:
                self._is_in_snapshot = False


def _connect(address: str, options: str) -> Connection[tuple[Any, ...]]:
    try:
        import psycopg
    except ImportError as error:
        raise PartMissing("a team's index needs psycopg; install it with: pip install 'scry-sidecar[team]'") from error
    with describing_failure():
        return psycopg.connect(
            address,
            autocommit=True,
            connect_timeout=CONNECT_TIMEOUT_S,
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            tcp_user_timeout=10_000,
            options=f"-c search_path=scry,public -c jit=off {options}",
            application_name="scry",
        )


@contextmanager
def describing_failure() -> Generator[None]:
    """Raise IndexUnavailable, with the server's first line, for what psycopg raises inside."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise IndexUnavailable(f"the team's index can't be used: {reason}") from error


def _array_literal(values: list[object]) -> object:
    """Return an array as PostgreSQL writes it: psycopg would look at each value in Python, which takes longer."""
    if all(type(value) is int for value in values):
        return f"{{{','.join(map(str, values))}}}"
    if all(type(value) is bytes for value in values):
        return "{" + ",".join([f'"\\\\x{cast("bytes", value).hex()}"' for value in values]) + "}"
    return values


def encode_text(text: str) -> bytes:
    """Return a text of a repository as the server holds it."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    """Return a stored text of a repository."""
    return data.decode("utf-8", "surrogatepass")
