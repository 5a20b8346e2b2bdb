"""Parse TypeScript with JSX by its own grammar: `<T>x` is a cast without JSX and an element with it."""

from __future__ import annotations

from scry.index.parse.languages import typescript
from scry.index.parse.languages.javascript import (
    ENTRY_PATHS,
    JSX,
    NAME_RESOLUTION,
    read_bindings,
    read_container,
    read_import,
    resolve,
)
from scry.index.parse.languages.language import Language


def _grammar() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


LANGUAGE = Language(
    name="typescript",
    extensions=(".tsx",),
    grammar=_grammar,
    query=typescript.QUERY + JSX,
    read_container=read_container,
    read_import=read_import,
    read_bindings=read_bindings,
    name_resolution=NAME_RESOLUTION,
    resolve=resolve,
    entry_paths=ENTRY_PATHS,
)
