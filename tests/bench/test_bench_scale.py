"""Large trees: how fast each is indexed, searched and followed, and what it takes of memory and disk.

    SCRY_BENCH_SIZES="600 6500 65000 650000" SCRY_BENCH_OUT=FILE \
      .venv/bin/pytest -s -m bench --timeout 36000 tests/bench/test_bench_scale.py

The sizes are definitions (`tests.bench.trees`): 65,000 make 100,000 to 200,000 documents, the only size unless others
are named. The file is written after each size; a size that fails costs only its own figures.
`docs/make_growth_plots.py` draws them.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sqlite3
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from docs.make_growth_plots import REQUIRED
from scry.projects import open_project
from scry.store.index import IndexStore
from tests.bench.test_bench_find import QUERIES
from tests.bench.trees import build
from tests.e2e.lsp_client import LspClient
from tests.polling import seconds_until

SIZES = [int(size) for size in (os.environ.get("SCRY_BENCH_SIZES") or "65000").split()]
OUT = os.environ.get("SCRY_BENCH_OUT")
"""Both are read while the tests are collected: later no variable of Scry's is left in the environment."""

ROUNDS = 20
SAVES = 20
COMMANDS = 5
DELETED = 276
PATIENCE_S = 14400
QUIET_S = 3.0
"""After so long without work an indexer has done all that a save asks of it."""

LARGE = 50_000
"""Documents from which on ten times as many may cost a save MOST_OF_A_SAVE times as much processor time."""

MOST_OF_A_SAVE = 1.3

NUMBERED = re.compile(r"-\d+")

pytestmark = [pytest.mark.bench, pytest.mark.timeout(2 * PATIENCE_S)]

Figures = dict[str, float]
"""What was measured of one tree, by the name of the figure with its unit."""


class ReadyTree(NamedTuple):
    """A tree with a complete index, and the client that waited for it."""

    folder: Path
    client: LspClient
    figures: Figures


@pytest.fixture(scope="module")
def measured() -> list[Figures]:
    """Collect the figures of every size."""
    return []


def write_down(rows: list[Figures]) -> None:
    """Write the complete sizes to the file that was named, and beside them what is known of others."""
    if not OUT:
        return
    rounded = [{name: float(f"{value:.4g}") for name, value in row.items()} for row in rows]
    for row, exact in zip(rounded, rows, strict=True):
        row["documents"] = exact["documents"]
    complete = [row for row in rounded if set(REQUIRED) <= row.keys()]
    found = {"cores": len(os.sched_getaffinity(0)), "sizes": complete}
    if len(complete) < len(rounded):
        found["incomplete"] = [row for row in rounded if row not in complete]
    Path(OUT).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


@pytest.fixture(scope="module", params=SIZES)
def ready(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, measured: list[Figures]
) -> Iterator[ReadyTree]:
    """Build and index a tree of so many definitions."""
    folder = tmp_path_factory.mktemp("scale") / "tree"
    files, size = build(folder, request.param)
    print(f"\n{files} files, {size / 1e6:.1f} MB")
    with LspClient(folder) as client:
        start = time.perf_counter()
        client.initialize(folder)
        until(lambda: state(client)["files_indexed"] > 0)
        print(f"while it is indexed: {told(ask(client))}")
        until(lambda: is_ready(client))
        taken = time.perf_counter() - start
        documents = state(client)["vectors_total"]
        print(f"{documents} documents ready in {taken:.1f} s; load {os.getloadavg()[0]:.1f}")
        figures = {"documents": documents, "source_mb": size / 1e6, "cold_s": taken, "load": os.getloadavg()[0]}
        measured.append(figures)
        write_down(measured)
        yield ReadyTree(folder, client, figures)
        figures["load"] = max(figures["load"], os.getloadavg()[0])
        write_down(measured)
        client.shut_down()


def state(client: LspClient) -> dict[str, Any]:
    return client.request("scry/status", {})


def is_ready(client: LspClient) -> bool:
    now = state(client)
    return now["state"] == "ready" and now["vectors"] == now["vectors_total"]


def until(condition: Callable[[], bool]) -> float:
    return seconds_until(condition, "the index is as the benchmark left its files", patience_s=PATIENCE_S)


def ask(client: LspClient) -> list[float]:
    """Ask 240 questions; return how many milliseconds each took."""
    taken: list[float] = []
    for query in QUERIES * ROUNDS:
        start = time.perf_counter()
        client.find(query)
        taken.append(1e3 * (time.perf_counter() - start))
    return taken


def p95(taken: list[float]) -> float:
    return statistics.quantiles(taken, n=20)[-1]


def told(taken: list[float]) -> str:
    p50 = statistics.median(taken)
    return f"p50 {p50:.1f} ms, p95 {p95(taken):.1f} ms, most {max(taken):.1f} ms; load {os.getloadavg()[0]:.1f}"


def memory(client: LspClient) -> tuple[float, float]:
    """Return the sidecar's own memory and that of files it has mapped, in MB. Linux only."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    own, mapped = (int(status.partition(f"{field}:")[2].split()[0]) / 1e3 for field in ("RssAnon", "RssFile"))
    return own, mapped


def test_questions_memory_and_disk(ready: ReadyTree) -> None:
    tree, client, figures = ready
    cache = open_project(tree).cache
    until(lambda: has_graph(cache))
    ask(client)
    taken = ask(client)
    print(f"\nfind: {told(taken)}")
    own, mapped = memory(client)
    print(f"the sidecar has {own + mapped:.0f} MB resident, of which {mapped:.0f} are mapped files")
    text = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file())
    parts = sizes(cache)
    total = sum(parts.values())
    print(f"index {total / 1e6:.0f} MB, {total / text:.2f} times the source")
    print("\n".join(f"  {size / 1e6:6.1f} MB  {size / text:.2f}  {part}" for part, size in sorted(parts.items())))
    figures.update(find_p50_ms=statistics.median(taken), find_p95_ms=p95(taken))
    figures.update(memory_mb=own + mapped, disk_mb=total / 1e6)
    assert total < 4 * text or len(SIZES) > 1  # small trees have an index that is mostly empty pages


def has_graph(cache: Path) -> bool:
    with closing(IndexStore.open(cache, write=False)) as index:
        return index.graph.is_current


def sizes(cache: Path) -> dict[str, int]:
    """Bytes by part of an index: its files, without the numbers in their names, and the tables of SQLite."""
    found: Counter[str] = Counter()
    for path in cache.rglob("*"):
        if path.is_file() and path.name != "index.sqlite":
            found[NUMBERED.sub("", path.relative_to(cache).parts[0])] += path.stat().st_size
    with closing(sqlite3.connect(cache / "index.sqlite")) as db:
        rows = db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
        free = db.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size").fetchone()[
            0
        ]
    return {**found, **{f"index.sqlite {name}": size for name, size in rows}, "index.sqlite, free": free}


def test_question_on_the_command_line(ready: ReadyTree) -> None:
    """The whole process, with the indexer running, as a person types it again and again: from compiled files."""
    command = [sys.executable, "-m", "scry", "find", QUERIES[0]]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, cwd=ready.folder, env=environ, check=True, capture_output=True)
    walls: list[float] = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(COMMANDS):
        start = time.perf_counter()
        subprocess.run(command, cwd=ready.folder, env=environ, check=True, capture_output=True)
        walls.append(time.perf_counter() - start)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / COMMANDS
    print(f"\nscry find: best {min(walls):.2f} s, median {statistics.median(walls):.2f} s; processor {busy:.2f} s")
    ready.figures.update(command_s=statistics.median(walls), command_processor_s=busy)


def test_saved_file_is_found(ready: ReadyTree, measured: list[Figures]) -> None:
    """Processor time of a save is that of sidecar and indexer until nothing is left to do, without that of being
    idle.
    """
    tree, client, figures = ready
    files = state(client)["files_indexed"]
    processes = [client.process.pid, indexer_of(tree)]
    settle(processes)
    places = [(tree / f"saved_{number}.py", f"quokka_{number}") for number in range(SAVES)]
    before = processor_seconds(processes)
    taken = [1e3 * save_until_found(client, path, name) for path, name in places]
    settle(processes)
    busy = 1e3 * (processor_seconds(processes) - before) / SAVES
    print(f"\nsaved until found: {told(taken)}; processor {busy:.0f} ms a save")
    for path, _ in places:
        path.unlink()
    until(lambda: state(client)["files_indexed"] == files and is_ready(client))
    figures.update(saved_p50_ms=statistics.median(taken), saved_p95_ms=p95(taken), save_processor_ms=busy)
    smaller = [row for row in measured if LARGE <= row["documents"] <= figures["documents"] / 5]
    assert all(busy <= MOST_OF_A_SAVE * row["save_processor_ms"] for row in smaller)


def indexer_of(tree: Path) -> int:
    """Return the process id of the tree's indexer."""
    wanted = ["scry.indexer.process", "--root", str(tree)]
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_text(errors="replace").split("\0")
            if words[2:5] == wanted:
                return int(folder.name)
    raise AssertionError("the tree has no indexer")


def processor_seconds(processes: list[int]) -> float:
    """Return the processor time of all threads of these processes, ended ones too."""
    ticks = 0
    for pid in processes:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def settle(processes: list[int]) -> None:
    """Wait until these processes have done nothing for some seconds."""

    def is_quiet() -> bool:
        before = processor_seconds(processes)
        time.sleep(QUIET_S)
        return processor_seconds(processes) - before < 0.02 * QUIET_S

    until(is_quiet)


def save_until_found(client: LspClient, path: Path, name: str) -> float:
    path.write_text(f"def {name}():\n    return 1\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    doc_id = f"./{path.name}::{name}"
    return until(lambda: doc_id in {result["doc_id"] for result in client.find(name)["results"]})


def test_many_files_deleted_and_restored_at_once(ready: ReadyTree) -> None:
    tree, client, _ = ready
    files = state(client)["files_indexed"]
    with closing(IndexStore.open(open_project(tree).cache, write=False)) as index:  # some files are left out of it
        indexed = [path for path, file in index.files.all_files().items() if file.skip is None and path.endswith(".py")]
    kept = {path: path.read_bytes() for path in [tree / each for each in sorted(indexed)[-DELETED:]]}
    for path in kept:
        path.unlink()
    gone = until(lambda: state(client)["files_indexed"] == files - len(kept) and is_ready(client))
    for path, data in kept.items():
        path.write_bytes(data)
    back = until(lambda: state(client)["files_indexed"] == files and is_ready(client))
    print(f"\n{len(kept)} files deleted at once: settled in {gone:.2f} s; back, with known contents: {back:.2f} s")
    assert back < 10 * max(gone, 1.0)
