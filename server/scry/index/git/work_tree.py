"""Report a work tree's HEAD commit, uncommitted files and the commits made in it.

The commit that a work tree is at, as every answer tells it: read anew only when what says so may have changed.

Which files differ from what is committed, as git sees it now. Nothing of the repository is executed for it.

The commits that were made in a work tree, by its own log of where HEAD was; none of those that came by a pull.
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
    """files: all that decided it, also those that were not there. signs: how they were, just before it was read."""

    files: tuple[Path, ...]
    signatures: tuple[_FileSignature, ...]
    commit: str | None


class HeadTracker:
    """Where one folder's work tree is. May be asked from any thread."""

    def __init__(self, root: Path) -> None:
        """Reads nothing yet."""
        self._root = root.absolute()
        self._known: _CachedHead | None = None

    def commit(self) -> str | None:
        """The commit in hexadecimal, as of now; None without git or before the first commit."""
        known = self._known
        if known is not None and _file_signatures(known.files) == known.signatures:
            return known.commit
        self._known = self._read_head()
        return self._known.commit if self._known else head_commit(self._root)

    def _read_head(self) -> _CachedHead | None:
        """None where other files than those that are looked at may decide."""
        repository = find_repository(self._root)
        files = self._list_deciding_files(repository)
        signatures = _file_signatures(files)
        try:
            commit = read_head(repository) if repository else None
        except GitCommandNeeded:
            return None
        # Where HEAD was moved to another branch meanwhile, that branch's file is not among these.
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
    """What differs once a file was written or replaced; git replaces."""
    try:
        status = os.stat(file)  # noqa: PTH116 - half the time of Path.stat, some times for every answer
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size


_WORK_TREE_SETTING = "core.worktree"
_SETTINGS_PATTERN = r"^(core\.worktree|filter\..*\.(clean|smudge|process|required))$"
"""What has to be known of the settings before; git gives the first and last part of their names in small letters."""


def uncommitted_paths(root: Path) -> tuple[str, ...] | None:
    """The files in a folder that are changed, staged, new or gone, relative to it, sorted; None where git can't tell.

    Ignored files are left out, and so are submodules. A file of which only the time changed is not among them, save
    where a filter (such as that of large files) would be needed to see it: filters are never run.
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
    found = {entry[len(prefix) :] for entry in entries if entry.startswith(prefix)}
    return tuple(sorted(path.decode("utf-8", "surrogateescape") for path in found))


def _read_git_settings(root: Path) -> frozenset[str]:
    """Those that are set of the settings that matter here, by the person or the repository."""
    names = run_git(root, ["config", "-z", "--name-only", "--get-regexp", _SETTINGS_PATTERN]) or b""
    return frozenset(names.decode("utf-8", "surrogateescape").split("\0")) - {""}


def _disable_filters(settings: frozenset[str]) -> list[str]:
    """Options that empty every filter that is set up."""
    options: list[str] = []
    for name in sorted(settings - {_WORK_TREE_SETTING}):
        options += ["-c", f"{name}={'false' if name.endswith('.required') else ''}"]
    return options


def _path_prefix(root: Path, settings: frozenset[str]) -> bytes | None:
    """What the folder's paths begin with as git gives them, from the top of the work tree. git itself is only asked
    where it has been told to look for that elsewhere.
    """
    repository = None if _WORK_TREE_SETTING in settings else find_repository(root)
    if repository is None:
        output = run_git(root, ["rev-parse", "--show-prefix"])
        return None if output is None else output.removesuffix(b"\n")
    inside = root.relative_to(repository.work_tree).as_posix()
    return b"" if inside == "." else f"{inside}/".encode("utf-8", "surrogateescape")


_LOCAL_ACTION = re.compile(r"(?:commit|cherry-pick|revert|merge [^:]*: Merge made)")
"""How git begins the words for a commit that was made here."""

_MAX_LOCAL_COMMITS = 50
"""Of a longer way, say after a rebase, the last commits."""


class LocalCommit(Struct, frozen=True):
    """A commit that was made. time: in milliseconds since the epoch."""

    sha: str
    time: int
    subject: str


def list_local_commits(root: Path, since: str) -> list[LocalCommit]:
    """The commits that were made since HEAD was at `since`, the oldest first; none where git can't tell."""
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
