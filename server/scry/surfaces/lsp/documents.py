"""The texts that are open in the editor, and which of them are not what is on disk.

The index holds saved text. A file whose text in the editor differs is named as unsaved in every answer, and ranges in
it are mapped through the edits (see `edits`). The saved text is read again whenever the file's size or time changed.
Between a save and the index's next generation (a fraction of a second) ranges are those of the text before the save.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from scry.core.types import Skip
from scry.index.decode import decode
from scry.surfaces.lsp.edits import Edits, apply_change, split_lines
from scry.surfaces.lsp.uris import NotAFile, uri_to_path

_SIZE_LIMIT = 16 * 1024 * 1024
"""Saved files over this size are not compared; the index leaves them out long before."""

Place = tuple[int, int]
"""(line, character), both 0-based, the character in the negotiated position encoding."""


class Document(Struct, frozen=True):
    """One open text. Replaced as a whole at each change, so that any thread may read it."""

    path: str
    text: str
    change: int


class _Comparison(Struct, frozen=True):
    """What a document was compared with, and what came out: None when both texts are equal."""

    change: int
    stamp: tuple[int, int] | None
    edits: Edits | None


class Documents:
    """All open texts, by path. Changed on the loop alone; read from any thread."""

    def __init__(self) -> None:
        """No text is open yet."""
        self.encoding = "utf-16"
        self._open: dict[str, Document] = {}
        self._compared: dict[str, _Comparison] = {}
        self._changes = 0

    def opened(self, uri: str, text: str) -> None:
        """An editor shows this text. What is no file on disk is not tracked."""
        try:
            path = uri_to_path(uri)
        except NotAFile:
            return
        self._put(path, text)

    def changed(self, uri: str, changes: list[tuple[Place, Place, str] | str]) -> None:
        """The text was edited: each change is (start, end, new text), or the whole text. Applied in order."""
        document = self._find(uri)
        if document is None:
            return
        text = document.text
        for change in changes:
            text = change if isinstance(change, str) else apply_change(text, *change, self.encoding)
        self._put(document.path, text)

    def closed(self, uri: str) -> None:
        """The editor no longer shows it; its edits are saved or gone."""
        document = self._find(uri)
        if document:
            self._open.pop(document.path, None)
            self._compared.pop(document.path, None)

    def unsaved(self) -> dict[str, Edits]:
        """Every open file whose text is not the saved one, by path. Reads files that changed; not for the loop."""
        return dict(self._compare_all())

    def _compare_all(self) -> Iterator[tuple[str, Edits]]:
        for document in list(self._open.values()):
            edits = self._compare(document)
            if edits:
                yield document.path, edits

    def _compare(self, document: Document) -> Edits | None:
        known = self._compared.get(document.path)
        stamp = _stamp(document.path)
        if known and (known.change, known.stamp) == (document.change, stamp):
            return known.edits
        saved, edited = _saved_lines(document.path), split_lines(document.text)
        edits = None if saved is None or saved == edited else Edits(saved, edited, self.encoding)
        self._compared[document.path] = _Comparison(document.change, stamp, edits)
        return edits

    def _find(self, uri: str) -> Document | None:
        try:
            return self._open.get(uri_to_path(uri))
        except NotAFile:
            return None

    def _put(self, path: str, text: str) -> None:
        self._changes += 1
        self._open[path] = Document(path, text, self._changes)


def _stamp(path: str) -> tuple[int, int] | None:
    """(time, size) of the saved file; None when there is none."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _saved_lines(path: str) -> list[str] | None:
    """The lines on disk; one empty line where there is no file; None where the file is none that the index takes in."""
    try:
        if Path(path).stat().st_size > _SIZE_LIMIT:
            return None
        text = decode(Path(path).read_bytes(), path)
    except FileNotFoundError:
        return [""]
    except (OSError, ValueError):
        return None
    return None if isinstance(text, Skip) else split_lines(text)
