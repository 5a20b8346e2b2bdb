"""Files as results, for the modes that rank files and not what is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scry.core.doc_id import file_doc_id
from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.types import Document, IndexState, DocumentHeader, Point, Span, FileStructure, Symbol
from scry.engine.asked_path import parent_folders, similar_paths
from scry.engine.summary import enclosing_module, summarize_file
from scry.store.file_reader import IndexedFileInfo
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore

_FILE_START = Span(Point(0, 0, 0), Point(0, 0, 0))
"""Where a jump to a whole file lands."""


def file_header(file: IndexedFileInfo) -> DocumentHeader:
    """A file as ranking sees a document; no number of the store is its own."""
    return DocumentHeader(0, file_doc_id(file.path), file.content_type, file.path, "", "file", "")


def file_document(file: IndexedFileInfo, time: int | None = None) -> Document:
    """A file as a result. time: when it last changed, in seconds since the epoch."""
    symbol = Symbol("", "file", "", "", "", _FILE_START, _FILE_START, "")
    return Document(0, file_doc_id(file.path), file.content_type, file.path, file.language, symbol, time=time)


def file_structures(files: Sequence[IndexedFileInfo], history: HistoryReader | None) -> dict[str, FileStructure]:
    """What the code around these files says of them, and how much they changed of late."""
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
    """How many commits changed each file in a folder, and how many of late; None where no history can be read.

    The index's state says why not.
    """
    try:
        return None if history is None else history.commit_counts(folder)
    except IndexUnavailable:
        return None


def file_summary(path: str, store: IndexStore) -> str:
    """One line on what a file is about: of what lies in a module that encloses all and says nothing of itself."""
    outermost = store.top_level_documents(path)
    while (module := enclosing_module(outermost)) and (members := store.direct_members(module)):
        outermost = members
    return summarize_file(path, outermost, store.get_text(path) or "")


def raise_unknown_path(field: str, path: str, store: IndexStore, state: IndexState) -> None:
    """Raises BadRequest for a path of which nothing is indexed, saying why, or what may have been meant."""
    skip = store.skip_for_path(path)
    if skip is not None:
        by = f" ({skip.detail})" if skip.detail else ""
        raise BadRequest(field, f"{path} is not indexed: {skip.reason.value}{by}")
    known = store.known_paths()
    folders = parent_folders(known)
    if path in folders:
        raise BadRequest(field, f"{path} holds no file that is indexed; `scry status` says how many are left out")
    near = similar_paths(path, [*known, *folders])
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    unsure = "" if state.state == "ready" else " that is indexed yet"
    raise BadRequest(field, f"there is no {path} in this project{unsure}{meant}")
