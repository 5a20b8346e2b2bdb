"""The parser's output for one real-looking file of each language.

SCRY_UPDATE_GOLDEN=1 writes the expectations anew; read the difference before you keep it, and raise PARSER_VERSION.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec import structs

from scry.core import ParsedFile, Span, Symbol
from scry.index.parse.languages import LANGUAGES, language_of
from scry.index.parse.parse import parse

FILES = Path(__file__).parent / "files"
UPDATE = bool(os.environ.get("SCRY_UPDATE_GOLDEN"))
SOURCES = sorted(path for path in FILES.rglob("*.*") if path.suffix != ".golden")


def _range(span: Span) -> str:
    start, end = span.start, span.end
    wide = f" utf16 {start.utf16}-{end.utf16}" if (start.utf16, end.utf16) != (start.utf8, end.utf8) else ""
    return f"{start.line + 1}:{start.utf8}-{end.line + 1}:{end.utf8}{wide}"


def _written(symbol: Symbol) -> dict[str, object]:
    return {
        "name": symbol.name,
        "kind": symbol.kind,
        "container": symbol.container,
        "signature": symbol.signature,
        "doc": symbol.doc,
        "range": _range(symbol.span),
        "name_range": _range(symbol.name_span),
        "own_text": symbol.own_text.splitlines(),
        **({"is_test": True} if symbol.is_test else {}),
    }


def _golden(parsed: ParsedFile) -> str:
    content = {
        "language": parsed.language,
        "imports": parsed.imports,
        "symbols": [_written(symbol) for symbol in parsed.symbols],
        "bindings": [f"{b.name} = {b.source} {b.member}".rstrip() for b in parsed.bindings],
        "references": [
            f"{r.line + 1} {r.kind} {r.receiver}{'.' if r.receiver else ''}{r.name}" for r in parsed.references
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.acceptance("F2")
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_symbols_imports_and_references_are_as_expected(source: Path) -> None:
    parsed = parse(source.name, source.read_text(encoding="utf-8"))
    expected = source.with_name(source.name + ".golden")
    if UPDATE:
        expected.write_text(_golden(parsed), encoding="utf-8")
    assert _golden(parsed) == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "ending"),
    [(source, "\r\n") for source in SOURCES]
    + [(source, "\r") for source in SOURCES if source.suffix in (".md", ".txt")],
    ids=lambda value: value.name if isinstance(value, Path) else repr(value),
)
def test_line_ends_change_no_span_and_no_name(source: Path, ending: str) -> None:
    """LSP ends lines at LF, CR LF and CR: the same file with other line ends has the same symbols at the same places.

    With CR alone a `//` comment has no end for any grammar, so only the languages without it are compared there.
    """
    text = source.read_text(encoding="utf-8")
    plain, changed = parse(source.name, text), parse(source.name, text.replace("\n", ending))
    assert [_without_text(s) for s in changed.symbols] == [_without_text(s) for s in plain.symbols]
    assert changed.references == plain.references
    assert changed.imports == plain.imports


def _without_text(symbol: Symbol) -> Symbol:
    return structs.replace(symbol, own_text=" ".join(symbol.own_text.split()))


def test_every_language_with_a_grammar_has_a_golden_file() -> None:
    seen = {(language.name, language.extensions) for path in SOURCES if (language := language_of(path.name))}
    wanted = {(language.name, language.extensions) for language in LANGUAGES if language.grammar}
    assert wanted <= seen
