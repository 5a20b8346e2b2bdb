"""Parse Java."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from scry.core.types import Binding
from scry.index.parse.languages.language import FOLDER_SCOPE, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles

_QUERY = """
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @declaration.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @declaration.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @declaration.field
(enum_constant name: (identifier) @name) @declaration.field

(line_comment) @comment
(block_comment) @comment
(modifiers [(marker_annotation) (annotation)] @attribute)

(import_declaration) @import @binding
(package_declaration) @binding

(method_invocation name: (identifier) @reference.call)
(object_creation_expression type: [(type_identifier) @reference.class
  (generic_type (type_identifier) @reference.class)
  (scoped_type_identifier (type_identifier) @reference.class .)
  (generic_type (scoped_type_identifier (type_identifier) @reference.class .))])
(superclass [(type_identifier) @reference.implementation (generic_type (type_identifier) @reference.implementation)])
(type_list [(type_identifier) @reference.implementation (generic_type (type_identifier) @reference.implementation)])
(formal_parameter type: [(type_identifier) @reference.type (generic_type (type_identifier) @reference.type)])
(field_declaration type: [(type_identifier) @reference.type (generic_type (type_identifier) @reference.type)])
(method_declaration type: [(type_identifier) @reference.type (generic_type (type_identifier) @reference.type)])
"""

_IMPORT = re.compile(r"import\s([\w.\s]+)(?:\*\s*)?;")


def _grammar() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _read_import(text: str) -> Iterable[str]:
    """Return the dotted name; `import a.b.*` gives "a.b"."""
    match = _IMPORT.match(text, max(text.find("import"), 0))
    words = match[1].split() if match else []
    name = "".join(words[1:] if words[:1] == ["static"] else words).rstrip(".")
    return (name,) if name else ()


def read_package(text: str) -> Binding | None:
    """Return the package that a file says to be in, `package a.b;`, as `Binding` has it; None for an import."""
    keyword, _, name = text.partition("package")
    return None if keyword.strip() else Binding("", "".join(name.replace("`", "").rstrip("; \t\r\n").split()))


def _read_bindings(text: str) -> Iterable[Binding]:
    """Return the last word of the dotted name, and of a whole package all names."""
    if package := read_package(text):
        return (package,)
    if text.rstrip("; \t\r\n").endswith("*"):
        return (Binding("*", name) for name in _read_import(text))
    return (Binding(name.rpartition(".")[2], name, name.rpartition(".")[2]) for name in _read_import(text))


def _resolve(_path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a class by the end of its path; a member or nested class resolves to its class, a package to nothing."""
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        paths = files.find_by_suffix("/".join(parts[:count]) + ".java")
        if paths:
            return paths
    return ()


JVM_NAME_RESOLUTION = NameResolution(family="jvm", default_scope=FOLDER_SCOPE, implicit_self=True, overloads=True)
"""The part of name resolution that the languages of the JVM share."""

LANGUAGE = Language(
    name="java",
    extensions=(".java",),
    grammar=_grammar,
    query=_QUERY,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=replace(JVM_NAME_RESOLUTION, accessors=(".", "::")),
    resolve=_resolve,
    entry_paths=r"(^|/)Main\.java$",
    entry_text=r"\bpublic\s+static\s+void\s+main\s*\(",
)
