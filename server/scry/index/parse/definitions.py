"""Find definitions by their first lines, in languages that are read without a grammar.

A definition begins at a line with one of its language's words (`sub`, `defun`, `message`) and a name. It ends before
the next one that is indented no deeper, and encloses those that are indented deeper. Comments right above it are its
doc comment. So such a file has named symbols, but no calls; its imports are read by `languages.import_lines`. A line of
a comment or of a long string may be taken for a definition, and one that a macro makes is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile

from msgspec import Struct

from scry.core.types import Symbol
from scry.index.parse.chunks import LineIndex, chunk_gaps
from scry.index.parse.doc_comments import doc_text

_WORDS = {
    "ada": "module: package; function: procedure function task entry; type: type subtype",
    "apex": "class: class trigger; interface: interface; enum: enum",
    "awk": "function: function func",
    "bicep": "class: resource module; function: func; variable: var output; field: param; type: type",
    "cabal": "section: executable test-suite benchmark library flag common foreign-library",
    "cairo": "function: fn; struct: struct; enum: enum; trait: trait; module: mod; constant: const",
    "capnproto": "struct: struct; interface: interface; enum: enum; constant: const annotation",
    "chapel": "class: class; struct: record union; enum: enum; module: module; function: proc iter operator",
    "clojure": "function: defn defn- defmulti defmethod deftest; macro: defmacro; variable: def defonce; module: ns;"
    " interface: defprotocol definterface; struct: defrecord deftype",
    "cmake": "function: function; macro: macro",
    "coffeescript": "class: class",
    "coq": "function: Definition Fixpoint CoFixpoint Function; type: Inductive CoInductive; struct: Record Structure;"
    " constant: Lemma Theorem Corollary Proposition Axiom Instance; class: Class; module: Module Section",
    "crystal": "class: class; module: module lib; struct: struct; enum: enum; function: def fun; macro: macro;"
    " type: alias",
    "cython": "function: def; class: class; struct: struct union; enum: enum",
    "d": "class: class; struct: struct union; interface: interface; enum: enum; macro: template; type: alias",
    "dart": "class: class mixin extension; enum: enum; type: typedef",
    "elisp": "function: defun defsubst defalias cl-defun cl-defmethod cl-defgeneric ert-deftest define-minor-mode"
    " define-derived-mode; macro: defmacro cl-defmacro; variable: defvar defvar-local defcustom defface defgroup;"
    " constant: defconst; struct: cl-defstruct; class: defclass",
    "elm": "type: type; module: module",
    "fennel": "function: fn lambda; macro: macro; variable: local global var",
    "fish": "function: function",
    "flatbuffers": "struct: table struct union; enum: enum; class: rpc_service",
    "fortran": "function: subroutine function; module: module program submodule; interface: interface",
    "fsharp": "type: type exception; module: module; method: member override abstract",
    "gdscript": "function: func; class: class class_name; enum: enum; field: signal",
    "gleam": "function: fn; type: type; constant: const",
    "glsl": "struct: struct",
    "graphql": "type: type input union scalar; interface: interface; enum: enum; function: query mutation subscription"
    " fragment directive",
    "groovy": "class: class; interface: interface trait; enum: enum; function: task",
    "haxe": "class: class abstract; interface: interface; enum: enum; type: typedef; function: function",
    "hcl": "class: resource data module provider; variable: variable output",
    "hlsl": "struct: struct cbuffer",
    "isabelle": "function: definition fun function primrec abbreviation; constant: lemma theorem corollary;"
    " type: datatype type_synonym; struct: record; module: theory locale",
    "janet": "function: defn defn- varfn; macro: defmacro; variable: def var",
    "julia": "function: function; macro: macro; struct: struct; type: type; module: module baremodule; constant: const",
    "lean": "function: def abbrev instance; constant: theorem lemma axiom; struct: structure; type: inductive;"
    " class: class; module: namespace",
    "lfe": "function: defun; macro: defmacro; struct: defrecord; module: defmodule",
    "lisp": "function: defun defmethod defgeneric deftest; macro: defmacro; variable: defvar defparameter;"
    " struct: defstruct; constant: defconstant; class: defclass define-condition; type: deftype; module: defpackage",
    "matlab": "class: classdef",
    "mojo": "function: fn def; struct: struct; trait: trait; type: alias",
    "move": "function: fun; struct: struct; module: module; constant: const",
    "nim": "function: proc func iterator converter method; macro: template macro",
    "noir": "function: fn; struct: struct; trait: trait; module: mod contract",
    "objective-c": "class: @implementation; interface: @interface @protocol",
    "ocaml": "type: type exception; module: module; class: class; method: method",
    "odin": "function: proc; struct: struct union bit_field; enum: enum bit_set; type: distinct",
    "pascal": "function: procedure function constructor destructor; module: unit program library",
    "perl": "function: sub method; module: package; class: class role; field: has",
    "pony": "class: class actor primitive; interface: interface trait; method: fun be new; type: type",
    "powershell": "function: function filter workflow configuration; class: class; enum: enum",
    "prisma": "struct: model; enum: enum; type: type view; section: datasource generator",
    "protobuf": "class: message service; enum: enum; method: rpc",
    "pug": "macro: mixin",
    "puppet": "class: class; function: define function plan; type: type; section: node",
    "purescript": "type: type data newtype; class: class; module: module",
    "qml": "function: function; class: component; field: signal",
    "racket": "function: define define/contract define/public; macro: define-syntax define-syntax-rule; struct: struct",
    "raku": "function: sub method submethod rule token regex; class: class grammar; trait: role;"
    " module: module package",
    "reason": "module: module; type: type",
    "rbs": "class: class; module: module; interface: interface; method: def; type: type",
    "scheme": "function: define define* define-public define-method; macro: define-syntax define-syntax-rule;"
    " struct: define-record-type define-class; module: define-module define-library",
    "smithy": "struct: structure union; function: operation; class: service resource; enum: enum intEnum;"
    " type: list map",
    "solidity": "class: contract library; interface: interface; struct: struct; enum: enum;"
    " function: function modifier; field: event error",
    "standard-ml": "type: type datatype exception; module: structure signature functor; function: fun val",
    "starlark": "function: def",
    "tablegen": "class: class multiclass; constant: def defm defset",
    "tcl": "function: proc method; class: class",
    "thrift": "struct: struct union exception; class: service; enum: enum; type: typedef",
    "vala": "class: class; struct: struct; interface: interface; enum: enum errordomain; module: namespace",
    "verilog": "module: module program package; interface: interface; class: class; function: task function",
    "vhdl": "module: entity package architecture; function: function procedure; class: component; type: type subtype",
    "vim": "function: function func fu def",
    "visual-basic": "function: sub function property; class: class; module: module; struct: structure; enum: enum;"
    " interface: interface",
    "vlang": "function: fn; struct: struct union; interface: interface; enum: enum; constant: const; type: type",
    "vyper": "function: def; struct: struct event; interface: interface; enum: enum flag",
    "webassembly": "function: func; type: type; variable: global; module: module",
    "wgsl": "function: fn; struct: struct; constant: const override; type: alias",
}
"""The words before the names of definitions, by the kind of symbol, in each language that is read so."""

_LISPS = frozenset({"clojure", "elisp", "fennel", "janet", "lfe", "lisp", "racket", "scheme", "webassembly"})
_CASELESS = frozenset({"ada", "apex", "cabal", "cmake", "fortran", "pascal", "powershell", "vhdl", "visual-basic"})

_AT_THE_TOP = frozenset({"cabal", "prisma"})
"""Languages whose definitions are not indented; a word that is indented names a field."""

_MODIFIERS = (
    "abstract|alias|async|automatic|base|bit|body|byte|cdef|class|const|cpdef|ctypedef|elemental|export|extend|extern|final"
    "|foreign|friend|impure|inline|int|integer|internal|local|logical|multi|mutable|my|noncomputable|opaque|our|override|partial"
    "|primitive|private|procedure|protected|proto|pub|public|pure|real|rec|recursive|sealed|shared|sharing|signed|static|string|type"
    "|unit|unsafe|unsigned|virtual|void|with|without"
)
"""Words that may stand before or after the word of a definition, in any of the languages."""

_NAME = r"(?:'\w+[ \t]+|\([^()]*\)[ \t]+)?[\"'`+@:]{0,3}(?P<name>[^\W\d][\w.:$!?#'-]*(?:\"[ \t]+\"[\w-]+)?)"
_LISP_METADATA = r"(?:\^(?:{[^{}]*}|[^\s(){}]+)[ \t]+){0,4}"
_LISP_NAME = r"[^\s()\"';\[\]{}]+"


def _line_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of the first lines of a language's definitions, with the groups `word` and `name`."""
    choice = "|".join(map(re.escape, sorted(_kinds_of(language), key=len, reverse=True)))
    if language in _LISPS:
        return re.compile(rf"[ \t]*\((?P<word>{choice})[ \t]+{_LISP_METADATA}[('#]{{0,3}}(?P<name>{_LISP_NAME})")
    words = f"module|{_MODIFIERS}" if language == "fortran" else _MODIFIERS  # `pure module function total`
    modifiers = rf"(?:(?:{words})(?:\([^()]*\))?[ \t]+){{0,6}}"
    after = r"[ \t]*\([ \t]*" if language == "cmake" else rf"!?[ \t]+{modifiers}(?:\[[^\[\]]*\][ \t]*)?"
    flags = re.IGNORECASE if language in _CASELESS else 0
    if language == "odin":  # `total :: proc(`
        return re.compile(rf"[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*::[ \t]*(?:#\w+[ \t]+)*(?P<word>{choice})\b")
    indent = "" if language in _AT_THE_TOP else r"[ \t]*"
    return re.compile(rf"{indent}(?:@\w+[ \t]+)?{modifiers}(?P<word>{choice}){after}{_NAME}", flags)


def _kinds_of(language: str) -> dict[str, str]:
    """Return the kinds of symbols by their words."""
    kinds = [part.partition(":") for part in _WORDS[language].split(";")]
    return {word: kind.strip() for kind, _, words in kinds for word in words.split()}


_C_FUNCTION = r"[ \t]*(?:[\w<>\[\],.?*&]+[ \t]+){1,8}[*&]?(?P<name>[A-Za-z_]\w*)[ \t]*\("
_LET_WORDS = "rec|inline|private|mutable"
_LET = (
    rf"[ \t]*(?:let|and|val|external)[ \t]+(?:(?:{_LET_WORDS})[ \t]+)*"
    rf"(?!(?:{_LET_WORDS}|open|module|exception)(?![\w']))(?P<name>[A-Za-z_][\w']*)"
)
_SIGNATURE = r"(?P<name>[a-z][\w']*)[ \t]*(?:::|:|∷)[ \t]"
_MAKE_TARGET = r"(?!\.[A-Z_]+[ \t]*:|\$|export\b)(?P<name>[\w.%/@{}$()-]+)(?:[ \t]+[\w.%/@{}$()-]+)*[ \t]*::?(?![:=])"
_OTHER_PATTERNS = {
    "agda": _SIGNATURE,
    "antlr": r"(?:fragment[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*(?::(?!:)|$)",
    "apex": _C_FUNCTION,
    "assembly": r"(?:(?:SYM_\w+|ENTRY|FUNC)\()?(?!\.L)(?P<name>[A-Za-z_.$][\w.$@]*)(?:\)|:(?!:)|[ \t]+(?:PROC|proc)\b)",
    "autoconf": r"[ \t]*(?:AC_DEFUN(?:_ONCE)?|AU_DEFUN|m4_define|define)\([\[`]?(?P<name>\w+)",
    "automake": _MAKE_TARGET,
    "batch": r"[ \t]*:(?P<name>[A-Za-z_][\w-]*)",
    "coffeescript": r"[ \t]*(?P<name>@?[A-Za-z_$][\w.$]*)[ \t]*[=:][ \t]*(?:\([^()]*\)[ \t]*)?[-=]>",
    "d": _C_FUNCTION,
    "dart": _C_FUNCTION,
    "dhall": r"[ \t]*let[ \t]+(?P<name>[A-Za-z_][\w/-]*)",
    "dockerfile": r"(?i:FROM)[ \t]+.*[ \t](?i:AS)[ \t]+(?P<name>[\w.-]+)",
    "elm": _SIGNATURE,
    "erlang": r"(?P<name>[a-z][\w@]*)\(",
    "fsharp": _LET,
    "gherkin": r"[ \t]*(?:Feature|Rule|Scenario(?: Outline| Template)?|Example|Background):[ \t]*(?P<name>\S.*)",
    "glsl": _C_FUNCTION,
    "groovy": _C_FUNCTION,
    "hlsl": _C_FUNCTION,
    "idris": _SIGNATURE,
    "jsonnet": r"[ \t]*(?:local[ \t]+)?(?P<name>[A-Za-z_]\w*)\([^()]*\)[ \t]*(?::{1,3}|=(?!=))",
    "just": r"@?(?P<name>[A-Za-z_][\w-]*)(?:[ \t][^:]*)?:(?!=)",
    "llvm": r"(?:define|declare)[ \t][^@]*@\"?(?P<name>[\w.$-]+)",
    "make": _MAKE_TARGET,
    "matlab": r"[ \t]*function[ \t]+(?:[\w\[\], \t~]*=[ \t]*)?(?P<name>[A-Za-z][\w.]*)",
    "nix": r"[ \t]*(?P<name>[A-Za-z_][\w.'-]*)[ \t]+=[ \t](?:[ \t]*(?:[A-Za-z_][\w'-]*|\{[^{}]*\})[ \t]*:|[^;]*$)",
    "nushell": r"[ \t]*(?:export[ \t]+)?def[ \t]+(?:--?[\w-]+[ \t]+)*[\"'`]?(?P<name>[\w?!-]+(?: [\w?!-]+)*)",
    "objective-c": r"[ \t]*[-+][ \t]*\([^()]*\)[ \t]*(?P<name>[A-Za-z_]\w*)",
    "julia": r"(?P<name>[^\W\d][\w.!]*)\([^()=]*\)[ \t]*=(?!=)",
    "ocaml": _LET,
    "perl": r"=head[1-6][ \t]+(?P<name>\S.*)",
    "prolog": r"(?P<name>[a-z]\w*)(?:\(|[ \t]*(?::-|-->))",
    "purescript": _SIGNATURE,
    "r": r"[ \t]*(?P<name>`[^`]+`|[A-Za-z.][\w.]*)[ \t]*(?:<<?-|=)[ \t]*(?:function|R6Class|R6::R6Class)\b",
    "reason": _LET,
    "rego": r"(?:default[ \t]+)?(?P<name>[a-z_][\w.]*)(?:[(\[]|[ \t]+(?:if|contains|:?=|\{)(?![^\s{]))",
    "robot": r"(?P<name>[A-Za-z]\S*(?: \S+)*)[ \t]*$",
    "tla": r"(?P<name>[A-Za-z]\w*)(?:\([^()]*\))?[ \t]*==(?!=)",
    "typst": r"[ \t]*#?let[ \t]+(?P<name>[A-Za-z_][\w-]*)",
    "vala": _C_FUNCTION,
    "yacc": r"(?!(?:default|public|private|protected|case)\b)(?P<name>[A-Za-z_.][\w.-]*)(?:\[[^\]]*\])?[ \t]*:(?!:)",
}
"""Patterns of first lines without such a word, with the group `name`."""

_OTHER_KINDS = {
    **dict.fromkeys(("automake", "dockerfile", "gherkin", "just", "make", "perl"), "section"),
    "objective-c": "method",
}
"""The kinds of symbols that begin so, where they are no functions."""

_UNINDENTED = frozenset(
    {"agda", "elm", "erlang", "fsharp", "idris", "julia", "ocaml", "prolog", "purescript", "reason", "rego"}
)
"""Languages where such a line is no definition if it is indented; the next line of the same name is another clause."""

_NO_FUNCTIONS = frozenset(
    "if for while switch return else catch do try new throw await case assert using in foreach super elif".split()
)
"""First words of lines that only look like the first line of a C function."""

DEFINED_LANGUAGES = frozenset(_WORDS) | frozenset(_OTHER_PATTERNS)

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
MAX_LINE_LENGTH = 400
"""Characters of a line beyond which it is data."""

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


@cache
def first_lines(language: str) -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    """Return the patterns of a language's first lines, each with the kinds by its words, or by "" where it has none."""
    patterns: list[tuple[re.Pattern[str], Mapping[str, str]]] = []
    if language in _WORDS:
        patterns.append((_line_pattern(language), _kinds_of(language)))
    if language in _OTHER_PATTERNS:
        other = re.compile(_OTHER_PATTERNS[language])
        patterns.append((other, {"": _OTHER_KINDS.get(language, "function")}))
    return tuple(patterns)


def split_definitions(lines: LineIndex, language: str) -> list[Symbol]:
    """Return the definitions of a text in one of DEFINED_LANGUAGES, and chunks of the text before the first one."""
    rows = [row.decode("utf-8", "replace").rstrip("\r\n") for row in lines.data.splitlines(keepends=True)]
    found = list(_find_definitions(rows, language))
    starts = [*(lines.starts[each.first_row] for each in found), len(lines.data)]
    symbols = chunk_gaps(lines, [(starts[0], len(lines.data), False)])
    above: list[_Definition] = []
    for index, each in enumerate(found):
        while above and above[-1].indent >= each.indent:
            above.pop()
        end = next((at for at in range(index + 1, len(found)) if found[at].indent <= each.indent), len(found))
        symbols.append(_make_symbol(lines, rows, each, above, starts[index + 1], starts[end], language))
        above.append(each)
    return symbols


def _find_definitions(rows: Sequence[str], language: str) -> Iterator[_Definition]:
    """Yield the definitions in order; of several clauses of one function the first one."""
    is_unindented, is_c_like = language in _UNINDENTED, _OTHER_PATTERNS.get(language) == _C_FUNCTION
    divider, last, first_free = _NO_COMMENT.get(language, ""), "", 0
    indents = {0}  # of the contents of modules
    for row, text in enumerate(rows):
        if len(text) > MAX_LINE_LENGTH:
            continue
        if divider and text.startswith(divider):
            first_free = row + 1
            continue
        for pattern, kinds in first_lines(language):
            match = pattern.match(text)
            word = match["word"] if match is not None and "" not in kinds else ""
            if match is None or (is_c_like and not word and not _is_c_function(rows, row)):
                continue
            if not word and is_unindented and _indent(text) not in indents:
                continue
            name = match["name"].replace('" "', ".").rstrip('"`:.')
            name = name.removesuffix("'") if text[: match.start("name")].endswith("'") else name
            if name and (word or not is_unindented or name != last):
                kind = kinds.get(word) or kinds[word.lower()]
                top = _first_comment(rows, row, first_free)
                indent = _indent(text) + (language == "objective-c" and kind == "method")  # stands beside its class
                yield _Definition(row, top, indent, kind, name, match.start("name"))
                first_free = row + 1
                if kind == "module" and text.rstrip().endswith(("=", "struct", "= {")):
                    indents.add(_indent(next(filter(str.strip, rows[row + 1 : row + 100]), "")))
            last = name
            break


def _indent(text: str) -> int:
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _is_c_function(rows: Sequence[str], row: int) -> bool:
    """Return whether a line that looks like the first line of a C function is one: parameters or a body follow."""
    end, below = rows[row].rstrip(), rows[row + 1].lstrip() if row + 1 < len(rows) else ""
    opens = end.endswith(("{", "=>", "(")) or (end.endswith(")") and below.startswith("{"))
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


def _doc_comment(rows: Sequence[str], each: _Definition, language: str) -> str:
    """Return the comments above a definition as prose; else in MATLAB those, in Lisps the string below it.

    What follows ` ## ` on the line of a target of make is its help.
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
    return doc or (_docstring(rows, each.row) if language in _LISPS else "")


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
    own_end: int,
    end: int,
    language: str,
) -> Symbol:
    """Return the symbol of a definition. own_end, end: where the next one begins, and the next that is not inside."""
    start, first_line = lines.starts[each.row], rows[each.row]
    span_start = lines.starts[each.first_row]
    span = lines.span(span_start, span_start + len(lines.data[span_start:end].rstrip()))
    place = start + len(first_line[: each.column].encode())
    signature = " ".join(first_line.split()).rstrip("{ ")[:_MAX_SIGNATURE_LENGTH]
    container = (" > " if each.kind == "section" else ".").join(outer.name for outer in above)
    kind = "method" if each.kind == "function" and above and above[-1].kind in _TYPE_KINDS else each.kind
    name_span = lines.span(place, place + len(each.name.encode()))
    return Symbol(
        each.name,
        kind,
        container,
        signature,
        _doc_comment(rows, each, language),
        span,
        name_span,
        lines.text(start, own_end).strip(),
    )
