"""Parse TypeScript with JSX by its own grammar: `<T>x` is a cast without JSX and an element with it."""

from __future__ import annotations

from msgspec.structs import replace

from scry.index.parse.languages import javascript, typescript


def _grammar() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


LANGUAGE = replace(
    typescript.LANGUAGE,
    extensions=(".tsx",),
    interpreters=(),
    grammar=_grammar,
    query=typescript.QUERY + javascript.JSX,
)
