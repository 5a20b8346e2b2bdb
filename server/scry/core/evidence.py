"""What a belief cites, as written, and what is meant by it. Pure.

src/app.py:12   src/app.py:12-20   src/app.py   a place in a file, or a whole file
./src/app.py::Outer.inner                       a symbol
commit:3f9c2b7   3f9c2b7                        a commit, by at least seven digits of its name
session:<id>   memory:<id>                      a session or a memory
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from scry.core.doc_id import parse_doc_id

_CITED_COMMIT = re.compile(r"(?:commit:)?([0-9a-f]{7,64})\Z")
_CITED_LINES = re.compile(r"(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_CITED_NOTE = re.compile(r"(?:session|memory|belief|pattern):\S+\Z")

CitationKind = Literal["file", "symbol", "commit", "note"]


class Citation(Struct, frozen=True):
    """written: as the file has it. path: of a file or symbol, from the root. lines: 1-based, inclusive. name: the
    symbol's doc_id, the commit's digits, or the note's doc_id.
    """

    raw_text: str
    kind: CitationKind
    path: str = ""
    lines: tuple[int, int] | None = None
    name: str = ""

    @property
    def code_ref(self) -> str:
        """`file:line` or `file`; empty for what is no place in the code."""
        if not self.path:
            return ""
        return f"{self.path}:{self.lines[0]}" if self.lines else self.path


def parse_citation(raw_text: str) -> Citation:
    """What is cited. Raises ValueError, saying what could be, for what names nothing."""
    text = raw_text.strip()
    commit = _CITED_COMMIT.match(text)
    if commit:
        return Citation(raw_text, "commit", name=commit[1])
    if _CITED_NOTE.match(text):
        return Citation(raw_text, "note", name=text)
    if "::" in text:
        named = parse_doc_id(text)
        return Citation(raw_text, "symbol", _project_path(named.path), name=f"./{text.removeprefix('./')}")
    lines = _CITED_LINES.search(text)
    path = text[: lines.start()] if lines else text
    if lines is None:
        return Citation(raw_text, "file", _project_path(path))
    first = int(lines[1])
    return Citation(raw_text, "file", _project_path(path), (first, max(first, int(lines[2] or first))))


def _project_path(path: str) -> str:
    plain = path.removeprefix("./").replace("\\", "/")
    if not plain or plain.startswith("/") or ".." in plain.split("/") or re.match(r"[A-Za-z]:", plain):
        raise ValueError(f"{path or 'nothing'} is no path in the project; cite FILE:LINE, commit:SHA or session:ID")
    return plain
