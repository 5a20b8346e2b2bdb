"""Store the registered projects and the links between them.

One small file per person, written only on a command or when a project has moved. Every call opens it anew: it is read
once in a command, and another process may change it at any time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.errors import BadRequest, RegistryUnavailable
from scry.core.notices import LinkTargetUnknown, RegistryDamaged
from scry.core.platform import make_private_folder
from scry.core.projects import ProjectLink, RegisteredProject
from scry.store.sqlite.database import (
    CHECKED_BYTES,
    apply_migrations,
    decode_path,
    describe_damage_error,
    encode_path,
    open_shared_database,
    schema_version,
    transaction,
)

if TYPE_CHECKING:
    from scry.store.precious.file import PreciousFile


REGISTRY_FILE = "projects.sqlite"

REGISTRY_MIGRATIONS = (
    """
    -- The projects that the person registered. root: text, or bytes where it is no UTF-8. commits: the first commits of
    -- its history, by spaces. inside: its place in its git work tree. data: name of its data folder.
    CREATE TABLE projects (
        name        TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
        root        NOT NULL UNIQUE,
        commits     TEXT NOT NULL,
        inside      TEXT NOT NULL,
        data        TEXT NOT NULL
    ) WITHOUT ROWID;

    -- That a project is tied to another one. kind: uses, learns_from, tests_with or sibling.
    CREATE TABLE links (
        source      TEXT NOT NULL COLLATE NOCASE REFERENCES projects (name) ON DELETE CASCADE ON UPDATE CASCADE,
        kind        TEXT NOT NULL,
        target      TEXT NOT NULL COLLATE NOCASE REFERENCES projects (name) ON DELETE CASCADE ON UPDATE CASCADE,
        PRIMARY KEY (source, kind, target)
    ) WITHOUT ROWID;
    """,
)
"""Scripts of `projects.sqlite`; the list only grows."""

_BUSY_TIMEOUT_S = 5.0


def registry_file(folder: Path) -> PreciousFile:
    """Return the registry in a folder as a file that can't be made again."""
    from scry.store.precious.file import PreciousFile  # wanted where the file is damaged

    return PreciousFile(folder / REGISTRY_FILE, "the registry of projects", REGISTRY_MIGRATIONS, ("projects", "links"))


class RegistryStore(Struct, frozen=True):
    """The registry in a folder. Every method may be called from any thread and raises RegistryUnavailable."""

    folder: Path

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.folder / REGISTRY_FILE

    def list_projects(self) -> tuple[RegisteredProject, ...]:
        """Return every project, by name."""
        if not self.path.exists():
            return ()
        with self._open() as database:
            return tuple(_read_projects(database))

    def add(self, project: RegisteredProject) -> None:
        """Register a project with its links. Raises BadRequest naming the conflict with another project."""
        with self._open() as database, transaction(database), _explain_conflicts(project):
            database.execute(
                "INSERT INTO projects (name, root, commits, inside, data) VALUES (?, ?, ?, ?, ?)", _make_row(project)
            )
            _replace_links(database, project.name, project.links)

    def replace(self, name: str, project: RegisteredProject) -> None:
        """Replace the project with this name; links of others follow. Raises BadRequest as `add`."""
        with self._open() as database, transaction(database), _explain_conflicts(project):
            database.execute(
                "UPDATE projects SET name = ?, root = ?, commits = ?, inside = ?, data = ? WHERE name = ?",
                (*_make_row(project), name),
            )
            _replace_links(database, project.name, project.links)

    def remove(self, name: str) -> None:
        """Remove a project, and the links from and to it."""
        with self._open() as database, transaction(database):
            database.execute("DELETE FROM projects WHERE name = ?", (name,))

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        try:
            make_private_folder(self.folder)
            with closing(self._connect()) as database:
                if schema_version(database) > len(REGISTRY_MIGRATIONS):
                    raise RegistryUnavailable(f"{self.path} was written by a newer Scry; update this one")
                apply_migrations(database, REGISTRY_MIGRATIONS)
                database.execute("PRAGMA foreign_keys=ON")
                yield database
        except sqlite3.DatabaseError as error:
            raise RegistryUnavailable(self._explain_error(error)) from error
        except OSError as error:
            raise RegistryUnavailable(f"{self.path} can't be written: {error.strerror or error}") from error

    def _connect(self) -> sqlite3.Connection:
        """Return a connection to the file, of which, where it is damaged, what can be read is saved into a new one."""

        def connect() -> sqlite3.Connection:
            # Read by every command and hardly ever written: a rollback journal leaves one plain file behind.
            return open_shared_database(
                self.path, timeout=_BUSY_TIMEOUT_S, synchronous="FULL", on_network=True, checked_bytes=CHECKED_BYTES
            )

        try:
            return connect()
        except sqlite3.Error as error:
            from scry.store.precious.salvage import ensure_intact

            if not describe_damage_error(error):
                raise
            ensure_intact(registry_file(self.folder), thorough=True)
        return connect()

    def _explain_error(self, error: sqlite3.DatabaseError) -> str | RegistryDamaged:
        if isinstance(error, sqlite3.OperationalError):
            return f"the registry of projects, {self.path}, can't be used: {error}"
        return RegistryDamaged(str(self.path), str(error))


def _make_row(project: RegisteredProject) -> tuple[str, str | bytes, str, str, str]:
    return (
        project.name,
        encode_path(str(project.root)),
        " ".join(project.commits),
        project.path_in_repository,
        project.data,
    )


def _read_projects(database: sqlite3.Connection) -> Generator[RegisteredProject]:
    links: dict[str, list[ProjectLink]] = {}
    for source, kind, target in database.execute("SELECT source, kind, target FROM links ORDER BY kind, target"):
        links.setdefault(source, []).append(ProjectLink(kind, target))
    query = "SELECT name, root, commits, inside, data FROM projects ORDER BY name"
    for name, root, commits, inside, data in database.execute(query):
        folder = Path(decode_path(root))
        yield RegisteredProject(name, folder, tuple(commits.split()), inside, data, tuple(links.get(name, ())))


def _replace_links(database: sqlite3.Connection, name: str, links: Sequence[ProjectLink]) -> None:
    database.execute("DELETE FROM links WHERE source = ?", (name,))
    rows = [(name, link.kind, link.target) for link in links]
    database.executemany("INSERT OR IGNORE INTO links (source, kind, target) VALUES (?, ?, ?)", rows)


@contextmanager
def _explain_conflicts(project: RegisteredProject) -> Generator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        if "projects.name" in str(error):
            raise BadRequest("name", f"another project is called {project.name!r}; choose another name") from error
        if "projects.root" in str(error):
            raise BadRequest("folder", f"{project.root} is registered already") from error
        raise BadRequest("link", LinkTargetUnknown()) from error
