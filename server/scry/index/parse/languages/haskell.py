"""Parse Haskell. A function's type signature and its equations are one symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.index.parse.languages.language import FILE_SCOPE, Language, Mend, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles


def _declared(parent: str) -> str:
    """Return patterns of functions as the children of a node; definitions in `where` and `let` stay part of the
    function.
    """
    return f"""
({parent} (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.function)
({parent} (signature names: (binding_list (variable) @name)) @definition.function)
({parent} (function name: [(variable) @name (prefix_id (operator) @name)] match: (_) @body) @definition.function)
({parent} (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body)
  @definition.function)
({parent} (bind name: (variable) @name match: (_) @body) @definition.function)
"""


_QUERY = f"""
{_declared("declarations")}
{_declared("class_declarations")}
{_declared("instance_declarations")}
(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name) @definition.class
(class declarations: (_) @body)
(instance patterns: (_) @scope) @definition.implementation
(instance declarations: (_) @body)
(pattern_synonym (equation synonym: [(apply function: (constructor) @name) (constructor) @name])) @definition.function
(data_constructor constructor: [(prefix name: (constructor) @name) (record name: (constructor) @name)])
  @declaration.field
(newtype_constructor name: (constructor) @name) @declaration.field
(gadt_constructor name: (constructor) @name) @declaration.field
(field name: (field_name (variable) @name)) @declaration.field

(comment) @comment
(haddock) @comment
(import module: (module) @import)

(apply function: [(variable) @reference.call (qualified id: (variable) @reference.call)])
(infix left_operand: [(variable) @reference.call (qualified id: (variable) @reference.call)])
(infix operator: (infix_id [(variable) @reference.call (qualified id: (variable) @reference.call)]))
(apply function: (constructor) @reference.class)
(instance name: (name) @reference.implementation)
(deriving classes: (tuple (name) @reference.implementation))
(signature type: (_ [(name) @reference.type (apply constructor: (name) @reference.type)]))
(field type: (name) @reference.type)
"""


def _grammar() -> object:
    import tree_sitter_haskell

    return tree_sitter_haskell.language()


def _read_container(qualifier: str) -> str:
    """Return the type that an instance is for: `(Map k v)` gives "Map"."""
    match = re.search(r"[^\W\d][\w.']*|\[\]", qualifier)
    return match[0] if match else ""


def _read_name(name: str) -> str:
    """Return the name unchanged: a quote at the end belongs to it."""
    return name


def _read_import(text: str) -> Iterable[str]:
    return (text,)


def _resolve(_path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    stem = name.replace(".", "/")
    return files.find_by_suffix(f"{stem}.hs") or files.find_by_suffix(f"{stem}.hsc")


def _load_mends() -> tuple[Mend, ...]:
    from scry.index.parse.languages.mends.forms import mend_haskell

    return (mend_haskell,)


LANGUAGE = Language(
    name="haskell",
    extensions=(".hs", ".hs-boot", ".hsc"),
    interpreters=("runhaskell", "runghc", "stack"),
    grammar=_grammar,
    load_mends=_load_mends,
    query=_QUERY,
    joins_clauses=True,
    read_name=_read_name,
    read_container=_read_container,
    read_import=_read_import,
    name_resolution=NameResolution(default_scope=FILE_SCOPE, imports_all_names=True),
    resolve=_resolve,
    entry_paths=r"(^|/)Main\.hs$",
    entry_symbols=frozenset({"main"}),
)
