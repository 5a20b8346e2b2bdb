"""Identify a project: its root folder, name and key, and where its cache, data and note stores lie.

A registered project that was moved is recognised: its old folder is gone, and its history begins with the same commits.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import ProjectMissing, ProjectRefused, RegistryUnavailable
from scry.core.knowledge import MEMORY_NOTES, PERSONA_NOTES, PROJECT_NOTES
from scry.core.platform import cache_home, create_private_file, data_home, make_private_folder
from scry.core.projects import (
    RegisteredProject,
    find_enclosing_project,
    find_project,
    find_project_at,
    name_beside,
    suggest_project_name,
)
from scry.core.text import escape_unencodable
from scry.projects.git import GitCommandNeeded, GitRepository, find_repository, read_head, read_small_file, run_git
from scry.store.registry import REGISTRY_FILE, RegistryStore

if TYPE_CHECKING:
    from scry.store.notes.database import NoteDatabase, NoteSchema
    from scry.store.notes.reader import NoteSource

log = logging.getLogger(__name__)


_SLUG_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]+")


_SLUG_LENGTH = 40


_HASH_LENGTH = 12


_OWNER_FILE = "project.txt"


class Project(Struct, frozen=True):
    """An opened project.

    root: its resolved folder. name: for people, from the registry or else the folder's name. key: unique among all
    projects of this machine. cache: files that can be made again, for this work tree. data: files that cannot, shared
    by all work trees of one repository. Neither folder need exist yet.
    """

    root: Path
    name: str
    key: str
    cache: Path
    data: Path


def open_project(root: Path, *, force: bool = False, place: str = "") -> Project:
    """Return the project in a folder.

    place: what stands behind the folder's name where another open folder has that name.

    Raises ProjectMissing where there is no such folder. Raises ProjectRefused, unless forced, for a home folder, a
    folder that contains one, and the top of a file system.
    """
    try:
        resolved = root.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise ProjectMissing(f"{root}: there is no such folder") from error
    if not resolved.is_dir():
        raise ProjectMissing(f"{root}: that is a file, not a folder; open the folder that it is in")
    refused = None if force else _refusal_reason(resolved)
    if refused is not None:
        raise ProjectRefused(
            f"{resolved}: {refused}, which is rarely what you want to index. Open a folder inside it; on the "
            f"command line, --force does it nevertheless"
        )
    key = project_key(resolved)
    name = _project_name(resolved, place)
    return Project(resolved, name, key, cache_home() / key, data_home() / project_key(data_folder_owner(resolved)))


def list_registered() -> tuple[RegisteredProject, ...]:
    """Return every registered project, by name. Raises RegistryUnavailable."""
    folder = data_home()
    return RegistryStore(folder).list_projects() if (folder / REGISTRY_FILE).exists() else ()


def _project_name(root: Path, place: str) -> str:
    """Return the project's name in the registry, also where it has moved here since, else one that is not in it."""
    registered: Sequence[RegisteredProject] = ()
    try:
        registered = list_registered()
        known = find_project_at(registered, root)
        moved = find_moved_project(root, registered) if registered and known is None else None
        if moved is not None:
            known = _record_move(moved, root, RegistryStore(data_home()))
        if known is not None:
            return known.name
    except RegistryUnavailable as error:
        log.warning("%s", error)
    name = suggest_project_name(root)
    same = None if place else find_project(registered, name)
    if same is not None:
        return name_beside(root, same.root)
    return f"{name} ({place})" if place else name


def _record_move(moved: RegisteredProject, root: Path, registry: RegistryStore) -> RegisteredProject:
    """Register the new folder of a moved project, and move its log and answers along unless newer ones exist."""
    owner = data_folder_owner(root)
    current = replace(moved, root=root, data=project_key(owner))
    registry.replace(moved.name, current)
    old, new = registry.folder / moved.data, registry.folder / current.data
    if moved.data and not new.exists():
        with contextlib.suppress(OSError):  # the project has no data
            old.rename(new)
            write_owner_file(new, owner)
    log.warning("the project %s has moved from %s to %s", moved.name, moved.root, root)
    return current


def _refusal_reason(folder: Path) -> str | None:
    if folder == Path(folder.anchor):
        return "this is the top of a file system"
    try:
        home = Path.home().resolve()
    except (OSError, RuntimeError):
        home = None
    if home is not None and folder == home:
        return "this is your home folder"
    if home is not None and home.is_relative_to(folder):
        return "your home folder is inside it"
    return None


def project_key(folder: Path) -> str:
    """Return a name for a resolved folder that is readable, safe as a file name, and unique to the folder."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:_HASH_LENGTH]
    slug = _SLUG_FORBIDDEN.sub("-", folder.name).strip("-.")[:_SLUG_LENGTH]
    return f"{slug or 'project'}-{digest}"


def data_folder_owner(root: Path) -> Path:
    """Return the owner of the project's data: the repository's common folder, or the folder itself without git."""
    repository = _enclosing_repository(root)
    if repository is None:
        return root
    common = repository.common_dir
    return common.parent if common.name == ".git" else common


def _enclosing_repository(folder: Path) -> GitRepository | None:
    """Return the repository that holds the folder, except a home folder kept in git: its content is not one project."""
    repository = find_repository(folder)
    refused = repository is None or (
        repository.work_tree != folder and _refusal_reason(repository.work_tree) is not None
    )
    return None if refused else repository


def find_project_root(start: Path, registered: Sequence[RegisteredProject] = ()) -> Path:
    """Return the project that a command run in a folder refers to.

    It is the nearest registered project around the folder, else the top of the nearest git work tree, else the folder
    itself.
    """
    folder = start.resolve()
    if not folder.is_dir():
        folder = folder.parent
    known = find_enclosing_project(registered, folder) if registered else None
    if known is not None:
        return known.root
    repository = _enclosing_repository(folder)
    return folder if repository is None else repository.work_tree


def head_commit(root: Path) -> str | None:
    """Return the commit that is checked out, in hexadecimal; None without git or before the first commit."""
    repository = find_repository(root.absolute())
    if repository is None:
        return None
    try:
        return read_head(repository)
    except GitCommandNeeded:
        answer = run_git(repository.work_tree, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
        return answer.decode("ascii", "replace").strip() or None if answer else None


def write_owner_file(folder: Path, root: Path) -> None:
    """Write into a project's cache or data folder which project folder it belongs to, for people to read."""
    make_private_folder(folder)
    create_private_file(folder / _OWNER_FILE)
    (folder / _OWNER_FILE).write_bytes(os.fsencode(root))


def create_data_folder(project: Project) -> None:
    """Create the project's data folder, readable for this user alone. Raises OSError."""
    if not (project.data / _OWNER_FILE).exists():
        write_owner_file(project.data, data_folder_owner(project.root))


def read_owner_file(folder: Path) -> Path | None:
    """Return the project folder that a cache or data folder belongs to; None when the folder has no owner file."""
    content = read_small_file(folder / _OWNER_FILE)
    return Path(os.fsdecode(content)) if content else None


def find_moved_project(root: Path, registered: Sequence[RegisteredProject]) -> RegisteredProject | None:
    """Return the registered project, as it was registered, that was moved to this folder; None where there is none.

    Runs git only where the folder of a registered project is gone, so the check costs nothing otherwise.
    """
    missing = [project for project in registered if project.commits and not project.root.is_dir()]
    if not missing or find_repository(root) is None:
        return None
    commits, path = root_commits(root), path_in_work_tree(root)
    return next((each for each in missing if each.commits == commits and each.path_in_repository == path), None)


def root_commits(root: Path) -> tuple[str, ...]:
    """Return the commits without a parent in a folder's history, sorted; empty without git, a commit, or an answer from
    git.
    """
    answer = run_git(root, ["rev-list", "--max-parents=0", "HEAD"])
    return tuple(sorted(answer.decode("ascii", "replace").split())) if answer else ()


def path_in_work_tree(root: Path) -> str:
    """Return the folder's path in its git work tree, with slashes; empty at the top and without git."""
    repository = find_repository(root)
    if repository is None or repository.work_tree == root:
        return ""
    return root.relative_to(repository.work_tree).as_posix()


def folder_in_repository(root: Path) -> str:
    """Return a project's folder in its repository, whose projects share one log, as the log names it; empty for the
    whole.
    """
    return escape_unencodable(path_in_work_tree(root))


# Note stores ----------------------------------------------------------------------------------------------------------


class NoteStoreLocation(Struct, frozen=True):
    """The location of a note store.

    schema: returns that of the database at a path. read: returns the part of the database that queries read.
    """

    name: str
    path: Path
    schema: Callable[[Path], NoteSchema]
    read: Callable[[NoteDatabase], NoteSource]

    def open(self, *, write: bool) -> NoteDatabase:
        """Open the note store. Raises IndexUnavailable."""
        from scry.store.notes.database import NoteDatabase

        return NoteDatabase(self.name, self.path, self.schema(self.path), write=write)


def note_store_locations(project: Project) -> Iterator[NoteStoreLocation]:
    """Yield the location of every note store that a query of the project may read, whether the store exists or not."""
    # Late: the start of an indexer, which no editor should wait for, reads no notes.
    from scry.store.memory.schema import MEMORY_FILE, memory_file
    from scry.store.notes.reader import NoteReader
    from scry.store.notes.schema import PROJECT_NOTE_SCHEMA, PROJECT_NOTES_PATH, persona_file

    notes = project.cache / PROJECT_NOTES_PATH
    yield NoteStoreLocation(PROJECT_NOTES, notes, lambda _: PROJECT_NOTE_SCHEMA, NoteReader)
    yield NoteStoreLocation(PERSONA_NOTES, persona_store_path(), persona_file, NoteReader)
    yield NoteStoreLocation(MEMORY_NOTES, project.data / MEMORY_FILE, memory_file, partial(_memory_note_store, project))


def _memory_note_store(project: Project, file: NoteDatabase) -> NoteSource:
    from scry.store.memory.search import MemoryNoteReader
    from scry.store.memory.sessions import SessionOwner  # most projects have no memory

    owner = SessionOwner(escape_unencodable(str(project.root)))
    return MemoryNoteReader(file, owner)


def persona_store_path() -> Path:
    """Return the file of the person's own notes, shared by all projects."""
    return data_home() / "persona" / "persona.sqlite"
