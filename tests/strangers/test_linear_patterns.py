"""Every regular expression of server/scry takes time by the length of a text, and no more, in its worst cases.

`worst_cases.json` holds them: for each use of `re`, by its key, and for each of its patterns, texts of a beginning, a
piece that is repeated, and an end. A use without an entry fails: a new pattern brings its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

import scry
from scry.core.doc_id import commit_sha_of
from scry.core.projects import describe_bad_name, suggest_project_name
from scry.core.settings import SettingsFile
from scry.core.types import QueryFilter
from scry.embedding.static_model import split_words
from scry.engine.search.query import filter_predicate
from scry.index.parse.languages import LANGUAGES
from scry.index.parse.languages.definition_lines import DEFINED_LANGUAGES, MAX_LINE_LENGTH, first_lines
from scry.index.parse.languages.import_lines import IMPORTING_LANGUAGES, import_pattern
from scry.index.parse.languages.text_formats import SIGNS_OF_LANGUAGES, signs_of_languages
from scry.index.parse.receivers import MAX_RECEIVER_BYTES, chain_patterns
from scry.index.scan.gitignore import NamePatterns, compile_glob, parse_patterns
from scry.surfaces.render.styled_text import make_printable
from tests.strangers.growth import grows_too_fast
from tests.strangers.patterns import Runner, collect, other_imports, runners

PACKAGE = Path(scry.__file__).parent
USES = {use.key: use for use in collect(PACKAGE)}
WORST_CASES: dict[str, list[list[list[str]]]] = json.loads(
    Path(__file__).with_name("worst_cases.json").read_text(encoding="utf-8")
)
MEGABYTE = 1 << 20

_PIECES = (
    " ",
    "a",
    "_",
    "a_",
    "A",
    "1",
    ".",
    "::",
    "(",
    "\n",
    "\t ",
    "if ",
    "public static ",
    "def main ",
    "é",
    "\x1b[",
    "#",
    "import ",
    "use A.b, ",
    "(require ",
    "[a.b",
    "a:a",
    "A.",
    "./a",
    "uses a\n",
    '"a',
)


def _match_glob(glob: str) -> Callable[[str], object]:
    pattern = compile_glob(glob)
    return pattern.match


def _search_all(patterns: list[str | None]) -> list[Runner]:
    return [re.compile(pattern).search for pattern in patterns if pattern]


def _search_chains(text: str) -> None:
    data, (_, chain) = text.encode(), chain_patterns((".", "::", "->"))
    for at in range(0, len(data), MAX_RECEIVER_BYTES):
        chain.search(data[at : at + MAX_RECEIVER_BYTES])


def _match_bounded(pattern: re.Pattern[str], text: str) -> None:
    for at in range(0, len(text), MAX_LINE_LENGTH):
        pattern.match(text[at : at + MAX_LINE_LENGTH])


MADE_ON_CALL: Mapping[str, Callable[[], list[Runner]]] = {
    "scry.core.doc_id.commit_sha_of": lambda: [commit_sha_of],
    "scry.core.projects.describe_bad_name": lambda: [describe_bad_name],
    "scry.core.projects.suggest_project_name": lambda: [lambda text: suggest_project_name(Path("/", text))],
    "scry.core.settings.describe_line": lambda: [lambda text: SettingsFile({}, text).describe_line("ignore")],
    "scry.core.memory.secret_places._command": list,  # its patterns are those of COMMANDS
    "scry.embedding.static_model._word_pattern": lambda: [lambda text: split_words(f"é{text}")],
    "scry.engine.search.query.filter_predicate": lambda: [
        lambda text: filter_predicate(QueryFilter("path", "*a*_*.", False))(text, "", "") and None
    ],
    "scry.index.graph.import_graph._starts_program": lambda: _search_all([each.entry_text for each in LANGUAGES]),
    "scry.index.graph.import_graph._structure_flags": lambda: _search_all([each.entry_paths for each in LANGUAGES]),
    "scry.index.parse.languages.definition_lines._line_pattern": list,  # its patterns are those of first_lines
    "scry.index.parse.languages.definition_lines.first_lines": lambda: [
        partial(_match_bounded, form.pattern) for language in DEFINED_LANGUAGES for form in first_lines(language)
    ],
    "scry.index.parse.languages.import_lines.import_pattern": lambda: [
        import_pattern(language).findall for language in sorted(IMPORTING_LANGUAGES)
    ],
    "scry.index.parse.languages.text_formats.signs_of_languages": lambda: [
        pattern.search for language in SIGNS_OF_LANGUAGES for _, pattern in signs_of_languages(language)
    ],
    "scry.index.parse.parse._is_constant": lambda: [
        re.compile(each.constant_pattern).match for each in LANGUAGES if each.constant_pattern
    ],
    "scry.index.parse.receivers.chain_patterns": lambda: [_search_chains],
    "scry.index.scan.gitignore._join_globs": lambda: [
        lambda text: NamePatterns(parse_patterns(["*a*b", "a*_", "?*.x"])).last_match(text, False)
    ],
    "scry.index.scan.gitignore.compile_glob": lambda: [_match_glob("*a*_*."), _match_glob("*a" * 20 + "*b")],
    "scry.surfaces.render.styled_text.make_printable": lambda: [make_printable],
    "scry.surfaces.render.styled_text._unsafe_pattern": lambda: [make_printable],
}
"""Patterns that are made when a function is called -> what runs them."""


def test_each_use_has_its_worst_cases() -> None:
    assert other_imports(PACKAGE) == []
    assert USES.keys() - MADE_ON_CALL.keys() == WORST_CASES.keys()
    assert {key for key, use in USES.items() if not use.name and use.literal is None} == MADE_ON_CALL.keys()


def test_a_new_pattern_without_worst_cases_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "scry"
    package.mkdir()
    package.joinpath("new.py").write_text(
        "import re\n_NEW = re.compile(r'(a+)+$')\ndef f(x):\n    return re.sub('a*b', '', re.escape(x))\n"
    )
    package.joinpath("odd.py").write_text("from re import compile\n")
    assert [use.key for use in collect(package)] == ["scry.new._NEW", "scry.new.f: a*b"]
    assert other_imports(package) == ["odd.py"]


def _check(key: str, longest: int) -> None:
    found: list[str] = []
    if key in MADE_ON_CALL:
        cases = [(run, ["", piece, "\0"]) for run in MADE_ON_CALL[key]() for piece in _PIECES]
    else:
        use, of_each = USES[key], WORST_CASES[key]
        made = runners(use)
        assert len(made) % len(of_each) == 0, f"{key} has other patterns than worst_cases.json"
        per_pattern = len(made) // len(of_each)
        cases = [(run, case) for at, run in enumerate(made) for case in of_each[at // per_pattern]]
    for run, (start, piece, end) in cases:
        assert piece

        def text(length: int, start: str = start, piece: str = piece, end: str = end) -> str:
            return start + piece * (length // len(piece)) + end

        grown = grows_too_fast(run, text, longest)
        if grown:
            found.append(f"{(start, piece, end)}: {grown}")
    assert found == []


@pytest.mark.parametrize("key", USES)
def test_pattern_is_linear(key: str) -> None:
    _check(key, 1 << 16)


@pytest.mark.slow
@pytest.mark.parametrize("key", USES)
def test_pattern_is_linear_up_to_a_megabyte(key: str) -> None:
    _check(key, MEGABYTE)


@pytest.mark.parametrize("pattern", [r"\s+$", r"(?:a|b)*c", r"<[^>]*>"])
def test_quadratic_pattern_is_told(pattern: str) -> None:
    run = re.compile(pattern).sub
    piece = {"<": "<", "(": "ab"}.get(pattern[0], " ")
    assert grows_too_fast(lambda text: run("", text), lambda length: piece * (length // len(piece)) + "x", 1 << 16)
