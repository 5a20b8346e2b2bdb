"""Parse Go."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.core.types import Binding
from scry.index.parse.languages.language import FOLDER_SCOPE, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, parent_folders

_QUERY = """
(function_declaration name: (identifier) @name) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @container))
  name: (field_identifier) @name) @definition.method
(type_declaration (type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct) @wrapper
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface) @wrapper
(type_declaration (type_spec name: (type_identifier) @name) @definition.type) @wrapper
(type_declaration (type_alias name: (type_identifier) @name) @definition.type) @wrapper
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant) @wrapper)
(source_file (const_declaration (const_spec "," . name: (identifier) @name)))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable) @wrapper)
(source_file (var_declaration (var_spec "," . name: (identifier) @name)))
(source_file (var_declaration (var_spec_list (var_spec "," . name: (identifier) @name))))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)) @wrapper)
(type_spec type: (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @declaration.field)))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @declaration.method))

(comment) @comment
(import_spec path: (_) @import)
(import_spec) @binding

(call_expression function: [(identifier) @reference.call
  (selector_expression field: (field_identifier) @reference.call)
  (parenthesized_expression (selector_expression field: (field_identifier) @reference.call))])
(composite_literal type: [(type_identifier) @reference.class
  (qualified_type name: (type_identifier) @reference.class)])
(parameter_declaration type: [(type_identifier) @reference.type (pointer_type (type_identifier) @reference.type)
  (qualified_type name: (type_identifier) @reference.type)
  (pointer_type (qualified_type name: (type_identifier) @reference.type))])
(field_declaration type: [(type_identifier) @reference.type (pointer_type (type_identifier) @reference.type)
  (qualified_type name: (type_identifier) @reference.type)
  (pointer_type (qualified_type name: (type_identifier) @reference.type))])
(field_declaration !name type: (type_identifier) @reference.implementation)
"""

_MODULE = re.compile(r"^[^\S\n]*module\s+\"?([^\s\"]+)", re.MULTILINE)


def _grammar() -> object:
    import tree_sitter_go

    return tree_sitter_go.language()


def _read_import(text: str) -> Iterable[str]:
    return (text[1:-1],)


def _read_bindings(text: str) -> Iterable[Binding]:
    """Return the package's name, or its alias; `.` binds all. The name is the path's last word that is no version."""
    words = text.split() or [""]
    source = words[-1].strip('"`')
    given = words[0] if len(words) > 1 else ""
    if given == ".":
        return (Binding("*", source, "*"),)
    parts = [part for part in source.split("/") if not re.fullmatch(r"v\d+", part)] or [source]
    return (Binding(given or re.sub(r"\.v\d+$|^go-|-go$", "", parts[-1]), source),)


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a package to the files of its folder, tests left out: by the module path of a go.mod above, else by
    suffix.
    """
    for folder in parent_folders(path):
        module = _MODULE.search(files.manifests.get(f"{folder}/go.mod" if folder else "go.mod", ""))
        if module and (name == module[1] or name.startswith(module[1] + "/")):
            inside = name[len(module[1]) + 1 :]
            return _package_files("/".join(part for part in (folder, inside) if part), files)
    return _resolve_by_suffix(name, files)


def _resolve_by_suffix(name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve without a go.mod, to the longest end of the import path that is a folder.

    The end has at least two words, or is the path of a host.
    """
    parts = name.split("/")
    if "." not in parts[0]:
        return ()
    for first in range(1, len(parts)):
        for folder in files.find_folders_by_suffix("/".join(parts[first:])):
            paths = _package_files(folder, files)
            if paths:
                return paths
    return ()


def _package_files(folder: str, files: ProjectFiles) -> tuple[str, ...]:
    return tuple(path for path in files.list_folder(folder, ".go") if not path.endswith("_test.go"))


LANGUAGE = Language(
    name="go",
    extensions=(".go",),
    grammar=_grammar,
    query=_QUERY,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=NameResolution(default_scope=FOLDER_SCOPE, external_members=True),
    resolve=_resolve,
    entry_paths=r"(^|/)main\.go$",
    entry_symbols=frozenset({"main"}),
)
