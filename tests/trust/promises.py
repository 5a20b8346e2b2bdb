"""Check what holds for every file, whatever is in it, through all stages that handle one file by itself."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence

from scry.core import ParsedFile, Point, SkippedFile, Span
from scry.core.doc_id import parse_doc_id
from scry.embedding import load_bundled_model
from scry.index.graph.import_graph import extract_file_imports
from scry.index.parse.documents import make_documents, pack_uses, unpack_uses
from scry.index.parse.parse import DEFAULT_MAX_SECONDS, parse
from scry.index.scan.read_file import decode_text
from scry.indexer.embed import make_passages
from scry.store.index.rows import NewFile, check_row, pack_spans, unpack_spans

STAGE_SECONDS = 3.0
"""Processor time for all stages beside parsing, of a file within the default size limit."""

_EXCEPTION_FAULT = re.compile(r"\w+(Error|Exception)\b")
"""A fault for an exception is a mistake in Scry; one for a limit is a promise kept."""

_LINE_END = re.compile(r"\r\n|\n|\r")


def broken_promises(path: str, data: bytes) -> list[str]:
    """Return what does not hold for a file with this content, in words; the first words name the promise."""
    start = time.thread_time()
    try:
        broken = list(_check_file(path, data))
    except Exception as error:
        return [f"no exception: {type(error).__name__}: {error}"]
    taken = time.thread_time() - start
    if taken > DEFAULT_MAX_SECONDS + STAGE_SECONDS:
        broken.append(f"bounded time: {taken:.1f} s")
    return broken


def _check_file(path: str, data: bytes) -> list[str]:
    text = decode_text(data, path)
    return [] if isinstance(text, SkippedFile) else check_text(path, text)


def check_text(path: str, text: str) -> list[str]:
    """Return what does not hold for a decoded text; raises what a stage raises."""
    parsed = parse(path, text)
    broken: list[str] = []
    if parsed.fault is not None and _EXCEPTION_FAULT.match(parsed.fault.reason):
        broken.append(f"no exception: {parsed.fault}")
    documents = make_documents(path, parsed)
    counts = Counter(document.doc_id for document in documents)
    broken += [f"unique doc_ids: {doc_id}" for doc_id, count in counts.items() if count > 1]
    broken += [f"doc_ids name the file: {doc_id}" for doc_id in counts if parse_doc_id(doc_id).path != path]
    broken += _check_ranges(text, parsed)
    uses = pack_uses(parsed)
    unpack_uses(uses)
    extract_file_imports(path, parsed)
    check_row(NewFile(path, 0, 0, b"", language=parsed.language, text=text, uses=uses, documents=documents))
    model = load_bundled_model()
    vectors = model.encode_passages(make_passages(path, parsed.symbols))
    if len(vectors) != len(documents):
        broken.append("a vector for each document")
    return broken


def _check_ranges(text: str, parsed: ParsedFile) -> list[str]:
    rows = _LINE_END.split(re.sub("[\ud800-\udfff]", "\ufffd", text))
    broken: list[str] = []
    for symbol in parsed.symbols:
        if not (_is_inside(rows, symbol.span) and _is_inside(rows, symbol.name_span)):
            broken.append(f"ranges inside the file: {symbol.name or symbol.kind} {symbol.span}")
        if unpack_spans(pack_spans(symbol)) != (symbol.span, symbol.name_span):
            broken.append(f"ranges are stored as they are: {symbol.name or symbol.kind}")
    return broken


def _is_inside(rows: Sequence[str], span: Span) -> bool:
    start, end = span.start, span.end
    return (start.line, start.utf8) <= (end.line, end.utf8) and _is_at(rows, start) and _is_at(rows, end)


def _is_at(rows: Sequence[str], point: Point) -> bool:
    """Return whether a point lies between two characters of its line, with both columns naming the same place."""
    if not 0 <= point.line < len(rows):
        return False
    data = rows[point.line].encode()
    try:
        before = data[: point.utf8].decode()
    except UnicodeDecodeError:
        return False
    return point.utf8 <= len(data) and len(before.encode("utf-16-le")) == 2 * point.utf16
