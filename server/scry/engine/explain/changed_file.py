"""Read a document from its file on disk, where that differs from the file as it was indexed.

Between two runs of the command line no indexer watches the project, so that `detail` and `open` compare the file of
their one result themselves.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.settings import Settings
from scry.core.text import split_source_lines
from scry.core.types import Document, Point, SkippedFile, Span, Symbol
from scry.index.scan.read_file import decode_text, read_file
from scry.store.index.store import IndexStore


class ChangedDocument(Struct, frozen=True):
    """A document of a file that changed since it was indexed. text: of the whole file; the document's span is in it."""

    document: Document
    text: str


def read_changed(document: Document, root: Path, settings: Settings, store: IndexStore) -> ChangedDocument | str | None:
    """Return a document of a file as it is on disk now.

    Returns None where the file is as it was indexed, and the reason, in words, where the document is no longer there.
    """
    path = document.path
    stored = store.files.files_under([path]).get(path)
    content = read_file(root, path, settings.max_file_bytes)
    if content is None:
        return "its file was deleted"
    if isinstance(content, SkippedFile):
        return f"its file can no longer be read: {content.reason.value}"
    if stored is None or stored.hash == hashlib.blake2b(content.data, digest_size=16).digest():
        return None
    text = decode_text(content.data, path)
    if isinstance(text, SkippedFile):
        return f"its file can no longer be read: {text.reason.value}"
    if document.symbol.kind == "file":
        return ChangedDocument(document, text)
    if not document.symbol.name:
        symbol = _move_unnamed(document.symbol, store.files.get_text(path) or "", text)
    else:
        symbol = _find_symbol(document, text, settings.max_parse_seconds)
    if symbol is None:
        return "its file was changed, and no longer holds it"
    return ChangedDocument(replace(document, symbol=symbol), text)


def _find_symbol(document: Document, text: str, max_seconds: float) -> Symbol | None:
    """Return the symbol that has the document's doc_id in the changed text.

    The text is new to Scry: it is parsed in a process of its own, for it may be one that ends its parser's process.
    """
    from scry.index.parse.documents import assign_doc_ids
    from scry.index.parse.isolation import parse_in_own_process

    parsed = parse_in_own_process(document.path, text, max_seconds)
    return next(
        (symbol for doc_id, _, symbol in assign_doc_ids(document.path, parsed) if doc_id == document.doc_id), None
    )


def _move_unnamed(symbol: Symbol, before: str, after: str) -> Symbol | None:
    """Return a text without a name at its lines in the changed file, by the lines at its ends that did not change."""
    from scry.index.parse.documents import last_line

    old, new = split_source_lines(before), split_source_lines(after)
    shortest = min(len(old), len(new))
    above = next((at for at in range(shortest) if old[at] != new[at]), shortest)
    below = next((at for at in range(shortest - above) if old[-1 - at] != new[-1 - at]), shortest - above)
    first, last = symbol.span.start.line, last_line(symbol)
    if first >= above:
        first = first + len(new) - len(old) if first >= len(old) - below else above
    if last >= above:
        last = last + len(new) - len(old) if last >= len(old) - below else len(new) - below - 1
    if not "".join(new[first : last + 1]).strip():
        return None
    utf8, utf16 = (len(new[last].encode(encoding, "surrogatepass")) for encoding in ("utf-8", "utf-16-le"))
    start = Point(first, 0, 0)
    return replace(symbol, span=Span(start, Point(last, utf8, utf16 // 2)), name_span=Span(start, start))
