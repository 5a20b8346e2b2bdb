"""Parse Python: `.py`, stubs, and scripts started by a Python interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import join

from scry.core.types import Binding
from scry.index.parse.languages.language import FILE_SCOPE, MAX_IMPORT_LENGTH, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, parent_folders

_MAIN = "__name__ *== *.__main__|__main__. *== *__name__"
_STARTS_PROGRAM = (
    "(^|[^a-zA-Z0-9_])(sys[.](exit|argv)|SystemExit|ArgumentParser|parse_args)([^a-zA-Z0-9_]|$)"
    "|(^|[^a-zA-Z0-9_])_*(main|run|cli|app|start|serve)(_[a-z]+)*[(]"
)
_TRIES_OUT = "(^|[^a-zA-Z0-9_])(assert|doctest|unittest|pytest)([^a-zA-Z0-9_]|$)"
"""Words of an `if __name__ == "__main__":` block: one that starts the program is the program, one that tries out what
the module defines is a test of it.
"""

_QUERY = f"""
(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(decorated_definition) @wrapper
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(module (type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)])) @definition.type)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @declaration.field)))

(class_definition body: (block . (expression_statement (string) @doc)))
(function_definition body: (block . (expression_statement (string) @doc)))
(module (expression_statement (assignment)) . (expression_statement (string) @doc.after))
(block (expression_statement (assignment)) . (expression_statement (string) @doc.after))

((module (if_statement condition: (_) @_condition consequence: (block) @_block) @test)
  (#match? @_condition "{_MAIN}") (#not-match? @_block "{_STARTS_PROGRAM}"))
((module (if_statement condition: (_) @_condition consequence: (block) @_block) @test)
  (#match? @_condition "{_MAIN}") (#match? @_block "{_TRIES_OUT}"))

(comment) @comment
(decorator) @attribute
(import_statement) @import
(import_from_statement) @import

(call function: [(identifier) @reference.call (attribute attribute: (identifier) @reference.call)])
(decorator [(identifier) @reference.call (attribute attribute: (identifier) @reference.call)])
(class_definition superclasses: (argument_list
  [(identifier) @reference.implementation (attribute attribute: (identifier) @reference.implementation)]))
(type [(identifier) @reference.type (attribute attribute: (identifier) @reference.type)])
"""

_COMMENT = re.compile(r"#[^\n]*")
_FROM = re.compile(r"from ([. ]*(?:\w[\w.]*)?) import (.*)")


def _grammar() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


def _read_import(text: str) -> Iterator[str]:
    """Yield the imported names.

    `from ..a import b, c as d` gives "..a.b", "..a.c"; `import x.y` gives "x.y"; `from a import *` gives "a".
    """
    plain = " ".join(_COMMENT.sub("", text).split())
    match = _FROM.match(plain)
    module = "".join(match[1].split()) if match else ""
    if len(module) > MAX_IMPORT_LENGTH:
        return
    prefix = module if not module or module.endswith(".") else module + "."
    for part in re.sub(r"[()\\]", " ", match[2] if match else plain.removeprefix("import")).split(","):
        words = part.split()
        if words:
            yield prefix.rstrip(".") if words[0] == "*" and module.strip(".") else prefix + words[0].strip("*")


def _read_bindings(text: str) -> Iterator[Binding]:
    """Yield the bindings of an import.

    `from a import b as c` binds c, `import x.y` binds x, `import x.y as z` binds z, `from a import *` binds all.
    """
    plain = " ".join(_COMMENT.sub("", text).split())
    match = _FROM.match(plain)
    module = "".join(match[1].split()) if match else ""
    if len(module) > MAX_IMPORT_LENGTH:
        return
    prefix = module if not module or module.endswith(".") else module + "."
    for part in re.sub(r"[()\\]", " ", match[2] if match else plain.removeprefix("import")).split(","):
        words = part.split()
        if not words:
            continue
        local = words[-1] if len(words) == 3 else words[0] if match else words[0].partition(".")[0]
        if match:
            yield Binding(local, prefix + words[0] if words[0] != "*" else module, words[0])
        else:
            yield Binding(local, words[0] if len(words) == 3 else local)


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    relative = name.lstrip(".")
    dots = len(name) - len(relative)
    if dots:
        folders = parent_folders(path)
        if dots > len(folders):
            return ()
        return _find_module(folders[dots - 1], relative, files) or files.first_existing(
            (join(folders[dots - 1], "__init__.py"),)
        )
    if not files.has_word(relative.partition(".")[0]):
        return ()
    return next(filter(None, (_find_module(folder, relative, files) for folder in _search_folders(path, files))), ())


def _search_folders(path: str, files: ProjectFiles) -> Iterator[str]:
    """Yield the roots of absolute imports: folders above the file that are not inside a package, then package roots."""
    for folder in parent_folders(path):
        if (f"{folder}/__init__.py" if folder else "__init__.py") not in files:
            yield folder
    yield from files.package_roots


def _find_module(folder: str, dotted: str, files: ProjectFiles) -> tuple[str, ...]:
    """Return the file of `dotted` below a folder: the longest leading part that is a module; the rest is a name in
    that.
    """
    first = dotted.partition(".")[0]
    if not first or not files.has_stem(f"{folder}/{first}" if folder else first):
        return ()
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        stem = join(folder, *parts[:count])
        paths = files.first_existing((f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi", f"{stem}/__init__.pyi"))
        if paths:
            return paths
    return ()


LANGUAGE = Language(
    name="python",
    extensions=(".py", ".pyi", ".pyw"),
    filenames=("SConstruct", "SConscript", "wscript"),
    interpreters=("python", "python2", "python3", "pypy", "pypy3"),
    grammar=_grammar,
    query=_QUERY,
    constant_pattern=r"_*[A-Z][A-Z0-9_]*$",
    read_import=_read_import,
    read_bindings=_read_bindings,
    name_resolution=NameResolution(default_scope=FILE_SCOPE),
    resolve=_resolve,
    entry_paths=r"(^|/)(__main__|manage|cli)\.py$|^(src/)?(main|app|wsgi|asgi)\.py$",
    entry_text=r"if\s+__name__\s*==\s*[\"']__main__[\"']",
)
