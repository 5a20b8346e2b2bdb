"""Identify a project: its root folder, name and key, and where its cache and data lie.

Knows a registered project again where it was moved to: its old folder is gone, and the history begins the same.

Which folder is a project, what it is called, and where its things are kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import ProjectMissing, ProjectRefused, RegistryUnavailable
from scry.core.files import cache_home, data_home
from scry.core.projects import RegisteredProject, find_enclosing_project, find_project_at
from scry.projects.git import GitCommandNeeded, GitRepository, find_repository, read_head, read_small_file, run_git
from scry.store.registry import RegistryStore

log = logging.getLogger(__name__)


_SLUG_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]+")


_SLUG_LENGTH = 40


_HASH_LENGTH = 12


_OWNER_FILE = "project.txt"


class Project(Struct, frozen=True):
    """One opened folder.

    root: resolved. name: for people, as the registry has it, else the folder's. key: names it among all projects of
    this machine. cache: what can be made again, for this work tree. data: what cannot, shared by all work trees of one
    repository. Neither folder need exist yet.
    """

    root: Path
    name: str
    key: str
    cache: Path
    data: Path


def open_project(root: Path, *, force: bool = False) -> Project:
    """The project in a folder.

    Raises ProjectMissing where there is no such folder, and ProjectRefused, unless forced, for a home folder, what it
    lies in, and the top of a file system.
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
    known = _find_registered(resolved)
    name = known.name if known else resolved.name or str(resolved)
    return Project(resolved, name, key, cache_home() / key, data_home() / project_key(data_folder_owner(resolved)))


def _find_registered(root: Path) -> RegisteredProject | None:
    """The project as it is registered, also where it has moved here since; None where no registry can be read."""
    registry = RegistryStore(data_home())
    try:
        registered = registry.list_projects()
        known = find_project_at(registered, root)
        moved = None if known else find_moved_project(root, registered)
        return _record_move(moved, root, registry) if moved else known
    except RegistryUnavailable as error:
        log.warning("%s", error)
        return None


def _record_move(moved: RegisteredProject, root: Path, registry: RegistryStore) -> RegisteredProject:
    """Notes where a project lies now, and takes its log and answers along, unless there are newer ones."""
    owner = data_folder_owner(root)
    now = replace(moved, root=root, data=project_key(owner))
    registry.replace(moved.name, now)
    old, new = registry.folder / moved.data, registry.folder / now.data
    if moved.data and not new.exists():
        with contextlib.suppress(OSError):  # nothing was kept of its use
            old.rename(new)
            write_owner_file(new, owner)
    log.warning("the project %s has moved from %s to %s", moved.name, moved.root, root)
    return now


def _refusal_reason(folder: Path) -> str | None:
    if folder == Path(folder.anchor):
        return "this is the top of a file system"
    home = _home()
    if home is not None and folder == home:
        return "this is your home folder"
    if home is not None and home.is_relative_to(folder):
        return "your home folder is inside it"
    return None


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def project_key(folder: Path) -> str:
    """A name for a resolved folder that is readable, safe as a file name, and different for different folders."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:_HASH_LENGTH]
    slug = _SLUG_FORBIDDEN.sub("-", folder.name).strip("-.")[:_SLUG_LENGTH]
    return f"{slug or 'project'}-{digest}"


def data_folder_owner(root: Path) -> Path:
    """What owns the project's data: the repository, by its common folder, or the folder itself without git."""
    repository = _enclosing_repository(root)
    if repository is None:
        return root
    common = repository.common_dir
    return common.parent if common.name == ".git" else common


def _enclosing_repository(folder: Path) -> GitRepository | None:
    """The repository that the folder is in, save for a home folder kept in git: what is in it is not one project."""
    repository = find_repository(folder)
    passed_over = repository is None or (
        repository.work_tree != folder and _refusal_reason(repository.work_tree) is not None
    )
    return None if passed_over else repository


def find_project_root(start: Path, registered: Sequence[RegisteredProject] = ()) -> Path:
    """The project that a command run in a folder means: the nearest registered one around it, else the nearest git
    work tree's top, else the folder itself.
    """
    folder = start.resolve()
    if not folder.is_dir():
        folder = folder.parent
    known = find_enclosing_project(registered, folder)
    if known is not None:
        return known.root
    repository = _enclosing_repository(folder)
    return folder if repository is None else repository.work_tree


def head_commit(root: Path) -> str | None:
    """The commit that the folder's work tree is at, in hexadecimal; None without git or before the first commit."""
    repository = find_repository(root.absolute())
    if repository is None:
        return None
    try:
        return read_head(repository)
    except GitCommandNeeded:
        answer = run_git(repository.work_tree, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
        return answer.decode("ascii", "replace").strip() or None if answer else None


def write_owner_file(folder: Path, root: Path) -> None:
    """Writes into a project's cache or data folder which folder it belongs to, so that people can be told."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _OWNER_FILE).write_bytes(os.fsencode(root))


def create_data_folder(project: Project) -> None:
    """Makes the folder of what can't be made again, for this person alone. Raises OSError."""
    if not (project.data / _OWNER_FILE).exists():
        project.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_owner_file(project.data, data_folder_owner(project.root))


def read_owner_file(folder: Path) -> Path | None:
    """The project folder that a cache or data folder belongs to; None when it does not say."""
    content = read_small_file(folder / _OWNER_FILE)
    return Path(os.fsdecode(content)) if content else None


def find_moved_project(root: Path, registered: Sequence[RegisteredProject]) -> RegisteredProject | None:
    """The registered project, as it was, that this folder is now; None where it is none that moved.

    Asks git only where the folder of a registered project is gone, so that it costs nothing otherwise.
    """
    gone = [project for project in registered if project.commits and not project.root.is_dir()]
    if not gone or find_repository(root) is None:
        return None
    begins, inside = root_commits(root), path_in_work_tree(root)
    return next((each for each in gone if each.commits == begins and each.path_in_repository == inside), None)


def root_commits(root: Path) -> tuple[str, ...]:
    """The commits that a folder's history begins with, sorted; empty without git, a commit, or a git that answers."""
    answer = run_git(root, ["rev-list", "--max-parents=0", "HEAD"])
    return tuple(sorted(answer.decode("ascii", "replace").split())) if answer else ()


def path_in_work_tree(root: Path) -> str:
    """The folder relative to its git work tree's top, with slashes; empty at the top and without git."""
    repository = find_repository(root)
    if repository is None or repository.work_tree == root:
        return ""
    return root.relative_to(repository.work_tree).as_posix()
