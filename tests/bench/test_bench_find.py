"""How fast questions are answered over LSP, beside reading all the text again for each of them.

The text is Python's own library: real, and on every machine. `SCRY_BENCH_TREE` names another folder.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.lsp_client import LspClient
from tests.polling import seconds_until

pytestmark = pytest.mark.bench

QUERIES = (
    "where are HTTP headers parsed",
    "how is a temporary file removed at exit",
    "connection pooling and transport",
    "retry after a broken pipe",
    "JSONDecoder",
    "parse_args",
    "json decoding of numbers",
    "thread pool executor shutdown",
    "compare two directories",
    "escape html entities",
    "lang:python certificate validation",
    "random choice with weights",
)
ROUNDS = 10


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the text, so that no cache of an earlier run knows it."""
    source = Path(os.environ.get("SCRY_BENCH_TREE") or Path(statistics.__file__).parent)
    target = tmp_path_factory.mktemp("bench") / "tree"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "site-packages"), symlinks=True)
    return target


@pytest.fixture(scope="module")
def ready(tree: Path) -> Iterator[LspClient]:
    """Return a sidecar with the tree indexed; reports how long that took."""
    with LspClient(tree) as client:
        start = time.perf_counter()
        client.initialize(tree)
        opened = time.perf_counter()
        state = client.wait_until_ready(timeout=900)
        print(
            f"\ninitialize {(opened - start) * 1e3:.0f} ms; "
            f"{state['files_indexed']} files with {state['vectors_total']} documents "
            f"ready in {time.perf_counter() - start:.1f} s"
        )
        yield client
        client.shut_down()


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def test_find_is_faster_than_grep_over_all_text(ready: LspClient, tree: Path) -> None:
    taken: list[float] = []
    for query in QUERIES * ROUNDS:
        start = time.perf_counter()
        ready.find(query)
        taken.append((time.perf_counter() - start) * 1e3)
    start = time.perf_counter()
    subprocess.run(["grep", "-rIc", "pooling", str(tree)], stdout=subprocess.DEVNULL, check=False)
    grep = (time.perf_counter() - start) * 1e3
    p50, p95 = statistics.median(taken), _percentile(taken, 0.95)
    print(f"\nfind p50 {p50:.1f} ms, p95 {p95:.1f} ms, max {max(taken):.1f} ms; one grep of all text {grep:.0f} ms")
    assert p50 < grep


def test_saved_file_is_found_within_a_few_greps(ready: LspClient, tree: Path) -> None:
    taken: list[float] = []
    for number in range(10):
        place = tree / f"saved_{number}.py"
        place.write_text(f"def quokka_{number}():\n    return {number}\n", encoding="utf-8")
        ready.notify("textDocument/didSave", {"textDocument": {"uri": place.as_uri()}})
        name = f"./saved_{number}.py::quokka_{number}"

        def found(query: str = f"quokka_{number}", doc_id: str = name) -> bool:
            return any(result["doc_id"] == doc_id for result in ready.find(query)["results"])

        taken.append(1e3 * seconds_until(found, f"{name} is found"))
    start = time.perf_counter()
    subprocess.run(["grep", "-rIc", "quokka", str(tree)], stdout=subprocess.DEVNULL, check=False)
    grep = (time.perf_counter() - start) * 1e3
    print(f"\nfrom save to found p50 {statistics.median(taken):.0f} ms, max {max(taken):.0f} ms; grep {grep:.0f} ms")
    assert statistics.median(taken) < 5 * grep
