"""Track the texts open in the editor and map positions from the saved text to the edited one.

The index holds saved text. A file whose text in the editor differs is listed as unsaved in every answer, and ranges in
it are mapped through its edits. The saved text is read again whenever the file's size or time changed. Between a save
and the index's next generation (a fraction of a second) ranges are those of the text before the save.

Unchanged lines map exactly. Within a range of replaced lines the n-th old line maps to the n-th new one (or the last of
them); a column there keeps its distance from the unchanged start or end of its line. A deleted position maps to where
it was cut out. Text moved elsewhere counts as a deletion and an insertion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct

from scry.core.types import SkippedFile
from scry.index.scan.read_file import decode_text
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import Position, Range

_LINE_END = re.compile(r"\r\n|\n|\r")
"""A line end in LSP; `str.splitlines` knows nine more."""

_EXACT_DIFF_LINES = 3000
"""Changed lines up to which difflib looks for every match; its time grows with the square."""


def split_lines(text: str) -> list[str]:
    """Return the lines without their ends; at least one."""
    return _LINE_END.split(text)


def apply_change(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: str) -> str:
    """Return the text after one incremental change.

    start, end: (line, character) in `encoding`; positions outside of the text are clamped.
    """
    begins = [0, *(match.end() for match in _LINE_END.finditer(text))]
    first, last = sorted((_text_offset(text, begins, start, encoding), _text_offset(text, begins, end, encoding)))
    return text[:first] + new + text[last:]


def _text_offset(text: str, line_starts: Sequence[int], position: tuple[int, int], encoding: str) -> int:
    """Return the index into `text` of a (line, character) position; `line_starts` are the indices of line starts."""
    line, character = position
    if line >= len(line_starts):
        return len(text)
    begin = line_starts[line]
    stop = line_starts[line + 1] if line + 1 < len(line_starts) else len(text)
    content = text[begin:stop].rstrip("\r\n")
    if content.isascii():
        return begin + min(character, len(content))
    return begin + len(_decode(_encode(content, encoding)[: character * _bytes_per_unit(encoding)], encoding))


def _bytes_per_unit(encoding: str) -> int:
    """Return the bytes of one unit in which columns are counted."""
    return 1 if encoding == "utf-8" else 2


def _encode(text: str, encoding: str) -> bytes:
    return text.encode("utf-8" if encoding == "utf-8" else "utf-16-le", "surrogatepass")


def _decode(data: bytes, encoding: str) -> str:
    """Return the text of these bytes, without an incomplete character at the end."""
    return data.decode("utf-8" if encoding == "utf-8" else "utf-16-le", "ignore")


class EditMapping:
    """The difference between a saved text and the text in the editor, by lines."""

    def __init__(self, saved: Sequence[str], edited: Sequence[str], encoding: str) -> None:
        """Compare two texts, given as lines without their ends. encoding: of columns, utf-8 or utf-16."""
        self._saved = saved
        self._edited = edited
        self._encoding = encoding
        self._spans = tuple(_diff_spans(saved, edited))

    def map_range(self, saved: Range) -> Range:
        """Return the range in the edited text of a range of the saved one. It never ends before it starts."""
        start = self.map_position(saved.start)
        end = self.map_position(saved.end)
        if (end.line, end.character) < (start.line, start.character):
            end = start
        return Range(start=start, end=end)

    def map_position(self, saved: Position) -> Position:
        """Return the position in the edited text of a position of the saved one."""
        for equal, s1, s2, e1, e2 in self._spans:
            if saved.line >= s2:
                continue
            if equal:
                return Position(line=e1 + saved.line - s1, character=saved.character)
            if e1 == e2:
                return Position(line=min(e1, len(self._edited) - 1), character=0)
            line = min(e1 + saved.line - s1, e2 - 1)
            return Position(line=line, character=self._map_column(saved, line))
        return Position(line=len(self._edited) - 1, character=self._units_in(self._edited[-1]))

    def _map_column(self, saved: Position, line: int) -> int:
        """Return the column in an edited line that replaced the saved one."""
        before = _encode(self._saved[saved.line], self._encoding)
        after = _encode(self._edited[line], self._encoding)
        width = _bytes_per_unit(self._encoding)
        old, new = len(before) // width, len(after) // width
        prefix = _common_prefix_length(before, after) // width
        if saved.character <= prefix:
            return saved.character
        suffix = min(_common_prefix_length(before[::-1], after[::-1]) // width, old - prefix, new - prefix)
        from_end = max(old - saved.character, 0)
        return new - from_end if from_end <= suffix else prefix

    def _units_in(self, line: str) -> int:
        return len(_encode(line, self._encoding)) // _bytes_per_unit(self._encoding)


def _common_prefix_length(first: bytes, second: bytes) -> int:
    """Return the length of the common prefix in bytes."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return index
    return min(len(first), len(second))


def _diff_spans(saved: Sequence[str], edited: Sequence[str]) -> list[tuple[bool, int, int, int, int]]:
    """Return (equal, saved from, saved to, edited from, edited to) in order, covering both texts."""
    head = 0
    while head < min(len(saved), len(edited)) and saved[head] == edited[head]:
        head += 1
    tail = 0
    while tail < min(len(saved), len(edited)) - head and saved[-1 - tail] == edited[-1 - tail]:
        tail += 1
    old, new = saved[head : len(saved) - tail], edited[head : len(edited) - tail]
    quick = len(old) + len(new) > _EXACT_DIFF_LINES
    middle = [
        (tag == "equal", head + s1, head + s2, head + e1, head + e2)
        for tag, s1, s2, e1, e2 in SequenceMatcher(None, old, new, autojunk=quick).get_opcodes()
    ]
    before = [(True, 0, head, 0, head)]
    after = [(True, len(saved) - tail, len(saved), len(edited) - tail, len(edited))]
    return before + middle + after


_MAX_COMPARED_BYTES = 16 * 1024 * 1024
"""Saved files over this size are not compared; the index leaves them out long before."""

TextPosition = tuple[int, int]
"""(line, character), both 0-based, the character in the negotiated position encoding."""


class OpenDocument(Struct, frozen=True):
    """One open text, replaced as a whole at each change, so that any thread may read it."""

    path: str
    text: str
    version: int


class _Comparison(Struct, frozen=True):
    """The last comparison of a document with its file. edits: None when both texts are equal."""

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
        """Track a text that the editor opened. A URI that names no file on disk is not tracked."""
        try:
            path = uri_to_path(uri)
        except NotAFileUri:
            return
        self._put(path, text)

    def did_change(self, uri: str, changes: list[tuple[TextPosition, TextPosition, str] | str]) -> None:
        """Apply changes in order: each is (start, end, new text), or the whole text."""
        document = self._find(uri)
        if document is None:
            return
        text = document.text
        for change in changes:
            text = change if isinstance(change, str) else apply_change(text, *change, self.encoding)
        self._put(document.path, text)

    def did_close(self, uri: str) -> None:
        """Forget a text that the editor closed; its edits are saved or gone."""
        document = self._find(uri)
        if document:
            self._open.pop(document.path, None)
            self._comparisons.pop(document.path, None)

    def unsaved_edits(self) -> dict[str, EditMapping]:
        """Return the edits of every open file whose text is not the saved one, by path.

        Reads the files that changed, so it is not called on the loop.
        """
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
    """Return (time, size) of the saved file; None when there is none."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _saved_lines(path: str) -> list[str] | None:
    """Return the lines on disk; one empty line where there is no file; None for a file that the index leaves out."""
    try:
        if Path(path).stat().st_size > _MAX_COMPARED_BYTES:
            return None
        text = decode_text(Path(path).read_bytes(), path)
    except FileNotFoundError:
        return [""]
    except (OSError, ValueError):
        return None
    return None if isinstance(text, SkippedFile) else split_lines(text)
