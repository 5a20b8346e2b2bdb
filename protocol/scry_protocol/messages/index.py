"""The state of the index, and the requests about it."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from scry_protocol.messages.base import Params, Result


class IndexState(Result, frozen=True):
    """How fresh and complete the index is.

    state: starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on
        disk.
    history: pending, ready or none.
    generation: number of the published index; it rises with every change that can be searched.
    files_indexed: number of files whose words are searchable.
    files_total: number of files to index.
    vectors: number of vectors that are searchable.
    vectors_total: number of vectors to make.
    skipped: number of files that are known and not indexed.
    unsaved: files whose text in the editor differs from the text that was searched.
    index_commit: the commit that the index was last compared with; null without git.
    head_commit: the commit that is checked out; null where there is none.
    model: name of the model that made the vectors; null where there are none.
    message: words for a person; empty when there is nothing to say.
    summary: the state in a few words, for a status line, such as "indexing 120 of 400 files".
    history_extent: the part of the history that is stored, such as "of the newest 20,000 commits"; empty where it is
        all.
    failed: number of files for which a stage of indexing failed: they are found less well, or not at all.
    graph: pending while the code graph, by which `orient` ranks and `neighbors` answers, is still to be brought up to
        the indexed files, else ready; empty where there is no index.
    learning: in the answer to a request for the status, what was learnt from use, or why nothing is, in words for a
        person; empty elsewhere.
    replay: in the answer to a request for the status, whether this version of Scry, of the model and of the weights
        answers the person's past questions worse than the one before, and the way back, in words for a person; empty
        elsewhere, and where nothing was replayed.
    languages: by language, the number of indexed files, most first; absent where it was not requested.
    """

    state: str
    history: str
    generation: int
    files_indexed: int
    files_total: int
    vectors: int
    vectors_total: int
    skipped: int
    unsaved: list[str]
    index_commit: str | None
    head_commit: str | None
    model: str | None
    message: str
    summary: str = ""
    history_extent: str = ""
    failed: int = 0
    graph: str = ""
    learning: str = ""
    replay: str = ""
    languages: dict[str, int] | UnsetType = UNSET


class StatusParams(Params, frozen=True):
    """A request for the state of an index.

    folder: URI of an open folder; the first one when absent.
    project: name of a project instead, registered or open.
    languages: whether the state names the languages of the index.
    """

    folder: str | None = None
    project: str | None = None
    languages: bool = False


class IndexParams(Params, frozen=True):
    """A request to start, pause, resume or rebuild an index.

    action: start, pause, resume, or rebuild from nothing.
    folder: URI of the open folder that it belongs to; the first one when absent.
    """

    action: Literal["start", "pause", "resume", "rebuild"]
    folder: str | None = None


class StatusChanged(Result, frozen=True):
    """Sent whenever the state of an open folder's index changes.

    folder: URI of the open folder.
    status: the new state of its index.
    """

    folder: str
    status: IndexState
