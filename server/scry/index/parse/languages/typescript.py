"""Parse TypeScript without JSX, with declaration files. tsx.py is the same with JSX."""

from __future__ import annotations

from msgspec.structs import replace

from scry.index.parse.languages import javascript
from scry.index.parse.languages.javascript import DEFINITIONS, REFERENCES

_KEY = "[(property_identifier) (string) (private_property_identifier)]"

QUERY = (
    DEFINITIONS
    + REFERENCES
    + f"""
(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(type_alias_declaration name: (type_identifier) @name) @definition.type
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(function_signature name: (identifier) @name) @definition.function
(ambient_declaration) @wrapper
(program (expression_statement (internal_module)) @wrapper)

(public_field_definition name: {_KEY} @name value: [(arrow_function) (function_expression)]) @definition.method
(public_field_definition name: {_KEY} @name) @declaration.field
(abstract_method_signature name: {_KEY} @name) @definition.method
(class_body (method_signature name: {_KEY} @name) @definition.method)
(interface_body (method_signature name: {_KEY} @name) @declaration.method)
(interface_body (property_signature name: {_KEY} @name) @declaration.field)
(enum_body [name: (property_identifier) @name @declaration.field
  (enum_assignment name: (property_identifier) @name) @declaration.field])

(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(internal_module body: (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))))
(module body: (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))))

(import_require_clause source: (string) @import)
(extends_clause value: [(identifier) @reference.implementation
  (member_expression property: (property_identifier) @reference.implementation)])
(implements_clause [(type_identifier) @reference.implementation
  (generic_type name: (type_identifier) @reference.implementation)])
(extends_type_clause [(type_identifier) @reference.implementation
  (generic_type name: (type_identifier) @reference.implementation)])
(type_annotation [(type_identifier) @reference.type (generic_type name: (type_identifier) @reference.type)])
(type_arguments (type_identifier) @reference.type)
(union_type (type_identifier) @reference.type)
"""
)


def _grammar() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


LANGUAGE = replace(
    javascript.LANGUAGE,
    name="typescript",
    extensions=(".ts", ".mts", ".cts"),
    filenames=(),
    interpreters=("deno", "ts-node", "tsx"),
    grammar=_grammar,
    query=QUERY,
)
