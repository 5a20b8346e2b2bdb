"""Parse Scala, versions 2 and 3."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from scry.core.types import Binding
from scry.index.parse.languages.java import JVM_NAME_RESOLUTION
from scry.index.parse.languages.language import MAX_IMPORT_LENGTH, METHOD_AND_FUNCTION_KINDS, Language
from scry.index.parse.languages.project_files import ProjectFiles, resolve_dotted_import

_QUERY = """
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.module
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @declaration.method
(given_definition name: (_) @name) @definition.constant
(type_definition name: (_) @name) @definition.type
(compilation_unit (val_definition pattern: (identifier) @name) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(template_body (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @declaration.field)
(template_body (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @declaration.field)
(template_body (val_definition pattern: (identifier) @name value: (instance_expression (template_body)))
  @definition.field)
(template_body (val_declaration name: (identifier) @name) @declaration.field)
(template_body (var_declaration name: (identifier) @name) @declaration.field)
(instance_expression (template_body [(function_definition) (val_definition) (type_definition)] @skip))
(simple_enum_case name: (_) @name) @declaration.field
(full_enum_case name: (_) @name) @declaration.field
(class_parameters (class_parameter ["val" "var"] name: (identifier) @name) @declaration.field)

(comment) @comment
(block_comment) @comment
(annotation) @attribute
(import_declaration) @import @binding
(package_clause name: (_) @binding)

(call_expression function: [(identifier) @reference.call (field_expression field: (identifier) @reference.call)
  (generic_function function: [(identifier) @reference.call
    (field_expression field: (identifier) @reference.call)])])
(infix_expression operator: (identifier) @reference.call)
(instance_expression [(type_identifier) @reference.class (generic_type type: (type_identifier) @reference.class)])
(extends_clause type: [(type_identifier) @reference.implementation
  (generic_type type: (type_identifier) @reference.implementation)])
(parameter type: [(type_identifier) @reference.type (generic_type type: (type_identifier) @reference.type)])
(class_parameter type: [(type_identifier) @reference.type (generic_type type: (type_identifier) @reference.type)])
(function_definition return_type: [(type_identifier) @reference.type
  (generic_type type: (type_identifier) @reference.type)])
"""


def _grammar() -> object:
    import tree_sitter_scala

    return tree_sitter_scala.language()


def _read_import(text: str) -> Iterator[str]:
    """Yield the imported names: `import a.{B, C => D}, e._` gives "a.B", "a.C", "e"."""
    return (binding.source for binding in _read_bindings(text))


def _read_bindings(text: str) -> Iterator[Binding]:
    """Yield the bindings of an import, or the package of a file.

    `import a.{B, C => D}, e._` binds B, D and all names of e; of `package a`, the text is "a".
    """
    plain = re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", " ", text, flags=re.DOTALL).strip()
    if not plain.startswith("import"):
        yield Binding("", "".join(plain.split()))
        return
    for part in re.findall(r"[^,{]+(?:\{[^{}]*\})?", plain.removeprefix("import")):
        prefix, brace, inner = part.strip().partition("{")
        if len(prefix) > MAX_IMPORT_LENGTH:
            continue
        for word in inner.rstrip("} \n").split(",") if brace else [""]:
            name, *alias = (each.strip() for each in re.split(r"=>|\bas\b", word))
            is_whole = name in _WILDCARDS or (not brace and prefix.strip().endswith(("._", ".*")))
            source = (prefix.strip() + ("" if name in _WILDCARDS else name)).removesuffix("._").strip(". *")
            member = source.rpartition(".")[2]
            yield Binding("*", source) if is_whole else Binding(alias[0] if alias else member, source, member)


_WILDCARDS = frozenset({"_", "*", "given"})


def _resolve(_path: str, name: str, files: ProjectFiles) -> tuple[str, ...]:
    return resolve_dotted_import(name, ".scala", files) or resolve_dotted_import(name, ".java", files)


LANGUAGE = Language(
    name="scala",
    extensions=(".scala", ".sc", ".sbt"),
    interpreters=("scala",),
    grammar=_grammar,
    query=_QUERY,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=replace(JVM_NAME_RESOLUTION, members=METHOD_AND_FUNCTION_KINDS, external_members=True),
    resolve=_resolve,
    entry_paths=r"(^|/)Main\.scala$",
    entry_text=r"\bdef\s+main\s*\(\s*\w+\s*:\s*Array\[String\]",
)
