"""Read and write a set of evaluation queries with their relevant results, as JSON lines: one case a line.

    {"query": "where is a cache key made", "targets": [{"path": "src/keys.py"}], "category": "semantic"}

A target names a file, relative to the top of the repository or to the project's root. With `start_line` and `end_line`
(1-based, inclusive) any result that touches these lines matches, with `doc_id` only that document. A bare string is a
path. Lines end as on any system; a byte order mark is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from scry.core.decoding import decode_json
from scry.core.errors import BadRequest

UNCATEGORIZED = "unsorted"
"""The category of cases that name none."""


class ExpectedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A target. path: of the file. start_line, end_line: both or neither. doc_id: as answers name documents."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    doc_id: str | None = None


class EvaluationCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A query and its targets, at least one, each once. note: for people; it has no effect."""

    query: str
    targets: tuple[ExpectedResult, ...]
    category: str = UNCATEGORIZED
    note: str = ""


class _CaseLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case as it may be written."""

    query: str
    targets: list[ExpectedResult | str]
    category: str = UNCATEGORIZED
    note: str = ""


def read_cases(path: Path) -> list[EvaluationCase]:
    """Return the cases of a file. Raises BadRequest with the file and the line."""
    try:
        text = path.read_text("utf-8-sig")  # with its line ends as \n
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadRequest("queries", f"{path} can't be read: {reason}") from error
    cases = list(_parse_lines(text.split("\n"), path))
    if not cases:
        raise BadRequest("queries", f"{path} holds no question; write one JSON object a line")
    return cases


def write_cases(cases: Sequence[EvaluationCase]) -> bytes:
    """Return the cases as JSON lines."""
    return b"".join(msgspec.json.encode(case) + b"\n" for case in cases)


def _parse_lines(lines: Sequence[str], path: Path) -> Iterator[EvaluationCase]:
    for number, written in enumerate(lines, 1):
        if not written.strip():
            continue
        try:
            yield _make_case(decode_json(written, _CaseLine))
        except (msgspec.MsgspecError, ValueError) as error:
            raise BadRequest("queries", f"{path}, line {number}: {error}") from error


def _make_case(written: _CaseLine) -> EvaluationCase:
    """Validate a case beyond its types. Raises ValueError."""
    if not written.query.strip():
        raise ValueError("`query` is empty")
    if not written.targets:
        raise ValueError("`targets` is empty; name at least one file that answers the question")
    named = [ExpectedResult(each) if isinstance(each, str) else each for each in written.targets]
    targets = tuple(dict.fromkeys(named))
    for target in targets:
        _check_expected(target)
    return EvaluationCase(written.query, targets, written.category or UNCATEGORIZED, written.note)


def _check_expected(target: ExpectedResult) -> None:
    if not target.path:
        raise ValueError("a target's `path` is empty")
    if (target.start_line is None) != (target.end_line is None):
        raise ValueError("a target has `start_line` and `end_line`, or neither")
    if target.start_line is not None and not 1 <= target.start_line <= (target.end_line or 0):
        raise ValueError("a target's lines count from 1, and `end_line` is not before `start_line`")
