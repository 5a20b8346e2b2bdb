"""What 10,000 beliefs cost a find, beside the same questions without any, asked in turns, in processor time."""

from __future__ import annotations

import ast
import os
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from scry.core.notes import Note
from scry.core.settings import load_settings
from scry.embedding.choose import bundled
from scry.engine.engine import Engine
from scry.index.embed import maker_of
from scry.index.notes import make_entry
from scry.index.project import open_project
from scry.index.shelf_vectors import fill_shelf
from scry.store.knowledge_file import KnowledgeFile, NewNote
from scry_protocol.messages import FindParams
from tests.acceptance.workplace import Workplace
from tests.bench.test_bench_find import QUERIES
from tests.bench.trees import build, sources

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1800), pytest.mark.usefixtures("collected_as_in_a_sidecar")]

BELIEFS = int(os.environ.get("SCRY_BENCH_BELIEFS", "10000"))
DEFINITIONS = int(os.environ.get("SCRY_BENCH_DEFINITIONS", "10000"))
ROUNDS = 15
MOST_GROWTH = 1.2
"""Find's p95 may grow by a fifth (issue 9)."""


def beliefs() -> list[NewNote]:
    """What people really say of code: docstrings of what is installed, each of other words than all before."""
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
    note = Note("belief", f"b{number}", title[:200], body[:1000])
    return NewNote(path, note, make_entry(note, path))


def believe(root: Path) -> None:
    """Publishes the beliefs as the indexer does, with their vectors."""
    with closing(KnowledgeFile.open(open_project(root).cache, write=True)) as file:
        file.publish(beliefs())
        fill_shelf(file, maker_of("bundled", bundled()), bundled(), lambda: None)


def test_ten_thousand_beliefs_hardly_delay_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    build(root, DEFINITIONS)
    Workplace(root).bring()
    monkeypatch.setenv("SCRY_LOG", "off")
    without, cache = open_project(root).cache.parent, tmp_path / "many"
    engines = {"none": Engine.open(root, load_settings(root, {}), start_indexer=False)}
    shutil.copytree(without, cache / without.name, ignore=shutil.ignore_patterns("*.sock"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    believe(root)
    engines["many"] = Engine.open(root, load_settings(root, {}), start_indexer=False)
    taken: dict[str, list[float]] = {"none": [], "many": []}
    held = 0
    for query in QUERIES * ROUNDS:
        for name, engine in engines.items():
            start = time.thread_time()  # a find is one thread's work, and others share the machine
            answer = engine.find(FindParams(query))
            taken[name].append((time.thread_time() - start) * 1e3)
            held += name == "many" and any(result.content_type == "belief" for result in answer.results)
    for engine in engines.values():
        engine.close()
    assert held > ROUNDS
    for name, values in taken.items():
        del values[: len(QUERIES)]  # until all is read once
        print(f"{name:5} p50 {statistics.median(values):.1f} ms, p95 {p95(values):.1f} ms")
    growth = p95(taken["many"]) / p95(taken["none"])
    p50 = statistics.median(taken["many"]) / statistics.median(taken["none"])
    print(f"{BELIEFS:,} beliefs: p95 grows to {growth:.2f} of what it was, p50 to {p50:.2f}")
    assert growth <= MOST_GROWTH


def p95(values: list[float]) -> float:
    """The value that one in twenty exceeds."""
    return sorted(values)[int(len(values) * 0.95)]
