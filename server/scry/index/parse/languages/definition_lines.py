"""Find the first lines of definitions in languages that are read without a grammar: by words, or by their form.

Each language is a row of a table. See `scry.index.parse.definitions`, which splits texts by these lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

_WORDS = {
    "ada": "module: package project; function: procedure function task entry; type: type subtype; class: protected",
    "apex": "class: class trigger; interface: interface; enum: enum",
    "awk": "function: function func",
    "bicep": "class: resource module; function: func; variable: var output; field: param; type: type",
    "cabal": "section: executable test-suite benchmark library flag common foreign-library",
    "cairo": "function: fn; struct: struct; enum: enum; trait: trait; module: mod; constant: const",
    "capnproto": "struct: struct; interface: interface; enum: enum; constant: const annotation",
    "chapel": "class: class; struct: record union; enum: enum; module: module; function: proc iter operator",
    "clojure": "function: defn defn- >defn >defn- defmulti defmethod deftest defspec; macro: defmacro;"
    " variable: def defonce; module: ns;"
    " interface: defprotocol definterface; struct: defrecord deftype",
    "cmake": "function: function; macro: macro; section: add_library add_executable add_custom_target",
    "coffeescript": "class: class",
    "coq": "function: Definition Fixpoint CoFixpoint Function; type: Inductive CoInductive; struct: Record Structure;"
    " constant: Lemma Theorem Corollary Proposition Axiom Instance; class: Class; module: Module Section",
    "crystal": "class: class; module: module lib; struct: struct; enum: enum; function: def fun; macro: macro;"
    " type: alias",
    "cython": "function: def; class: class; struct: struct union; enum: enum",
    "d": "class: class; struct: struct union; interface: interface; enum: enum; macro: template; type: alias",
    "dart": "class: class mixin extension; enum: enum; type: typedef",
    "elisp": "function: defun defsubst defalias cl-defun cl-defmethod cl-defgeneric ert-deftest define-minor-mode"
    " define-derived-mode define-globalized-minor-mode define-obsolete-function-alias define-inline cl-defsubst;"
    " macro: defmacro cl-defmacro; variable: defvar defvar-local defcustom defface defgroup;"
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
    "tcl": "function: proc method typemethod critcl::cproc critcl::ccommand; class: class",
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

LISPS = frozenset({"clojure", "elisp", "fennel", "janet", "lfe", "lisp", "racket", "scheme", "webassembly"})
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

_MORE_MODIFIERS = {
    "ada": "not|overriding|aggregate|library",
    "fortran": "module|character|complex|double|precision",
    "ocaml": "nonrec",
}
"""Such words of one language: `pure module function total`."""

_LATER_MODIFIERS = {"ada": r"(?:(?:body|type)[ \t]+)?", "tcl": ""}
"""Words between that of a definition and its name, in languages where names may be like others: `proc open args`."""

_NAME = (
    r"(?:[-+!]{0,2}(?:'\w+|_)[ \t]+|\([^()]*\)[ \t]+)?"
    r"[\"'`+@:]{0,3}(?P<name>[^\W\d][\w.:$!?#'-]*(?:\"[ \t]+\"[\w-]+)?)"
)
_NAMES = {
    "fortran": r"(?P<name>[A-Za-z](?:\w|\$\{[^{}]*\}\$)*)",
    "tcl": r"(?:::)?(?P<name>[^\s{}\"$\[\];]+)",
}
"""The patterns of names in languages where they hold other characters: `stdlib${ii}$_dot`, `gen(html)`."""

_LISP_METADATA = r"(?:\^(?:{[^{}]*}|[^\s(){}]+)[ \t]+){0,4}"
_LISP_NAME = r"[^\s()\"';\[\]{}]+"


def _line_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of the first lines of a language's definitions, with the groups `word` and `name`."""
    choice = "|".join(map(re.escape, sorted(_kinds_of(language), key=len, reverse=True)))
    if language in LISPS:
        return re.compile(
            rf"[ \t]*\((?:[\w.]+/)?(?P<word>{choice})[ \t]+{_LISP_METADATA}[('#]{{0,3}}(?P<name>{_LISP_NAME})"
        )
    words = f"{_MORE_MODIFIERS[language]}|{_MODIFIERS}" if language in _MORE_MODIFIERS else _MODIFIERS
    modifiers = rf"(?:(?:{words})(?:\([^()]*\))?[ \t]+){{0,6}}"
    later = _LATER_MODIFIERS.get(language, modifiers)
    after = r"[ \t]*\([ \t]*" if language == "cmake" else rf"!?[ \t]+{later}(?:\[[^\[\]]*\][ \t]*)?"
    flags = re.IGNORECASE if language in _CASELESS else 0
    if language == "odin":  # `total :: proc(`
        return re.compile(rf"[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*::[ \t]*(?:#\w+[ \t]+)*(?P<word>{choice})\b")
    indent = "" if language in _AT_THE_TOP else r"[ \t]*"
    indent += r"(?!with\b)" if language == "ocaml" else ""  # `S with type t = int`
    return re.compile(
        rf"{indent}(?:@\w+[ \t]+)?{modifiers}(?P<word>{choice}){after}{_NAMES.get(language, _NAME)}", flags
    )


def _kinds_of(language: str) -> dict[str, str]:
    """Return the kinds of symbols by their words."""
    kinds = [part.partition(":") for part in _WORDS[language].split(";")]
    return {word: kind.strip() for kind, _, words in kinds for word in words.split()}


_C_FUNCTION = r"[ \t]*(?:[\w<>\[\],.?*&]+[ \t]+){1,8}[*&]?(?P<name>[A-Za-z_]\w*)[ \t]*\("
_LET_WORDS = "rec|inline|private|mutable"
_LET = (
    rf"[ \t]*(?:let|and|val|external)[ \t]+(?:(?:{_LET_WORDS})[ \t]+)*"
    rf"(?!(?:{_LET_WORDS}|open|module|exception)(?![\w']))"
    r"(?P<operator>\([ \t]*(?=\S{0,4}[!$%&*+./:<=>?@^|~-]))?(?P<name>(?(operator)[^\s()]+|[A-Za-z_][\w']*))"
)
_DART_MEMBER = (
    r"[ \t]*(?:[\w<>\[\],.?*&]+[ \t]+){1,8}(?P<get>(?<=[ \t]get[ \t])|(?<=^get[ \t]))?"
    r"(?P<name>[A-Za-z_$][\w$]*(?:\.\w+)?)(?:<[^()]*>)?(?(get)[ \t]*(?:=>|\{|async\b|$)|[ \t]*\()"
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
    "dart": _DART_MEMBER,
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
    "julia": (
        r"(?:@[\w.]+[ \t]+)*(?P<name>[^\W\d][\w.!]*)(?:\{[^{}]*\})?\((?:(?=.*::)(?:[^()]|\([^()]*\))*[,;][ \t]*$"
        r"|(?:[^()]|\([^()]*\))*\)(?:[ \t]*::[ \t]*[\w.{}, ]+)?(?:[ \t]*where[ \t][^=]*)?[ \t]*=(?![=>]))"
    ),
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

_FIRST_PATTERNS = {
    "ada": (
        ("function", r'(?i:[ \t]*(?:overriding[ \t]+)?function)[ \t]+"(?P<name>[^"\s\w]{1,3})"'),
        ("type", r"[ \t]*(?P<name>[A-Za-z]\w*)[ \t]*:[ \t]*(?i:exception)[ \t]*;"),
    ),
    "erlang": (
        ("type", r"-(?:type|opaque|nominal)[ \t]+(?P<name>[a-z]\w*)\("),
        ("struct", r"-record\([ \t]*(?P<name>[a-z]\w*)[ \t]*,"),
        ("macro", r"-define\([ \t]*(?P<name>[A-Za-z_]\w*)"),
        ("method", r"-callback[ \t]+(?P<name>[a-z]\w*)\("),
    ),
    "fortran": (
        (
            "struct",
            r"(?i:[ \t]*type(?:[ \t]*,[^:]*)?(?:[ \t]*::[ \t]*|[ \t]+(?!is\b)))(?P<name>[A-Za-z]\w*)[ \t]*(?:!.*)?$",
        ),
        ("module", r"(?i:[ \t]*submodule)[ \t]*\([^()]*\)[ \t]*(?P<name>[A-Za-z]\w*)"),
        ("interface", r"(?i:[ \t]*interface)[ \t]+(?P<name>(?i:operator|assignment)[ \t]*\([^()]*\))"),
    ),
    "nim": (
        (
            "type",
            r"[ \t]+(?P<name>[A-Za-z]\w*)\*?[ \t]*(?:\[[^\[\]]*\][ \t]*)?(?:\{\.[^{}]*\.\}[ \t]*)?"
            r"=[ \t]*(?:(?:ref|ptr)[ \t]+)?(?:object|enum|tuple|distinct|concept)\b",
        ),
    ),
    "tcl": (
        (
            "class",
            r"[ \t]*(?:::)?(?:oo::class[ \t]+create|(?:snit|itcl)::(?:type|widget|widgetadaptor|class))[ \t]+"
            r"(?:::)?(?P<name>[\w:]+)",
        ),
        ("module", r"[ \t]*(?:::)?namespace[ \t]+eval[ \t]+(?:::)?(?P<name>\w[\w:]*)"),
    ),
    "vim": (("function", r"[ \t]*com(?:mand)?!?[ \t]+(?:-\S+[ \t]+)*(?P<name>[A-Z]\w*)"),),
}
"""Patterns of other first lines of a language, with their kinds, which are tried before those by words."""

_OTHER_KINDS = {
    **dict.fromkeys(("automake", "dockerfile", "gherkin", "just", "make", "perl"), "section"),
    "objective-c": "method",
}
"""The kinds of symbols that begin so, where they are no functions."""

MAX_LINE_LENGTH = 400
"""Characters of a line beyond which it is data."""

DEFINED_LANGUAGES = frozenset(_WORDS) | frozenset(_OTHER_PATTERNS)


def has_c_functions(language: str) -> bool:
    """Return whether functions of a language begin as in C, by a type and a name, which calls may look like, too."""
    return _OTHER_PATTERNS.get(language) in (_C_FUNCTION, _DART_MEMBER)


class FirstLine(Struct, frozen=True):
    """A form of the first lines of definitions.

    kinds: the kinds of symbols by the words of the pattern's group `word`, or by "" where it has no such group.
    first_words: the words, or "@", of which such a line begins with one; empty where it may begin with any.
    """

    pattern: re.Pattern[str]
    kinds: Mapping[str, str]
    first_words: frozenset[str] = frozenset()


@cache
def first_lines(language: str) -> tuple[FirstLine, ...]:
    """Return the forms of the first lines of a language's definitions."""
    forms = [FirstLine(re.compile(pattern), {"": kind}) for kind, pattern in _FIRST_PATTERNS.get(language, ())]
    if language in _WORDS:
        forms.append(FirstLine(_line_pattern(language), _kinds_of(language), _first_words(language)))
    if language in _OTHER_PATTERNS:
        other = re.compile(_OTHER_PATTERNS[language])
        forms.append(FirstLine(other, {"": _OTHER_KINDS.get(language, "function")}))
    return tuple(forms)


def first_word(text: str, language: str) -> str:
    """Return the first word of a line, or "@", as `FirstLine.first_words` has it; "" where it begins with no word."""
    match = _FIRST_WORD.match(text)
    word = match[1] if match is not None else ""
    return word.lower() if language in _CASELESS else word


_FIRST_WORD = re.compile(r"[ \t]*(\w+|@)")


def _first_words(language: str) -> frozenset[str]:
    """Return the first words of lines that the pattern by words matches."""
    starts = [_FIRST_WORD.match(word) for word in _kinds_of(language)]
    if language in LISPS or language == "odin" or None in starts:
        return frozenset()
    words = {start[1] for start in starts if start is not None}
    modifiers = f"{_MORE_MODIFIERS.get(language, '')}|{_MODIFIERS}".split("|")
    return frozenset(each.lower() if language in _CASELESS else each for each in (*words, *modifiers, "@") if each)
