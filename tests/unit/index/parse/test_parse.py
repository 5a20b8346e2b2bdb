from __future__ import annotations

import json
import random

import pytest

from scry.core import ParsedFile, Symbol
from scry.index.parse.captures import NotParsed, run_query
from scry.index.parse.languages import language_of
from scry.index.parse.parse import parse
from scry.index.parse.shape import UnusualShape, check_text


def _one(path: str, text: str, name: str) -> Symbol:
    found = [symbol for symbol in parse(path, text).symbols if symbol.name == name]
    assert len(found) == 1, found
    return found[0]


def _texts(path: str, text: str) -> list[str]:
    return [symbol.own_text for symbol in parse(path, text).symbols if symbol.kind == "text"]


def test_class_owns_header_and_fields_but_not_methods() -> None:
    text = 'class A(B):\n    """Doc."""\n    x: int = 1\n\n    def f(self):\n        return self.x\n\n    y = 2\n'
    assert _one("a.py", text, "A").own_text == "class A(B):\n    \n    x: int = 1\n\n    y = 2"
    assert _one("a.py", text, "A").doc == "Doc."
    assert _one("a.py", text, "x").kind == "field"
    assert _one("a.py", text, "f").container == "A"


@pytest.mark.acceptance("F2")
def test_nested_function_is_qualified_by_its_container() -> None:
    text = "class A:\n    def f(self):\n        def g():\n            pass\n"
    assert _one("a.py", text, "g").container == "A.f"
    assert _one("a.py", text, "f").kind == "method"
    assert "def g" not in _one("a.py", text, "f").own_text


def test_span_includes_decorators_and_leading_comment() -> None:
    text = "x = 1\n\n# Says hello.\n@one\n@two(3)\ndef f(a,\n      b): return a  # behind\n"
    symbol = _one("a.py", text, "f")
    assert (symbol.span.start.line, symbol.span.end.line) == (2, 6)
    assert symbol.doc == "Says hello."
    assert symbol.signature == "def f(a, b)"
    assert symbol.name_span.start.line == 5
    assert symbol.own_text.startswith("@one\n@two(3)\ndef f(a,")
    assert symbol.own_text.endswith("# behind")


def test_detached_or_trailing_comment_is_no_doc() -> None:
    assert _one("a.go", "package a\n\n// apart\n\nfunc F() {}\n", "F").doc == ""
    assert _one("a.go", "package a\n\nvar x = 1 // behind\nfunc F() {}\n", "F").doc == ""


@pytest.mark.acceptance("F2")
def test_text_outside_symbols_is_found_and_frames_are_not() -> None:
    text = "import os\n\ndef f():\n    pass\n\nprint(f())\n\ndef g():\n    pass\n"
    assert _texts("a.py", text) == ["import os", "print(f())"]
    assert _texts("a.go", "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n") == ["package a"]
    assert _texts("a.js", "function f() {}\n;\n})\n") == []


def test_text_between_variables_is_one_text() -> None:
    assert _texts("a.py", "import a\nx = 1\na.start(x)\ny = 2\na.stop(y)\n") == ["import a\na.start(x)\na.stop(y)"]


def test_long_text_is_cut_at_blank_lines() -> None:
    lines = [f"call_{n}()" if n % 10 else "" for n in range(1, 150)]
    symbols = [s for s in parse("a.py", "\n".join(lines)).symbols if s.kind == "text"]
    assert [s.span.end.line for s in symbols] == [38, 78, 118, 148]
    assert all(s.span.end.line - s.span.start.line < 60 for s in symbols)
    assert "\n".join(s.own_text for s in symbols).count("call_") == 135
    assert all(lines[s.span.end.line + 1 : s.span.end.line + 2] in ([""], []) for s in symbols)


def test_each_name_of_one_definition_is_a_symbol() -> None:
    for name in ("A", "B"):
        assert _one("a.go", "package a\n\nconst A, B = 1, 2\n", name).kind == "constant"


def test_required_module_is_an_import_not_a_definition() -> None:
    parsed = parse("a.js", "const fs = require('fs');\nconst { join } = require('path');\nconst x = 1;\n")
    assert parsed.imports == ("fs", "path")
    assert [symbol.name for symbol in parsed.symbols if symbol.name] == ["x"]


def test_each_impl_is_a_symbol_and_qualifies_by_its_type() -> None:
    text = "impl<T> fmt::Display for Wrap<T> {\n    fn fmt(&self) {}\n}\n"
    assert _one("a.rs", text, "impl<T> fmt::Display for Wrap<T>").kind == "implementation"
    assert (_one("a.rs", text, "fmt").container, _one("a.rs", text, "fmt").kind) == ("Wrap", "method")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_editors_count_them(ending: str) -> None:
    text = ending.join(['"""Doc."""', "", "def f():", "    return '😀', g()", ""])
    symbol = _one("a.py", text, "f") if ending != "\r" else parse("a.txt", text).symbols[0]
    assert symbol.span.end.line == 3
    assert (symbol.span.end.utf8, symbol.span.end.utf16) == (22, 20)


def test_syntax_errors_keep_other_symbols() -> None:
    text = "class A:\n    def f(self):\n        x = = 1\n\n    def g(self):\n        return 1\n\nclass B: pass\n"
    assert {"A", "f", "g", "B"} <= {symbol.name for symbol in parse("a.py", text).symbols}


def test_empty_and_malformed_text_is_parsed() -> None:
    assert parse("a.py", "").symbols == ()
    assert parse("a.py", "\n \n\t\n").symbols == ()
    surrogate = _one("a.py", "def f():\n    return '\ud800', g()\n", "f")
    assert "\ufffd" in surrogate.own_text
    assert (surrogate.span.end.utf8, surrogate.span.end.utf16) == (21, 19)
    assert parse("a.py", "\0def f(): pass").language == "python"


@pytest.mark.parametrize("text", ["[" * 1_000_000, "(" * 500_000 + ")" * 500_000, "{a:\n" * 300_000, "a=>" * 20_000])
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.ts", "a.go", "a.rs", "a.java", "a.md"])
def test_megabyte_of_brackets_is_parsed_as_text(path: str, text: str) -> None:
    assert {symbol.kind for symbol in parse(path, text).symbols} <= {"text"}


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "a.rs"])
def test_many_syntax_errors_do_not_stall_the_query(path: str) -> None:
    numbers = random.Random(0)
    text = "".join(numbers.choice("[({") + numbers.choice(["", "\n", "x ", "'s' "]) for _ in range(60_000))
    assert parse(path, text).language


def test_many_shifts_are_no_nested_type_arguments() -> None:
    check_text("".join(f"#define BIT_{number} 1 << {number % 32}\n" for number in range(1000)).encode())
    check_text(b"lines" + b" << line" * 1000)
    with pytest.raises(UnusualShape, match="type arguments"):
        check_text(b"List" + b"<List" * 1000)


def test_parse_timeout_falls_back_to_plain_text() -> None:
    text = "".join(f"def f{number}():\n    return {number * number}\n" for number in range(2000))
    language = language_of("a.py")
    assert language
    with pytest.raises(NotParsed):
        run_query(language, text.encode(), 0.0)
    parsed = parse("a.py", text, 0.0)
    assert str(parsed.fault) == "parse: parsing takes over 0 s"
    assert parsed.language == "python"
    assert {symbol.kind for symbol in parsed.symbols} == {"text"}
    assert parse("a.py", text).symbols[0].name == "f0"  # the parser is fit for the next file


def test_a_signature_is_one_short_line() -> None:
    text = "X = [\n" + "    'a word',\n" * 100 + "]\n"
    signature = _one("a.py", text, "X").signature
    assert len(signature) == 300
    assert signature.endswith("…")
    assert "\n" not in signature


def test_references_name_their_line_once() -> None:
    references = parse("a.py", "f(f(1))\nclass A(B): pass\n").references
    assert [(r.name, r.kind, r.line) for r in references] == [("f", "call", 0), ("B", "implementation", 1)]


@pytest.mark.acceptance("F2")
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#pragma once\nnamespace a {\nint f();\n}\n", "cpp"),
        ("#pragma once\n  class A;\n", "cpp"),
        ("#pragma once\ntemplate <class T> T f();\n", "cpp"),
        ("#pragma once\n/*\nclass of its own\n*/\nint f(void);\n", "c"),
        ("struct template_s { int class_id; };\n", "c"),
        ('#pragma once\n#include "a.h"\nint my::list::size() {\n  return 1;\n}\n', "cpp"),
    ],
)
def test_header_file_is_parsed_as_c_or_cpp_by_content(text: str, language: str) -> None:
    assert parse("a.h", text).language == language


@pytest.mark.acceptance("F2")
@pytest.mark.parametrize(
    "line",
    [
        "ABSL_EXPORT int f(int a);",
        'ABSL_DEPRECATED("use g") static const char* f(int a) {}',
        "ABSL_MUST_USE_RESULT\nABSL_ATTRIBUTE(1, (2))\nint f(int a) ABSL_LOCKS_EXCLUDED(mu_) {}",
        "UV_UNUSED(static int f(int a)) {}",
    ],
)
@pytest.mark.parametrize("path", ["a.c", "a.cc"])
def test_macros_around_a_function_do_not_hide_it(path: str, line: str) -> None:
    symbol = _one(path, f"int x;\n\n// Doc.\n{line}\n", "f")
    assert symbol.kind == "function"
    assert (symbol.doc, symbol.span.start.line) == ("Doc.", 2)
    assert symbol.own_text == line


def test_macros_and_enumerators_are_distinguished() -> None:
    text = "struct s {\n  UV_REQ_FIELDS\n  int a;\n  UV_REQ_PRIVATE\n};\nenum e {\n  E_A,\n  E_LAST\n};\n"
    assert [s.name for s in parse("a.c", text).symbols if s.kind == "field"] == ["a", "E_A", "E_LAST"]


def test_clauses_of_one_function_are_one_symbol() -> None:
    assert (
        _one("a.ex", "defmodule A do\n  def f(1), do: 2\n\n  def f(x) do\n    x\n  end\nend\n", "f").span.end.line == 5
    )
    symbol = _one("a.hs", "-- | Doc.\nf :: Int -> Int\nf 0 = 1\nf n = n\n\ng = f\n", "f")
    assert (symbol.signature, symbol.doc, symbol.span.end.line) == ("f :: Int -> Int", "Doc.", 3)


def _notebook(*cells: tuple[str, object], **metadata: object) -> ParsedFile:
    written = [{"cell_type": kind, "source": source, "outputs": [{"source": "no"}]} for kind, source in cells]
    return parse("a.ipynb", json.dumps({"cells": written, "metadata": metadata}, indent=1))


def test_notebook_has_its_cells_and_what_they_define() -> None:
    parsed = _notebook(
        ("markdown", ["## Größe of things\n", "words"]),
        ("code", "%matplotlib inline\nfrom shop.cart import add\n\ndef load(path):\n    return add(path)\n"),
        ("code", ["!pip install x\n", "class Fit:\n", "    def run(self):\n", "        load(1)"]),
        ("code", "%%bash\ndef no(): pass"),
    )
    assert [(s.kind, s.container, s.name) for s in parsed.symbols] == [
        ("section", "", "Größe of things"),
        ("section", "", "matplotlib inline"),
        ("function", "", "load"),
        ("section", "", "!pip install x"),
        ("class", "", "Fit"),
        ("method", "Fit", "run"),
        ("section", "", "bash"),
    ]
    assert parsed.imports == ("shop.cart.add",)
    assert {(r.name, r.kind) for r in parsed.references} == {("add", "call"), ("load", "call")}
    run = next(s for s in parsed.symbols if s.name == "run")
    assert run.own_text == "def run(self):\n        load(1)"
    assert parsed.symbols[1].own_text == "%matplotlib inline\nfrom shop.cart import add"


def test_notebooks_of_other_kernels_keep_their_cells() -> None:
    assert [s.name for s in _notebook(("code", "f <- 1"), kernelspec={"language": "R"}).symbols] == ["f <- 1"]
    script = _notebook(("code", "function f() {}"), language_info={"name": "javascript"})
    assert [(s.kind, s.name) for s in script.symbols] == [("function", "f")]


def test_hostile_notebooks_lose_no_cell() -> None:
    for source in (
        "\ud800 lone",
        ["\ud800", " lone"],
        "def f(:\n" * 50,
        [1, "x", {"a": 2}],
        ["a"] * 20_000,
        "x = " + "(" * 5000,
    ):
        parsed = _notebook(("code", source), ("markdown", "# After"))
        assert [s.name for s in parsed.symbols if s.name == "After"] == ["After"], source[:20]
    assert _notebook(("code", "def f():\n    pass\n" * 20_000)).fault is not None


def test_hostile_components_are_parsed_in_time() -> None:
    for text in (
        "<script " * 60_000,
        "<script>" * 60_000,
        "<style>" * 60_000,
        "---\n" * 90_000,
        "<A." * 90_000,
        "<script '>>" * 9_000,
    ):
        for path in ("a.vue", "a.svelte", "a.astro"):
            assert parse(path, text + "\n<script>\nfunction f() {}\n</script>\n").symbols


def test_invalid_notebook_is_text() -> None:
    for text in ('{"cells": [', '{"cells": [{"source": "x', "[]", '{"cells": {}}', '{"cells": [1, {"source": 3}]}'):
        assert [symbol.kind for symbol in parse("a.ipynb", text).symbols] == ["text"]


def test_long_json_key_is_split_and_short_one_is_no_block() -> None:
    rows = "".join(f"  key{n}:\n" + "    - x: 1\n" * 30 for n in range(3))
    names = [(s.container, s.name) for s in parse("a.yaml", f"short: 1\nlong:\n{rows}").symbols]
    assert names == [("", ""), ("long", "key0"), ("long", "key1"), ("long", "key2")]
    assert all(s.span.end.line - s.span.start.line < 60 for s in parse("a.json", "[\n" + "1,\n" * 300 + "1]").symbols)


SQL = """\\set ON_ERROR_STOP 1
SELECT plan(1)

-- Adds up.
-- All of it.
CREATE FUNCTION shop.total() RETURNS int AS $F$
  SELECT 1; -- $$
$F$ LANGUAGE sql;
/* Opens;
   and closes */
CREATE OR ALTER PROCEDURE open_shop AS
BEGIN
  SELECT 1
END
GO
CREATE AGGREGATE most (int) (SFUNC = f);
"""


def test_sql_statements_are_told_apart() -> None:
    """The commands of psql and comments are no statements; a definition begins one even where none has ended."""
    found = [each for each in parse("a.sql", SQL).symbols if each.name]
    lines = [(each.name, each.span.start.line, each.name_span.start.line, each.span.end.line) for each in found]
    assert lines == [("shop.total", 3, 5, 7), ("open_shop", 8, 10, 14), ("most", 15, 15, 15)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.yaml", "a:\n  b: 1\n  c: 1\n  d: 1\n\n# Of the shop\n# alone\nshop:\n  b: 1\n  c: 1\n  d: 1\n"),
        ("a.toml", "[a]\nb = 1\n\n# Of the shop\n# alone\n[shop]\nc = 1\n"),
    ],
)
def test_comments_above_a_block_are_a_part_of_it(path: str, text: str) -> None:
    first, shop = parse(path, text).symbols
    assert "Of the shop" not in first.own_text
    assert shop.own_text.startswith("# Of the shop\n# alone\n")
    assert shop.name_span.start.line == shop.span.start.line + 2
    assert (shop.name, shop.signature) == ("shop", "shop:" if path == "a.yaml" else "[shop]")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('#!/bin/sh\n# \\\nexec tclsh "$0" ${1+"$@"}\nproc a {} {\n}\n', "tcl"),
        ("#!/bin/sh\neval 'exec perl -w -S $0 ${1+\"$@\"}'\n  if 0;\n", "perl"),
        ('#!/bin/sh\nexec python3 "$0.py" "$@"\n', "bash"),
        ('#!/bin/sh\nexec "$0"\n', "bash"),
    ],
)
def test_a_script_that_runs_itself_is_of_that_language(text: str, language: str) -> None:
    assert parse("bin/a", text).language == language


def test_shell_script_with_astral_characters_is_parsed() -> None:
    text = "größe() {\n  echo '\U00108c17 \U0003804e'\n}\n\U00109965\U00010fff\n"
    assert [symbol.name for symbol in parse("a.sh", text).symbols if symbol.name] == ["größe"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "X = 1\n\n# ------------\n\ndef f():\n    pass\n\n# ═══════════\n\n\ndef g():\n    pass\n"),
        (
            "a.c",
            "/* ==== */\n\nint f(void) { return 1; }\n\n// ──────────\n\n/**********/\nint g(void) { return 2; }\n",
        ),
        ("a.lua", "--------\nlocal function f() end\n\n-- ····\n\nlocal function g() end\n"),
    ],
)
def test_separator_lines_are_no_documents(path: str, text: str) -> None:
    assert [symbol.name for symbol in parse(path, text).symbols if symbol.kind == "text"] == []
    assert {"f", "g"} <= {symbol.name for symbol in parse(path, text).symbols}


def test_text_without_words_keeps_one_chunk_named_after_its_file() -> None:
    assert [symbol.own_text for symbol in parse("a.txt", "----\n====\n").symbols] == ["----\n===="]
    rulers = "----\n" * 70
    (told,) = parse("a.txt", f"{rulers}\nWords.\n{rulers}").symbols
    assert told.own_text.startswith("Words.")


def test_swift_functions_and_their_types_are_found() -> None:
    text = (
        "protocol P { func wanted(x: Int) -> Bad\n}\n"
        "extension Qux {\n  func /* why */ plain() -> Foo { made() }\n"
        "  static func + (l: Int, r: Int) -> Bar { l }\n}\n"
        "struct S { var f: Int { 1 } }\n"
    )
    parsed = parse("a.swift", text)
    found = [(s.name, s.kind, s.container) for s in parsed.symbols if s.kind in ("function", "method")]
    assert found == [
        ("wanted", "method", "P"),
        ("plain", "method", "Qux"),
        ("+", "method", "Qux"),
        ("f", "method", "S"),
    ]
    assert {r.name for r in parsed.references if r.kind == "type"} == {"Foo", "Bar", "Int"}
