"""The languages, one file each: `LANGUAGES` in order of precedence, and `language_of` to find a file's language."""

from __future__ import annotations

import re
from posixpath import basename, splitext

from scry.index.parse.languages import (
    bash,
    c,
    components,
    cpp,
    csharp,
    elixir,
    go,
    haskell,
    java,
    javascript,
    kotlin,
    lua,
    markdown,
    php,
    python,
    ruby,
    rust,
    scala,
    swift,
    text_formats,
    tsx,
    typescript,
    zig,
)
from scry.index.parse.languages.language import Language

LANGUAGES: tuple[Language, ...] = (
    python.LANGUAGE,
    javascript.LANGUAGE,
    typescript.LANGUAGE,
    tsx.LANGUAGE,
    components.VUE,
    components.SVELTE,
    components.ASTRO,
    go.LANGUAGE,
    rust.LANGUAGE,
    java.LANGUAGE,
    c.LANGUAGE,
    c.HEADER,
    cpp.LANGUAGE,
    csharp.LANGUAGE,
    ruby.LANGUAGE,
    php.LANGUAGE,
    lua.LANGUAGE,
    kotlin.LANGUAGE,
    swift.LANGUAGE,
    scala.LANGUAGE,
    elixir.LANGUAGE,
    zig.LANGUAGE,
    haskell.LANGUAGE,
    bash.LANGUAGE,
    markdown.LANGUAGE,
    *text_formats.TEXT_FORMATS,
)

_BY_EXTENSION = {extension: language for language in reversed(LANGUAGES) for extension in language.extensions}
_BY_FILENAME = {filename: language for language in reversed(LANGUAGES) for filename in language.filenames}
_BY_INTERPRETER = {name: language for language in reversed(LANGUAGES) for name in language.interpreters}
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\w+=\S*\s+)*(?:\S*/)?)?([A-Za-z_+-]+)")


def language_of(path: str, first_line: str = "") -> Language | None:
    """Return the language of a file by its name, then its extension, then its name up to the first dot
    (`Dockerfile.dev`), then its `#!` line; None when none of them decides. `config.h.in`, which a build fills in, is
    of the language of `config.h`.
    """
    name = basename(path).removesuffix(".in")
    language = _BY_FILENAME.get(name) or _BY_EXTENSION.get(splitext(name)[1].lower())
    language = language or _BY_FILENAME.get(name.partition(".")[0])
    if language is None and first_line.startswith("#!"):
        match = _SHEBANG.match(first_line)
        language = _BY_INTERPRETER.get(match[1]) if match else None
    return language


def language_named(name: str) -> Language | None:
    """Return the first language of that name."""
    return next((language for language in LANGUAGES if language.name == name), None)


def language_as_read(path: str, name: str) -> Language | None:
    """Return the language of a file by what it was read as. name: of that language; "" where that is not known."""
    language = language_of(path) or language_named(name)
    if language is not None and language.name != name:  # a header in C++, a script by its first line
        language = language_named(name) or language
    return language


# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.index.parse.languages.language import DEFINITION_KINDS as DEFINITION_KINDS
    from scry.index.parse.languages.language import Language as Language
else:
    _MODULES = {
        "DEFINITION_KINDS": "language",
        "Language": "language",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
