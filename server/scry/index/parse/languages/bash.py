"""Parse shell scripts, as Bash reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.index.parse.languages.language import Language, NameResolution, PreparedSource, strip_quotes
from scry.index.parse.languages.project_files import ProjectFiles, resolve_relative

_QUERY = """
(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (command name: (command_name (word) @_alias) argument: (concatenation . (word) @name)) @definition.variable
  (#eq? @_alias "alias"))

(comment) @comment
(command name: (command_name (word) @_source) . argument: (_) @import (#any-of? @_source "source" "."))

(command name: (command_name (word) @reference.call)
  (#not-match? @reference.call
   "^(echo|printf|cd|local|return|exit|source|[.]|test|:|shift|set|true|false|eval|read|unset|export|alias)$"))
"""

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_EXPANSION = re.compile(r"\$\([^()]*\)|\$\{[^{}]*\}|\$\w+|`[^`]*`")

_MAX_HEAD_CHARACTERS = 600
_RUNS_ITSELF = re.compile(
    r"^[ \t]*(?:eval[ \t]+['\"])?exec[ \t]+(?:[\w./-]*/)?"
    r"(?P<name>tclsh|wish|perl|python|ruby|guile|emacs|scala|node|sbcl)[\d.]*(?:[ \t]+-[\w-]+)*"
    r"[ \t]+[\"']?\$\{?0\}?[\"']?(?=[ \t'\"]|$)",
    re.MULTILINE,
)
"""A line with which a script runs itself by the interpreter of another language: `exec tclsh "$0" "$@"`."""

_LANGUAGES_BY_INTERPRETER = {
    "tclsh": "tcl", "wish": "tcl", "guile": "scheme", "emacs": "elisp", "node": "javascript", "sbcl": "lisp",
}  # fmt: skip
"""Languages that are not named as their interpreters are."""


def _detect_language(text: str) -> str | None:
    """Return the language of a script that begins as a shell script and runs itself by another interpreter."""
    match = _RUNS_ITSELF.search(text[:_MAX_HEAD_CHARACTERS]) if "exec" in text[:_MAX_HEAD_CHARACTERS] else None
    return _LANGUAGES_BY_INTERPRETER.get(match["name"], match["name"]) if match is not None else None


def _grammar() -> object:
    import tree_sitter_bash

    return tree_sitter_bash.language()


def _prepare(data: bytes) -> PreparedSource:
    """Replace all bytes above ASCII by a letter.

    The grammar's scanner passes any character to C's `isalnum`, which ends the process for one of the higher planes.
    """
    return _BEYOND_ASCII.sub(b"x", data), []


def _read_name(name: str) -> str:
    """Return the name of an alias: `alias ll=…` gives "ll"."""
    return strip_quotes(name).partition("=")[0]


def _read_import(text: str) -> Iterable[str]:
    """Return the sourced path: `"${HERE}/lib/x.sh"` gives "/lib/x.sh"; a path of variables alone gives nothing."""
    plain = re.sub(r"[\"']", "", text)
    known = _EXPANSION.split(plain)[-1]
    return (known,) if known.strip("/.") and "*" not in known else ()


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a path beside the script, from the root, else by the end of the path."""
    plain = name.lstrip("/")
    return files.first_existing((resolve_relative(path, plain), plain)) or files.find_by_suffix(
        plain.removeprefix("./")
    )


LANGUAGE = Language(
    name="bash",
    extensions=(".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild", ".command"),
    filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", "PKGBUILD"),
    interpreters=("bash", "sh", "zsh", "ksh", "dash", "ash", "bats"),
    grammar=_grammar,
    prepare=_prepare,
    query=_QUERY,
    constant_pattern=r"_*[A-Z][A-Z0-9_]*$",
    read_name=_read_name,
    read_import=_read_import,
    name_resolution=NameResolution(imports_all_names=True),
    resolve=_resolve,
    detect_other_language=_detect_language,
)
