"""Find a folder's git repository, read its HEAD from files, and run git safely.

Runs git for what its files don't tell, so that nothing of the repository's or the person's settings is executed.

What a repository's files say without running git: where its folders are, and what HEAD is.

Everything here reads files that a stranger may have written: sizes are capped, only regular files are opened, and
whatever is not plainly understood is "not known" (`Unsure`) rather than an error.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

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
    """The files can't settle it; git itself has to be asked."""


class GitRepository(Struct, frozen=True):
    """A repository as seen from one work tree.

    top: the work tree. own: what belongs to this work tree alone (HEAD, index). common: what all its work trees share
    (branches, objects, `info/exclude`); the same as `own` where there is only one.
    """

    work_tree: Path
    git_dir: Path
    common_dir: Path


def find_repository(start: Path) -> GitRepository | None:
    """The repository whose work tree holds the folder, by the nearest `.git` at or above it."""
    for folder in (start, *start.parents):
        found = repository_at(folder)
        if found is not None:
            return found
    return None


def repository_at(top: Path) -> GitRepository | None:
    """The repository whose work tree starts at just this folder; None when its `.git` is none that git would take."""
    marker = top / ".git"
    try:
        own = marker if marker.is_dir() else _read_git_file(marker)
        if own is None or not (own / "HEAD").is_file():
            return None
        common = read_small_file(own / "commondir")
        shared = own if common is None else own / _decode_path(common)
        return GitRepository(top, own, shared.resolve())
    except (OSError, ValueError, RuntimeError):
        return None


def _read_git_file(marker: Path) -> Path | None:
    """The folder that a `.git` file of a work tree or a submodule names."""
    content = read_small_file(marker)
    if content is None or not content.startswith(b"gitdir:"):
        return None
    return (marker.parent / _decode_path(content.removeprefix(b"gitdir:"))).resolve()


def _decode_path(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape").strip()


def read_small_file(path: Path, max_bytes: int = _MAX_SMALL_FILE_BYTES) -> bytes | None:
    """The content of a regular file; None when it is missing, unreadable, over `most` bytes or anything else."""
    try:
        status = path.stat()
        # A named pipe would block for ever.
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        return path.read_bytes()
    except (OSError, ValueError):
        return None


def read_head(folder: GitRepository) -> str | None:
    """The commit that HEAD is at, None before the first commit.

    Raises Unsure where the files don't tell: another storage of references, a reference to a reference, odd content.
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
    """All files that decide what `read_head` says, also those that are not there now."""
    content = (read_small_file(folder.git_dir / "HEAD") or b"").strip()
    reference = content.removeprefix(b"ref:").strip().decode("utf-8", "replace")
    branch = (folder.common_dir / reference,) if _is_branch(reference) else ()
    own = (folder.git_dir / "HEAD", folder.git_dir / "commondir")
    return (*own, folder.common_dir / "reftable", folder.common_dir / "packed-refs", *branch)


def _is_branch(reference: str) -> bool:
    # Only branches are sure to lie in the common folder; `..` would lead out of it.
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
    """The environment without what would point git at another repository, and with nothing that asks or writes."""
    kept = {
        name: value for name, value in environ.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")
    }
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # What a partial clone lacks is never fetched; git before 2.44 knows only the second.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "LC_ALL": "C",
    }


def safe_git_command(arguments: Sequence[str]) -> list[str]:
    """The command line of git with these arguments, safe to run in a stranger's repository."""
    return ["git", "--no-pager", *_SAFE_OPTIONS, *arguments]


def run_git(folder: Path, arguments: Sequence[str]) -> bytes | None:
    """What git prints when run in the folder; None when it is missing, fails, or takes over 20 seconds."""
    import subprocess

    try:
        done = subprocess.run(
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
    return done.stdout if done.returncode == 0 else None
