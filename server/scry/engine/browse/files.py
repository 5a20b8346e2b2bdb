"""Describe whole files as results, each with a one-line summary, for the modes that rank files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scry.core.doc_id import file_doc_id
from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.types import Document, DocumentHeader, FileStructure, IndexState, Point, Span, Symbol
from scry.engine.browse.paths import parent_folders, similar_paths
from scry.engine.browse.summaries import enclosing_module, summarize_file
from scry.engine.notices import NothingIndexedInFolder
from scry.store.history.reader import HistoryReader
from scry.store.index.files import IndexedFileInfo
from scry.store.index.store import IndexStore

_FILE_START = Span(Point(0, 0, 0), Point(0, 0, 0))
"""The position to which a jump to a whole file leads."""


def file_header(file: IndexedFileInfo) -> DocumentHeader:
    """Return the header of a whole file for ranking; its doc_key is 0, because a file has none."""
    return DocumentHeader(0, file_doc_id(file.path), file.content_type, file.path, "", "file", "")


def file_document(file: IndexedFileInfo, time: int | None = None) -> Document:
    """Return a file as a result. time: when it last changed, in seconds since the epoch."""
    symbol = Symbol("", "file", "", "", "", _FILE_START, _FILE_START, "")
    return Document(0, file_doc_id(file.path), file.content_type, file.path, file.language, symbol, time=time)


def file_structures(files: Sequence[IndexedFileInfo], history: HistoryReader | None) -> dict[str, FileStructure]:
    """Return the structure of these files: importers, centrality, and how active they were lately."""
    levels: Mapping[str, str] = {}
    if history is not None:
        try:
            levels = history.activity_levels([file.path for file in files])
        except IndexUnavailable:
            levels = {}
    return {
        file.path: FileStructure(file.importers, file.centrality, levels.get(file.path), tuple(file.flags.split()))
        for file in files
    }


def read_commit_counts(history: HistoryReader | None, folder: str) -> Mapping[str, tuple[int, int]] | None:
    """Return for each file in a folder the number of all and of recent commits; None without a readable history.

    The index's state says why the history can't be read.
    """
    try:
        return None if history is None else history.commit_counts(folder)
    except IndexUnavailable:
        return None


def file_summary(path: str, store: IndexStore) -> str:
    """Return one line on a file's subject. A module that encloses all and has no doc comment is looked through."""
    outermost = store.documents.top_level_documents(path)
    while (module := enclosing_module(outermost)) and (members := store.documents.direct_members(module)):
        outermost = members
    return summarize_file(path, outermost, store.files.get_text(path) or "", store.documents.direct_members)


def raise_unknown_path(field: str, path: str, store: IndexStore, state: IndexState) -> None:
    """Raise BadRequest for a path without indexed files, with the reason or with similar paths."""
    skip = store.files.skip_for_path(path)
    if skip is not None:
        by = f" ({skip.detail})" if skip.detail else ""
        raise BadRequest(field, f"{path} is not indexed: {skip.reason.value}{by}")
    known = store.files.known_paths()
    folders = parent_folders(known)
    if path in folders:
        raise BadRequest(field, NothingIndexedInFolder(path))
    similar = similar_paths(path, [*known, *folders])
    hint = f"; did you mean {' or '.join(similar)}?" if similar else ""
    unsure = "" if state.state == "ready" else " that is indexed yet"
    raise BadRequest(field, f"there is no {path} in this project{unsure}{hint}")
