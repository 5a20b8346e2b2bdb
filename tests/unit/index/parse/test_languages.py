from __future__ import annotations

import re

import pytest
from tree_sitter import Language as Grammar
from tree_sitter import Query

from scry.core.path_kinds import DOCUMENT_LANGUAGES, DOCUMENTATION, classify_path
from scry.index.parse.documents import content_type
from scry.index.parse.languages import DEFINITION_KINDS, LANGUAGES, Language, language_named, language_of
from scry.index.scan.read_file import decode_text

WITH_GRAMMAR = [language for language in LANGUAGES if language.grammar]
LABELS = {
    "name",
    "container",
    "scope",
    "body",
    "wrapper",
    "skip",
    "doc",
    "doc.after",
    "comment",
    "attribute",
    "test",
    "test.attribute",
    "import",
    "binding",
}


@pytest.mark.parametrize(
    ("path", "first_line", "name"),
    [
        ("src/a.py", "", "python"),
        ("A.PY", "", "python"),
        ("a.pyi", "", "python"),
        ("a.cjs", "", "javascript"),
        ("a.jsx", "", "javascript"),
        ("lib.d.ts", "", "typescript"),
        ("a.mts", "", "typescript"),
        ("a.tsx", "", "typescript"),
        ("go/x.go", "", "go"),
        ("x.rs", "", "rust"),
        ("X.java", "", "java"),
        ("README.md", "", "markdown"),
        ("x.yaml", "", "yaml"),
        ("docs/index.rst", "", "restructuredtext"),
        ("src/server.erl", "", "erlang"),
        ("R/fit.R", "", "r"),
        ("lib/Mojo.pm", "", "perl"),
        ("lib/app.dart", "", "dart"),
        ("src/Solve.jl", "", "julia"),
        ("bin/main.ml", "", "ocaml"),
        ("src/core.clj", "", "clojure"),
        ("App/View.m", "", "objective-c"),
        ("man/tool.1", "", "roff"),
        ("grammar.y", "", "yacc"),
        ("shop.gpr", "", "ada"),
        ("App.xcscheme", "", "xml"),
        ("views/show.html.erb", "", "erb"),
        ("Dockerfile.dev", "", "dockerfile"),
        (".editorconfig", "", "ini"),
        ("bin/tool", "#!/usr/bin/env perl", "perl"),
        ("bin/tool", "#!/usr/bin/env python3", "python"),
        ("bin/tool", "#!/usr/bin/python3.11 -O", "python"),
        ("bin/tool", "#!/usr/bin/env -S node --flag", "javascript"),
        ("bin/tool", "#!/opt/x/bin/deno run", "typescript"),
    ],
)
def test_language_follows_file_name_or_first_line(path: str, first_line: str, name: str) -> None:
    language = language_of(path, first_line)
    assert language
    assert language.name == name


@pytest.mark.parametrize(
    ("path", "first_line"), [("a.xyz", ""), ("LICENSE", ""), ("a", "#!/bin/unknown"), ("a", "# python"), ("py", "")]
)
def test_a_file_of_no_known_language_has_none(path: str, first_line: str) -> None:
    assert language_of(path, first_line) is None


def test_no_extension_belongs_to_two_languages() -> None:
    extensions = [extension for language in LANGUAGES for extension in language.extensions]
    assert len(extensions) == len(set(extensions))
    assert all(extension.startswith(".") and extension == extension.lower() for extension in extensions)


def test_languages_are_found_by_name() -> None:
    assert language_named("go") in LANGUAGES
    assert language_named("klingon") is None


@pytest.mark.parametrize("language", WITH_GRAMMAR, ids=lambda language: language.extensions[0])
def test_grammar_query_compiles_with_known_captures_only(language: Language) -> None:
    assert language.grammar
    query = Query(Grammar(language.grammar()), language.query)
    labels = {query.capture_name(index) for index in range(query.capture_count)}
    for label in labels - LABELS:
        category, _, kind = label.partition(".")
        assert label.startswith("_") or category == "reference" or kind in DEFINITION_KINDS, label
        assert label.startswith("_") or category in ("definition", "declaration", "reference"), label
    assert not re.search(r"@definition(?!\.)", language.query)


def test_documents_and_code_are_told_apart_by_one_table() -> None:
    for language, extensions in DOCUMENT_LANGUAGES.items():
        assert content_type(language) == "doc"
        for extension in extensions:
            named = language_of(f"a{extension}")
            assert named
            assert named.name == language
            assert decode_text(b"word " * 5_000, f"a{extension}") == "word " * 5_000  # prose may have long lines
            assert classify_path(f"a{extension}") == ({DOCUMENTATION} if language != "text" else set())
    for language in LANGUAGES:
        assert language.name in DOCUMENT_LANGUAGES or content_type(language.name) == "code"
