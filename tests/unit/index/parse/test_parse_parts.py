from __future__ import annotations

import pytest

from scry.core import Symbol
from scry.index.parse.parse import parse


def _sections(text: str) -> list[Symbol]:
    return [symbol for symbol in parse("a.md", text).symbols if symbol.kind == "section"]


def _names(text: str) -> list[str]:
    return [f"{s.container} > {s.name}" if s.container else s.name for s in _sections(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# A\n## B\n### C\n## D\n# E\n", ["A", "A > B", "A > B > C", "A > D", "E"]),
        ("### Deep\n# Top\n", ["Deep", "Top"]),
        ("A\n=\nB\n-\n", ["A", "A > B"]),
        ("Two\nlines\n=====\n", ["Two lines"]),
        ("\n---\ntext\n", []),
        ("- item\n---\n", []),
        ("> quote\n---\n", []),
        ("```\n# no\n```\n# yes\n", ["yes"]),
        ("~~~\n```\n# no\n~~~\n# yes\n", ["yes"]),
        ("````\n```\n# no\n````\n# yes\n", ["yes"]),
        ("```\n# never closed\n", []),
        ("``` not a fence ` \n# yes\n", ["yes"]),
        ("    # code\n", []),
        ("#no\n#\tyes\n", ["yes"]),
        ("####### seven\n", []),
        ("# `code` and *stars* and [link](http://x.invalid)\n", ["code and stars and link"]),
        ("# snake_case_name stays\n", ["snake_case_name stays"]),
        ("# C#\n", ["C#"]),
        ("# closed ##\n", ["closed"]),
        ("---\ntitle: x\n# no\n---\n# yes\n", ["yes"]),
        ("<!--\n# no\n-->\n# yes\n", ["yes"]),
        ("#\n\ntext\n", []),
        ("# A\r\n\r\ntext\r\n## B\r\n", ["A", "A > B"]),
        ("# A\rtext\r## B\r", ["A", "A > B"]),
        ('# <img alt="chi" src="https://x.invalid/a.png" width="220" />\n## Router\n', ["chi", "chi > Router"]),
        ("# <IMG src='a.png' ALT='Chi &amp; co'>\n", ["Chi & co"]),
        ('# <img src="a.png">\n## Router\n', ["Router"]),
        ("# ![](a.png)\n## Router\n", ["Router"]),
        ("# Chi [![Build](https://x.invalid/b.svg)](https://x.invalid)\n", ["Chi Build"]),
        ('<p align="center">x</p>\n\n# <a name="top"></a>Top <br/> <sub>of it</sub>\n', ["Top of it"]),
    ],
)
def test_markdown_headings_are_symbols(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.acceptance("F2")
def test_section_has_its_own_text_and_spans_subsections() -> None:
    outer, inner, last = _sections("intro\n\n# Outer\n\nabout\n\n## Inner\n\ndeep\n\n# Last\n")
    assert outer.own_text == "# Outer\n\nabout"
    assert inner.own_text == "## Inner\n\ndeep"
    assert (outer.span.start.line, outer.span.end.line) == (2, 8)
    assert (inner.span.start.line, inner.span.end.line) == (6, 8)
    assert last.signature == "# Last"
    assert (inner.name_span.start.utf8, inner.name_span.end.utf8) == (3, 8)


def _outline(path: str, text: str) -> list[str]:
    sections = [symbol for symbol in parse(path, text).symbols if symbol.kind == "section"]
    return [f"{s.container} > {s.name}" if s.container else s.name for s in sections]


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.rst", "Guide\n=====\n\nSetup\n-----\n\ntext\n\nUse\n---\n", ["Guide", "Guide > Setup", "Guide > Use"]),
        ("a.rst", "=====\n Top\n=====\n\nPart\n=====\n\nSub\n~~~\n", ["Top", "Top > Part", "Top > Part > Sub"]),
        ("a.rst", "The :class:`Pool` and ``close``\n=======\n", ["The Pool and close"]),
        ("a.rst", ".. _label:\n\nPage\n####\n\n.. _part:\nPart\n****\n", ["Page", "Page > Part"]),
        ("a.rst", "A paragraph\nof two lines\n------------\n", []),
        ("a.rst", "text::\n\n   Title\n   =====\n", []),
        ("a.rst", "text\n\n----\n\nmore\n", []),
        ("a.rst", "====  ====\nA     B\n====  ====\n", []),
        ("a.rst", "Much longer than its rule\n--\n", []),
        ("INSTALL.txt", "Installing\n==========\n\ntext\n", ["Installing"]),
        ("a.adoc", "= Guide\n\n== Setup ==\n\n----\n== no\n----\n", ["Guide", "Guide > Setup"]),
        ("a.adoc", "Guide\n=====\n\nSetup\n-----\n", ["Guide", "Guide > Setup"]),
        ("a.adoc", "== `\n\ntext\n", []),
        ("a.rst", ":ref:``\n=======\n\ntext\n", []),
        ("a.org", "#+TITLE: Notes\n* TODO First :tag:\n", ["Notes", "Notes > First"]),
        ("a.org", "* A\n** [[x][Second]]\n", ["A", "A > Second"]),
        ("a.textile", "h1. Title\n\nh2(#id). Part\n", ["Title", "Title > Part"]),
        ("a.rdoc", "= Title\n\n== Use of <tt>x</tt> ==\n", ["Title", "Title > Use of x"]),
        ("a.pod", "=head1 NAME\n\n=head2 C<new> and B<old>\n", ["NAME", "NAME > new and old"]),
        ("a.pod", "=head1 L<new|Shop/new>\n\n=head1 B<< a >>\n", ["new", "a"]),
        ("a.tex", "\\section{On \\emph{trees}}\\label{s}\n\\subsection*{Deep}\n", ["On trees", "On trees > Deep"]),
        ("a.texi", "@top Manual\n@chapter Use of @code{x}\n", ["Manual", "Manual > Use of x"]),
        ("a.1", '.SH "SEE ALSO"\n.SS \\fBMore\\fR \\- here\n', ["SEE ALSO", "SEE ALSO > More - here"]),
        ("a.1", ".Dd today\n.Sh NAME\n.Nm a\n.Ss Deep\n", ["NAME", "NAME > Deep"]),
    ],
)  # fmt: skip
def test_headings_of_other_documents_are_symbols(path: str, text: str, names: list[str]) -> None:
    assert _outline(path, text) == names


def test_long_section_is_cut_and_each_piece_bears_its_name() -> None:
    text = "Guide\n=====\n\n" + "".join([f"line {number}\n\n" for number in range(60)]) + "Next\n====\n"
    first, *others, last = parse("a.rst", text).symbols
    assert [symbol.name for symbol in (first, *others, last)] == ["Guide"] * (len(others) + 1) + ["Next"]
    assert first.own_text.startswith("Guide\n=====\n\nline 0\n")
    assert (first.span.start.line, first.span.end.line) == (0, 121)
    assert "\n".join(symbol.own_text for symbol in (first, *others)).split() == text.split()[:-2]
    assert last.name_span.start.line == 123


def test_name_of_a_heading_is_where_it_is_written() -> None:
    _, symbol = parse("a.adoc", "é\n\n== Größe ==\n").symbols
    assert (symbol.name_span.start.line, symbol.name_span.start.utf8, symbol.name_span.end.utf8) == (2, 3, 10)


def test_text_before_the_first_heading_is_text() -> None:
    first, _ = parse("a.md", "Hello there.\n\n# A\n").symbols
    assert (first.kind, first.name, first.own_text) == ("text", "", "Hello there.")


def test_a_document_without_headings_is_text() -> None:
    (only,) = parse("a.md", "Just words.\n").symbols
    assert (only.kind, only.own_text) == ("text", "Just words.")


CASES = [
    ("a.py", "self.store.find(1)", "self.store"),
    ("a.py", "find(1)", ""),
    ("a.py", "f(*find(1))", ""),
    ("a.py", "other().find(1)", "?"),
    ("a.py", "other().inner.find(1)", "?"),
    ("a.py", "rows[0].find(1)", "?"),
    ("a.py", "'x'.find(1)", "?"),
    ("a.py", "super().find(1)", "super"),
    ("a.py", "@app.find\ndef f(): ...", "app"),
    ("a.js", "this.find(1)", "self"),
    ("a.js", "[...find(1)]", ""),
    ("a.js", "store?.inner?.find(1)", "store.inner"),
    ("a.js", "store\n  .find(1)", "store"),
    ("a.go", "package a\nfunc f() {\n\tst.Inner.\n\t\tfind(1)\n}", "st.Inner"),
    ("a.rs", "fn f() { Self::find(1); }", "self::"),
    ("a.rs", "fn f() { crate::store::find(1); }", "crate.store::"),
    ("a.rs", "fn f() { for _ in 0..find(1) {} }", ""),
    ("a.cc", "int f() { return this->store->find(1); }", "self.store"),
    ("a.cc", "int f() { return ns::Store::find(1); }", "ns.Store::"),
    ("a.rb", "@store.find(1)", "self.store"),
    ("a.rb", "Web::Store.find(1)", "Web.Store"),
    ("a.php", "<?php $this->store->find(1);", "self.store"),
    ("a.php", "<?php parent::find(1);", "super::"),
    ("a.lua", "local x = store:find(1)", "store"),
]


@pytest.mark.parametrize(("path", "text", "receiver"), CASES)
def test_call_reference_names_its_receiver(path: str, text: str, receiver: str) -> None:
    found = [r.receiver for r in parse(path, text).references if r.name == "find"]
    assert found == [receiver]


FILLING = "".join(f"    fun filling{number}() = {number}\n" for number in range(20))

UNKNOWN = f"""class Before {{
    fun first() = 1
}}

@JvmInline
public value class Odd<out T>
@PublishedApi internal constructor(@PublishedApi internal val holder: Any?) {{
    fun words() = "$holder"
{FILLING}}}

interface After<E> {{
    fun second(): E
}}

fun third() = "${{1 + 1}}"
"""
"""Kotlin whose grammar takes everything behind an annotated constructor for one string."""


def names(path: str, text: str) -> list[str]:
    return [symbol.name for symbol in parse(path, text).symbols if symbol.name]


def test_symbols_after_unknown_syntax_are_found() -> None:
    found = names("a.kt", UNKNOWN)
    assert {"Before", "first", "After", "second", "third"} <= set(found)
    assert len(found) == len(set(found))


def test_spans_after_a_syntax_error_are_those_of_the_file() -> None:
    (after,) = [symbol for symbol in parse("a.kt", UNKNOWN).symbols if symbol.name == "After"]
    assert UNKNOWN.splitlines()[after.name_span.start.line].startswith("interface After")
    assert after.signature == "interface After<E>"


def test_small_syntax_error_loses_only_its_own_symbol() -> None:
    text = "def one():\n    return (\n\n\ndef two():\n    return 2\n"
    assert "two" in names("a.py", text)


def test_a_text_without_any_definition_stays_text() -> None:
    text = "%%% !!\n\n" + "\n\n".join(f"?? {number} ((( {{{{" for number in range(60))
    assert names("a.kt", text) == []
