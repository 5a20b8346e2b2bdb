"""Report a work tree's HEAD commit, uncommitted files and the commits made in it.

Git executes nothing of the repository for any of these.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

from scry.projects.git import GitCommandNeeded, GitRepository, find_repository, list_head_files, read_head, run_git
from scry.projects.project import head_commit

_FileSignature = tuple[int, int, int, int] | None


class _CachedHead(Struct, frozen=True):
    """The commit with the files that determine it, including missing ones, and their signatures just before it was
    read.
    """

    files: tuple[Path, ...]
    signatures: tuple[_FileSignature, ...]
    commit: str | None


class HeadTracker:
    """The HEAD commit of one folder's work tree, read again only when one of its files changed. Thread-safe."""

    def __init__(self, root: Path) -> None:
        """Remember the folder; nothing is read yet."""
        self._root = root.absolute()
        self._known: _CachedHead | None = None

    def commit(self) -> str | None:
        """Return the current HEAD commit in hexadecimal; None without git or before the first commit."""
        known = self._known
        if known is not None and _file_signatures(known.files) == known.signatures:
            return known.commit
        self._known = self._read_head()
        return self._known.commit if self._known else head_commit(self._root)

    def _read_head(self) -> _CachedHead | None:
        """Return HEAD with the files that determine it; None where other files than these may determine it."""
        repository = find_repository(self._root)
        files = self._list_deciding_files(repository)
        signatures = _file_signatures(files)
        try:
            commit = read_head(repository) if repository else None
        except GitCommandNeeded:
            return None
        # If HEAD moved to another branch meanwhile, that branch's file is not in the list.
        return (
            _CachedHead(files, signatures, commit)
            if self._list_deciding_files(find_repository(self._root)) == files
            else None
        )

    def _list_deciding_files(self, repository: GitRepository | None) -> tuple[Path, ...]:
        folders = (self._root, *self._root.parents)
        searched = folders if repository is None else folders[: folders.index(repository.work_tree) + 1]
        return (*(folder / ".git" for folder in searched), *(list_head_files(repository) if repository else ()))


def _file_signatures(files: tuple[Path, ...]) -> tuple[_FileSignature, ...]:
    return tuple(_file_signature(file) for file in files)


def _file_signature(file: Path) -> _FileSignature:
    """Return values that differ once a file was written or replaced; git replaces files."""
    try:
        status = os.stat(file)  # noqa: PTH116 - half the time of Path.stat, some times for every answer
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size


_WORK_TREE_SETTING = "core.worktree"
_SETTINGS_PATTERN = r"^(core\.worktree|filter\..*\.(clean|smudge|process|required))$"
"""Settings that `uncommitted_paths` depends on; git prints the first and last part of their names in lower case."""


def uncommitted_paths(root: Path) -> tuple[str, ...] | None:
    """Return the files in a folder that are changed, staged, new or deleted, relative to it, sorted; None where git
    can't tell.

    Ignored files and submodules are left out. A file of which only the time changed is left out too, except where a
    filter (such as that of large files) would be needed to see that: filters are never run.
    """
    settings = _read_git_settings(root)
    output = run_git(
        root,
        [
            *_disable_filters(settings),
            *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
            *("--no-ahead-behind", "--", "."),
        ],
    )
    prefix = _path_prefix(root, settings)
    if output is None or prefix is None:
        return None
    entries = (entry[3:] for entry in output.split(b"\0") if len(entry) > 3)
    paths = {entry[len(prefix) :] for entry in entries if entry.startswith(prefix)}
    return tuple(sorted(path.decode("utf-8", "surrogateescape") for path in paths))


def _read_git_settings(root: Path) -> frozenset[str]:
    """Return the names of those settings that the user or the repository has set."""
    names = run_git(root, ["config", "-z", "--name-only", "--get-regexp", _SETTINGS_PATTERN]) or b""
    return frozenset(names.decode("utf-8", "surrogateescape").split("\0")) - {""}


def _disable_filters(settings: frozenset[str]) -> list[str]:
    """Return options that empty every configured filter."""
    options: list[str] = []
    for name in sorted(settings - {_WORK_TREE_SETTING}):
        options += ["-c", f"{name}={'false' if name.endswith('.required') else ''}"]
    return options


def _path_prefix(root: Path, settings: frozenset[str]) -> bytes | None:
    """Return the prefix of the folder's paths in git's output, from the top of the work tree.

    Git itself is called only where `core.worktree` moves that top.
    """
    repository = None if _WORK_TREE_SETTING in settings else find_repository(root)
    if repository is None:
        output = run_git(root, ["rev-parse", "--show-prefix"])
        return None if output is None else output.removesuffix(b"\n")
    inside = root.relative_to(repository.work_tree).as_posix()
    return b"" if inside == "." else f"{inside}/".encode("utf-8", "surrogateescape")


_LOCAL_ACTION = re.compile(r"(?:commit|cherry-pick|revert|merge [^:]*: Merge made)")
"""The beginnings of git's reflog message for a commit that was made here, and not by a pull."""

_MAX_LOCAL_COMMITS = 50
"""Commits that are listed, the newest ones, where there are more, say after a rebase."""


class LocalCommit(Struct, frozen=True):
    """A commit that was made in this work tree. time: in milliseconds since the epoch."""

    sha: str
    time: int
    subject: str


def list_local_commits(root: Path, since: str) -> list[LocalCommit]:
    """Return the commits made in the work tree since HEAD was at `since`, oldest first, by HEAD's reflog.

    Commits that came by a pull are left out. None are returned where git can't tell.
    """
    arguments = [
        "log",
        "-g",
        "-z",
        f"--max-count={_MAX_LOCAL_COMMITS}",
        "--format=%H%x01%gs%x01%ct%x01%s",
        "HEAD",
        "--",
    ]
    output = (run_git(root, arguments) or b"").decode("utf-8", "replace")
    commits: list[LocalCommit] = []
    for entry in output.split("\0"):
        sha, *rest = entry.strip("\n").split("\x01")
        if sha == since or len(rest) != 3:
            break
        if _LOCAL_ACTION.match(rest[0]):
            commits.append(LocalCommit(sha, int(rest[1]) * 1000, rest[2]))
    return commits[::-1]
