"""The text of a file to its symbols, imports and references. Pure; never raises on odd text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from tree_sitter import Node

from scry.core.types import Binding, Parsed, Reference, Span, Symbol
from scry.index.blocks import DIVIDED, blocks
from scry.index.capture import capture
from scry.index.comments import doc_text
from scry.index.languages import language_named, language_of
from scry.index.languages.language import Language
from scry.index.languages.text_formats import TEXT
from scry.index.notebook import cells
from scry.index.outline import Definition, Trivia, outline
from scry.index.receivers import receiver_of
from scry.index.sections import sections
from scry.index.stretches import between, paragraphs
from scry.index.text_lines import TextLines

_SECONDS = 5.0
"""A file that takes longer to parse is read as plain text."""

_LONGEST_SIGNATURE = 300
_OWNERS = frozenset({"class", "interface", "struct", "enum", "trait", "implementation"})
_BODIED = _OWNERS | {"function", "method", "module", "macro"}
_BRACED = _OWNERS | {"macro"}
_MODULES = frozenset({"module", "interface"})
_SMALL = frozenset({"constant", "variable"})
_BREAKS = re.compile(r"(?<=[(\[])\s*\n\s*|,?\s*\n\s*(?=[)\]])")
"""Line breaks at the ends of a list of parameters."""

_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\r?\n){2,}")


def parse(path: str, text: str) -> Parsed:
    """Everything the index wants of a file. `path` tells the language, and so does a `#!` line."""
    language = _language(path, text)
    lines = TextLines(text)
    if language.name == "markdown":
        return Parsed(language.name, tuple(sections(lines)), (), ())
    if language.name == "jupyter" or language.name in DIVIDED:
        return Parsed(language.name, tuple(_divided(language, lines, text)), (), ())
    data, blanked = language.prepare(lines.data)
    captures = capture(language, data, _SECONDS) if language.grammar else None
    if captures is None:
        return Parsed(language.name, tuple(paragraphs(lines)), (), ())
    symbols, names = _symbols(captures, lines, language, blanked)
    imports = _imports(captures, lines, language)
    references = _references(captures, lines, names, language)
    return Parsed(language.name, symbols, imports, references, _bindings(captures, lines, language))


def _divided(language: Language, lines: TextLines, text: str) -> Sequence[Symbol]:
    """The cells of a notebook, or the blocks of a format that has some."""
    if language.name == "jupyter":
        return cells(text, lines) or paragraphs(lines)
    return blocks(lines, language.name) or paragraphs(lines)


def _language(path: str, text: str) -> Language:
    """By the path or the first line, unless the text itself tells otherwise (a C++ header named `.h`)."""
    language = language_of(path, text[:200].partition("\n")[0]) or TEXT
    other = language.instead(text) if language.instead else None
    return (language_named(other) if other else None) or language


def _symbols(
    captures: Mapping[str, list[Node]], lines: TextLines, language: Language, blanked: Sequence[tuple[int, int]]
) -> tuple[tuple[Symbol, ...], set[int]]:
    """All symbols by place, and where their names start."""
    definitions, trivia = outline(captures, lines, language, blanked)
    found: list[tuple[int, Symbol]] = []
    for definition in definitions:
        found += ((definition.start, symbol) for symbol in _write(definition, lines, trivia, language))
    taken = [(d.start, d.end, d.kind in _SMALL) for d in definitions if d.parent is None]
    for symbol in between(lines, taken):
        found.append((lines.starts[symbol.span.start.line] + symbol.span.start.utf8, symbol))
    found.sort(key=lambda item: item[0])  # stable: an outer definition stays before an inner one
    return tuple(symbol for _, symbol in found), {start for d in definitions for start, _ in d.names}


def _write(definition: Definition, lines: TextLines, trivia: Trivia, language: Language) -> Iterable[Symbol]:
    """The symbols of a definition: one for each of its names, all with the same span and text."""
    signature = _signature(definition, lines, trivia)
    span = lines.span(definition.start, definition.end)
    container = _container(definition, lines, language)
    doc = doc_text([lines.text(*place) for place in definition.docs]) if definition.docs else ""
    own_text = _own_text(definition, lines)
    kind = _kind(definition)
    for name, place in _named(definition, lines, language) or ((signature.partition(" where ")[0], None),):
        name_span = _name_span(definition, lines, place)
        exact = "constant" if kind == "variable" and _is_constant(language, name) else kind
        outer, own = _split_module(name) if language.dotted_modules and kind in _MODULES else ("", name)
        inside = ".".join(filter(None, (container, outer)))
        yield Symbol(own, exact, inside, signature, doc, span, name_span, own_text)


def _split_module(name: str) -> tuple[str, str]:
    """`Plug.Conn` is known as `Conn`, in `Plug`."""
    outer, _, own = name.rpartition(".")
    return outer, own


def _named(definition: Definition, lines: TextLines, language: Language) -> Iterable[tuple[str, tuple[int, int]]]:
    """Each name of a definition with its first place."""
    if len(definition.names) == 1:
        return ((_name(lines, definition.names[0], language), definition.names[0]),)
    places = {_name(lines, place, language): place for place in reversed(definition.names)}
    return sorted(places.items(), key=lambda item: item[1])


def _name_span(definition: Definition, lines: TextLines, place: tuple[int, int] | None) -> Span:
    start = definition.node.start_byte
    return lines.span(*place) if place else lines.span(start, start)


def _name(lines: TextLines, place: tuple[int, int], language: Language) -> str:
    name = lines.text(*place)
    return name if name.isidentifier() else language.read_name(name)


def _is_constant(language: Language, name: str) -> bool:
    return language.constant is not None and re.match(language.constant, name) is not None


def _kind(definition: Definition) -> str:
    if definition.kind == "function" and definition.parent and definition.parent.kind in _OWNERS:
        return "method"
    return definition.kind


def _container(definition: Definition, lines: TextLines, language: Language) -> str:
    """The qualified name of what encloses a definition: outer names, then the qualifier written before its own."""
    words = [definition.container] if definition.container else []
    outer = definition.parent
    while outer:
        words.append(outer.scope or _name(lines, outer.names[0], language))
        if outer.container:
            words.append(outer.container)
        outer = outer.parent
    return ".".join(reversed(words))


def _signature(definition: Definition, lines: TextLines, trivia: Trivia) -> str:
    """One line from behind the comments and attributes at the front up to the body."""
    start = trivia.skip(definition.start, lines.data) if trivia.starts else definition.start
    end = min(_header_end(definition, lines, start), start + 4 * _LONGEST_SIGNATURE)
    pieces = [lines.text(*piece) for piece in trivia.without_comments(start, end)]
    text = " ".join(_BREAKS.sub("", " ".join(pieces)).split()).rstrip(" {:=;,")
    text = text.removesuffix(" do").removesuffix(" where")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")")  # of a macro around it all
    return text if len(text) <= _LONGEST_SIGNATURE else text[: _LONGEST_SIGNATURE - 1] + "…"


def _header_end(definition: Definition, lines: TextLines, start: int) -> int:
    """Where the body begins, or the end of what has none."""
    if definition.kind not in _BODIED:
        return definition.core_end
    body = definition.body if definition.body is not None else _body_start(definition.node)
    if body is not None and body > start and lines.data[body : body + 1] != b"(":  # a tuple is all there is
        return body
    brace = lines.data.find(b"{", start, definition.core_end) if definition.kind in _BRACED else -1
    return brace if brace > start else definition.core_end


def _body_start(node: Node) -> int | None:
    body = node.child_by_field_name("body")
    if body is None:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        body = value.child_by_field_name("body") if value else None
    return body.start_byte if body else None


def _own_text(definition: Definition, lines: TextLines) -> str:
    """The text of a definition without what is nested in it and without its doc comment."""
    holes = sorted(chain(definition.docs, ((child.start, child.end) for child in definition.children if child.cut)))
    if not holes:
        return lines.text(definition.start, definition.end)
    pieces: list[str] = []
    place = definition.start
    for start, end in holes:
        if start > place:
            pieces.append(lines.text(place, start))
        place = max(place, end)
    pieces.append(lines.text(place, definition.end))
    return _EMPTY_LINES.sub("\n\n", "".join(pieces)).strip()


def _imports(captures: Mapping[str, list[Node]], lines: TextLines, language: Language) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for start, end in sorted((node.start_byte, node.end_byte) for node in captures.get("import", ())):
        found.update(dict.fromkeys(language.read_import(lines.text(start, end))))
    return tuple(name for name in found if name)


def _bindings(captures: Mapping[str, list[Node]], lines: TextLines, language: Language) -> tuple[Binding, ...]:
    """The names that imports make known, in the order of the file."""
    nodes = captures.get("binding") or captures.get("import", ())
    places = sorted((node.start_byte, node.end_byte) for node in nodes)
    found = (binding for start, end in places for binding in language.read_bindings(lines.text(start, end)))
    return tuple(dict.fromkeys(found))


def _references(
    captures: Mapping[str, list[Node]], lines: TextLines, names: set[int], language: Language
) -> tuple[Reference, ...]:
    """Uses of names, each once for a line, kind and receiver, by line; the names of definitions are none."""
    found: set[tuple[int, str, str, str]] = set()
    starts, data, naming = lines.starts, lines.data, language.naming
    for label, nodes in captures.items():
        if label.startswith("reference."):
            kind = label[len("reference.") :]
            for node in nodes:
                start = node.start_byte
                if start not in names:
                    name = _intern(data[start : node.end_byte])
                    found.add((bisect_right(starts, start) - 1, kind, name, receiver_of(data, start, naming)))
    return tuple(Reference(name, kind, line, receiver) for line, kind, name, receiver in sorted(found))


@lru_cache(maxsize=65536)
def _intern(name: bytes) -> str:
    return name.decode("utf-8", "replace")
