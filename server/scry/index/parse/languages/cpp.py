"""Parse C++. A definition written behind `A::B::` is contained in A.B."""

from __future__ import annotations

import re

from scry.index.parse.languages import c
from scry.index.parse.languages.c_macros import blank_cpp_macros
from scry.index.parse.languages.language import FEW_ERROR_BYTES, Language, NameResolution

_NAME = "(identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name"
_TEMPLATE = "(template_function name: (identifier) @name) (template_method name: (field_identifier) @name)"


def _qualified(depth: int) -> str:
    """Return the pattern of a name behind up to `depth` qualifiers."""
    deeper = _qualified(depth - 1) if depth > 1 else ""
    return f"(qualified_identifier name: [{_NAME} (operator_cast type: (_) @name) {_TEMPLATE} {deeper}])"


_DECLARED = f"(function_declarator declarator: [{_NAME} {_TEMPLATE} {_qualified(3)} @container])"
_FUNCTION = f"{c.function_declarator_pattern(_DECLARED)} (reference_declarator {_DECLARED})"
_CAST = f"(operator_cast type: (_) @name) {_qualified(3)} @container"

_QUERY = (
    c.DEFINITIONS
    + c.REFERENCES
    + f"""
(class_specifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)] body: (_)) @definition.class
(struct_specifier name: [(template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)] body: (_)) @definition.struct
(namespace_definition name: (_) @name) @definition.module
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(function_definition declarator: [{_FUNCTION}]) @definition.function
(function_definition declarator: [{_CAST}]) @definition.function
(field_declaration declarator: [{_FUNCTION}]) @declaration.method
(field_declaration_list (declaration declarator: [{_FUNCTION}]) @declaration.method)
(declaration declarator: [{_FUNCTION}]) @definition.function
(template_declaration) @wrapper
(linkage_specification body: [(function_definition) (declaration)]) @wrapper
(attribute_declaration) @attribute

(call_expression function: [(qualified_identifier name: [(identifier) @reference.call
    (template_function name: (identifier) @reference.call)
    (qualified_identifier name: [(identifier) @reference.call
      (template_function name: (identifier) @reference.call)])])
  (template_function name: (identifier) @reference.call)
  (field_expression field: (template_method name: (field_identifier) @reference.call))])
(new_expression type: (type_identifier) @reference.class)
(base_class_clause [(type_identifier) @reference.implementation
  (template_type name: (type_identifier) @reference.implementation)
  (qualified_identifier name: [(type_identifier) @reference.implementation
    (template_type name: (type_identifier) @reference.implementation)])])
(template_argument_list (type_descriptor type: (type_identifier) @reference.type))
(parameter_declaration type: [(qualified_identifier name: (type_identifier) @reference.type)
  (template_type name: (type_identifier) @reference.type)])
(field_declaration type: [(qualified_identifier name: (type_identifier) @reference.type)
  (template_type name: (type_identifier) @reference.type)])
"""
)
_ANGLE_BRACKET = re.compile("([<>])")


def _grammar() -> object:
    import tree_sitter_cpp

    return tree_sitter_cpp.language()


def _read_container(qualifier: str) -> str:
    """Return the container: `absl::Foo<T>::f`, with the name, gives "absl.Foo"; `Suite, Case`, of a test, "Suite"."""
    outer = _without_template_arguments(qualifier.partition("operator")[0]).replace(",", "::").strip()
    outer = outer.rpartition("::")[0] if not outer.endswith("::") else outer[:-2]
    return ".".join("".join(outer.split()).strip(":").split("::"))


def _without_template_arguments(qualifier: str) -> str:
    """Return the text without pairs of angle brackets and what stands between them; an unpaired one stays."""
    kept: list[str] = []
    open_at: list[int] = []
    for piece in _ANGLE_BRACKET.split(qualifier):
        if piece == ">" and open_at:
            del kept[open_at.pop() :]
            continue
        if piece == "<":
            open_at.append(len(kept))
        kept.append(piece)
    return "".join(kept)


LANGUAGE = Language(
    name="cpp",
    extensions=(
        *(".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".cppm", ".ixx"),
        *(".cu", ".cuh", ".ino", ".metal"),
    ),
    grammar=_grammar,
    query=_QUERY,
    read_container=_read_container,
    read_import=c.read_import,
    name_resolution=NameResolution(
        family="c",
        imports_all_names=True,
        implicit_self=True,
        external_members=True,
        overloads=True,
        accessors=(".", "->", "::"),
    ),
    resolve=c.resolve,
    prepare=blank_cpp_macros,
    load_mends=c.load_mends,
    min_mended_errors=FEW_ERROR_BYTES,
    entry_symbols=c.ENTRY_SYMBOLS,
)
