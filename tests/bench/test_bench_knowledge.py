"""Processor time of a find with 10,000 beliefs and without any, in turns."""

from __future__ import annotations

import ast
import os
import shutil
import statistics
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from scry.core import NoteFile, load_settings
from scry.embedding import load_bundled_model
from scry.engine import Engine
from scry.index.notes import make_note_entry
from scry.indexer import embed_missing_notes_of, embedder_info
from scry.projects import open_project
from scry.store.notes import NewNote, ProjectNoteDatabase
from tests.bench.trees import build, sources
from tests.bench.turns import ROUNDS, ask_in_turns, p95
from tests.sample.indexed import IndexedProject

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1800), pytest.mark.usefixtures("collected_as_in_a_sidecar")]

BELIEFS = int(os.environ.get("SCRY_BENCH_BELIEFS", "10000"))
DEFINITIONS = int(os.environ.get("SCRY_BENCH_DEFINITIONS", "10000"))
MOST_GROWTH = 1.2
"""Find's p95 may grow by a fifth (issue 9)."""


def beliefs() -> list[NewNote]:
    """Return real sentences about code: docstrings of installed packages, each with words of its own."""
    told: dict[str, None] = {}
    for folder in sources():
        for path in sorted(folder.rglob("*.py")):
            told |= dict.fromkeys(_docstrings(path))
            if len(told) >= BELIEFS:
                return [_belief(number, text) for number, text in enumerate(list(told)[:BELIEFS])]
    raise AssertionError(f"only {len(told)} docstrings are installed: name more in SCRY_BENCH_SOURCES")


def _docstrings(path: Path) -> Iterator[str]:
    with suppress(SyntaxError, UnicodeDecodeError):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node) or ""
                if len(text.split()) > 5:
                    yield text


def _belief(number: int, text: str) -> NewNote:
    title, _, body = text.partition("\n")
    path = f".scry/beliefs/b{number}.md"
    note = NoteFile("belief", f"b{number}", title[:200], body[:1000])
    return NewNote(path, note, make_note_entry(note, path))


def believe(root: Path) -> None:
    """Publish the beliefs as the indexer does, with their vectors."""
    with closing(ProjectNoteDatabase.open(open_project(root).cache, write=True)) as file:
        file.publish(beliefs())
        embed_missing_notes_of(
            file.store, embedder_info("bundled", load_bundled_model()), load_bundled_model(), lambda: None
        )


def test_ten_thousand_beliefs_hardly_delay_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    build(root, DEFINITIONS)
    IndexedProject(root).update_index()
    monkeypatch.setenv("SCRY_LOG", "off")
    without, cache = open_project(root).cache.parent, tmp_path / "many"
    engines = {"none": Engine.open(root, load_settings(root, {}), start_indexer=False)}
    shutil.copytree(without, cache / without.name, ignore=shutil.ignore_patterns("*.sock"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    believe(root)
    engines["many"] = Engine.open(root, load_settings(root, {}), start_indexer=False)
    turns = ask_in_turns(engines, lambda answer: any(result.content_type == "belief" for result in answer.results))
    growth, p50 = turns.growth(p95), turns.growth(statistics.median)
    print(f"{BELIEFS:,} beliefs: p95 grows to {growth:.2f} of what it was, p50 to {p50:.2f}")
    assert turns.held > ROUNDS
    assert growth <= MOST_GROWTH
