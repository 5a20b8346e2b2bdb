"""Parse C, with macros blanked that would hide a declaration from the grammar (see c_macros.py)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from scry.index.parse.languages.c_macros import blank_macros
from scry.index.parse.languages.language import FEW_ERROR_BYTES, Language, Mend, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, resolve_relative


def declarator_pattern(*inner: str) -> str:
    """Return the patterns that declare each `inner` by value, as a pointer or as an array, for use in `[…]`.

    An alternative that itself begins with `[` spoils those behind it in tree-sitter 0.26, so this has no brackets.
    """
    wraps = ("{}", "(pointer_declarator declarator: {})", "(array_declarator declarator: {})")
    nested = (wraps[1].format(wraps[1]), wraps[1].format(wraps[2]))
    return " ".join(wrap.format(each) for wrap in (*wraps, *nested) for each in inner)


def function_declarator_pattern(inner: str) -> str:
    """Return the patterns that declare a function: as `declarator_pattern`, without arrays."""
    return f"{inner} (pointer_declarator declarator: [{inner} (pointer_declarator declarator: {inner})])"


_FUNCTION = function_declarator_pattern(
    "(function_declarator declarator: [(identifier) @name (parenthesized_declarator (identifier) @name)])"
)
_VARIABLE = declarator_pattern("(identifier) @name")
_INITIAL = f"(init_declarator declarator: [{_VARIABLE}])"
_FIELD = declarator_pattern("(field_identifier) @name")
_RETURNED = (
    "(parenthesized_declarator (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))"
)
_CALLBACK = """(function_declarator declarator:
  (parenthesized_declarator (pointer_declarator declarator: [(field_identifier) (type_identifier)] @name)))"""
_TYPEDEF = declarator_pattern("(type_identifier) @name")


DEFINITIONS = f"""
(function_definition declarator: [{_FUNCTION}]) @definition.function
(function_definition declarator: (function_declarator declarator: {_RETURNED})) @definition.function
(declaration declarator: [{_FUNCTION}]) @definition.function
(declaration declarator: [{_VARIABLE} {_INITIAL}]) @definition.variable
(compound_statement [(declaration) @skip (_ [(declaration) @skip (_ (declaration) @skip)])])
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition declarator: [{_TYPEDEF}]) @definition.type
(type_definition declarator: [{function_declarator_pattern(_CALLBACK)}]) @definition.type
(type_definition type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body)]) @definition.struct
(type_definition type: (enum_specifier body: (_) @body)) @definition.enum
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] @skip)
(field_declaration declarator: [{_FIELD} {function_declarator_pattern(_CALLBACK)}]) @declaration.field
(enumerator name: (identifier) @name) @declaration.field
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.macro

(comment) @comment
(preproc_include path: (_) @import)
"""

REFERENCES = """
(call_expression function: [(identifier) @reference.call
  (field_expression field: (field_identifier) @reference.call)])
(parameter_declaration type: [(type_identifier) @reference.type
  (struct_specifier name: (type_identifier) @reference.type)])
(field_declaration type: [(type_identifier) @reference.type
  (struct_specifier name: (type_identifier) @reference.type)])
(declaration type: [(type_identifier) @reference.type (struct_specifier name: (type_identifier) @reference.type)])
(function_definition type: (type_identifier) @reference.type)
(sizeof_expression type: (type_descriptor type: (type_identifier) @reference.type))
(cast_expression type: (type_descriptor type: (type_identifier) @reference.type))
"""

ENTRY_SYMBOLS = frozenset({"main", "wmain", "WinMain", "wWinMain"})

_CPP_ONLY = re.compile(
    r"^[^\S\n]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:)"
    r"|^\w[\w \t*&]*\w::~?\w",
    re.MULTILINE,
)
_OBJECTIVE_C_ONLY = re.compile(r"^[^\S\n]*@(?:interface|protocol|class|end|import)\b", re.MULTILINE)
_COMMENTS = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


def _grammar() -> object:
    import tree_sitter_c

    return tree_sitter_c.language()


def _detect_cpp_header(text: str) -> str | None:
    """Return "cpp" or "objective-c" for a header with a line that begins with syntax that only that language has."""
    code = _COMMENTS.sub("", text)
    if _CPP_ONLY.search(code):
        return "cpp"
    return "objective-c" if "@" in code and _OBJECTIVE_C_ONLY.search(code) else None


def read_import(text: str) -> Iterable[str]:
    """Return `"a/b.h"` and `<a/b.h>` as written: the quotes decide where the file is looked for first."""
    return (text,) if text[:1] in ('"', "<") else ()


def resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a header beside the file, from the root, then by the end of the path.

    A name in `<>` is looked for only with a folder in it or in a folder `include`: `<string.h>` is the system's.
    """
    plain = name.strip('"<>')
    if name.startswith('"'):
        return files.first_existing((resolve_relative(path, plain), plain)) or files.find_by_suffix(plain)
    return files.first_existing((f"include/{plain}",)) or (files.find_by_suffix(plain) if "/" in plain else ())


NAME_RESOLUTION = NameResolution(family="c", imports_all_names=True, accessors=(".", "->"))


def load_mends() -> tuple[Mend, ...]:
    """Return the mends of C and C++."""
    from scry.index.parse.languages.mends.conditionals import CONDITIONAL_MENDS
    from scry.index.parse.languages.mends.macros import blank_likely_macros

    return (blank_likely_macros, *CONDITIONAL_MENDS)


LANGUAGE = Language(
    name="c",
    extensions=(".c",),
    grammar=_grammar,
    query=DEFINITIONS + REFERENCES,
    read_import=read_import,
    name_resolution=NAME_RESOLUTION,
    resolve=resolve,
    prepare=blank_macros,
    load_mends=load_mends,
    min_mended_errors=FEW_ERROR_BYTES,
    entry_symbols=ENTRY_SYMBOLS,
)

HEADER = replace(LANGUAGE, extensions=(".h",), entry_symbols=frozenset[str](), detect_other_language=_detect_cpp_header)
