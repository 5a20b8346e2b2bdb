"""How soon the indexer answers whoever does not want to wait, beside a first pass over the same files in the same run.

Figures are reported; only ratios are asserted.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.polling import eventually, seconds_until
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

FILES = 900
ROUNDS = 5
REPORTED_PATHS = 5000


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    """Return a project of some 900 files that has no index."""
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        sample.write_many_files(FILES)
        yield sample


def test_connecting_reporting_and_closing_beside_a_first_pass(sample: IndexerProject) -> None:
    start = time.perf_counter()
    client = sample.connect()
    client.state()
    client.report_changed_paths(["shop/cart.py"] * REPORTED_PATHS)
    connected = time.perf_counter() - start
    closed: list[float] = []
    for _ in range(ROUNDS):
        other = sample.connect()
        closed.append(seconds(other.close))
    assert client.wait_until_current(300).state == "ready"
    whole = time.perf_counter() - start
    print(
        f"\na first pass over {FILES} files {whole:.1f} s; connecting and reporting {REPORTED_PATHS} paths "
        f"{1e3 * connected:.0f} ms; closing {1e3 * max(closed):.0f} ms at most"
    )
    assert connected < whole / 5
    assert max(closed) < whole / 5


def test_waiting_while_paused_beside_a_first_pass(sample: IndexerProject) -> None:
    start = time.perf_counter()
    client = sample.connect_when_ready()
    whole = time.perf_counter() - start
    client.control("pause")
    sample.write_file("shop/later.py", "def later():\n    pass\n")
    client.report_changed_paths(["shop/later.py"])
    paused = seconds(lambda: client.wait_until_current(300))
    print(f"\na first pass {whole:.1f} s; waiting for a paused indexer {1e3 * paused:.0f} ms")
    assert client.state().state == "paused"
    assert paused < whole / 5


def test_saved_file_is_found_beside_a_first_pass(sample: IndexerProject) -> None:
    start = time.perf_counter()
    client = sample.connect_when_ready()
    whole = time.perf_counter() - start
    taken: list[float] = []
    for number in range(2 * ROUNDS):
        sample.write_file("shop/cart.py", f"def saved_{number}():\n    pass\n")
        client.report_changed_paths(["shop/cart.py"])
        taken.append(seconds_until(lambda name=f"saved_{number}": sample.doc_ids_named(name), "the save is found"))
    print(f"\na first pass {whole:.1f} s; from save to found p50 {1e3 * statistics.median(taken):.0f} ms")
    assert statistics.median(taken) < whole / 5


def test_killed_indexer_is_replaced_beside_a_first_start(sample: IndexerProject) -> None:
    """The replacement has the index already, so its start has to cost less than the first one with its pass."""
    start = time.perf_counter()
    sample.connect_when_ready()
    whole = time.perf_counter() - start
    taken: list[float] = []
    for number in range(3):
        killed = sample.address().pid
        sample.write_file("shop/cart.py", f"def after_kill_{number}():\n    pass\n")
        os.kill(killed, signal.SIGKILL)
        taken.append(
            seconds_until(lambda name=f"after_kill_{number}": sample.doc_ids_named(name), "the indexer is replaced")
        )
        assert sample.address().pid != killed
    print(f"\nthe first start with its pass {whole:.1f} s; from the kill to the next answer {max(taken):.1f} s at most")
    assert statistics.median(taken) < whole


def test_unusable_cache_folder_is_reported_beside_a_first_pass(
    sample: IndexerProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = time.perf_counter()
    sample.connect_when_ready()
    whole = time.perf_counter() - start
    shutil.rmtree(sample.project.cache)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    client = sample.connect()
    failed = seconds(lambda: client.wait_until_current(300))
    print(f"\na first pass {whole:.1f} s; until a cache folder that cannot be created is reported {failed:.1f} s")
    assert client.state().state == "failed"
    assert failed < 2 * whole


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_interrupted_command_ends_beside_its_start(sample: IndexerProject) -> None:
    scry = [Path(sys.executable).parent / "scry"]
    started = min(seconds(lambda: subprocess.run([*scry, "--help"], capture_output=True, check=True)) for _ in range(3))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it, as its children do
    process = subprocess.Popen([*scry, "step_1_1"], cwd=sample.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    eventually((sample.project.cache / "indexer.json").exists, "the command waits")
    process.send_signal(signal.SIGINT)
    ended = seconds(process.communicate)
    print(f"\nstart of the command line {1e3 * started:.0f} ms; from the interrupt to the end {1e3 * ended:.0f} ms")
    assert process.returncode == 130
    assert ended < 3 * started
