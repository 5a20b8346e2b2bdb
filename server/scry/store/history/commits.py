"""Commit records: row types, packing and descriptions."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

FIRST_COMMIT_KEY = 2**40
"""The first document key of commits; those of code and documents are lower, so that one query ranks both."""

MAX_COCHANGE_FILES = 50
"""Files of a commit from which on it is no co-change commit: a new licence header, a reformatting."""

NOT_COCHANGE_SQL = f"merge OR files IS NULL OR files > {MAX_COCHANGE_FILES}"
IS_COCHANGE_SQL = f"NOT merge AND files <= {MAX_COCHANGE_FILES}"

Hunk = tuple[int, int, int, int]
"""A changed stretch of lines as in a unified diff without context: first old line, how many, first new line, how many.
Lines count from 1; of a side without lines the number is that of the line before."""


class Commit(Struct, frozen=True):
    """A commit of the history.

    file_count: number of changed files; None where git could not tell. place: among the commits of one second, higher
    than those of its ancestors.
    """

    doc_key: int
    sha: str
    time: int
    author: str
    subject: str
    body: str
    is_merge: bool
    file_count: int | None
    place: int


class NewChange(Struct, frozen=True):
    """A file that a commit changed.

    renamed_from: the path that was exactly renamed to this one. hunks: None if not read.
    """

    path: str
    renamed_from: str | None = None
    hunks: tuple[Hunk, ...] | None = None


class NewCommit(Struct, frozen=True):
    """A commit to be written.

    changes: empty for a merge. terms: for the lexical index, separated by blanks. place: as of `Commit`.
    """

    sha: str
    time: int
    author: str
    subject: str
    body: str
    is_merge: bool
    file_count: int | None
    changes: tuple[NewChange, ...]
    has_lines: bool
    terms: str
    place: int


class StoredCommit(Struct, frozen=True):
    """State of a commit by which the commits to read are chosen. has_lines: whether its changed lines were read."""

    doc_key: int
    time: int
    is_merge: bool
    has_lines: bool
    place: int


def pack_hunks(hunks: Iterable[Hunk]) -> bytes:
    """Pack hunks as little-endian u32, four each."""
    values = [min(value, 2**32 - 1) for hunk in hunks for value in hunk]
    return struct.pack(f"<{len(values)}I", *values)


def unpack_hunks(data: bytes) -> list[Hunk]:
    """Return packed hunks."""
    return list(struct.iter_unpack("<4I", data))


RECENT_DAYS = 90
"""Days before the newest commit whose commits count as recent."""

COMMIT_COLUMNS = "number, sha, time, author, subject, body, merge, files, place"

NEWEST_FIRST = "k.time DESC, k.place DESC, k.sha"
"""The order of commits `k`, the newest first. A rebase gives many one time, where a child is newer than its parent."""


def read_commit(row: Sequence[Any]) -> Commit:
    """Return the commit that a row of COMMIT_COLUMNS holds."""
    return Commit(row[0], row[1].hex(), row[2], row[3], row[4], row[5], bool(row[6]), row[7], row[8])


def describe_commit(commit: Commit) -> str:
    """Return `sha7: "subject" (N files)`; without the number where git could not tell it."""
    suffix = "" if commit.file_count is None else f" ({commit.file_count} file{'' if commit.file_count == 1 else 's'})"
    return f'{commit.sha[:7]}: "{commit.subject}"{suffix}'


def commit_times(commits: Mapping[int, Commit]) -> dict[int, int]:
    """Return the time of each commit, in seconds since the epoch."""
    return {value: commit.time for value, commit in commits.items()}
