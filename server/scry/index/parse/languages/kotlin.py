"""Parse Kotlin."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from scry.core.types import Binding
from scry.index.parse.languages.java import JVM_NAME_RESOLUTION, read_package
from scry.index.parse.languages.language import METHOD_AND_FUNCTION_KINDS, Language, Mend, PreparedSource
from scry.index.parse.languages.project_files import ProjectFiles, resolve_dotted_import

_QUERY = """
(class_declaration "class" name: (identifier) @name) @definition.class
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @definition.enum
(class_declaration [(class_body) (enum_class_body)] @body)
(object_declaration name: (identifier) @name) @definition.class
(object_declaration (class_body) @body)
(companion_object name: (identifier) @name) @definition.class
(companion_object "companion" @scope !name) @definition.implementation
(companion_object (class_body) @body)
(function_declaration name: (identifier) @name) @definition.function
(function_declaration (function_body) @body)
(function_declaration . (modifiers)? . (type_parameters)? . (user_type) @container . name: (identifier))
(secondary_constructor "constructor" @name) @definition.method
(secondary_constructor (block) @body)
(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @declaration.field)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @declaration.field)
(class_parameter ["val" "var"] . (identifier) @name) @declaration.field
(enum_entry . (modifiers)? . (identifier) @name) @declaration.field
(type_alias (identifier) @name) @definition.type
(infix_expression . (identifier) . (identifier) @_fun . (call_expression . (call_expression . [(identifier) @name
    (navigation_expression (identifier) @name .)]) (annotated_lambda)) (#eq? @_fun "fun")) @definition.function
(infix_expression . (identifier) . (identifier) @_class . (identifier) @name (#eq? @_class "class")) @definition.class
(annotated_expression) @wrapper

(line_comment) @comment
(block_comment) @comment
(annotation) @attribute
(import) @import @binding
(package_header) @binding

(call_expression . [(identifier) @reference.call (navigation_expression (identifier) @reference.call .)])
(constructor_invocation (user_type (identifier) @reference.class .))
(delegation_specifier [(user_type (identifier) @reference.implementation)
  (constructor_invocation (user_type (identifier) @reference.implementation))])
(parameter (user_type (identifier) @reference.type))
(class_parameter (user_type (identifier) @reference.type))
(variable_declaration (user_type (identifier) @reference.type))
(function_declaration (user_type (identifier) @reference.type))
"""

_ALIAS = re.compile(r"\sas\s+(\w+)")
_IMPORT = re.compile(r"import ([\w.`]+?)(?:\.\*)?(?: as \w+)? ?;?$")


def _grammar() -> object:
    import tree_sitter_kotlin

    return tree_sitter_kotlin.language()


_ANNOTATION_CLASS = re.compile(rb"\bannotation(?=\s+class\b)")
_CLASS_BEFORE_ANNOTATION = re.compile(rb"(\bclass[ \t]+\w+(?:\(\))?[ \t]*)\n(?=\s*\n@)")
_KEYWORD_AND_DIGIT = re.compile(rb"^([ \t]*)(?:in|as)(?=[0-9_])", re.MULTILINE)


def _prepare(data: bytes) -> PreparedSource:
    """Mend what the grammar misreads without an error, or with one of a few bytes.

    It may take `annotation class Name`, and `class Name` above an annotation, for operators and operands. At the start
    of a line it takes `in1` for the operator `in`.
    """
    if b"annotation" in data:
        data = _ANNOTATION_CLASS.sub(b" " * len(b"annotation"), data)
    data = _CLASS_BEFORE_ANNOTATION.sub(rb"\1;", data)
    return _KEYWORD_AND_DIGIT.sub(rb"\1_x", data), ()


def _load_mends() -> tuple[Mend, ...]:
    from scry.index.parse.languages.mends.forms import mend_kotlin

    return (mend_kotlin,)


def _read_import(text: str) -> Iterable[str]:
    match = _IMPORT.match(" ".join(text.split()))
    return (match[1].replace("`", ""),) if match else ()


def _read_bindings(text: str) -> Iterable[Binding]:
    """Return the alias, or the last word of the dotted name, and of a whole package all names."""
    if package := read_package(text):
        return (package,)
    if text.rstrip("; \t\r\n").endswith("*"):
        return (Binding("*", name) for name in _read_import(text))
    alias = _ALIAS.search(text)
    return (
        Binding(alias[1] if alias else name.rpartition(".")[2], name, name.rpartition(".")[2])
        for name in _read_import(text)
    )


def _resolve(_path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    return resolve_dotted_import(name, ".kt", files) or resolve_dotted_import(name, ".java", files)


def _read_container(qualifier: str) -> str:
    """Return the receiver of an extension: `List<T>` gives "List"; `companion` gives "Companion"."""
    return "Companion" if qualifier == "companion" else qualifier.partition("<")[0].strip("? ")


LANGUAGE = Language(
    name="kotlin",
    extensions=(".kt", ".kts"),
    grammar=_grammar,
    needs_final_newline=True,  # tree-sitter-kotlin 1.1.0 loops for ever at `@Name` at the end of a text
    prepare=_prepare,
    load_mends=_load_mends,
    query=_QUERY,
    constant_pattern=r"_*[A-Z][A-Z0-9_]+$",
    read_container=_read_container,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=replace(
        JVM_NAME_RESOLUTION,
        members=METHOD_AND_FUNCTION_KINDS,
        external_members=True,
        implicit_receivers=True,
        accessors=(".", "::"),
    ),
    resolve=_resolve,
    entry_paths=r"(^|/)Main\.kt$",
    entry_symbols=frozenset({"main"}),
)
