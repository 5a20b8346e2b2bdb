"""The registry of projects: which there are, where they lie, and how they are tied to each other.

One small file for the person, written only when the person says so or a project has moved. Every call opens it anew:
it is read once in a command, and another process may change it at any time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from scry.core.errors import BadRequest, RegistryUnavailable
from scry.core.projects import ProjectLink, Registered
from scry.store import migrations
from scry.store.database import connect_shared, migrate, path_from_sql, path_to_sql, transaction, version

FILE = "projects.sqlite"

_BUSY_TIMEOUT_S = 5.0


class RegistryStore(Struct, frozen=True):
    """The registry in a folder. Every method may be called from any thread and raises RegistryUnavailable."""

    folder: Path

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / FILE

    def all(self) -> tuple[Registered, ...]:
        """Every project, by name."""
        if not self.path.exists():
            return ()
        with self._opened() as database:
            return tuple(_read(database))

    def add(self, project: Registered) -> None:
        """Registers it with its links. Raises BadRequest naming what another project has already."""
        with self._opened() as database, transaction(database), _naming_what_is_taken(project):
            database.execute(
                "INSERT INTO projects (name, root, commits, inside, data) VALUES (?, ?, ?, ?, ?)", _row(project)
            )
            _set_links(database, project.name, project.links)

    def replace(self, name: str, project: Registered) -> None:
        """Puts it in the place of the one with this name; the others' links follow. Raises BadRequest as `add`."""
        with self._opened() as database, transaction(database), _naming_what_is_taken(project):
            database.execute(
                "UPDATE projects SET name = ?, root = ?, commits = ?, inside = ?, data = ? WHERE name = ?",
                (*_row(project), name),
            )
            _set_links(database, project.name, project.links)

    def remove(self, name: str) -> None:
        """Forgets it, and the links from and to it."""
        with self._opened() as database, transaction(database):
            database.execute("DELETE FROM projects WHERE name = ?", (name,))

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Read by every command and hardly ever written: a rollback journal leaves one plain file behind.
            opened = connect_shared(self.path, timeout=_BUSY_TIMEOUT_S, synchronous="FULL", on_network=True)
            with closing(opened) as database:
                if version(database) > len(migrations.REGISTRY):
                    raise RegistryUnavailable(f"{self.path} was written by a newer Scry; update this one")
                migrate(database, migrations.REGISTRY)
                database.execute("PRAGMA foreign_keys=ON")
                yield database
        except sqlite3.DatabaseError as error:
            raise RegistryUnavailable(self._explained(error)) from error
        except OSError as error:
            raise RegistryUnavailable(f"{self.path} can't be written: {error.strerror or error}") from error

    def _explained(self, error: sqlite3.DatabaseError) -> str:
        if isinstance(error, sqlite3.OperationalError):
            return f"the registry of projects, {self.path}, can't be used: {error}"
        return (
            f"the registry of projects, {self.path}, is damaged ({error}); remove or rename it, then add your projects "
            f"anew (scry project add FOLDER)"
        )


def _row(project: Registered) -> tuple[str, str | bytes, str, str, str]:
    return project.name, path_to_sql(str(project.root)), " ".join(project.commits), project.inside, project.data


def _read(database: sqlite3.Connection) -> Generator[Registered]:
    links: dict[str, list[ProjectLink]] = {}
    for source, kind, target in database.execute("SELECT source, kind, target FROM links ORDER BY kind, target"):
        links.setdefault(source, []).append(ProjectLink(kind, target))
    query = "SELECT name, root, commits, inside, data FROM projects ORDER BY name"
    for name, root, commits, inside, data in database.execute(query):
        place = Path(path_from_sql(root))
        yield Registered(name, place, tuple(commits.split()), inside, data, tuple(links.get(name, ())))


def _set_links(database: sqlite3.Connection, name: str, links: Sequence[ProjectLink]) -> None:
    database.execute("DELETE FROM links WHERE source = ?", (name,))
    rows = [(name, link.kind, link.target) for link in links]
    database.executemany("INSERT OR IGNORE INTO links (source, kind, target) VALUES (?, ?, ?)", rows)


@contextmanager
def _naming_what_is_taken(project: Registered) -> Generator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        if "projects.name" in str(error):
            raise BadRequest("name", f"another project is called {project.name!r}; choose another name") from error
        if "projects.root" in str(error):
            raise BadRequest("folder", f"{project.root} is registered already") from error
        raise BadRequest("link", "leads to a project that is not registered (scry project list)") from error
