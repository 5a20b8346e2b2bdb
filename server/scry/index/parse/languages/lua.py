"""Parse Lua."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.core.types import Binding
from scry.index.parse.languages.language import FILE_SCOPE, METHOD_AND_FUNCTION_KINDS, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles

_QUERY = """
(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name))
  @definition.method
(chunk (assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function)
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body)))) @definition.function)
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list . name: (dot_index_expression table: (_) @container
  field: (identifier) @name)) (expression_list . value: (table_constructor))) @definition.variable)
(chunk (_ (expression_list (table_constructor (field name: (identifier) @name
  value: (function_definition)) @definition.function))))
(chunk (variable_declaration (assignment_statement (expression_list (table_constructor (field name: (identifier) @name
  value: (function_definition)) @definition.function)))))
(chunk (variable_declaration (assignment_statement (expression_list . value: (function_call
  name: (identifier) @_require)))) @skip (#eq? @_require "require"))

(comment) @comment
(function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @import))
  (#any-of? @_require "require" "dofile" "loadfile"))
((assignment_statement (variable_list . name: (identifier)) (expression_list . value: (function_call
  name: (identifier) @_bound arguments: (arguments . (string content: (_)))))) @binding (#eq? @_bound "require"))

(function_call name: [(identifier) @reference.call (dot_index_expression field: (identifier) @reference.call)
  (method_index_expression method: (identifier) @reference.call)])
"""

_BOUND = re.compile(r"(\w+)(?!\w)[^=]*=\s*require[\s(]*(?:[\"']|\[\[)([^\"'\]]+)")


def _grammar() -> object:
    import tree_sitter_lua

    return tree_sitter_lua.language()


def _read_container(qualifier: str) -> str:
    """Return `M.sub` unchanged; of `t[1]` only the part before the bracket."""
    return re.split(r"[\[({\"']", qualifier)[0].replace(":", ".").strip()


def _read_import(text: str) -> Iterable[str]:
    return (text,)


def _read_bindings(text: str) -> Iterable[Binding]:
    """Return the binding of a module: `pick = require("mini.pick")` binds pick."""
    bound = _BOUND.match(text)
    return (Binding(bound[1], bound[2]),) if bound else ()


def _resolve(_path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve `a.b` to a/b.lua or a/b/init.lua, at the top, below `lua` or `src`, or by the end of the path."""
    if name.endswith(".lua"):
        return files.first_existing((name,)) or files.find_by_suffix(name)
    stem = name.replace(".", "/")
    if not files.has_word(stem.partition("/")[0]):
        return ()
    spellings = (f"{stem}.lua", f"{stem}/init.lua")
    at_root = files.first_existing(f"{folder}{spelling}" for folder in ("lua/", "", "src/") for spelling in spellings)
    return at_root or next((paths for spelling in spellings if (paths := files.find_by_suffix(spelling))), ())


LANGUAGE = Language(
    name="lua",
    extensions=(".lua", ".rockspec"),
    filenames=(".luacheckrc",),
    interpreters=("lua", "luajit", "texlua"),
    grammar=_grammar,
    query=_QUERY,
    constant_pattern=r"_*[A-Z][A-Z0-9_]+$",
    read_container=_read_container,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=NameResolution(
        default_scope=FILE_SCOPE, members=METHOD_AND_FUNCTION_KINDS, module_tables=True, accessors=(".", ":")
    ),
    resolve=_resolve,
    entry_paths=r"(^|/)main\.lua$",
)
