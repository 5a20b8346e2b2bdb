"""The texts that are open in the editor, and which of them are not what is on disk.

The index holds saved text. A file whose text in the editor differs is named as unsaved in every answer, and ranges in
it are mapped through the edits (see `edits`). The saved text is read again whenever the file's size or time changed.
Between a save and the index's next generation (a fraction of a second) ranges are those of the text before the save.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from scry.core.types import SkippedFile
from scry.index.decode import decode_text
from scry.surfaces.lsp.edits import EditMapping, apply_change, split_lines
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path

_MAX_COMPARED_BYTES = 16 * 1024 * 1024
"""Saved files over this size are not compared; the index leaves them out long before."""

TextPosition = tuple[int, int]
"""(line, character), both 0-based, the character in the negotiated position encoding."""


class OpenDocument(Struct, frozen=True):
    """One open text. Replaced as a whole at each change, so that any thread may read it."""

    path: str
    text: str
    version: int


class _Comparison(Struct, frozen=True):
    """What a document was compared with, and what came out: None when both texts are equal."""

    version: int
    file_stamp: tuple[int, int] | None
    edits: EditMapping | None


class OpenDocuments:
    """All open texts, by path. Changed on the loop alone; read from any thread."""

    def __init__(self) -> None:
        """No text is open yet."""
        self.encoding = "utf-16"
        self._open: dict[str, OpenDocument] = {}
        self._comparisons: dict[str, _Comparison] = {}
        self._last_version = 0

    def did_open(self, uri: str, text: str) -> None:
        """An editor shows this text. What is no file on disk is not tracked."""
        try:
            path = uri_to_path(uri)
        except NotAFileUri:
            return
        self._put(path, text)

    def did_change(self, uri: str, changes: list[tuple[TextPosition, TextPosition, str] | str]) -> None:
        """The text was edited: each change is (start, end, new text), or the whole text. Applied in order."""
        document = self._find(uri)
        if document is None:
            return
        text = document.text
        for change in changes:
            text = change if isinstance(change, str) else apply_change(text, *change, self.encoding)
        self._put(document.path, text)

    def did_close(self, uri: str) -> None:
        """The editor no longer shows it; its edits are saved or gone."""
        document = self._find(uri)
        if document:
            self._open.pop(document.path, None)
            self._comparisons.pop(document.path, None)

    def unsaved_edits(self) -> dict[str, EditMapping]:
        """Every open file whose text is not the saved one, by path. Reads files that changed; not for the loop."""
        return dict(self._compare_all())

    def _compare_all(self) -> Iterator[tuple[str, EditMapping]]:
        for document in list(self._open.values()):
            edits = self._compare(document)
            if edits:
                yield document.path, edits

    def _compare(self, document: OpenDocument) -> EditMapping | None:
        known = self._comparisons.get(document.path)
        stamp = _file_stamp(document.path)
        if known and (known.version, known.file_stamp) == (document.version, stamp):
            return known.edits
        saved, edited = _saved_lines(document.path), split_lines(document.text)
        edits = None if saved is None or saved == edited else EditMapping(saved, edited, self.encoding)
        self._comparisons[document.path] = _Comparison(document.version, stamp, edits)
        return edits

    def _find(self, uri: str) -> OpenDocument | None:
        try:
            return self._open.get(uri_to_path(uri))
        except NotAFileUri:
            return None

    def _put(self, path: str, text: str) -> None:
        self._last_version += 1
        self._open[path] = OpenDocument(path, text, self._last_version)


def _file_stamp(path: str) -> tuple[int, int] | None:
    """(time, size) of the saved file; None when there is none."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _saved_lines(path: str) -> list[str] | None:
    """The lines on disk; one empty line where there is no file; None where the file is none that the index takes in."""
    try:
        if Path(path).stat().st_size > _MAX_COMPARED_BYTES:
            return None
        text = decode_text(Path(path).read_bytes(), path)
    except FileNotFoundError:
        return [""]
    except (OSError, ValueError):
        return None
    return None if isinstance(text, SkippedFile) else split_lines(text)
