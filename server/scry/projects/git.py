"""Find a folder's git repository, read its HEAD from files, and run git safely.

The files may be a stranger's: sizes are capped, only regular files are opened, and whatever is not plainly understood
raises GitCommandNeeded, so that git itself is asked. Git runs so that nothing in the settings of the repository or the
person is executed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from scry.projects.programs import find_program

_SAFE_OPTIONS = (
    "-c",
    "core.fsmonitor=",
    "-c",
    f"core.hooksPath={os.devnull}",
)


_TIMEOUT_S = 20.0


_MAX_SMALL_FILE_BYTES = 16 * 1024


_MAX_PACKED_REFS_BYTES = 256 * 1024 * 1024


_OBJECT_NAME = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")


_REFERENCE = re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\]+\Z")


class GitCommandNeeded(Exception):
    """The files do not settle the question; git itself has to be asked."""


class GitRepository(Struct, frozen=True):
    """A repository as seen from one work tree.

    work_tree: its top folder. git_dir: files of this work tree alone (HEAD, index). common_dir: files that all work
    trees share (branches, objects, `info/exclude`); the same as `git_dir` where there is only one.
    """

    work_tree: Path
    git_dir: Path
    common_dir: Path


def find_repository(start: Path) -> GitRepository | None:
    """Return the repository whose work tree holds the folder, by the nearest `.git` at or above it."""
    for folder in (start, *start.parents):
        repository = repository_at(folder)
        if repository is not None:
            return repository
    return None


def repository_at(top: Path) -> GitRepository | None:
    """Return the repository whose work tree starts at this folder; None when git would not accept its `.git`."""
    marker = top / ".git"
    try:
        git_dir = marker if marker.is_dir() else _read_git_file(marker)
        if git_dir is None or not (git_dir / "HEAD").is_file():
            return None
        common_dir = read_small_file(git_dir / "commondir")
        shared_dir = git_dir if common_dir is None else git_dir / _decode_path(common_dir)
        return GitRepository(top, git_dir, shared_dir.resolve())
    except (OSError, ValueError, RuntimeError):
        return None


def _read_git_file(marker: Path) -> Path | None:
    """Return the folder that a `.git` file of a work tree or a submodule names."""
    content = read_small_file(marker)
    if content is None or not content.startswith(b"gitdir:"):
        return None
    return (marker.parent / _decode_path(content.removeprefix(b"gitdir:"))).resolve()


def _decode_path(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape").strip()


def read_small_file(path: Path, max_bytes: int = _MAX_SMALL_FILE_BYTES) -> bytes | None:
    """Return the content of a regular file; None when it is missing, unreadable, over `max_bytes` or no regular
    file.
    """
    try:
        status = path.stat()
        # Reading a named pipe would block for ever.
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        return path.read_bytes()
    except (OSError, ValueError):
        return None


def read_head(folder: GitRepository) -> str | None:
    """Return the commit that HEAD is at; None before the first commit.

    Raises GitCommandNeeded where the files don't settle it: another storage of references, a reference to a reference,
    or content of unknown form.
    """
    if (folder.common_dir / "reftable").exists():
        raise GitCommandNeeded
    content = (read_small_file(folder.git_dir / "HEAD") or b"").strip()
    if _OBJECT_NAME.match(content):
        return content.decode("ascii")
    reference = content.removeprefix(b"ref:").strip().decode("utf-8", "replace")
    if not content.startswith(b"ref:") or not _is_branch(reference):
        raise GitCommandNeeded
    return _read_reference(folder, reference)


def list_head_files(folder: GitRepository) -> tuple[Path, ...]:
    """Return all files that decide the result of `read_head`, also those that do not exist now."""
    content = (read_small_file(folder.git_dir / "HEAD") or b"").strip()
    reference = content.removeprefix(b"ref:").strip().decode("utf-8", "replace")
    branch = (folder.common_dir / reference,) if _is_branch(reference) else ()
    own_files = (folder.git_dir / "HEAD", folder.git_dir / "commondir")
    return (*own_files, folder.common_dir / "reftable", folder.common_dir / "packed-refs", *branch)


def _is_branch(reference: str) -> bool:
    # Only branches are always in the common folder; `..` would lead out of it.
    return reference.startswith("refs/heads/") and ".." not in reference and bool(_REFERENCE.match(reference))


def _read_reference(folder: GitRepository, reference: str) -> str | None:
    loose = folder.common_dir / reference
    content = (read_small_file(loose) or b"").strip()
    if _OBJECT_NAME.match(content):
        return content.decode("ascii")
    if loose.is_file():
        raise GitCommandNeeded
    packed = folder.common_dir / "packed-refs"
    table = read_small_file(packed, _MAX_PACKED_REFS_BYTES)
    if table is None and packed.exists():
        raise GitCommandNeeded
    end = (b"\n" + (table or b"")).find(b" " + reference.encode() + b"\n") - 1
    return None if end < 0 else _object_name_before(table or b"", end)


def _object_name_before(table: bytes, end: int) -> str:
    name = table[table.rfind(b"\n", 0, end) + 1 : end]
    if not _OBJECT_NAME.match(name):
        raise GitCommandNeeded
    return name.decode("ascii")


def safe_git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without variables that point git at another repository, and with nothing that asks or
    writes.
    """
    inherited = {
        name: value for name, value in environ.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")
    }
    return inherited | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # Missing objects of a partial clone are never fetched; git before 2.44 knows only the second variable.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "LC_ALL": "C",
    }


def safe_git_command(arguments: Sequence[str]) -> list[str]:
    """Return the command line of git with these arguments, safe to run in a stranger's repository.

    Raises FileNotFoundError when there is no git.
    """
    program = find_program("git")
    if program is None:
        raise FileNotFoundError("git is not on the PATH")
    return [program, "--no-pager", *_SAFE_OPTIONS, *arguments]


def run_git(folder: Path, arguments: Sequence[str]) -> bytes | None:
    """Return git's output when run in the folder; None when git is missing, fails, or takes over 20 seconds."""
    import subprocess

    try:
        completed = subprocess.run(
            safe_git_command(arguments),
            cwd=folder,
            env=safe_git_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return completed.stdout if completed.returncode == 0 else None
