"""Which document a person means: every form of a doc_id back to what it names, or why it names nothing (W2).

    ./path::Outer.inner   path::Outer.inner   a symbol or section        commit:<sha, or its first digits>
    ./path#L10-L34        path:12   path#L12  lines: what stands there   <project>:<any form>
    ./path                path                a file                     file:///… and absolute paths in the project

Only names are compared with what is indexed. For a path that the index does not know, the folders above it are looked
at, one by one and following no link; no file is opened, and nothing outside the project is touched.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote_to_bytes, urlsplit

from msgspec import Struct

from scry.core.doc_id import commit_id, file_id, parse_doc_id, split_project
from scry.core.errors import BadRequest
from scry.core.knowledge import PERSONA, knowledge_type
from scry.core.settings import Settings
from scry.core.types import Document, Skip, Span
from scry.engine.near_names import near_files, near_symbols
from scry.index.on_disk import kind_on_disk
from scry.index.project import Project
from scry.index.walk import explain_ignored
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore
from scry.store.shelves import Shelves

MOST_CHARACTERS = 5000
"""A longer doc_id names nothing: paths end at 4096 bytes."""

_COMMIT = re.compile(r"commit:([0-9a-fA-F]{4,64})\Z")
_LINES = re.compile(r"(?:#L?|:L?)(?P<first>\d{1,9})(?:(?:-L?|:)(?P<last>\d{1,9}))?\Z")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class Target(Struct, frozen=True):
    """What a doc_id names.

    doc_id: in its full form. status: indexed, skipped, unindexed, missing or outside. numbers: of the documents that
    are meant; several for a file, of which any may be. reason: why it is not indexed, in words. near: doc_ids of what
    has a similar name. path: its file, relative to the root; empty where it has none.
    """

    doc_id: str
    status: str
    numbers: tuple[int, ...] = ()
    reason: str = ""
    near: tuple[str, ...] = ()
    path: str = ""


class Locator(Struct, frozen=True):
    """What there is to be named. history, knowledge: None where there is none. complete: whether all files have been
    indexed.
    """

    project: Project
    settings: Settings
    store: IndexStore | None
    history: HistoryReader | None
    complete: bool
    knowledge: Shelves | None = None

    def locate(self, text: str) -> Target:
        """What a doc_id names. Raises BadRequest for an empty one."""
        wanted = text.strip().encode("utf-8", "replace").decode()  # lone surrogates name nothing
        if not wanted:
            raise BadRequest("doc_id", "is empty; name a result, such as ./src/app.py::main")
        if len(wanted) > MOST_CHARACTERS:
            return Target(wanted[:100] + "…", "missing", reason=f"a name of {len(wanted)} characters names nothing")
        name, rest = split_project(wanted)
        if name and name != self.project.name:
            return Target(wanted, "outside", reason=f"it is of the project {name}, not of {self.project.name}")
        return self._plain(rest)

    def _plain(self, wanted: str) -> Target:
        commit = _COMMIT.fullmatch(wanted)
        if commit:
            return self._commit(commit[1].lower())
        kind = knowledge_type(wanted)
        if kind:
            return self._known(wanted, kind)
        inside = self._inside(wanted)
        if inside is None:
            return Target(wanted, "outside", reason="it lies outside of the project")
        return self._document(inside)

    def _commit(self, sha: str) -> Target:
        found = self.history.commits_beginning(sha) if self.history else []
        if len(found) == 1:
            return Target(commit_id(found[0].sha), "indexed", (found[0].number,))
        if found:
            near = tuple(commit_id(commit.sha) for commit in found)
            return Target(commit_id(sha), "missing", reason="several commits begin like this", near=near)
        reason = "the history that was read holds no such commit" if self.history else "there is no history to look in"
        return Target(commit_id(sha), "missing", reason=reason)

    def _known(self, wanted: str, kind: str) -> Target:
        number = self.knowledge.number_named(wanted) if self.knowledge else None
        if number is None:
            whose = "you have" if kind == PERSONA else "this project holds"
            return Target(wanted, "missing", reason=f"{whose} no {kind} of that name")
        return Target(wanted, "indexed", (number,))

    def _inside(self, wanted: str) -> str | None:
        """The doc_id with a path relative to the root and without `./`; None for one that leads out."""
        if wanted[:7].lower() == "file://":
            place = _path_of_uri(wanted)
            if place is None:
                return None
            wanted = place
        if wanted.startswith(("/", os.sep)) or _DRIVE.match(wanted):
            root = str(self.project.root).rstrip(os.sep) + os.sep
            plain = os.path.normpath(wanted)
            if not plain.startswith(root):
                return None
            wanted = plain[len(root) :].replace(os.sep, "/")
        path, mark, rest = _split(wanted)
        parts = _normal(path)
        return None if parts is None else "/".join(parts) + mark + rest

    def _document(self, inside: str) -> Target:
        exact = self._exact(f"./{inside}")
        if exact:
            return exact
        lines = _LINES.search(inside)
        if "::" in inside:
            return self._symbol(inside)
        if lines and (at := self._at_lines(inside[: lines.start()], int(lines["first"]), lines)):
            return at
        return self._file(_decoded(inside))

    def _exact(self, doc_id: str) -> Target | None:
        found = self.store.documents_of_id(doc_id) if self.store else []
        return Target(doc_id, "indexed", (found[0].number,), path=found[0].path) if found else None

    def _symbol(self, inside: str) -> Target:
        if not _decoded(inside):
            return Target(inside, "missing", reason="a doc_id begins with a path, as ./src/app.py::main")
        named = parse_doc_id(inside)
        file = self._file(named.path)
        if file.status != "indexed" or self.store is None:
            return file
        near = near_symbols(named.name, named.path, self.store)
        reason = f"{file_id(named.path)} is indexed, and holds no {named.name}"
        return Target(f"./{inside}", "missing", reason=reason, near=near, path=named.path)

    def _at_lines(self, path: str, first: int, lines: re.Match[str]) -> Target | None:
        path = _decoded(path)
        if self.store is None or not self.store.numbers_of(path)[0]:
            return None
        last = int(lines["last"] or first) if "-" in lines.group() else first
        documents = self.store.documents([number for number, _ in self.store.numbers_of(path)[1]]).values()
        holding = [document for document in documents if _overlap(document.symbol.span, first, last)]
        if not holding:
            return None
        best = min(holding, key=lambda document: _preference(document, first, last))
        return Target(best.doc_id, "indexed", (best.number,), path=path)

    def _file(self, path: str) -> Target:
        if not path:
            return Target("./", "missing", reason="a folder; orient says what matters in it")
        if self.store is not None:
            skip = self.store.skip_of(path)
            number, documents = self.store.numbers_of(path)
            if skip is not None:
                return _skipped(path, skip)
            if number:
                return Target(file_id(path), "indexed", tuple(number for number, _ in documents), path=path)
        return self._unknown(path)

    def _unknown(self, path: str) -> Target:
        skip = explain_ignored(self.project.root, path, self.settings)
        if skip is not None:
            return _skipped(path, skip)
        kind = kind_on_disk(self.project.root, path)
        if kind == "folder":
            return Target(file_id(path), "missing", reason="a folder; orient says what matters in it", path=path)
        if kind == "file":
            reason = (
                "it was made since the index was last brought up to date" if self.complete else "its turn has not come"
            )
            return Target(file_id(path), "unindexed", reason=reason, path=path)
        near = near_files(path, self.store) if self.store else ()
        return Target(file_id(path), "missing", reason="there is no such file", near=near, path=path)


def _skipped(path: str, skip: Skip) -> Target:
    detail = skip.detail
    words = f"{skip.reason.value} by {detail}" if skip.reason.value == "ignored" and detail else skip.reason.value
    if detail and words == skip.reason.value:
        words += f" ({detail})"
    return Target(file_id(path), "skipped", reason=words, path=path)


def _path_of_uri(uri: str) -> str | None:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.netloc.lower() not in ("", "localhost"):
        return None
    path = unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape")
    path = path[1:] if _DRIVE.match(path[1:]) else path
    return file_id(path)[len("./") :] + (f"#{parts.fragment}" if parts.fragment else "")


def _split(wanted: str) -> tuple[str, str, str]:
    """The path, and what follows it with its mark."""
    ends = [place for mark in ("::", "#") if (place := wanted.find(mark)) >= 0]
    end = min(ends, default=len(wanted))
    return wanted[:end], wanted[end : end + 1], wanted[end + 1 :]


def _normal(path: str) -> list[str] | None:
    """The parts of a relative path, `.` and `..` resolved by their names alone; None when it leads out."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _decoded(path: str) -> str:
    try:
        return parse_doc_id(path).path
    except ValueError:
        return ""


def _overlap(span: Span, first: int, last: int) -> int:
    """How many of the lines (1-based, inclusive) lie in the span."""
    end = span.end.line - (span.end.utf8 == 0 and span.end.line > span.start.line)
    return max(0, min(end + 1, last) - max(span.start.line + 1, first) + 1)


def _preference(document: Document, first: int, last: int) -> tuple[int, int, int]:
    """Most of the lines; then the smallest, which is the innermost."""
    span = document.symbol.span
    return -_overlap(span, first, last), span.end.line - span.start.line, document.number
