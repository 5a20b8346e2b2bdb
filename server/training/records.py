"""A mined record: a piece of code, its name and place, and its author's comment."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Record:
    """One training or evaluation example.

    `kind` is "definition", "comment" (a remark and the lines it stands over) or "section" (of a Markdown file).
    `doc` and `name` may be empty, not both. `code` has the documentation and all comments taken out.
    """

    package: str
    language: str
    path: str
    kind: str
    name: str
    container: str
    doc: str
    code: str


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write one JSON object a line, through a temporary file, so that an interrupted run leaves no partial file."""
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
    partial.replace(path)


def read_records(paths: Iterable[Path]) -> Iterator[Record]:
    """Yield the records of the files in the given order."""
    for path in paths:
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield Record(**json.loads(line))
