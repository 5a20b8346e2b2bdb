"""Read commits from git: author, time, message, changed files and changed lines.

Output is bytes between NULs (`-z`), read by position and by count, so that no subject, file name or line of a patch can
be taken for something else. Settings of the user and the repository do not apply: no signatures, no external diff, no
text conversion, no colours, no prefixes of their own. Neither do attributes in the work tree (`*.lock -diff`): they
differ from commit to commit, and what is read of a commit must not depend on the one that is checked out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from scry.index.git.stream import GitFailed, GitStream
from scry.projects.git import find_repository
from scry.store.history.commits import Hunk

IGNORE_SUBMODULES = "--ignore-submodules=all"

_COMMIT_FORMAT = "--format=tformat:%x00%H%x00%P%x00%ct%x00%an%x00%s%x00%b%x00"
_LOG_OPTIONS = (
    "--no-walk=unsorted",
    "--stdin",
    "-z",
    "--encoding=UTF-8",
    "--no-show-signature",
    "--no-notes",
    "--no-color",
    "--no-decorate",
    "--no-mailmap",
    "--no-follow",
    _COMMIT_FORMAT,
)
_RAW_OPTIONS = (
    "--raw",
    "--no-abbrev",
    "--find-renames=100%",
    "--diff-merges=first-parent",
    "--no-ext-diff",
    "--no-textconv",
    IGNORE_SUBMODULES,
)
_PATCH_OPTIONS = ("--patch", "--unified=0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--no-indent-heuristic")
_BIG_FILE_THRESHOLD = "1000000"
"""Bytes above which git takes a file for binary and does not compare its lines: the index does not hold it either."""

_SETTINGS = ("-c", f"core.bigFileThreshold={_BIG_FILE_THRESHOLD}", "-c", f"core.attributesFile={os.devnull}")

_HUNK_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class GitOutputUnreadable(GitFailed):
    """The output of a git command is not what it should be, so that the place in it is lost."""


class CommitFileChange(Struct, frozen=True):
    """A file that a commit changed. path: its name after the commit. source: its old name, if exactly renamed.

    hunks: None where the lines were not requested.
    """

    path: str
    source: str | None = None
    hunks: tuple[Hunk, ...] | None = None


class CommitSummary(Struct, frozen=True):
    """A commit in a list: its name, its time in seconds since the epoch, and its parents.

    parents: empty in a list of a folder's commits.
    """

    sha: str
    time: int
    parents: tuple[str, ...]

    @property
    def is_merge(self) -> bool:
        """Whether it has several parents."""
        return len(self.parents) > 1


class LoggedCommit(Struct, frozen=True):
    """A commit as git reports it. The files of a merge are its changes to its first parent.

    files: None where git could not tell them.
    """

    sha: str
    parents: tuple[str, ...]
    time: int
    author: str
    subject: str
    body: str
    files: tuple[CommitFileChange, ...] | None


def list_commits(folder: Path, commits: Sequence[str], limit: int, *, in_subfolder: bool) -> list[CommitSummary]:
    """Return the newest `limit` commits reachable from `commits` (arguments of rev-list: `a`, `^b`), newest first.

    in_subfolder: the folder is not the work tree's top; then only commits that changed something in it, merges left
    out, by full history, so that a list does not depend on where the list before it ended.
    Raises GitFailed.
    """
    limits = ["--full-history", "--no-merges"] if in_subfolder else ["--parents"]
    path_arguments = ["--", "."] if in_subfolder else ["--"]
    arguments = ["rev-list", "--timestamp", f"--max-count={limit}", *limits, *commits, *path_arguments]
    listed: list[CommitSummary] = []
    with GitStream(folder, arguments) as stream:
        while line := stream.read_until(b"\n"):
            time, sha, *parents = _decode_ascii(line).split(" ")
            listed.append(CommitSummary(sha, _parse_time(time), tuple(parents)))
    return listed


def read_commits(
    folder: Path, shas: Sequence[str], *, in_subfolder: bool, with_files: bool = True, with_lines: bool = False
) -> Iterator[LoggedCommit]:
    """Yield the commits with these names, in this order. Paths are relative to the folder.

    folder: resolved. in_subfolder: see `list_commits`. with_files: read the files that each changed; with_lines: and
    their changed lines. Raises GitFailed.
    """
    if not shas:
        return  # without names git would read HEAD
    wanted = [
        *(_RAW_OPTIONS if with_files else ("--no-patch",)),
        *(_PATCH_OPTIONS if with_files and with_lines else ()),
    ]
    path_arguments, place, environment = ["--no-relative", "--"], folder, dict[str, str]()
    repository = find_repository(folder)
    if repository and (in_subfolder or repository.work_tree == folder):  # else it has no work tree, so no attributes
        place, environment = repository.git_dir, _without_work_tree(repository.git_dir)
        if in_subfolder:
            inside = folder.relative_to(repository.work_tree).as_posix()
            path_arguments = [f"--relative={inside}/", "--", inside]
    arguments = [*_SETTINGS, "log", *_LOG_OPTIONS, *wanted, *path_arguments]
    with GitStream(place, arguments, shas, environment) as stream:
        while stream.peek(1):
            try:
                commit = _read_commit(stream, with_files)
            except GitFailed:
                raise
            except Exception as error:  # the place in the stream is lost
                raise GitOutputUnreadable(f"git's log can't be read: {type(error).__name__}: {error}") from error
            yield commit


def _without_work_tree(git_dir: Path) -> dict[str, str]:
    """Return variables by which git finds no attributes of files: an empty index, and a work tree without files."""
    place, index = os.fspath(git_dir), os.fspath(git_dir / "no-index-of-scry")
    return {"GIT_DIR": place, "GIT_WORK_TREE": place, "GIT_INDEX_FILE": index, "GIT_LITERAL_PATHSPECS": "1"}


def _read_commit(stream: GitStream, with_files: bool) -> LoggedCommit:
    _expect_nul(stream)
    sha, parents, time, author, subject, body = (stream.read_until(b"\0") for _ in range(6))
    _expect_nul(stream)
    return LoggedCommit(
        _decode_ascii(sha),
        tuple(_decode_ascii(parents).split()),
        _parse_time(_decode_ascii(time)),
        _decode_text(author),
        _decode_text(subject),
        _decode_text(body).strip(),
        tuple(_read_files(stream)) if with_files else None,
    )


def _read_files(stream: GitStream) -> list[CommitFileChange]:
    """Return the files of a commit from the raw list, and their hunks from the patches in the same order."""
    if stream.peek(1) == b"\n":
        stream.skip(1)
    changes: list[CommitFileChange] = []
    patches: list[int] = []
    while stream.peek(1) == b":":
        status = stream.read_until(b"\0").rpartition(b" ")[2][:1]
        source = _decode_path(stream.read_until(b"\0"))
        renamed = status in b"RC"
        path = _decode_path(stream.read_until(b"\0")) if renamed else source
        # A file that became a link, or the other way round, has two patches: one removes, one adds.
        patches += [len(changes)] * (2 if status == b"T" else 1)
        changes.append(CommitFileChange(path, source if status == b"R" else None))
    if stream.peek(3) != b"\0di":  # not `diff`: the next commit, which begins with a name in hexadecimal
        return changes
    stream.skip(1)
    hunks = _read_patches(stream, len(patches))
    hunks_by_change: list[list[Hunk]] = [[] for _ in changes]
    for index, of_patch in zip(patches, hunks, strict=True):
        hunks_by_change[index] += of_patch
    return [CommitFileChange(c.path, c.source, tuple(f)) for c, f in zip(changes, hunks_by_change, strict=True)]


def _read_patches(stream: GitStream, count: int) -> list[list[Hunk]]:
    """Return the hunks of each of `count` patches. Lines of a hunk are skipped by number, whatever they hold."""
    patches: list[list[Hunk]] = []
    while stream.peek(1) not in (b"", b"\0"):
        line = stream.read_until(b"\n")
        if line.startswith(b"diff --git"):
            patches.append([])
        elif patches and (match := _HUNK_HEADER.match(line)):
            old, old_count, new, new_count = (1 if part is None else int(part) for part in match.groups())
            patches[-1].append((old, old_count, new, new_count))
            _skip_hunk_lines(stream, old_count + new_count)
    if len(patches) != count:
        raise GitOutputUnreadable("git's patches can't be read")
    return patches


def _skip_hunk_lines(stream: GitStream, lines: int) -> None:
    """Skip the lines of a hunk, and the remark that a file has no line end at its end."""
    while lines:
        lines -= not stream.read_until(b"\n").startswith(b"\\")
    if stream.peek(1) == b"\\":
        stream.read_until(b"\n")


def _expect_nul(stream: GitStream) -> None:
    if stream.peek(1) != b"\0":
        raise GitOutputUnreadable("git's log can't be read")
    stream.skip(1)


def _decode_ascii(value: bytes) -> str:
    return value.decode("ascii", "replace")


def _decode_text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _decode_path(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _parse_time(text: str) -> int:
    """Return a time that git printed; 0 when it is no number, and clipped to 0 … 2**40."""
    try:
        return min(max(int(text), 0), 2**40)
    except ValueError:
        return 0
