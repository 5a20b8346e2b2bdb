"""Define a language: its file names, grammar, query, imports and name resolution, in one constant.

A query captures (tree-sitter query syntax):
    @definition.<kind>   a definition; its text is cut out of the text of the enclosing one
    @declaration.<kind>  the same, but its text also stays in the enclosing one (fields, members of an interface)
    @name                the name, inside the definition; several names in one definition give several symbols
    @container           a qualifier written before the name (Go receiver, `Foo.prototype`, C++ `Foo::`)
    @scope               the qualifier of nested definitions, where that is not the name (Rust `impl … for Foo`)
    @body                the end of the signature, if the node has no field `body`
    @wrapper             a node that belongs to the only definition in it (`export …`, decorators)
    @skip                a definition that is none after all (`const fs = require("fs")`)
    @doc, @doc.after     a doc string inside a definition, or right behind it
    @comment, @attribute may stand between a definition and its doc comment
    @test                a part that is a test, with all in it (Rust's `mod tests`); its text outside of definitions is
                         a chunk by itself
    @test.attribute      an attribute that makes the definition below it a test (`#[test]`)
    @import              an import, passed to `read_import`
    @binding             an import with the names that it binds, passed to `read_bindings`; where a query has none, each
                         @import is
    @reference.<kind>    a use of a name
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from scry.core.types import Binding
from scry.index.parse.languages.project_files import ProjectFiles

FILE_SCOPE, FOLDER_SCOPE, PROJECT_SCOPE = "file", "folder", "project"

METHOD_KINDS = frozenset({"method"})
METHOD_AND_FUNCTION_KINDS = frozenset({"method", "function"})
"""Where functions in a container are members as well: of an object, a table, or the type that they extend."""


class NameResolution(Struct, frozen=True):
    """The facts of a language by which the code graph finds the definition of a used name.

    family: languages of one family call each other; empty for a language by itself.
    default_scope: where an unqualified name may be defined without an import: in its own file, in its folder (a
    package), or anywhere in the project.
    imports_all_names: an import makes every name of the imported file known (`#include`, `require`).
    implicit_self: an unqualified name may be a member of the class around it. outer_members: or of a class around that.
    partial_types: types of one qualified name in several files are one type.
    members: kinds of definitions that a call on an unknown receiver may mean.
    external_members: members of a type may stand in other files than the type.
    overloads: several definitions of one qualified name are different ones.
    implicit_receivers: an unqualified name may be a member of any type, which a lambda around is called on.
    module_folder: returns the folder of the inner modules of a module, by its file's path. A name that is imported from
    a module may be defined in any of them, since macros may export names; None where that is not so.
    macro_folder: returns the folder, by the path of a file, whose macros are known there without an import; None where
    macros are imported like other names.
    module_tables: a module is a table, so that a function assigned to one at the top of a file is known by the module's
    name.
    accessors: the operators between a receiver and a member. self_field_prefix: begins a field of the object itself.
    """

    family: str = ""
    default_scope: str = PROJECT_SCOPE
    imports_all_names: bool = False
    implicit_self: bool = False
    outer_members: bool = True
    partial_types: bool = False
    members: frozenset[str] = METHOD_KINDS
    external_members: bool = False
    overloads: bool = False
    implicit_receivers: bool = False
    module_folder: Callable[[str], str] | None = None
    macro_folder: Callable[[str], str] | None = None
    module_tables: bool = False
    accessors: tuple[str, ...] = (".",)
    self_field_prefix: str = ""


DEFAULT_NAME_RESOLUTION = NameResolution()

# fmt: off
DEFINITION_KINDS = frozenset({
    "function", "method", "class", "interface", "struct", "enum", "trait", "module", "type", "constant", "variable",
    "field", "macro", "implementation",
})
# fmt: on
"""Kinds of definitions; symbols can also be a `section` or `text`. A Rust `impl` block is an `implementation`."""


MAX_IMPORT_LENGTH = 1_000
"""Longest name of an import in characters; of a longer one, which no person has written, nothing is read."""


def read_no_imports(_: str) -> Iterable[str]:
    """Return nothing: the default `read_import`."""
    return ()


def resolve_to_no_files(_path: str, _name: str, _files: ProjectFiles) -> Iterable[str]:
    """Return nothing: the default `resolve`, for a language whose imports name no files of the project."""
    return ()


def read_no_bindings(_: str) -> Iterable[Binding]:
    """Return nothing: the default `read_bindings`, for a language whose imports bind no single names."""
    return ()


PreparedSource = tuple[bytes, Sequence[tuple[int, int]]]
"""A text as the grammar reads it, of the same length, and the ranges (start, end) that were blanked in it."""


Mend = Callable[[bytes], bytes]
"""Turns a text into one of the same length that a grammar may know better."""

FEW_ERROR_BYTES = 100
"""Bytes of errors below which a text of C, C++ or Swift is not mended. In C++ every second file has an error of a few
bytes, a macro mostly, which costs no definition; with a lower bound more definitions were lost to the mends than found.
"""


def load_no_mends() -> tuple[Mend, ...]:
    """Return nothing: the default `load_mends`."""
    return ()


def leave_unchanged(data: bytes) -> PreparedSource:
    """Return the text unchanged: the default `prepare`."""
    return data, ()


def strip_generics(qualifier: str) -> str:
    """Return a written qualifier without its type arguments: the default `read_container`."""
    return qualifier.partition("<")[0].partition("[")[0].strip(" \t*&()")


def strip_quotes(name: str) -> str:
    """Return a name that is no identifier without quotes and line breaks: the default `read_name`."""
    return " ".join(name.strip("\"'`").split())


class MarkupRange(NamedTuple):
    """A part of a file outside of its scripts, in bytes, and the name of its sections."""

    start: int
    end: int
    name: str


class Language(Struct, frozen=True, eq=False):
    """One language. Extensions are lower-case with the dot; `interpreters` are names in a `#!` line.

    grammar: loads the tree-sitter grammar when first needed; None for text that is read without one.
    needs_final_newline: the grammar may never come back from a text that does not end with a line break.
    constant_pattern: a name that matches is a constant, even if the query says otherwise.
    read_name: turns a written name that is no identifier into the name.
    read_import: turns the text of one @import into the names it imports. read_bindings: turns the text of one @binding
    into the names it binds. name_resolution: how a used name finds its definition. resolve: turns (importing file,
    name, files) into the files of the project that the name means. find_imports: of a language without a grammar, turns
    the text of a file into the names it imports; None where they are not read.
    prepare: turns the text (UTF-8) into the text that the grammar reads; stored text is never taken from that, and a
    range blanked in front of a definition belongs to it as an attribute does.
    load_mends: loads the functions that are tried one after another on a text that the grammar finds errors in; what a
    function returns is parsed instead if that leaves fewer errors. min_mended_errors: bytes of errors from which they
    are tried.
    find_markup: of a file that holds scripts in markup, turns the text (UTF-8) into the ranges of that markup.
    detect_other_language: returns the name of the language of a text, where several share an extension.
    joins_clauses: neighbouring functions of one name are one.
    dotted_modules: the name of a module holds those around it (`defmodule Plug.Conn`).
    entry_paths: a file whose path matches starts a program (see index/graph/import_graph.py).
    entry_symbols: qualified names that start a program. entry_text: a regular expression for top-level text.
    """

    name: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    grammar: Callable[[], object] | None = None
    needs_final_newline: bool = False
    query: str = ""
    constant_pattern: str | None = None
    read_name: Callable[[str], str] = strip_quotes
    read_container: Callable[[str], str] = strip_generics
    read_import: Callable[[str], Iterable[str]] = read_no_imports
    read_bindings: Callable[[str], Iterable[Binding]] = read_no_bindings
    name_resolution: NameResolution = DEFAULT_NAME_RESOLUTION
    resolve: Callable[[str, str, ProjectFiles], Iterable[str]] = resolve_to_no_files
    find_imports: Callable[[str], tuple[str, ...]] | None = None
    prepare: Callable[[bytes], PreparedSource] = leave_unchanged
    load_mends: Callable[[], tuple[Mend, ...]] = load_no_mends
    min_mended_errors: int = 1
    find_markup: Callable[[bytes], Sequence[MarkupRange]] | None = None
    joins_clauses: bool = False
    dotted_modules: bool = False
    detect_other_language: Callable[[str], str | None] | None = None
    entry_paths: str | None = None
    entry_symbols: frozenset[str] = frozenset()
    entry_text: str | None = None

    @property
    def has_known_imports(self) -> bool:
        """Whether it is known which files of the project a file imports."""
        return self.grammar is not None or self.resolve is not resolve_to_no_files
