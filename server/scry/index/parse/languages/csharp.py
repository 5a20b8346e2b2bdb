"""Parse C#. Namespaces, like Java's packages, are no part of a container."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from scry.index.parse.languages.language import Language, NameResolution, PreparedSource
from scry.index.parse.languages.project_files import ProjectFiles

_QUERY = """
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.method
(interface_declaration body: (declaration_list (method_declaration name: (identifier) @name) @declaration.method))
(constructor_declaration name: (identifier) @name) @definition.method
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration type: (_) @name) @definition.method
(indexer_declaration "this" @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name) @declaration.field
(property_declaration name: (identifier) @name accessors: (accessor_list (accessor_declaration body: (block))))
  @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @declaration.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @declaration.field
(event_declaration name: (identifier) @name) @declaration.field
(enum_member_declaration name: (identifier) @name) @declaration.field

(comment) @comment
(attribute_list) @attribute
(using_directive) @import

(invocation_expression function: [(identifier) @reference.call (generic_name (identifier) @reference.call)
  (member_access_expression name: [(identifier) @reference.call (generic_name (identifier) @reference.call)])
  (conditional_access_expression (member_binding_expression name: [(identifier) @reference.call
    (generic_name (identifier) @reference.call)]))])
(object_creation_expression type: [(identifier) @reference.class (generic_name (identifier) @reference.class)
  (qualified_name name: (identifier) @reference.class)])
(base_list [(identifier) @reference.implementation (generic_name (identifier) @reference.implementation)
  (qualified_name name: (identifier) @reference.implementation)])
(attribute name: (identifier) @reference.class)
(parameter type: [(identifier) @reference.type (generic_name (identifier) @reference.type)
  (nullable_type type: (identifier) @reference.type)])
(variable_declaration type: [(identifier) @reference.type (generic_name (identifier) @reference.type)])
(property_declaration type: [(identifier) @reference.type (generic_name (identifier) @reference.type)])
(method_declaration returns: [(identifier) @reference.type (generic_name (identifier) @reference.type)])
(type_argument_list (identifier) @reference.type)
"""

_USING = re.compile(r"(?:global )?using (?:static )?(?:[\w@]+ ?= ?)?(?:global::)?([\w. @]+)(?:<.*)?;")


_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(if|elif|else|endif|region|endregion|pragma|nullable|line|define|undef)\b[^\r\n]*", re.MULTILINE
)
_DEREFERENCE = re.compile(rb"([;{}=(,]\s*)(\*(?:\([\w.]+[ \t]*\*+\))?)(?=\s*[(\w])")
_REF_PARTIAL = re.compile(rb"\bref(?=\s{1,40}partial\s{1,40}struct\b)")
_NOT_LINE_END = re.compile(rb"[^\r\n]")
_MAX_READ_LEVELS = 20
"""Levels of conditionals in each other of which more than the first branch is read."""

_MAX_BYTES_ABOVE = 2_000


def _prepare(data: bytes) -> PreparedSource:
    """Keep the branches of `#if … #else … #endif` that the grammar can read. Blank the `*(int*)` of `*(int*)(p + 1) =
    2` and the `ref` of `ref partial struct`, which it does not know.
    """
    if b"#" in data:
        data = _DIRECTIVE.sub(_blank_match, _drop_branches(data))
    if b"unsafe" in data:
        data = _DEREFERENCE.sub(lambda match: match[1] + b" " * len(match[2]), data)
    if b"partial" in data:
        data = _REF_PARTIAL.sub(b"   ", data)
    return data, ()


def _drop_branches(data: bytes) -> bytes:
    """Return the text with the first branch of each conditional alone, except where all branches are whole members or
    statements.
    """
    open_ones: list[list[re.Match[bytes]]] = []
    dropped: list[tuple[int, int]] = []
    for match in _DIRECTIVE.finditer(data):
        if match[1] == b"if":
            open_ones.append([match])
        elif match[1] in (b"else", b"elif") and open_ones:
            open_ones[-1].append(match)
        elif match[1] == b"endif" and open_ones:
            edges = [*open_ones.pop(), match]
            branches = [(above.end(), below.start()) for above, below in pairwise(edges)]
            if len(branches) > 1 and not (len(open_ones) < _MAX_READ_LEVELS and _are_whole(data, edges[0], branches)):
                first = branches[1][0]
                while dropped and dropped[-1][0] >= first:
                    dropped.pop()
                dropped.append((first, match.start()))
    pieces, position = list[bytes](), 0
    for start, end in dropped:
        pieces += data[position:start], _NOT_LINE_END.sub(b" ", data[start:end])
        position = end
    return b"".join(pieces) + data[position:]


def _are_whole(data: bytes, opening: re.Match[bytes], branches: Iterable[tuple[int, int]]) -> bool:
    """Return whether a conditional stands between members or statements, and each of its branches is some of them."""
    above = data[max(0, opening.start() - _MAX_BYTES_ABOVE) : opening.start()].rstrip()
    while above[above.rfind(b"\n") + 1 :].lstrip().startswith((b"//", b"#")):  # comments and other directives
        above = above[: above.rfind(b"\n") + 1].rstrip()
    return above.endswith((b";", b"{", b"}")) and all(_is_whole(data[start:end]) for start, end in branches)


def _is_whole(branch: bytes) -> bool:
    balanced = branch.count(b"{") == branch.count(b"}") and branch.count(b"(") == branch.count(b")")
    return balanced and branch.rstrip().endswith((b";", b"}"))


def _blank_match(match: re.Match[bytes]) -> bytes:
    return _NOT_LINE_END.sub(b" ", match[0])


def _grammar() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _read_import(text: str) -> Iterable[str]:
    match = _USING.match(" ".join(text.split()))
    return ("".join(match[1].split()),) if match else ()


def _resolve(_path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a class (`using static A.B`) by the end of a path; a namespace by folders: A.B/C or A/B/C for `A.B.C`.

    A namespace of one word is too common a folder's name to decide anything.
    """
    parts = name.split(".")
    if not files.has_word(parts[-1]) and not files.has_word(parts[0]):
        return ()
    for first in range(len(parts)):
        file = files.find_by_suffix("/".join(parts[first:]) + ".cs") if len(parts) - first > 1 else ()
        if file:
            return file
    spellings = ["/".join([".".join(parts[:count]), *parts[count:]]) for count in range(len(parts), 0, -1)]
    folders = (
        folder
        for spelling in spellings[: None if len(parts) > 1 else 0]
        for folder in files.find_folders_by_suffix(spelling)
    )
    return next(filter(None, (files.list_folder(folder, ".cs") for folder in folders)), ())


LANGUAGE = Language(
    name="csharp",
    extensions=(".cs", ".csx"),
    grammar=_grammar,
    query=_QUERY,
    read_import=_read_import,
    name_resolution=NameResolution(implicit_self=True, partial_types=True, external_members=True, overloads=True),
    resolve=_resolve,
    prepare=_prepare,
    entry_paths=r"(^|/)Program\.cs$",
    entry_text=r"\bstatic\s+(?:async\s+)?(?:void|int|Task(?:<int>)?)\s+Main\s*\(",
)
