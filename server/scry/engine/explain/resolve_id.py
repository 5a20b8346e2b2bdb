"""Resolve a doc_id to the document that it names, or say why it names none (W2).

    ./path::Outer.inner   path::Outer.inner   a symbol or section        commit:<sha, or its first digits>
    ./path#L10-L34        path:12   path#L12  the document at a line     <project>:<any form>
    ./path                path                a file                     file:///… and absolute paths in the project

Names are only compared with the index. For a path that the index does not know, its parent folders are looked at one by
one, without following links; no file is opened, and nothing outside the project is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes, urlsplit

from msgspec import Struct

from scry.core.doc_id import commit_doc_id, file_doc_id, parse_doc_id, split_off_project
from scry.core.errors import BadRequest
from scry.core.knowledge import PERSONA, knowledge_type
from scry.core.projects import may_be_named
from scry.core.settings import Settings
from scry.core.types import Document, FileFault, IndexState, SkippedFile, SkipReason, Span
from scry.engine.activity.answer_store import AnswerArchive
from scry.engine.browse.paths import similar_files, similar_symbols
from scry.engine.questions import RecalledQuery, recall_query
from scry.index.scan.walk import explain_ignored, kind_on_disk
from scry.projects.project import Project
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.notes.reader import NoteStores

MAX_DOC_ID_CHARACTERS = 5000
"""Longest doc_id: paths end at 4096 bytes."""

_COMMIT_PATTERN = re.compile(r"commit:([0-9a-fA-F]{4,64})\Z")
_LINES_PATTERN = re.compile(r"(?:#L?|:L?)(?P<first>\d{1,9})(?:(?:-L?|:)(?P<last>\d{1,9}))?\Z")
_DRIVE_PATTERN = re.compile(r"[A-Za-z]:[\\/]")


class ResolvedDocument(Struct, frozen=True):
    """The document that a doc_id names.

    doc_id: in its full form. status: indexed, skipped, unindexed, missing or outside. doc_keys: of the documents that
    may be meant; of a file, all of it. reason: why it is not indexed, in words. similar: doc_ids with a similar name.
    path: its file, relative to the root; empty where it has none.
    """

    doc_id: str
    status: str
    doc_keys: tuple[int, ...] = ()
    reason: str = ""
    similar: tuple[str, ...] = ()
    path: str = ""


class DocumentResolver(Struct, frozen=True):
    """Resolves doc_ids within one project.

    history, knowledge: None where there is none. is_complete: whether all files have been indexed.
    """

    project: Project
    settings: Settings
    store: IndexStore | None
    history: HistoryReader | None
    is_complete: bool
    knowledge: NoteStores | None = None

    def resolve(self, text: str) -> ResolvedDocument:
        """Return what a doc_id names. Raises BadRequest for an empty one."""
        wanted = text.strip().encode("utf-8", "replace").decode()  # lone surrogates name nothing
        if not wanted:
            raise BadRequest("doc_id", "is empty; name a result, such as ./src/app.py::main")
        if len(wanted) > MAX_DOC_ID_CHARACTERS:
            return ResolvedDocument(
                wanted[:100] + "…", "missing", reason=f"a name of {len(wanted)} characters names nothing"
            )
        name, rest = split_off_project(wanted)
        if name and name != self.project.name and not may_be_named(self.project.root, name):
            return ResolvedDocument(
                wanted, "outside", reason=f"it is of the project {name}, not of {self.project.name}"
            )
        return self._resolve_in_project(rest)

    def _resolve_in_project(self, wanted: str) -> ResolvedDocument:
        commit = _COMMIT_PATTERN.fullmatch(wanted)
        if commit:
            return self._resolve_commit(commit[1].lower())
        kind = knowledge_type(wanted)
        if kind:
            return self._resolve_note(wanted, kind)
        inside = self._relative_to_root(wanted)
        if inside is None:
            return ResolvedDocument(wanted, "outside", reason="it lies outside of the project")
        return self._resolve_document(inside)

    def _resolve_commit(self, sha: str) -> ResolvedDocument:
        commits = self.history.commits_with_prefix(sha) if self.history else []
        if len(commits) == 1:
            doc_id = commit_doc_id(commits[0].sha)
            return ResolvedDocument(doc_id, "indexed", (commits[0].doc_key,))
        faults = self.history.faults() if self.history else {}
        failed = next((item for item in faults if item.startswith(commit_doc_id(sha))), None)
        if failed:
            return ResolvedDocument(failed, "skipped", reason=f"{SkipReason.FAILED.value}: {faults[failed]}")
        if commits:
            similar = tuple(commit_doc_id(commit.sha) for commit in commits)
            return ResolvedDocument(
                commit_doc_id(sha), "missing", reason="several commits begin like this", similar=similar
            )
        reason = "the history that was read holds no such commit" if self.history else "there is no history to look in"
        return ResolvedDocument(commit_doc_id(sha), "missing", reason=reason)

    def _resolve_note(self, wanted: str, kind: str) -> ResolvedDocument:
        doc_key = self.knowledge.find_doc_key(wanted) if self.knowledge else None
        if doc_key is None:
            whose = "you have" if kind == PERSONA else "this project holds"
            return ResolvedDocument(wanted, "missing", reason=f"{whose} no {kind} of that name")
        return ResolvedDocument(wanted, "indexed", (doc_key,))

    def _relative_to_root(self, wanted: str) -> str | None:
        """Return the doc_id with a path relative to the root, without `./`; None for one that leads out."""
        if wanted[:7].lower() == "file://":
            path_in_uri = _path_of_uri(wanted)
            if path_in_uri is None:
                return None
            wanted = path_in_uri
        if wanted.startswith(("/", os.sep)) or _DRIVE_PATTERN.match(wanted):
            root = str(self.project.root).rstrip(os.sep) + os.sep
            plain = os.path.normpath(wanted)
            if not plain.startswith(root):
                return None
            wanted = plain[len(root) :].replace(os.sep, "/")
        path, mark, rest = _split_doc_id(wanted)
        parts = _normalize_path(path)
        return None if parts is None else "/".join(parts) + mark + rest

    def _resolve_document(self, inside: str) -> ResolvedDocument:
        exact = self._resolve_exact(f"./{inside}")
        if exact:
            return exact
        lines = _LINES_PATTERN.search(inside)
        if "::" in inside:
            return self._resolve_symbol(inside)
        if lines and (at := self._resolve_lines(inside[: lines.start()], int(lines["first"]), lines)):
            return at
        return self._resolve_file(_decode_path(inside))

    def _resolve_exact(self, doc_id: str) -> ResolvedDocument | None:
        documents = self.store.documents.find_by_doc_id(doc_id) if self.store else []
        return (
            ResolvedDocument(doc_id, "indexed", (documents[0].doc_key,), path=documents[0].path) if documents else None
        )

    def _resolve_symbol(self, inside: str) -> ResolvedDocument:
        if not _decode_path(inside):
            return ResolvedDocument(inside, "missing", reason="a doc_id begins with a path, as ./src/app.py::main")
        named = parse_doc_id(inside)
        file = self._resolve_file(named.path)
        if file.status != "indexed" or self.store is None:
            return file
        similar = similar_symbols(named.name, named.path, self.store)
        reason = f"{file_doc_id(named.path)} is indexed, and holds no {named.name}"
        if fault := self.store.files.fault_of(named.path):
            reason += f"; {describe_file_fault(fault)}"
        return ResolvedDocument(f"./{inside}", "missing", reason=reason, similar=similar, path=named.path)

    def _resolve_lines(self, path: str, first: int, lines: re.Match[str]) -> ResolvedDocument | None:
        path = _decode_path(path)
        if self.store is None or not self.store.documents.doc_keys_in_file(path)[0]:
            return None
        last = int(lines["last"] or first) if "-" in lines.group() else first
        documents = self.store.documents.get_documents(
            [doc_key for doc_key, _ in self.store.documents.doc_keys_in_file(path)[1]]
        ).values()
        holding = [document for document in documents if _overlapping_lines(document.symbol.span, first, last)]
        if not holding:
            return None
        best = min(holding, key=lambda document: _match_order(document, first, last))
        return ResolvedDocument(best.doc_id, "indexed", (best.doc_key,), path=path)

    def _resolve_file(self, path: str) -> ResolvedDocument:
        if not path:
            return ResolvedDocument("./", "missing", reason="a folder; orient says what matters in it")
        if self.store is not None:
            skip = self.store.files.skip_for_path(path)
            has_file, documents = self.store.documents.doc_keys_in_file(path)
            if skip is not None:
                return _skipped_document(path, skip)
            if has_file:
                return ResolvedDocument(
                    file_doc_id(path), "indexed", tuple(has_file for has_file, _ in documents), path=path
                )
        return self._explain_unknown_path(path)

    def _explain_unknown_path(self, path: str) -> ResolvedDocument:
        skip = explain_ignored(self.project.root, path, self.settings)
        if skip is not None:
            return _skipped_document(path, skip)
        kind = kind_on_disk(self.project.root, path)
        if kind == "folder":
            return ResolvedDocument(
                file_doc_id(path), "missing", reason="a folder; orient says what matters in it", path=path
            )
        if kind == "file":
            reason = (
                "it was made since the index was last brought up to date"
                if self.is_complete
                else "its turn has not come"
            )
            return ResolvedDocument(file_doc_id(path), "unindexed", reason=reason, path=path)
        similar = similar_files(path, self.store) if self.store else ()
        return ResolvedDocument(
            file_doc_id(path), "missing", reason="there is no such file", similar=similar, path=path
        )


def describe_file_fault(fault: FileFault) -> str:
    """Describe the stage of indexing that failed for an indexed file, for a person."""
    return f"a stage of indexing failed for its file, {fault}"


def _skipped_document(path: str, skip: SkippedFile) -> ResolvedDocument:
    detail = skip.detail
    if skip.reason is SkipReason.FAILED:
        return ResolvedDocument(file_doc_id(path), "skipped", reason=f"{skip.reason.value}: {detail}", path=path)
    words = f"{skip.reason.value} by {detail}" if skip.reason.value == "ignored" and detail else skip.reason.value
    if detail and words == skip.reason.value:
        words += f" ({detail})"
    return ResolvedDocument(file_doc_id(path), "skipped", reason=words, path=path)


def _path_of_uri(uri: str) -> str | None:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.netloc.lower() not in ("", "localhost"):
        return None
    path = unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape")
    path = path[1:] if _DRIVE_PATTERN.match(path[1:]) else path
    return file_doc_id(path)[len("./") :] + (f"#{parts.fragment}" if parts.fragment else "")


def _split_doc_id(wanted: str) -> tuple[str, str, str]:
    """Return the path, the separator, and the name or lines after it."""
    ends = [start for mark in ("::", "#") if (start := wanted.find(mark)) >= 0]
    end = min(ends, default=len(wanted))
    return wanted[:end], wanted[end : end + 1], wanted[end + 1 :]


def _normalize_path(path: str) -> list[str] | None:
    """Return the parts of a relative path, `.` and `..` resolved by name; None for one that leads out."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _decode_path(path: str) -> str:
    try:
        return parse_doc_id(path).path
    except ValueError:
        return ""


def _overlapping_lines(span: Span, first: int, last: int) -> int:
    """Return how many of the lines (1-based, inclusive) lie in the span."""
    end = span.end.line - (span.end.utf8 == 0 and span.end.line > span.start.line)
    return max(0, min(end + 1, last) - max(span.start.line + 1, first) + 1)


def _match_order(document: Document, first: int, last: int) -> tuple[int, int, int]:
    """Return the sort key of a document at some lines: by the number of common lines, then the smallest, so the
    innermost.
    """
    span = document.symbol.span
    return -_overlapping_lines(span, first, last), span.end.line - span.start.line, document.doc_key


MAX_RECALLED_DOCUMENTS = 200
"""Documents of a file that are looked up in the stored answers."""


class ProjectSnapshot(Struct, frozen=True):
    """Everything that an explanation reads, as of one moment.

    store: None while there is no index. history: None where there is none, or it can't be read. knowledge: None where
    there is none.
    """

    project: Project
    settings: Settings
    store: IndexStore | None
    history: HistoryReader | None
    state: IndexState
    knowledge: NoteStores | None = None

    def resolve(self, doc_id: str) -> ResolvedDocument:
        """Return what a doc_id names. Raises BadRequest for an empty one."""
        complete = self.state.files_indexed >= self.state.files_total
        return DocumentResolver(
            self.project, self.settings, self.store, self.history, complete, self.knowledge
        ).resolve(doc_id)

    def recall_query(
        self, query: str | None, query_id: str | None, target: ResolvedDocument, answers: Sequence[AnswerArchive]
    ) -> RecalledQuery:
        """Return the question to explain the target for; see engine/questions.py."""
        doc_ids = [target.doc_id]
        if len(target.doc_keys) > 1 and self.store is not None:
            documents = self.store.documents.headers(target.doc_keys[:MAX_RECALLED_DOCUMENTS])
            doc_ids += [document.doc_id for document in documents.values()]
        named = [*doc_ids, *(f"{self.project.name}:{doc_id}" for doc_id in doc_ids)]
        return recall_query(query, query_id, named, answers)
