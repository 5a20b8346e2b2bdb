"""Parse Elixir. The clauses of a function, with its `@doc` and `@spec`, are one symbol."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scry.index.parse.languages.language import MAX_IMPORT_LENGTH, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles

_OPERATOR = """(binary_operator operator: ["+" "-" "*" "/" "<>" "++" "--" "==" "|>" "<" ">" "in" "&&" "||" "~>" "^^^"
  "=~" "and" "or" "!=" "<=" ">="] @name)"""
_HEADS = ("(identifier) @name", "(call target: (identifier) @name)", _OPERATOR)


def _definition(words: str, kind: str) -> str:
    """Return one pattern for each form of a head, with or without a guard; see `declarator_pattern` in c.py for the
    reason.
    """
    guarded = (f'(binary_operator left: {head} operator: "when")' for head in _HEADS)
    return "\n".join(
        f"(call target: (identifier) @_word (arguments . {head}) (#any-of? @_word {words})) @definition.{kind}"
        for head in (*_HEADS, *guarded)
    )


_QUERY = f"""
(call target: (identifier) @_word (arguments . [(alias) (atom)] @name) (do_block) @body (#eq? @_word "defmodule"))
  @definition.module
(call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body (#eq? @_word "defprotocol"))
  @definition.interface
(call target: (identifier) @_word (arguments . (alias) @scope) (do_block) @body (#eq? @_word "defimpl"))
  @definition.implementation
{_definition('"def" "defp" "defdelegate"', "function")}
{_definition('"defmacro" "defmacrop" "defguard" "defguardp"', "macro")}
(call target: (identifier) @_word (do_block) @body
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "test" "describe"))
(call target: (identifier) @_word (arguments (keywords (pair key: (keyword) @_do)) @body)
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defdelegate") (#match? @_do "^(do|to):"))
(call target: (identifier) @_word (arguments . (string) @name) (do_block)
  (#any-of? @_word "test" "describe" "property")) @definition.function @test
(call target: (identifier) @name (#any-of? @name "defstruct" "defexception")) @definition.struct
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments
  (binary_operator left: [(identifier) @name (call target: (identifier) @name)]))
  (#any-of? @_word "type" "typep" "opaque"))) @definition.type
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments
  (binary_operator left: [(identifier) @name (call target: (identifier) @name)]))
  (#any-of? @_word "callback" "macrocallback"))) @definition.method

(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments [(string) (sigil)] @doc)
  (#eq? @_word "moduledoc")))
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments [(string) (sigil) (boolean)]))
  (#any-of? @_word "doc" "typedoc")) @comment
(unary_operator operator: "@" operand: (call target: (identifier) @_word)
  (#any-of? @_word "spec" "impl" "deprecated" "doc" "tag" "since")) @attribute
(comment) @comment
(call target: (identifier) @_word (#any-of? @_word "alias" "import" "use" "require")) @import

(call target: [(identifier) @reference.call (dot right: (identifier) @reference.call)]
  (#not-match? @reference.call
    "^def(p|module|macro|macrop|struct|delegate|protocol|impl|guard|guardp|exception|overridable)?$")
  (#not-match? @reference.call "^(alias|import|use|require)$")
  (#not-match? @reference.call "^((module|type)?doc|spec|typep?|impl|behaviour|callback|opaque)$"))
(dot left: (alias) @reference.type)
(struct (alias) @reference.class)
(unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (alias) @reference.implementation)
  (#eq? @_word "behaviour")))
"""

_NAMES = re.compile(r"(?:alias|import|use|require)[\s(]+([A-Z][\w.]*?)(?:\.\{([^}]*)\})?(?=[\s,)]|$)")


def _grammar() -> object:
    import tree_sitter_elixir

    return tree_sitter_elixir.language()


def _read_import(text: str) -> Iterator[str]:
    """Return the imported names: `alias A.{B, C.D}` gives "A.B", "A.C.D"."""
    match = _NAMES.match(text)
    if match and len(match[1]) <= MAX_IMPORT_LENGTH:
        for word in match[2].split(",") if match[2] else [""]:
            yield f"{match[1]}.{word.strip()}".strip(".")


def _resolve(_path: str, name: str, files: ProjectFiles) -> tuple[str, ...]:
    """Resolve `Plug.Conn.Query` to plug/conn/query.ex; a module inside another resolves to the outer one's file."""
    parts = [_to_snake_case(part) for part in name.split(".")]
    for count in range(len(parts), 0, -1):
        if files.has_word(parts[count - 1]) and (count > 1 or len(parts) == 1):
            paths = files.find_by_suffix("/".join(parts[:count]) + ".ex")
            if paths:
                return paths
    return ()


def _to_snake_case(word: str) -> str:
    """Return a word as Elixir names files: `HTTPServer` gives "http_server"."""
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(?<=[A-Z])([A-Z][a-z])", r"_\1", word)).lower()


LANGUAGE = Language(
    name="elixir",
    extensions=(".ex", ".exs"),
    interpreters=("elixir",),
    grammar=_grammar,
    query=_QUERY,
    joins_clauses=True,
    dotted_modules=True,
    read_import=_read_import,
    name_resolution=NameResolution(implicit_self=True),
    resolve=_resolve,
    entry_paths=r"(^|/)(application|cli)\.ex$",
)
