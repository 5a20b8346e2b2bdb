"""Functions that read a stranger's text take time by its length, also where no single pattern decides that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import msgspec
import pytest

from scry.core.errors import BadRequest
from scry.core.memory import mask_secrets
from scry.core.text import tokenize
from scry.core.types import Document
from scry.engine.browse.summaries import first_sentence, summarize_file, top_comment
from scry.engine.graph_query.parse import parse_relation_query
from scry.engine.search.query import detect_intent
from scry.index.notes.note_file import parse_note
from scry.index.parse.doc_comments import doc_text
from scry.index.parse.languages import LANGUAGES
from scry.index.parse.parse import parse
from scry.index.scan.gitignore import IgnoreRuleSet, parse_rules
from scry.surfaces.render.styled_text import make_printable, wrap_text
from tests.strangers.growth import grows_too_fast

PIECES = (
    "[](", "<", "{#", "_", "![", "](", "`", "# ", "#", "- ", "a: ", "'a", '"a', "\n", "\n\n", " ", "\t", "a\n",
    "{", "}", "[", "(", ")", "/*", "<!--", "---\n", "a = b\n", "[[", "password=", "://a:", "-----BEGIN ", "é", "\\",
    "*", "!\n", "a.b::", ",", ";", "a{b,", "from ", "import ", "use a::{", "<a", "=", "$(", '{"source": ["a"]},',
    "- a: &b\n", "a |", "= ", "====\n", "* ", "\\section{", ".SH a\n",
)  # fmt: skip


def _parse_note(text: str) -> object:
    return parse_note(".scry/beliefs/a.md", "belief", f"---\nstatement: x\n{text[: len(text) // 2]}\n---\n{text}")


def _match_ignore_file(text: str) -> object:
    return IgnoreRuleSet.from_rules(parse_rules(text.encode())).last_match("a.b", False)


def _read_imports(text: str) -> None:
    for language in LANGUAGES:
        for written in (
            text,
            f"import {text}",
            f"use {text}",
            f"from {text}",
            f"require({text}",
            f"import a from {text}",
        ):
            language.read_container(written)
            list(language.read_import(written))
            list(language.read_bindings(written))


def _parse_query(text: str) -> None:
    detect_intent(text)
    with suppress(BadRequest):
        parse_relation_query(text)


def _cells(text: str) -> list[dict[str, object]]:
    """Return cells with a text as a string, and as a list of strings without line ends."""
    return [{"cell_type": kind, "source": source} for kind in ("code", "markdown") for source in (text, list(text))]


def _documents(text: str) -> list[Document]:
    symbols = parse("README.rst", text).symbols
    return [Document(key, str(key), "doc", "README.rst", "restructuredtext", each) for key, each in enumerate(symbols)]


READERS: Mapping[str, Callable[[str], object]] = {
    **{
        f"parse {name}": partial(parse, name)
        for name in (
            "a.vue",
            "a.astro",
            "a.md",
            "a.yaml",
            "a.toml",
            "a.ini",
            "a.sql",
            "a.html",
            "a.css",
            "a.txt",
            "a.rst",
            "a.adoc",
            "a.org",
            "a.tex",
            "a.rdoc",
            "a.1",
            "a.pl",
            "a.el",
            "a.ml",
            "a.dart",
            "a.json",
        )
    },
    "parse a component": lambda text: parse("a.svelte", f"<script>{text}</script><style>{text}"),
    "parse a notebook": lambda text: parse("a.ipynb", msgspec.json.encode({"cells": _cells(text)}).decode()),
    "parse a.ipynb": lambda text: parse("a.ipynb", f'{{"cells": [{text}'),
    "notes": _parse_note,
    "ignore files": _match_ignore_file,
    "imports": _read_imports,
    "doc comments": lambda text: doc_text([f"/** {text}", f"/// {text}", text]),
    "summary": lambda text: summarize_file("README.rst", _documents(text), text),
    "top comment": lambda text: (top_comment(f"# {text}"), first_sentence(text)),
    "masking": mask_secrets,
    "tokens": tokenize,
    "queries": _parse_query,
    "printing": lambda text: wrap_text(make_printable(text), 80),
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("reader", READERS)
def test_reader_is_linear(reader: str) -> None:
    grown: dict[str, str] = {}
    for piece in PIECES:
        for end in ("", "\nx"):

            def text(length: int, piece: str = piece, end: str = end) -> str:
                return piece * (length // len(piece)) + end

            found = grows_too_fast(READERS[reader], text, 1 << 16)
            if found:
                grown[piece + end] = found
    assert grown == {}
