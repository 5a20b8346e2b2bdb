"""The languages that are mined: file suffixes, grammars, and which syntax nodes are definitions and comments."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Language, Parser, Query


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language's grammar: `module.function()` gives it; the query captures `def`, `class` and `comment` nodes."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    query: str
    function: str = "language"


_JAVASCRIPT = """
[(function_declaration) (generator_function_declaration) (method_definition)] @def
(variable_declarator value: [(arrow_function) (function_expression)]) @def
(pair value: [(arrow_function) (function_expression)]) @def
(assignment_expression right: [(arrow_function) (function_expression)]) @def
(class_declaration) @class
(comment) @comment
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
[(function_signature) (method_signature) (abstract_method_signature)] @def
[(interface_declaration) (type_alias_declaration) (enum_declaration) (abstract_class_declaration)] @class
"""
)
_C = """
(function_definition) @def
(declaration declarator: (function_declarator)) @def
(declaration declarator: (pointer_declarator declarator: (function_declarator))) @def
[(struct_specifier body: (_)) (enum_specifier body: (_))] @class
(comment) @comment
"""
_CPP = _C + "(field_declaration declarator: (function_declarator)) @def (class_specifier body: (_)) @class"
_ELIXIR = """
((call target: (identifier) @_kw) @def (#any-of? @_kw "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_kw) @class (#any-of? @_kw "defmodule" "defprotocol"))
(comment) @comment
((unary_operator operand: (call target: (identifier) @_doc)) @comment (#any-of? @_doc "doc" "moduledoc"))
"""

GRAMMARS = (
    Grammar("python", (".py",), "tree_sitter_python", "(function_definition) @def (class_definition) @class (comment) @comment"),
    Grammar("javascript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", _JAVASCRIPT),
    Grammar("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    Grammar("typescript", (".tsx",), "tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    Grammar("go", (".go",), "tree_sitter_go", "[(function_declaration) (method_declaration)] @def (type_spec) @class (comment) @comment"),
    Grammar(
        "rust",
        (".rs",),
        "tree_sitter_rust",
        "[(function_item) (function_signature_item) (macro_definition)] @def"
        "[(struct_item) (enum_item) (trait_item) (impl_item) (mod_item)] @class [(line_comment) (block_comment)] @comment",
    ),
    Grammar(
        "java",
        (".java",),
        "tree_sitter_java",
        "[(method_declaration) (constructor_declaration)] @def"
        "[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)] @class"
        "[(line_comment) (block_comment)] @comment",
    ),
    Grammar("c", (".c", ".h"), "tree_sitter_c", _C),
    Grammar("c++", (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"), "tree_sitter_cpp", _CPP),
    Grammar(
        "c#",
        (".cs",),
        "tree_sitter_c_sharp",
        "[(method_declaration) (constructor_declaration) (property_declaration)] @def"
        "[(class_declaration) (interface_declaration) (struct_declaration) (enum_declaration)] @class (comment) @comment",
    ),
    Grammar("ruby", (".rb", ".rake"), "tree_sitter_ruby", "[(method) (singleton_method)] @def [(class) (module)] @class (comment) @comment"),
    Grammar(
        "php",
        (".php",),
        "tree_sitter_php",
        "[(function_definition) (method_declaration)] @def"
        "[(class_declaration) (interface_declaration) (trait_declaration)] @class (comment) @comment",
        "language_php",
    ),
    Grammar("bash", (".sh", ".bash", ".bats", ".ksh"), "tree_sitter_bash", "(function_definition) @def (comment) @comment"),
    Grammar(
        "lua",
        (".lua",),
        "tree_sitter_lua",
        "(function_declaration) @def (assignment_statement (expression_list value: (function_definition))) @def"
        "(field value: (function_definition)) @def (comment) @comment",
    ),
    Grammar(
        "kotlin",
        (".kt", ".kts"),
        "tree_sitter_kotlin",
        "(function_declaration) @def [(class_declaration) (object_declaration)] @class [(line_comment) (block_comment)] @comment",
    ),
    Grammar(
        "swift",
        (".swift",),
        "tree_sitter_swift",
        "[(function_declaration) (init_declaration) (protocol_function_declaration)] @def"
        "[(class_declaration) (protocol_declaration)] @class [(comment) (multiline_comment)] @comment",
    ),
    Grammar(
        "scala",
        (".scala",),
        "tree_sitter_scala",
        "[(function_definition) (function_declaration)] @def"
        "[(class_definition) (object_definition) (trait_definition)] @class [(comment) (block_comment)] @comment",
    ),
    Grammar("elixir", (".ex", ".exs"), "tree_sitter_elixir", _ELIXIR),
    Grammar("zig", (".zig",), "tree_sitter_zig", "(function_declaration) @def (comment) @comment"),
    Grammar(
        "haskell",
        (".hs",),
        "tree_sitter_haskell",
        "(declarations [(function) (bind)] @def) (instance_declarations [(function) (bind)] @def) (class_declarations [(function) (bind)] @def)"
        "[(data_type) (newtype) (class)] @class [(comment) (haddock)] @comment",
    ),
)
_BY_SUFFIX = {suffix: grammar for grammar in GRAMMARS for suffix in grammar.suffixes}
LANGUAGES = tuple(dict.fromkeys(grammar.name for grammar in GRAMMARS))


def grammar_for(path: str) -> Grammar | None:
    """Return the grammar of a path by its suffix."""
    return _BY_SUFFIX.get("." + path.rpartition(".")[2].lower())


@lru_cache(maxsize=None)
def parser_and_query(grammar: Grammar) -> tuple[Parser, Query]:
    """Return the grammar's parser and its compiled query."""
    language = Language(getattr(importlib.import_module(grammar.module), grammar.function)())
    return Parser(language), Query(language, grammar.query)
