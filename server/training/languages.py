"""The mined languages: file suffixes, grammars, and the queries that find definitions and comments."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tree_sitter import Language, Parser, Query

_QUERIES = Path(__file__).parent / "queries"


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language's grammar, loaded by `module.function()`.

    The query files capture functions as `def`, types and modules as `class`, and comments as `comment`.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    queries: tuple[str, ...]
    function: str = "language"


_TYPESCRIPT = ("javascript", "typescript")

GRAMMARS = (
    Grammar("python", (".py",), "tree_sitter_python", ("python",)),
    Grammar("javascript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", ("javascript",)),
    Grammar("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    Grammar("typescript", (".tsx",), "tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    Grammar("go", (".go",), "tree_sitter_go", ("go",)),
    Grammar("rust", (".rs",), "tree_sitter_rust", ("rust",)),
    Grammar("java", (".java",), "tree_sitter_java", ("java",)),
    Grammar("c", (".c", ".h"), "tree_sitter_c", ("c",)),
    Grammar("c++", (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"), "tree_sitter_cpp", ("c", "cpp")),
    Grammar("c#", (".cs",), "tree_sitter_c_sharp", ("c_sharp",)),
    Grammar("ruby", (".rb", ".rake"), "tree_sitter_ruby", ("ruby",)),
    Grammar("php", (".php",), "tree_sitter_php", ("php",), "language_php"),
    Grammar("bash", (".sh", ".bash", ".ksh"), "tree_sitter_bash", ("bash",)),
    Grammar("lua", (".lua",), "tree_sitter_lua", ("lua",)),
    Grammar("kotlin", (".kt", ".kts"), "tree_sitter_kotlin", ("kotlin",)),
    Grammar("swift", (".swift",), "tree_sitter_swift", ("swift",)),
    Grammar("scala", (".scala",), "tree_sitter_scala", ("scala",)),
    Grammar("elixir", (".ex", ".exs"), "tree_sitter_elixir", ("elixir",)),
    Grammar("zig", (".zig",), "tree_sitter_zig", ("zig",)),
    Grammar("haskell", (".hs",), "tree_sitter_haskell", ("haskell",)),
)
_BY_SUFFIX = {suffix: grammar for grammar in GRAMMARS for suffix in grammar.suffixes}
LANGUAGES = tuple(dict.fromkeys(grammar.name for grammar in GRAMMARS))


def grammar_for(path: str) -> Grammar | None:
    """Return the grammar of a path by its suffix."""
    return _BY_SUFFIX.get("." + path.rpartition(".")[2].lower())


@cache
def parser_and_query(grammar: Grammar) -> tuple[Parser, Query]:
    """Return the grammar's parser and its compiled query."""
    pointer: object = getattr(importlib.import_module(grammar.module), grammar.function)()
    language = Language(pointer)
    text = "\n".join((_QUERIES / f"{name}.scm").read_text(encoding="utf-8") for name in grammar.queries)
    return Parser(language), Query(language, text)
