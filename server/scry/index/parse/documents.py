"""Turn a parsed file into index rows: documents with stable names, their terms, and the names it uses.

A document keeps its name (J2a) while other lines of its file change (F2). Its fields are one weighted stream of terms
for the lexical index (BM25F in its simple form).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from scry.core.decoding import msgpack_decoder
from scry.core.doc_id import make_doc_id, qualified_name
from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.core.text import exact_name_term, tokenize
from scry.core.types import Binding, ParsedFile, Symbol
from scry.index.parse.doc_comments import split_doctests
from scry.store.index.rows import NewDocument


def content_type(language: str) -> str:
    """Return `doc` for a language of documents, `code` for every other."""
    return "doc" if language in DOCUMENT_LANGUAGES else "code"


def make_documents(path: str, parsed: ParsedFile) -> tuple[NewDocument, ...]:
    """Return one document for each symbol, section or chunk, in the order of the file."""
    return tuple(
        NewDocument(doc_id, ordinal, symbol, weighted_terms(path, symbol))
        for doc_id, ordinal, symbol in assign_doc_ids(path, parsed)
    )


def assign_doc_ids(path: str, parsed: ParsedFile) -> Iterator[tuple[str, int, Symbol]]:
    """Yield (doc_id, ordinal, symbol) in the order of the file.

    The ordinal counts the symbols of that name in the file, from 0; for text without a name, those on the same lines.
    """
    seen: Counter[str | tuple[int, int]] = Counter()
    for symbol in parsed.symbols:
        yield *_doc_id_and_ordinal(path, symbol, seen), symbol


def _doc_id_and_ordinal(path: str, symbol: Symbol, seen: Counter[str | tuple[int, int]]) -> tuple[str, int]:
    name, kind, container = symbol.name, symbol.kind, symbol.container
    lines = (symbol.span.start.line, last_line(symbol))
    key = qualified_name(name, kind, container) if name else lines
    ordinal = seen[key]
    seen[key] += 1
    return make_doc_id(path, name, kind, container, ordinal, lines), ordinal


def last_line(symbol: Symbol) -> int:
    """Return the last line that holds text of the symbol, 0-based.

    A span that ends at the start of a line has its last text on the line before.
    """
    end = symbol.span.end
    return end.line - 1 if end.utf8 == 0 and end.line > symbol.span.start.line else end.line


NAME_WEIGHT = 5
CONTAINER_WEIGHT = 2
PATH_WEIGHT = 2
SIGNATURE_WEIGHT = 1
DOC_WEIGHT = 2
DOCTEST_WEIGHT = 1
BODY_WEIGHT = 1
"""Repetitions of a field's terms. The name of a thing says most, its documentation more than its code. A doctest in the
documentation is code that uses the thing.
"""


def weighted_terms(path: str, symbol: Symbol) -> str:
    """Return the terms of all fields, each repeated by its weight, joined by spaces."""
    stream = tokenize(symbol.own_text) * BODY_WEIGHT
    prose, doctests = split_doctests(symbol.doc)
    stream += tokenize(prose) * DOC_WEIGHT
    stream += tokenize(doctests) * DOCTEST_WEIGHT
    stream += tokenize(symbol.signature) * SIGNATURE_WEIGHT
    stream += _cached_terms(path) * PATH_WEIGHT
    stream += _cached_terms(symbol.container) * CONTAINER_WEIGHT
    stream += _cached_terms(symbol.name) * NAME_WEIGHT
    exact = exact_name_term(symbol.name)
    if exact:
        stream.append(exact)
    return " ".join(stream)


@lru_cache(maxsize=1000)
def _cached_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text that many documents of a file share."""
    return tuple(tokenize(text))


class NameUse(NamedTuple):
    """A use of a name: its kind and receiver, and its lines, ascending."""

    name: str
    kind: str
    receiver: str
    lines: Sequence[int]


class FileUses(NamedTuple):
    """The names that a file's imports bind, and its uses of names."""

    bindings: Sequence[Binding]
    uses: Sequence[NameUse]


_PackedUses = tuple[list[tuple[str, str, str]], list[tuple[str, str, str, list[int]]]]
"""Bindings, then the uses of each (name, kind, receiver) with their lines.

Packed so, and compressed by the store, a reference takes some 6 bytes of the index; as plain objects it took 45.
"""

_decode_uses = msgpack_decoder(_PackedUses)
_decode_bindings = msgpack_decoder(tuple[list[tuple[str, str, str]], msgspec.Raw])


def pack_uses(parsed: ParsedFile) -> bytes:
    """Return the uses of a parsed file, packed; empty for none."""
    lines: dict[tuple[str, str, str], list[int]] = {}
    for reference in parsed.references:
        lines.setdefault((reference.name, reference.kind, reference.receiver), []).append(reference.line)
    if not lines and not parsed.bindings:
        return b""
    bindings = [(binding.name, binding.source, binding.member) for binding in parsed.bindings]
    uses = [(*key, use_lines) for key, use_lines in lines.items()]
    return msgspec.msgpack.encode((bindings, uses))


def unpack_bindings(data: bytes) -> Sequence[Binding]:
    """Return the bindings of packed uses alone, which is several times as fast as all."""
    return [Binding(*binding) for binding in _decode_bindings(data)[0]] if data else ()


def unpack_uses(data: bytes) -> FileUses:
    """Return packed uses as objects."""
    if not data:
        return FileUses((), ())
    bindings, uses = _decode_uses(data)
    return FileUses([Binding(*binding) for binding in bindings], [NameUse(*use) for use in uses])
