"""Parse Rust. Methods are qualified by the type that their `impl` is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import basename, dirname, join

from scry.core.types import Binding
from scry.index.parse.languages.language import FILE_SCOPE, MAX_IMPORT_LENGTH, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, parent_folders

_QUERY = """
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(impl_item body: (declaration_list (type_item) @skip))
(mod_item name: (identifier) @name body: (_)) @definition.module
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name) @definition.macro
(impl_item type: (_) @scope) @definition.implementation
(field_declaration name: (field_identifier) @name) @declaration.field
(enum_variant name: (identifier) @name) @declaration.field

(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute

((mod_item name: (identifier) @_name body: (_)) @test (#any-of? @_name "test" "tests"))
((attribute_item (attribute . [(identifier) (scoped_identifier)] @_name)) @test.attribute
  (#match? @_name "^(.*::)?([a-z0-9_]+_)?(test|bench|rstest|quickcheck)(_case|_matrix)?$"))
((attribute_item (attribute . (identifier) @_name arguments: (token_tree) @_when)) @test.attribute
  (#eq? @_name "cfg") (#match? @_when "^[(] *(all *[(]([^()]*,)? *)?test *[,)]"))
((source_file (inner_attribute_item (attribute . (identifier) @_name arguments: (token_tree) @_when))) @test
  (#eq? @_name "cfg") (#match? @_when "^[(] *(all *[(]([^()]*,)? *)?test *[,)]"))

(source_file (use_declaration) @import)
(source_file (mod_item !body) @import)

(call_expression function: [(identifier) @reference.call (field_expression field: (field_identifier) @reference.call)
  (scoped_identifier name: (identifier) @reference.call)
  (generic_function function: [(identifier) @reference.call
    (field_expression field: (field_identifier) @reference.call)
    (scoped_identifier name: (identifier) @reference.call)])])
(token_tree (identifier) @reference.call . (token_tree . "("))
(macro_invocation macro: [(identifier) @reference.call (scoped_identifier name: (identifier) @reference.call)])
(struct_expression name: (type_identifier) @reference.class)
(impl_item trait: [(type_identifier) @reference.implementation
  (generic_type type: (type_identifier) @reference.implementation)
  (scoped_type_identifier name: (type_identifier) @reference.implementation)])
(parameter type: [(type_identifier) @reference.type (generic_type type: (type_identifier) @reference.type)
  (reference_type type: (type_identifier) @reference.type)])
(field_declaration type: [(type_identifier) @reference.type (generic_type type: (type_identifier) @reference.type)])
(function_item return_type: [(type_identifier) @reference.type (generic_type type: (type_identifier) @reference.type)])
"""

_TRIVIA = re.compile(r"#\[[^\[\]]*\]|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_MODULE = re.compile(r"\bmod\s+(\w+)$")
_USE = re.compile(r"^.*?\buse\s+", re.DOTALL)
_WORD = re.compile(r"[{},]|[^\s{},]+")


def _grammar() -> object:
    import tree_sitter_rust

    return tree_sitter_rust.language()


def _read_container(qualifier: str) -> str:
    """Return the plain type name: `&'a mut fmt::Display<T>` gives "Display"."""
    plain = re.sub(r"^(&|\*|'\w+|mut\b|const\b|dyn\b|\s)+", "", qualifier).partition("<")[0]
    return plain.rpartition("::")[2].strip()


def _read_import(text: str) -> Iterator[str]:
    """Return the imported paths: `use a::{b, c::d}` gives "a::b", "a::c::d"; `mod x;` is "self::x"."""
    plain = _strip_trivia(text)
    module = _MODULE.search(plain)
    if module:
        return iter((f"self::{module[1]}",))
    paths = (path for path, _ in _expand_use_tree(_USE.sub("", plain, count=1)))
    return (path.removesuffix("::*").removesuffix("::self") for path in paths)


def _read_bindings(text: str) -> Iterator[Binding]:
    """Yield the bindings of an import: `use a::{b, c as d, e::*}` binds b, d and all of e; `mod x;` binds x."""
    plain = _strip_trivia(text)
    module = _MODULE.search(plain)
    if module:
        yield Binding(module[1], f"self::{module[1]}", module[1])
        return
    for path, alias in _expand_use_tree(_USE.sub("", plain, count=1)):
        source = path.removesuffix("::*").removesuffix("::self")
        last = source.rpartition("::")[2]
        yield Binding("*", source, "*") if path.endswith("::*") else Binding(alias or last, source, last)


def _strip_trivia(text: str) -> str:
    return _TRIVIA.sub(" ", text).rstrip().rstrip(";")


def _expand_use_tree(use_tree: str) -> Iterator[tuple[str, str]]:
    """Yield the paths of a use tree with their aliases.

    Iterative, not recursive: `open_at` holds the prefixes of the braces around.
    """
    open_at: list[str] = []
    outer_length = 0
    prefix, alias, renamed = "", "", False
    for word in _WORD.findall(use_tree):
        if word == "{":
            open_at.append(prefix)
            outer_length += len(prefix)
            prefix = ""
        elif word in ("}", ","):
            if prefix and outer_length + len(prefix) + len(open_at) <= MAX_IMPORT_LENGTH:
                yield "".join(open_at) + prefix, alias
            prefix, alias, renamed = "", "", False
            if word == "}" and open_at:
                outer_length -= len(open_at.pop())
        elif word == "as":
            renamed = True
        elif renamed:
            alias = word
        else:
            prefix += word
    if prefix:
        yield prefix, alias


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    words = name.removeprefix("::").split("::")
    folder = _module_folder(path)
    if words[0] not in ("crate", "self", "super"):
        return _find_module_file(folder, words, files) or _resolve_sibling_crate(words, files)
    if words[0] == "crate":
        folder = _crate_folder(path, files)
    while words and words[0] in ("crate", "self", "super"):
        folder = dirname(folder) if words[0] == "super" else folder
        words = words[1:]
    return _find_module_file(folder, words, files) or _module_file(folder, files)


def _module_folder(path: str) -> str:
    """Return the folder of a file's child modules: beside lib.rs, main.rs and mod.rs, else a folder of the file's own
    name.
    """
    if basename(path) in ("lib.rs", "main.rs", "mod.rs", "build.rs"):
        return dirname(path)
    return path.removesuffix(".rs")


def _sources_folder(path: str) -> str:
    """Return the folder of the sources of a file's crate; the file's own where none is called `src`."""
    above, src, _ = f"/{path}".rpartition("/src/")
    return f"{above}/src".lstrip("/") if src else dirname(path)


def _crate_folder(path: str, files: ProjectFiles) -> str:
    for folder in parent_folders(path):
        if join(folder, "lib.rs") in files or join(folder, "main.rs") in files:
            return folder
    return dirname(path)


def _resolve_sibling_crate(words: list[str], files: ProjectFiles) -> tuple[str, ...]:
    """Resolve a path in a sibling crate of a workspace: `tokio_util::sync` is below tokio-util/src."""
    for spelling in dict.fromkeys((words[0].replace("_", "-"), words[0])):
        root = files.find_by_suffix(f"{spelling}/src/lib.rs")
        if root:
            return _find_module_file(dirname(root[0]), words[1:], files) or root
    return ()


def _find_module_file(folder: str, words: list[str], files: ProjectFiles) -> tuple[str, ...]:
    """Return the file of the longest leading part of a path that is a module; the rest is an item in it."""
    for count in range(len(words), 0, -1):
        stem = join(folder, *words[:count])
        paths = files.first_existing((f"{stem}.rs", join(stem, "mod.rs")))
        if paths:
            return paths
    return ()


def _module_file(folder: str, files: ProjectFiles) -> tuple[str, ...]:
    """Return the file of the module whose child modules are in a folder."""
    return files.first_existing(
        (join(folder, "lib.rs"), join(folder, "mod.rs"), f"{folder}.rs", join(folder, "main.rs"))
    )


LANGUAGE = Language(
    name="rust",
    extensions=(".rs",),
    grammar=_grammar,
    query=_QUERY,
    read_container=_read_container,
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=NameResolution(
        default_scope=FILE_SCOPE,
        external_members=True,
        overloads=True,
        module_folder=_module_folder,
        macro_folder=_sources_folder,
        accessors=(".", "::"),
    ),
    resolve=_resolve,
    entry_paths=r"(^|/)(main\.rs|src/bin/[^/]+\.rs)$",
)
