"""Parse PHP, with or without HTML around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from scry.core.types import Binding
from scry.index.parse.languages.language import MAX_IMPORT_LENGTH, PROJECT_SCOPE, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, resolve_relative

_QUERY = """
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(interface_declaration body: (declaration_list (method_declaration name: (name) @name) @declaration.method))
(property_declaration (property_element name: (variable_name (name) @name))) @declaration.field
(property_promotion_parameter name: (variable_name (name) @name)) @declaration.field
(declaration_list (const_declaration (const_element . (name) @name)) @declaration.field)
(enum_case name: (name) @name) @declaration.field
(program (const_declaration (const_element . (name) @name)) @definition.constant)
(namespace_definition body: (compound_statement
  (const_declaration (const_element . (name) @name)) @definition.constant))

(comment) @comment
(attribute_list) @attribute
(namespace_use_declaration) @import
(require_once_expression) @import
(require_expression) @import
(include_expression) @import
(include_once_expression) @import

(function_call_expression function: [(name) @reference.call (qualified_name (name) @reference.call)])
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: [(name) @reference.type (qualified_name (name) @reference.type)])
(object_creation_expression [(name) @reference.class (qualified_name (name) @reference.class)])
(base_clause [(name) @reference.implementation (qualified_name (name) @reference.implementation)])
(class_interface_clause [(name) @reference.implementation (qualified_name (name) @reference.implementation)])
(use_declaration [(name) @reference.implementation (qualified_name (name) @reference.implementation)])
(named_type [(name) @reference.type (qualified_name (name) @reference.type)])
(class_constant_access_expression . [(name) @reference.type (qualified_name (name) @reference.type)])
"""

_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING = re.compile(r"[\"']([^\"']+)[\"']")


def _grammar() -> object:
    import tree_sitter_php

    return tree_sitter_php.language_php()


def _read_import(text: str) -> Iterator[str]:
    r"""Yield the imported names.

    `use A\{B, C as D};` gives "A\B", "A\C"; `require __DIR__ . "/x.php"` gives "./x.php".
    """
    if not re.match(r"use\b", text):
        match = _STRING.search(text)
        return iter(("./" + match[1].lstrip("/"),) if match else ())
    plain = re.sub(r"^use\s+(function\s+|const\s+)?", "", _COMMENT.sub("", text)).rstrip("; \t\r\n")
    return (name for name, _ in _imported_names(plain))


def _read_bindings(text: str) -> Iterator[Binding]:
    r"""Yield the bindings of a `use`: `use A\B as C` binds C to B."""
    if re.match(r"use\b", text):
        plain = re.sub(r"^use\s+(function\s+|const\s+)?", "", _COMMENT.sub("", text)).rstrip("; \t\r\n")
        for name, alias in _imported_names(plain):
            last = name.rpartition("\\")[2]
            yield Binding(alias or last, name, last)


def _imported_names(plain: str) -> Iterator[tuple[str, str]]:
    prefix, brace, inner = plain.partition("{")
    if brace and len(prefix) > MAX_IMPORT_LENGTH:
        return
    for part in (inner.rstrip("} \t\r\n") if brace else plain).split(","):
        words = re.sub(r"^\s*(function|const)\s+", "", part).split()
        if words:
            alias = words[2] if len(words) == 3 else ""
            yield ((prefix.strip() if brace else "") + words[0]).lstrip("\\"), alias


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve by PSR-4 without its table: the longest end of the name, of two words at least, that is the end of one
    path.
    """
    if name.startswith("./"):
        return files.first_existing((resolve_relative(path, name), name[2:])) or files.find_by_suffix(name[2:])
    parts = name.split("\\")
    if not files.has_word(parts[-1]):
        return ()
    matches = (files.find_by_suffix("/".join(parts[first:]) + ".php") for first in range(max(1, len(parts) - 1)))
    return next(filter(None, matches), ())


_C_LINE = re.compile(
    r"^[ \t]*#[ \t]*(?:include|if|ifdef|ifndef|define|undef|pragma)\b|^[A-Z][A-Z0-9_]+\(", re.MULTILINE
)


def _detect_c_fragment(text: str) -> str | None:
    """Return "cpp" for a `.inc` that is no PHP and has a directive of C's preprocessor or a macro."""
    return "cpp" if "<?" not in text and _C_LINE.search(text) else None


LANGUAGE = Language(
    name="php",
    extensions=(".php", ".phtml", ".php5", ".php7", ".inc"),
    filenames=("artisan",),
    interpreters=("php",),
    grammar=_grammar,
    query=_QUERY,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=NameResolution(default_scope=PROJECT_SCOPE, accessors=("->", "::")),
    resolve=_resolve,
    detect_other_language=_detect_c_fragment,
    entry_paths=r"^(public/|web/|www/)?index\.php$|(^|/)artisan$",
)
