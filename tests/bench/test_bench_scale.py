"""A large tree: how fast it is found in, followed and left behind, and what it takes of memory and disk.

`SCRY_BENCH_DEFINITIONS` sets how large (`tests.bench.trees`): 65,000 definitions are 100,000 documents.
"""

from __future__ import annotations

import os
import re
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scry.core import cache_home
from scry.store.index import IndexStore
from tests.bench.test_bench_find import QUERIES
from tests.bench.trees import build
from tests.e2e.lsp_client import LspClient
from tests.polling import seconds_until

DEFINITIONS = int(os.environ.get("SCRY_BENCH_DEFINITIONS") or 65_000)
ROUNDS = 10
DELETED = 276
PATIENCE_S = 7200

NUMBERED = re.compile(r"-\d+")

pytestmark = [pytest.mark.bench, pytest.mark.timeout(2 * PATIENCE_S)]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("scale") / "tree"
    files, size = build(target, DEFINITIONS)
    print(f"\n{files} files, {size / 1e6:.1f} MB")
    return target


@pytest.fixture(scope="module")
def ready(tree: Path) -> Iterator[LspClient]:
    with LspClient(tree) as client:
        start = time.perf_counter()
        client.initialize(tree)
        until(lambda: state(client)["files_indexed"] > 0)
        print(f"while it is indexed: {find_times(client)}")
        until(lambda: is_ready(client))
        taken = time.perf_counter() - start
        print(f"{state(client)['vectors_total']} documents ready in {taken:.0f} s; {memory(client)}")
        yield client
        client.shut_down()


def state(client: LspClient) -> dict[str, Any]:
    return client.request("scry/status", {})


def is_ready(client: LspClient) -> bool:
    now = state(client)
    return now["state"] == "ready" and now["vectors"] == now["vectors_total"]


def until(condition: Callable[[], bool]) -> float:
    return seconds_until(condition, "the index is as the benchmark left its files", patience_s=PATIENCE_S)


def find_times(client: LspClient) -> str:
    taken: list[float] = []
    for query in QUERIES * ROUNDS:
        start = time.perf_counter()
        client.find(query)
        taken.append(1e3 * (time.perf_counter() - start))
    p95 = statistics.quantiles(taken, n=20)[-1]
    return f"find p50 {statistics.median(taken):.1f} ms, p95 {p95:.1f} ms; load {os.getloadavg()[0]:.1f}"


def memory(client: LspClient) -> str:
    status = Path(f"/proc/{client.process.pid}/status")
    if not status.exists():
        return "memory is not known here"
    own, mapped = (
        int(status.read_text().partition(f"{field}:")[2].split()[0]) / 1e3 for field in ("RssAnon", "RssFile")
    )
    return f"the sidecar has {own + mapped:.0f} MB resident, of which {mapped:.0f} are mapped files"


def test_questions_over_a_large_tree(ready: LspClient, tree: Path) -> None:
    cache = next(cache_home().glob(f"{tree.name}-*"))
    until(lambda: has_graph(cache))
    print(f"\nwhen all is ready: {find_times(ready)}; again: {find_times(ready)}")
    print(memory(ready))
    text = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file())
    parts = sizes(cache)
    total = sum(parts.values())
    print(f"index {total / 1e6:.0f} MB, {total / text:.2f} times the source")
    print("\n".join(f"  {size / 1e6:6.1f} MB  {size / text:.2f}  {part}" for part, size in sorted(parts.items())))
    assert total < 4 * text


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


def test_saved_file_is_found_in_a_large_tree(ready: LspClient, tree: Path) -> None:
    files = state(ready)["files_indexed"]
    places = [(tree / f"saved_{number}.py", f"quokka_{number}") for number in range(ROUNDS)]
    taken = [1e3 * save_until_found(ready, path, name) for path, name in places]
    most = f"p50 {statistics.median(taken):.0f} ms, most {max(taken):.0f} ms"
    print(f"\nsaved until found: {most}; load {os.getloadavg()[0]:.1f}")
    for path, _ in places:
        path.unlink()
    until(lambda: state(ready)["files_indexed"] == files and is_ready(ready))


def save_until_found(client: LspClient, path: Path, name: str) -> float:
    path.write_text(f"def {name}():\n    return 1\n")
    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    doc_id = f"./{path.name}::{name}"
    return until(lambda: doc_id in {result["doc_id"] for result in client.find(name)["results"]})


def test_many_files_deleted_and_restored_at_once(ready: LspClient, tree: Path) -> None:
    files = state(ready)["files_indexed"]
    kept = {path: path.read_bytes() for path in sorted(tree.rglob("*.py"))[100 : 100 + DELETED]}
    for path in kept:
        path.unlink()
    gone = until(lambda: state(ready)["files_indexed"] == files - DELETED and is_ready(ready))
    for path, data in kept.items():
        path.write_bytes(data)
    back = until(lambda: state(ready)["files_indexed"] == files and is_ready(ready))
    print(f"\n{DELETED} files deleted at once: settled in {gone:.2f} s; back, with known contents: {back:.2f} s")
    assert back < 10 * max(gone, 1.0)
