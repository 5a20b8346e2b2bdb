"""Parse Zig. Types are values of constants: the struct in `const A = struct {…}` is A."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.core.types import Binding
from scry.index.parse.languages.language import FILE_SCOPE, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, resolve_relative

_QUERY = """
(function_declaration name: (identifier) @name) @definition.function
(variable_declaration . (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration . (identifier) @name (opaque_declaration)) @definition.struct
(variable_declaration . (identifier) @name (union_declaration)) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration . (identifier) @name (error_set_declaration)) @definition.enum
(source_file (variable_declaration . (identifier) @name) @definition.variable)
(struct_declaration (variable_declaration . (identifier) @name) @declaration.field)
(source_file (variable_declaration (builtin_function (builtin_identifier) @_import)) @skip (#eq? @_import "@import"))
(struct_declaration (container_field name: (identifier) @name) @declaration.field)
(union_declaration (container_field name: (identifier) @name) @declaration.field)
(enum_declaration (container_field . name: (identifier) @name) @declaration.field)
(test_declaration [(string) @name (identifier) @name]) @definition.function
(test_declaration (block) @body)
(test_declaration) @test

(comment) @comment
(variable_declaration [(builtin_function (builtin_identifier) @_import)
  (field_expression (builtin_function (builtin_identifier) @_import))] (#eq? @_import "@import")) @binding
(builtin_function (builtin_identifier) @_import (arguments (string (string_content) @import)) (#eq? @_import "@import"))

(call_expression function: [(identifier) @reference.call (field_expression member: (identifier) @reference.call)])
(parameter type: [(identifier) @reference.type (pointer_type (identifier) @reference.type)])
(container_field type: (identifier) @reference.type)
"""


def _grammar() -> object:
    import tree_sitter_zig

    return tree_sitter_zig.language()


def _read_import(text: str) -> Iterable[str]:
    return (text,)


def _read_bindings(text: str) -> Iterable[Binding]:
    """Return the constant that holds a file, or what the file names so: `const Store = @import("store.zig").Store;`."""
    match = _BINDING.match(text)
    return (Binding(match[1], match[2], match[3] or ""),) if match else ()


_BINDING = re.compile(r'(?:pub\s+)?(?:const|var)\s+(\w+)\s*(?::[^=]*)?=\s*@import\("([^"]+)"\)(?:\.(\w+))?\s*;')


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a path beside the file; a package resolves to its root file, if one is named after it."""
    if name.endswith(".zig"):
        return files.first_existing((resolve_relative(path, name),))
    if name in ("std", "builtin", "root") or not files.has_word(name):
        return ()
    return files.first_existing((f"{name}.zig", f"src/{name}.zig", f"{name}/src/root.zig")) or files.find_by_suffix(
        f"{name}.zig"
    )


LANGUAGE = Language(
    name="zig",
    extensions=(".zig", ".zon"),
    grammar=_grammar,
    query=_QUERY,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=NameResolution(default_scope=FILE_SCOPE),
    resolve=_resolve,
    entry_paths=r"(^|/)main\.zig$|^build\.zig$",
    entry_symbols=frozenset({"main"}),
)
