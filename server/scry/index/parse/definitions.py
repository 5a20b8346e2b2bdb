"""Find definitions by their first lines, in languages that are read without a grammar.

A definition begins at a line with one of its language's words (`sub`, `defun`, `message`) and a name. It ends at the
line that closes it (`}`, `end`) and is indented as its first line, and at the latest before the next one that is
indented no deeper. It encloses those that are indented deeper. Comments right above it are its doc comment. So such a
file has named symbols, but no calls; its imports are read by `languages.import_lines`. A line of a comment or of a long
string may be taken for a definition, and one that a macro makes is not found.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile
from operator import attrgetter
from textwrap import dedent

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.parse.chunks import LineIndex, chunk_gaps
from scry.index.parse.doc_comments import doc_text
from scry.index.parse.headings import read_pod_title
from scry.index.parse.languages.definition_lines import (
    LISPS,
    MAX_LINE_LENGTH,
    FirstLine,
    first_lines,
    first_word,
    has_c_functions,
)

_UNINDENTED = frozenset(
    {"agda", "elm", "erlang", "fsharp", "idris", "julia", "ocaml", "prolog", "purescript", "reason", "rego"}
)
"""Languages where such a line is no definition if it is indented."""

_OF_CLAUSES = _UNINDENTED - {"fsharp", "ocaml", "reason"}
"""Languages where the next line of the same name is another clause of a function."""

_NO_FUNCTIONS = frozenset(
    "if for while switch return else catch do try new throw await case assert using in foreach super elif".split()
)
"""First words of lines that only look like the first line of a C function."""

_COMMENT_ABOVE = re.compile(
    r"[ \t]*(?://|/\*|\*|#(?!include|import|pragma|if|endif|define)|;|--|%|\(\*|!|'|\"|@(?!class\b|import\b|end\b)\w|\[<|-spec\b|\|\|\||\\\*)"
)
_ATTRIBUTE = re.compile(r"[ \t]*(?:@\w|\[<|-spec\b)")
_BLOCKS = {'"""': '"""', "*/": "/*", "*)": "(*", "-/": "/-", "|#": "#|"}
"""The ends of comments of several lines, with their beginnings."""

_MAX_COMMENT_LINES = 100
_RARE_MARKS = "!'\"|"
"""The marks of comments that doc_text does not know: those of Fortran, Visual Basic, Vim and Idris."""

_NO_COMMENT = {"robot": "***", "yacc": "%"}
"""The beginnings of lines that look like comments in other languages and divide a file in these."""

_TYPE_KINDS = frozenset({"class", "struct", "interface", "trait"})
_MAX_SIGNATURE_LENGTH = 200


class _Definition(Struct, frozen=True):
    """A definition: the rows of its first line and of the first comment above it, its indent, kind and name.

    column: where the name begins, in characters.
    """

    row: int
    first_row: int
    indent: int
    kind: str
    name: str
    column: int


_MIN_GAP_CHARACTERS = 60
"""Characters behind a definition that are a chunk; fewer, such as `1;`, are a part of it."""


def split_definitions(lines: LineIndex, language: str) -> list[Symbol]:
    """Return the definitions of a text in one of DEFINED_LANGUAGES, and chunks of the text outside of them."""
    rows = [row.decode("utf-8", "replace") for row in lines.data.splitlines()]
    found = list(_Finder(rows, language).find())
    ends = _find_ends(rows, found, language)
    own = [list[tuple[int, int]]() for _ in found]
    outer = list[tuple[int, ...]]()
    above = list[int]()  # the numbers of the definitions around the current row, outer ones first
    for index, each in enumerate(found):
        while above and (found[above[-1]].indent >= each.indent or ends[above[-1]] <= each.row):
            above.pop()
        outer.append(tuple(above))
        above.append(index)
        row = each.row
        after = found[index + 1].first_row if index + 1 < len(found) else len(rows)
        for around in reversed(above):  # what stands behind a definition is of the one around it
            if ends[around] > row:
                own[around].append((row, min(ends[around], after)))
                row = own[around][-1][1]
        if row < after and len("".join(rows[row:after]).strip()) < _MIN_GAP_CHARACTERS:
            own[above[0]].append((row, after))
            ends[above[0]] = after
    places = [(lines.starts[each.first_row], _offset(lines, ends[index])) for index, each in enumerate(found)]
    taken = [
        (*places[index], each.kind in ("constant", "variable")) for index, each in enumerate(found) if not outer[index]
    ]
    symbols = [
        _make_symbol(lines, rows, each, [found[around] for around in outer[index]], own[index], ends[index], language)
        for index, each in enumerate(found)
    ]
    return sorted([*chunk_gaps(lines, taken), *symbols], key=lambda symbol: symbol.span.start.line)


def _offset(lines: LineIndex, row: int) -> int:
    return lines.starts[row] if row < len(lines.starts) else len(lines.data)


# Ends of definitions --------------------------------------------------------------------------------------------------

_CLOSING = re.compile(
    r"[ \t]*(?:[)\]}]+[;,]{0,2}[ \t]*"
    r"|(?i:end)(?![ \t]*(?i:if|do|for|while|loop|try|case|select|where|associate|block|forall)\b)[\w \t.:;()\"${}]*)"
    r"(?:(?://|#|--|!|%).*)?$"
)
"""A line that closes a definition, and no other statement."""

_INDENTED = frozenset({"coffeescript", "cython", "gdscript", "mojo", "nim", "r", "starlark", "vyper"})
"""Languages whose definitions end before the next line that is indented no deeper."""

_CLOSERS = ")]}eE"
_CLOSED_BY_WORDS = frozenset({"pascal", "verilog"})
"""Languages whose definitions end at `end` alone, and begin with a line that may end in `;` or `);`."""

_MAX_HEAD_ROWS = 15
_BRACKETS = re.compile(r"[()\[\]{}]")
_ADA_BODY = re.compile(r"\b(?:is|record|begin)$", re.IGNORECASE)


class _Edge(Struct, frozen=True):
    """A line that may end a definition that is indented as deep as it, or deeper. end: the row behind that one."""

    row: int
    indent: int
    end: int


def _find_ends(rows: Sequence[str], found: Sequence[_Definition], language: str) -> list[int]:
    """Return the row behind each definition."""
    edges: dict[str, list[_Edge]] = {}
    ends: list[int] = []
    for each, limit in zip(found, _find_limits(found, len(rows)), strict=True):
        end = 0
        if each.kind not in ("module", "section") and language not in _CLOSED_BY_WORDS:
            end = _end_of_declaration(rows, each, limit, language)
        if not end and each.kind != "section":
            manner = _manner_of_ending(rows, each, language)
            if manner not in edges:
                edges[manner] = list(_find_edges(rows, manner))
            end = _end_of_body(edges[manner], each, limit) or limit
            while manner in ("form", "indent") and end > each.row + 1 and _is_blank_or_comment(rows[end - 1]):
                end -= 1  # a comment is of what follows
        ends.append(min(end or limit, limit))
    return ends


def _is_blank_or_comment(text: str) -> bool:
    return not text.strip() or text.lstrip()[0] in "#;"


def _find_limits(found: Sequence[_Definition], last: int) -> list[int]:
    """Return for each definition where the next one begins that is indented no deeper."""
    following = [len(found)] * len(found)
    for index in reversed(range(len(found))):
        after = index + 1
        while after < len(found) and found[after].indent > found[index].indent:
            after = following[after]
        following[index] = after
    return [found[after].first_row if after < len(found) else last for after in following]


def _manner_of_ending(rows: Sequence[str], each: _Definition, language: str) -> str:
    """Return how a definition ends: by "indent", by the next "form", by a "closing" line or word, or by "none"."""
    if language in LISPS:
        return "form"
    if language in _INDENTED:
        return "indent"
    if language == "julia" and each.kind == "function" and "function" not in rows[each.row][: each.column]:
        return "indent"  # `total(a) = sum(a)`
    if language in _CLOSED_BY_WORDS:
        return "closing word"
    return "none" if language == "objective-c" and each.kind != "method" else "closing"


def _find_edges(rows: Sequence[str], manner: str) -> Iterator[_Edge]:
    for row, text in enumerate(rows):
        bare = text.lstrip()
        if manner.startswith("closing"):
            closers = _CLOSERS if manner == "closing" else "eE"
            if bare and bare[0] in closers and len(text) <= MAX_LINE_LENGTH and _CLOSING.match(text):
                yield _Edge(row, _indent(text), row + 1)
        elif (manner == "form" and bare.startswith("(")) or (manner == "indent" and bare and bare[0] not in "#)]}{"):
            yield _Edge(row, _indent(text), row)


def _end_of_body(edges: Sequence[_Edge], each: _Definition, limit: int) -> int:
    """Return the row behind a definition by the first line that ends it; 0 where there is none."""
    for at in range(bisect_right(edges, each.row, key=attrgetter("row")), len(edges)):
        if edges[at].row >= limit:
            break
        if edges[at].indent <= each.indent:
            return edges[at].end
    return 0


def _end_of_declaration(rows: Sequence[str], each: _Definition, limit: int, language: str) -> int:
    """Return the row behind a definition without a body, or with one on its first line; 0 for another one.

    In Ada the comments below it are its doc comment.
    """
    depth = 0
    for row in range(each.row, min(limit, each.row + _MAX_HEAD_ROWS)):
        text = rows[row][:MAX_LINE_LENGTH]
        text = (text.partition("--")[0] if language == "ada" else text).rstrip()
        depth += sum(1 if bracket in "([{" else -1 for bracket in _BRACKETS.findall(text))
        if depth <= 0 and text.endswith((";", "}", "},", " end")):
            end = row + 1
            while language == "ada" and end < limit and rows[end].lstrip().startswith("--"):
                end += 1
            return end
        if _ADA_BODY.search(text) if language == "ada" else depth <= 0 or text.endswith("{"):
            break
    return 0


# First lines ----------------------------------------------------------------------------------------------------------


class _Finder:
    """Finds the definitions of a text, line by line.

    last: the name of the line before, where it has no word; kind: that of the definition before; type_name: the name of
    the last type; first_free: the first row that no definition before takes; modules: the indents of the modules around
    the row, with those of their contents.
    """

    def __init__(self, rows: Sequence[str], language: str) -> None:
        """Begin at the first row."""
        self._rows, self._language = rows, language
        self._forms = first_lines(language)
        self._is_unindented, self._is_c_like = language in _UNINDENTED, has_c_functions(language)
        self._last = self._kind = self._type_name = ""
        self._first_free = 0
        self._modules: list[tuple[int, int]] = []

    def find(self) -> Iterator[_Definition]:
        """Yield the definitions in order; of several clauses of one function the first one."""
        divider = _NO_COMMENT.get(self._language, "")
        for row, text in enumerate(self._rows):
            if not text or len(text) > MAX_LINE_LENGTH:
                continue
            if divider and text.startswith(divider):
                self._first_free = row + 1
                continue
            start = first_word(text, self._language)
            for form in self._forms:
                match = form.pattern.match(text) if not form.first_words or start in form.first_words else None
                if match is not None and ("" not in form.kinds or self._is_first_line(row, match, start)):
                    definition = self._read(row, match, form)
                    if definition is not None:
                        yield definition
                    break

    def _is_first_line(self, row: int, match: re.Match[str], start: str) -> bool:
        """Return whether a line without a word begins a definition. start: its first word."""
        if self._is_c_like:
            if not _is_c_function(self._rows, row, match.end()):
                return False
            is_object = start in _CONSTRUCTOR_WORDS and match["name"].split(".")[0] != self._type_name
            if is_object and self._language == "dart":
                return False
        return not self._is_unindented or _indent(self._rows[row]) in {0, *(inner for _, inner in self._modules)}

    def _read(self, row: int, match: re.Match[str], form: FirstLine) -> _Definition | None:
        """Return the definition that begins at a row; None for a further clause of one."""
        text = self._rows[row]
        word = "" if "" in form.kinds else match["word"]
        name, last = self._read_name(match), self._last
        self._last = "" if word else name
        if not name or (not word and name == last and self._language in _OF_CLAUSES):
            return None
        kind = form.kinds.get(word) or form.kinds[word.lower()]
        if kind == "function" and self._kind == "type" and text.lstrip().startswith("and "):
            kind = "type"  # `type a = … and b = …`
        top = _first_comment(self._rows, row, self._first_free)
        indent = _indent(text) + (self._language == "objective-c" and kind == "method")  # stands beside its class
        definition = _Definition(row, top, indent, kind, name, match.start("name"))
        self._go_behind(definition)
        return definition

    def _read_name(self, match: re.Match[str]) -> str:
        name, text = match["name"].replace('" "', ".").rstrip('"`:.'), match.string
        if self._language == "perl" and text.startswith("="):
            return read_pod_title(name)
        return name.removesuffix("'") if text[: match.start("name")].endswith("'") else name

    def _go_behind(self, each: _Definition) -> None:
        """Remember a definition for those behind it."""
        self._kind = each.kind
        self._type_name = each.name if each.kind in _TYPE_KINDS else self._type_name
        self._first_free = each.row + 1
        if self._language == "ada":  # the comments below a declaration are not those above the next one
            end = _end_of_declaration(self._rows, each, len(self._rows), self._language)
            self._first_free = max(self._first_free, end)
        while self._modules and self._modules[-1][0] >= each.indent:
            self._modules.pop()
        if each.kind == "module" and self._rows[each.row].rstrip().endswith(("=", "struct", "sig", "= {")):
            below = next(filter(str.strip, self._rows[each.row + 1 : each.row + 100]), "")
            self._modules.append((each.indent, _indent(below)))


def _indent(text: str) -> int:
    space = text[: len(text) - len(text.lstrip())]
    return len(space.expandtabs(4)) if "\t" in space else len(space)


_CONSTRUCTOR_WORDS = ("const", "factory")
"""The first words of constructors in Dart; `const` also begins objects in expressions."""

_BODY_BEHIND = re.compile(r"[^()]*(?:\([^()]*\)[^()]*)*\)[ \t]*(?:async\*?[ \t]*)?(?:=>|\{)")


def _is_c_function(rows: Sequence[str], row: int, column: int) -> bool:
    """Return whether a line that looks like the first line of a C function is one: parameters or a body follow.

    column: the end of its head, behind the bracket that opens its parameters.
    """
    text = rows[row]
    end, below = text.rstrip(), rows[row + 1].lstrip() if row + 1 < len(rows) else ""
    opens = end.endswith(("{", "=>", "(")) or (end.endswith(")") and below.startswith("{"))
    opens = opens or not text[:column].endswith("(") or _BODY_BEHIND.match(text, column) is not None
    opens = opens or (end.endswith((");", "([")) and text.lstrip().startswith(_CONSTRUCTOR_WORDS))
    return opens and rows[row].split(None, 1)[0] not in _NO_FUNCTIONS


def _first_comment(rows: Sequence[str], row: int, first_free: int) -> int:
    """Return the row of the first of the comments right above a row, at or below `first_free`; without any, the row."""
    while row > first_free:
        end, top = rows[row - 1].strip(), row - 1
        opening = next((opens for closes, opens in _BLOCKS.items() if end.endswith(closes)), "")
        if opening and not (end.startswith(opening) and len(end) > len(opening)):
            above = range(row - 2, max(first_free, row - _MAX_COMMENT_LINES) - 1, -1)
            top = next((each for each in above if rows[each].lstrip().startswith(opening)), -1)
        elif not _COMMENT_ABOVE.match(rows[top]):
            break
        if top < 0:
            break
        row = top
    return row


def _doc_comment(rows: Sequence[str], each: _Definition, end: int, language: str) -> str:
    """Return the comments above a definition as prose; else in some languages those, in Lisps the string below it.

    end: the row behind it. Those languages are Ada, MATLAB and OCaml. In make it is what follows ` ## ` on the line of
    a target.
    """
    if language == "make" and " ## " in rows[each.row]:
        return rows[each.row].partition(" ## ")[2].strip()
    comments = [row.strip() for row in rows[each.first_row : each.row] if not _ATTRIBUTE.match(row)]
    if comments and comments[0].startswith(tuple(_BLOCKS.values())):
        return doc_text(["\n".join(comments)])
    doc = doc_text([row.removeprefix("#'").removeprefix("\\*").lstrip(_RARE_MARKS).strip() for row in comments])
    if language == "r":  # roxygen: tags follow the prose
        doc = "\n".join(takewhile(lambda line: not line.startswith("@"), doc.split("\n"))).strip()
    if language == "matlab" and not doc:
        below = takewhile(lambda row: row.startswith("%"), map(str.strip, rows[each.row + 1 :]))
        return doc_text(list(below))
    if language == "ada" and not doc:
        below = takewhile(lambda row: row.startswith("--"), map(str.strip, reversed(rows[each.row + 1 : end])))
        doc = doc_text(list(below)[::-1])
    if language == "ocaml" and not doc:
        doc = _doc_below(rows, each.row, end)
    return dedent(doc).strip() or (_docstring(rows, each.row) if language in LISPS else "")


def _doc_below(rows: Sequence[str], row: int, end: int) -> str:
    """Return the comment `(** … *)` right below a declaration of OCaml; "" where it may be that of the next one."""
    below = range(row + 1, min(end, row + _MAX_HEAD_ROWS))
    first = next((at for at in below if not rows[at].strip() or rows[at].lstrip().startswith("(**")), end)
    if first >= end or not rows[first].strip():
        return ""
    last = next(
        (at for at in range(first, min(end, first + _MAX_COMMENT_LINES)) if rows[at].rstrip().endswith("*)")), -1
    )
    is_last = last + 1 >= len(rows) or not rows[last + 1].strip() or rows[last + 1].strip() == "end"
    return doc_text(["\n".join(map(str.strip, rows[first : last + 1]))]) if last >= 0 and is_last else ""


def _docstring(rows: Sequence[str], row: int) -> str:
    """Return the string that begins on the line below a row; "" where there is none."""
    below = [each.strip() for each in rows[row + 1 : row + 1 + _MAX_COMMENT_LINES]]
    if not below or not below[0].startswith('"'):
        return ""
    below[0] = below[0][1:]
    last = next((at for at, each in enumerate(below) if each.rstrip(")").endswith('"')), 0)
    return "\n".join(below[: last + 1]).rstrip(")").removesuffix('"')


def _make_symbol(
    lines: LineIndex,
    rows: Sequence[str],
    each: _Definition,
    above: Sequence[_Definition],
    own_rows: Sequence[tuple[int, int]],
    end: int,
    language: str,
) -> Symbol:
    """Return the symbol of a definition. own_rows: the rows in it and in no other one. end: the row behind it."""
    start, first_line = lines.starts[each.row], rows[each.row]
    span_start = lines.starts[each.first_row]
    span = lines.span(span_start, span_start + len(lines.data[span_start : _offset(lines, end)].rstrip()))
    place = start + len(first_line[: each.column].encode())
    signature = " ".join(first_line.split()).rstrip("{ ")[:_MAX_SIGNATURE_LENGTH]
    container = (" > " if each.kind == "section" else ".").join(outer.name for outer in above)
    kind = "method" if each.kind == "function" and above and above[-1].kind in _TYPE_KINDS else each.kind
    name_span = lines.span(place, place + len(each.name.encode()))
    pieces = (lines.text(_offset(lines, first), _offset(lines, after)).strip() for first, after in own_rows)
    return Symbol(
        each.name,
        kind,
        container,
        signature,
        _doc_comment(rows, each, end, language),
        span,
        name_span,
        "\n".join(filter(None, pieces)),
    )
