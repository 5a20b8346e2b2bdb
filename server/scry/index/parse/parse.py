"""Parse a file's text into symbols, imports and references. Never raises on odd text, and takes a bounded time."""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from posixpath import basename, splitext

from msgspec import structs
from tree_sitter import Node

from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.core.types import Binding, FileFault, IndexingStage, ParsedFile, Reference, Span, Symbol
from scry.index.parse.captures import NotParsed, run_query
from scry.index.parse.chunks import LineIndex, chunk_gaps, chunk_text
from scry.index.parse.doc_comments import doc_text
from scry.index.parse.formats import BLOCK_FINDERS, split_blocks, split_range
from scry.index.parse.languages import language_named, language_of
from scry.index.parse.languages.language import MAX_IMPORT_LENGTH, Language, MarkupRange
from scry.index.parse.languages.text_formats import TEXT
from scry.index.parse.notebooks import cell_symbols, join_code_cells, merge_into_cells, read_cells
from scry.index.parse.outline import CapturedDefinition, Trivia, build_outline, is_in_ranges, ranges_of_tests
from scry.index.parse.receivers import TYPE_MARK, AssignedTypes, read_receiver
from scry.index.parse.sections import split_sections
from scry.index.parse.shape import UnusualShape

log = logging.getLogger(__name__)

DEFAULT_MAX_SECONDS = 2.0
"""Processor time for the parsing of a text, after which it is read as plain text."""

_MAX_COMPONENT_DOC_BYTES = 4_000
_MAX_SIGNATURE_LENGTH = 300
_TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "implementation"})
_KINDS_WITH_BODY = _TYPE_KINDS | {"function", "method", "module", "macro"}
_KINDS_WITH_BRACES = _TYPE_KINDS | {"macro"}
_MODULE_KINDS = frozenset({"module", "interface"})
_SMALL_KINDS = frozenset({"constant", "variable"})
_BRACKET_LINE_BREAKS = re.compile(r"(?<=[(\[])\s*\n\s*|(?:,|(?<![\s,]))[^\S\n]*\n\s*(?=[)\]])")
"""Line breaks at the ends of a list of parameters."""

_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\r?\n){2,}")
_COMPONENT_TAG = re.compile(rb"<([A-Z]\w*(?:\.\w+)*)")


def parse(path: str, text: str, max_seconds: float = DEFAULT_MAX_SECONDS) -> ParsedFile:
    """Return everything that the index stores of a file. `path` decides the language, or else a `#!` line.

    max_seconds: processor time for parsing. Whatever goes wrong becomes the `fault` of a file that is read as plain
    text.
    """
    try:
        return parse_here(path, text, max_seconds)
    except UnusualShape as reason:
        from scry.index.parse.isolation import parse_in_own_process

        log.info("%r is parsed in a process of its own: %s", path, reason)
        return parse_in_own_process(path, text, max_seconds)


def parse_here(path: str, text: str, max_seconds: float, *, any_shape: bool = False) -> ParsedFile:
    """Return the parsed form of a text that is parsed in this process; see `parse`.

    any_shape: this process serves this text alone. Else raises UnusualShape for one that has to be parsed so.
    """
    try:
        return _parse_symbols(path, text, max_seconds, any_shape=any_shape)
    except UnusualShape:
        raise
    except NotParsed as reason:
        fault = FileFault(IndexingStage.PARSE, str(reason))
        log.warning("%r is read as plain text: %s", path, reason)
    except Exception as error:
        fault = FileFault.from_error(IndexingStage.PARSE, error)
        log.warning("%r can't be parsed, and is read as plain text", path, exc_info=True)
    return parse_as_text(path, text, fault)


def parse_as_text(path: str, text: str, fault: FileFault | None = None) -> ParsedFile:
    """Return the chunks of a text, which is read without its grammar. fault: the reason for that."""
    try:
        name = _detect_language(path, text).name
    except Exception:
        name = TEXT.name
    return ParsedFile(name, tuple(chunk_text(LineIndex(text))), (), (), (), fault)


def _parse_symbols(path: str, text: str, max_seconds: float, *, any_shape: bool) -> ParsedFile:
    language = _detect_language(path, text)
    lines = LineIndex(text)
    if language.name in DOCUMENT_LANGUAGES:
        return ParsedFile(language.name, tuple(split_sections(lines, language.name) or chunk_text(lines)), (), ())
    if language.name == "jupyter":
        return _parse_notebook(language, lines, text, max_seconds, any_shape=any_shape)
    if language.name in BLOCK_FINDERS:
        return ParsedFile(language.name, tuple(split_blocks(lines, language.name) or chunk_text(lines)), (), ())
    if language.grammar is None:
        from scry.index.parse.definitions import DEFINED_LANGUAGES, split_definitions  # many projects have no such file

        symbols = split_definitions(lines, language.name) if language.name in DEFINED_LANGUAGES else ()
        return ParsedFile(language.name, tuple(symbols or chunk_text(lines)), (), ())
    parsed = _parse_with_grammar(language, lines, max_seconds, any_shape=any_shape)
    component = _component_symbol(path, lines) if language.find_markup else None
    return structs.replace(parsed, symbols=(component, *parsed.symbols)) if component else parsed


def _component_symbol(path: str, lines: LineIndex) -> Symbol | None:
    """Return the component that a file is, by the file's name; None for an empty one.

    Its text is that of its other symbols; an HTML comment at its top is its doc comment.
    """
    name, end = splitext(basename(path))[0].strip("."), len(lines.data.rstrip())
    if not name or not end:
        return None
    head = lines.data[:_MAX_COMPONENT_DOC_BYTES].lstrip()
    close = head.find(b"-->") if head.startswith(b"<!--") else -1
    doc = doc_text([head[: close + 3].decode("utf-8", "replace")]).strip() if close > 0 else ""
    doc = doc.removeprefix("@component").strip()
    return Symbol(name, "class", "", f"component {name}", doc, lines.span(0, end), lines.span(0, 0), "")


def _parse_with_grammar(language: Language, lines: LineIndex, max_seconds: float, *, any_shape: bool) -> ParsedFile:
    data, blanked = language.prepare(lines.data)
    captures = run_query(language, data, max_seconds, any_shape=any_shape)
    markup = language.find_markup(lines.data) if language.find_markup else ()
    sections = [section for part in markup for section in split_range(lines, part.start, part.end, part.name)]
    symbols, names = _build_symbols(captures, lines, language, blanked, sections)
    imports = _read_imports(captures, lines, language)
    references = _read_references(captures, lines, names, language)
    if markup:
        symbols = tuple(each for each in symbols if each.kind != "text" or not _is_script_tag(each.own_text.strip()))
        references = tuple(sorted({*references, *_find_components(lines, markup)}, key=lambda each: each.line))
    return ParsedFile(language.name, symbols, imports, references, _read_bindings(captures, lines, language))


def _is_script_tag(text: str) -> bool:
    return text.startswith(("<script", "</script")) and text.endswith(">") and "\n" not in text


def _find_components(lines: LineIndex, ranges: Sequence[MarkupRange]) -> Iterator[Reference]:
    """Yield each component that the markup around scripts uses by its tag, as a call: `<UserCard :user="u" />`."""
    for part in ranges:
        if part.name == "template":
            for match in _COMPONENT_TAG.finditer(lines.data, part.start, part.end):
                receiver, _, name = match[1].decode().rpartition(".")
                yield Reference(name, "call", lines.line(match.start()), receiver)


def _parse_notebook(
    language: Language, lines: LineIndex, text: str, max_seconds: float, *, any_shape: bool
) -> ParsedFile:
    """Return the cells of a notebook, and what its code defines, imports and uses; chunks for a text that is none."""
    cells = read_cells(text)
    if cells is None:
        return ParsedFile(language.name, tuple(chunk_text(lines)), (), ())
    code = join_code_cells(text, cells, lines)
    kernel = language_named(code.language)
    if kernel is None or kernel.grammar is None:
        return ParsedFile(language.name, tuple(cell_symbols(lines, cells)), (), ())
    try:
        parsed = _parse_with_grammar(kernel, LineIndex(code.text), max_seconds, any_shape=any_shape)
    except NotParsed as reason:
        fault = FileFault(IndexingStage.PARSE, str(reason))
        return ParsedFile(language.name, tuple(cell_symbols(lines, cells)), (), (), (), fault)
    inner = [symbol for symbol in parsed.symbols if symbol.name]
    return ParsedFile(
        language.name,
        tuple(merge_into_cells(lines, cells, code, inner)),
        parsed.imports if kernel.name == "python" else (),
        tuple(structs.replace(each, line=code.file_line(each.line)) for each in parsed.references),
        parsed.bindings if kernel.name == "python" else (),
    )


def _detect_language(path: str, text: str) -> Language:
    """Return the language by the path or first line, unless the text shows another (a C++ header named `.h`)."""
    language = language_of(path, text[:200].partition("\n")[0]) or TEXT
    other = language.detect_other_language(text) if language.detect_other_language else None
    return (language_named(other) if other else None) or language


def _build_symbols(
    captures: Mapping[str, list[Node]],
    lines: LineIndex,
    language: Language,
    blanked: Sequence[tuple[int, int]],
    sections: Sequence[tuple[int, int, Symbol]] = (),
) -> tuple[tuple[Symbol, ...], set[int]]:
    """Return all symbols by place, and the starts of their names. sections: those of markup, with start and end."""
    definitions, trivia = build_outline(captures, lines, language, blanked)
    symbols: list[tuple[int, Symbol]] = []
    for definition in definitions:
        symbols += ((definition.start, symbol) for symbol in _definition_symbols(definition, lines, trivia, language))
    taken = [(d.start, d.end, d.kind in _SMALL_KINDS) for d in definitions if d.parent is None]
    if sections:
        symbols += ((start, symbol) for start, _, symbol in sections)
        taken = sorted([*taken, *((start, end, False) for start, end, _ in sections)])
    tests = ranges_of_tests(captures)
    taken = sorted([*taken, *((edge, edge, False) for test in tests for edge in test)]) if tests else taken
    for symbol in chunk_gaps(lines, taken):
        start = lines.starts[symbol.span.start.line] + symbol.span.start.utf8
        symbols.append((start, structs.replace(symbol, is_test=True) if is_in_ranges(start, tests) else symbol))
    symbols.sort(key=lambda item: item[0])  # stable: an outer definition stays before an inner one
    return tuple(symbol for _, symbol in symbols), {start for d in definitions for start, _ in d.names}


def _definition_symbols(
    definition: CapturedDefinition, lines: LineIndex, trivia: Trivia, language: Language
) -> Iterable[Symbol]:
    """Yield the symbols of a definition: one for each of its names, all with the same span and text."""
    signature = _signature_line(definition, lines, trivia)
    span = lines.span(definition.start, definition.end)
    container = _qualified_container(definition, lines, language)
    doc = doc_text([lines.text(*span_) for span_ in definition.docs]) if definition.docs else ""
    own_text = _own_text(definition, lines)
    kind = _symbol_kind(definition)
    for name, span_ in _read_names(definition, lines, language) or ((signature.partition(" where ")[0], None),):
        name_span = _name_span(definition, lines, span_)
        exact = "constant" if kind == "variable" and _is_constant(language, name) else kind
        outer, own = _split_module(name) if language.dotted_modules and kind in _MODULE_KINDS else ("", name)
        inside = ".".join(filter(None, (container, outer)))
        yield Symbol(own, exact, inside, signature, doc, span, name_span, own_text, definition.is_test)


def _split_module(name: str) -> tuple[str, str]:
    """Split a dotted module name: `Plug.Conn` is `Conn` in `Plug`."""
    outer, _, own = name.rpartition(".")
    return outer, own


def _read_names(
    definition: CapturedDefinition, lines: LineIndex, language: Language
) -> Iterable[tuple[str, tuple[int, int]]]:
    """Return each name of a definition with its first place."""
    if len(definition.names) == 1:
        return ((_read_name(lines, definition.names[0], language), definition.names[0]),)
    spans = {_read_name(lines, span, language): span for span in reversed(definition.names)}
    return sorted(spans.items(), key=lambda item: item[1])


def _name_span(definition: CapturedDefinition, lines: LineIndex, span: tuple[int, int] | None) -> Span:
    start = definition.node.start_byte
    return lines.span(*span) if span else lines.span(start, start)


def _read_name(lines: LineIndex, span: tuple[int, int], language: Language) -> str:
    name = lines.text(*span)
    return name if name.isidentifier() else language.read_name(name)


def _is_constant(language: Language, name: str) -> bool:
    return language.constant_pattern is not None and re.match(language.constant_pattern, name) is not None


def _symbol_kind(definition: CapturedDefinition) -> str:
    if definition.kind == "function" and definition.parent and definition.parent.kind in _TYPE_KINDS:
        return "method"
    return definition.kind


def _qualified_container(definition: CapturedDefinition, lines: LineIndex, language: Language) -> str:
    """Return the qualified name around a definition: outer names, then the qualifier written before its own name."""
    words = [definition.container] if definition.container else []
    outer = definition.parent
    while outer:
        words.append(outer.scope or _read_name(lines, outer.names[0], language))
        if outer.container:
            words.append(outer.container)
        outer = outer.parent
    return ".".join(reversed(words))


def _signature_line(definition: CapturedDefinition, lines: LineIndex, trivia: Trivia) -> str:
    """Return one line from behind the leading comments and attributes up to the body."""
    start = trivia.skip(definition.start, lines.data) if trivia.starts else definition.start
    end = min(_signature_end(definition, lines, start), start + 4 * _MAX_SIGNATURE_LENGTH)
    pieces = [lines.text(*piece) for piece in trivia.without_comments(start, end)]
    text = " ".join(_BRACKET_LINE_BREAKS.sub("", " ".join(pieces)).split()).rstrip(" {:=;,")
    text = text.removesuffix(" do").removesuffix(" where")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")")  # closes a macro around the whole definition
    return text if len(text) <= _MAX_SIGNATURE_LENGTH else text[: _MAX_SIGNATURE_LENGTH - 1] + "…"


def _signature_end(definition: CapturedDefinition, lines: LineIndex, start: int) -> int:
    """Return the start of the body, or the end of a definition without one."""
    if definition.kind not in _KINDS_WITH_BODY:
        return definition.core_end
    body = definition.body if definition.body is not None else _body_start(definition.node)
    if body is not None and body > start and lines.data[body : body + 1] != b"(":  # a tuple belongs to the signature
        return body
    brace = lines.data.find(b"{", start, definition.core_end) if definition.kind in _KINDS_WITH_BRACES else -1
    return brace if brace > start else definition.core_end


def _body_start(node: Node) -> int | None:
    body = node.child_by_field_name("body")
    if body is None:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        body = value.child_by_field_name("body") if value else None
    return body.start_byte if body else None


def _own_text(definition: CapturedDefinition, lines: LineIndex) -> str:
    """Return the text of a definition without nested definitions and without its doc comment."""
    holes = sorted(chain(definition.docs, ((child.start, child.end) for child in definition.children if child.cut)))
    if not holes:
        return lines.text(definition.start, definition.end)
    pieces: list[str] = []
    position = definition.start
    for start, end in holes:
        if start > position:
            pieces.append(lines.text(position, start))
        position = max(position, end)
    pieces.append(lines.text(position, definition.end))
    return _EMPTY_LINES.sub("\n\n", "".join(pieces)).strip()


def _read_imports(captures: Mapping[str, list[Node]], lines: LineIndex, language: Language) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for start, end in sorted((node.start_byte, node.end_byte) for node in captures.get("import", ())):
        found = language.read_import(lines.text(start, end))
        names.update(dict.fromkeys(name for name in found if len(name) <= MAX_IMPORT_LENGTH))
    return tuple(name for name in names if name)


def _read_bindings(captures: Mapping[str, list[Node]], lines: LineIndex, language: Language) -> tuple[Binding, ...]:
    """Return the names that imports bind, in the order of the file."""
    nodes = captures.get("binding") or captures.get("import", ())
    spans = sorted((node.start_byte, node.end_byte) for node in nodes)
    bindings = (binding for start, end in spans for binding in language.read_bindings(lines.text(start, end)))
    return tuple(dict.fromkeys(bindings))


def _read_references(
    captures: Mapping[str, list[Node]], lines: LineIndex, names: set[int], language: Language
) -> tuple[Reference, ...]:
    """Return uses of names by line, each once for a line, kind and receiver; names of definitions are left out."""
    references: set[tuple[int, str, str, str]] = set()
    starts, data, naming = lines.starts, lines.data, language.name_resolution
    types = AssignedTypes(data)
    for label, nodes in captures.items():
        if label.startswith("reference."):
            kind = label[len("reference.") :]
            for node in nodes:
                start = node.start_byte
                if start not in names:
                    name = _intern_name(data[start : node.end_byte])
                    line, receiver = bisect_right(starts, start) - 1, read_receiver(data, start, naming)
                    if kind == "call" and receiver.isidentifier() and (known := types.type_of(receiver, line)):
                        receiver += TYPE_MARK + known
                    references.add((line, kind, name, receiver))
    return tuple(Reference(name, kind, line, receiver) for line, kind, name, receiver in sorted(references))


@lru_cache(maxsize=65536)
def _intern_name(name: bytes) -> str:
    return name.decode("utf-8", "replace")
