"""Parse Swift. Members of an extension are qualified by the type that it extends."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.index.parse.languages.language import (
    FEW_ERROR_BYTES,
    METHOD_AND_FUNCTION_KINDS,
    Language,
    Mend,
    NameResolution,
)
from scry.index.parse.languages.project_files import ProjectFiles

# Only a `function_declaration` has a name and a `function_body`. Its patterns do not say so, because tree-sitter takes
# 0.11 s to compile each pattern that names it, and none for one of any node.
_QUERY = """
(class_declaration declaration_kind: "class" name: (_) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (_) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @scope) @definition.implementation
(protocol_declaration name: (_) @name) @definition.interface
(_ "func" name: (simple_identifier) @name body: (function_body)) @definition.function
(_ "func" . name: _ @name body: (function_body)) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @declaration.method
(init_declaration name: "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @declaration.type
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @definition.variable)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @declaration.field)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @declaration.field)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)
  computed_value: (_) @body) @definition.method)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name)
  computed_value: (_) @body) @definition.method)
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @declaration.field
(enum_entry name: (simple_identifier) @name) @declaration.field
(macro_declaration (simple_identifier) @name) @definition.macro

(comment) @comment
(multiline_comment) @comment
(attribute) @attribute
(import_declaration) @import

(call_expression . [(simple_identifier) @reference.call
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call))])
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.implementation))
(parameter (user_type (type_identifier) @reference.type))
(type_annotation (user_type (type_identifier) @reference.type))
(_ name: (user_type (type_identifier) @reference.type) body: (function_body))
"""

_IMPORT = re.compile(
    r"(?:@\w+\s+)*(?:public\s+|internal\s+)?import\s+(?:(?:class|struct|enum|protocol|func|var|typealias)\s+)?([\w.]+)"
)


def _grammar() -> object:
    import tree_sitter_swift

    return tree_sitter_swift.language()


def _read_import(text: str) -> Iterable[str]:
    match = _IMPORT.match(text)
    return (match[1],) if match else ()


def _resolve(_path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a module of the package to the files directly in `Sources/<module>`."""
    module = name.partition(".")[0]
    if not files.has_word(module):
        return ()
    return tuple(
        path
        for folder in files.find_folders_by_suffix(f"Sources/{module}")
        for path in files.list_folder(folder, ".swift")
    )


def _load_mends() -> tuple[Mend, ...]:
    from scry.index.parse.languages.mends.conditionals import CONDITIONAL_MENDS
    from scry.index.parse.languages.mends.forms import mend_swift

    return (mend_swift, *CONDITIONAL_MENDS)


LANGUAGE = Language(
    name="swift",
    extensions=(".swift",),
    grammar=_grammar,
    load_mends=_load_mends,
    min_mended_errors=FEW_ERROR_BYTES,
    query=_QUERY,
    read_import=_read_import,
    name_resolution=NameResolution(
        implicit_self=True, members=METHOD_AND_FUNCTION_KINDS, external_members=True, overloads=True
    ),
    resolve=_resolve,
    entry_paths=r"(^|/)main\.swift$",
)
