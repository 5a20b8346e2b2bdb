"""How long `scry find` takes as a whole process. Figures are reported; only ratios of the same run are asserted.

    SCRY_PEER=<an environment with semble 0.7.0> SEMBLE_MODEL_NAME=<a model's folder> make bench

All candidates run in turns, so that a busy machine slows all alike.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

import scry
from tests.e2e.command_line import CommandLine
from tests.sample.indexer import IndexerProject, open_indexer_project

PEER = os.environ.get("SCRY_PEER")
"""Read while the tests are collected: later no variable of Scry's is left in the environment."""

SCRY = str(Path(sys.executable).with_name("scry"))
ROUNDS = 15
QUESTION = "where are the ranks of several oracles fused"

MOST_OF_THE_PEER = 1 / 3
MOST_OF_NUMPY = 4.0
"""A find imports numpy, tantivy and msgspec, and then works; 2.2 when this was written, with the parser of options."""

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexerProject]:
    """Return a copy of Scry's own source with a warm index."""
    with open_indexer_project(tmp_path_factory.mktemp("bench") / "project") as sample:
        shutil.copytree(
            Path(scry.__file__).parent, sample.root / "source", ignore=shutil.ignore_patterns("__pycache__")
        )
        sample.git("init", "-q")
        sample.commit()
        index = CommandLine(sample.root).find(QUESTION).index
        assert index.state == "ready", index
        yield sample


class Times(NamedTuple):
    """Of one run, in seconds. processor: of the process alone, so that a busy machine does not count."""

    processor: float
    wall: float


def run(command: Sequence[str], folder: Path) -> Times:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Times(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def shortest(commands: Mapping[str, Sequence[str]], folder: Path) -> dict[str, float]:
    """Return the least processor time of each, run in turns; the first run of each,
    which warms caches, does not count.
    """
    rounds = [{name: run(command, folder) for name, command in commands.items()} for _ in range(ROUNDS + 1)][1:]
    processor = {name: min(each[name].processor for each in rounds) for name in commands}
    wall = {name: median(each[name].wall for each in rounds) for name in commands}
    first = next(iter(commands))
    print()
    for name in commands:
        least = min(each[name].wall for each in rounds)
        whole = f"wall {1000 * least:.0f} ms (median {1000 * wall[name]:.0f})"
        shares = f"{processor[name] / processor[first]:.2f} and {wall[name] / wall[first]:.2f} of {first}"
        print(f"{name:18} processor {1000 * processor[name]:.0f} ms, {whole}: {shares}")
    return processor


def test_find_with_a_warm_index_against_its_imports(sample: IndexerProject) -> None:
    best = shortest(
        {
            "bare interpreter": [sys.executable, "-c", "pass"],
            "import numpy": [sys.executable, "-c", "import numpy"],
            "scry find": [SCRY, "find", QUESTION],
            "scry find --limit": [SCRY, "find", QUESTION, "--limit", "10"],
            "scry find --json": [SCRY, "find", QUESTION, "--json"],
        },
        sample.root,
    )
    assert best["scry find"] < MOST_OF_NUMPY * best["import numpy"]
    assert best["scry find"] < best["scry find --limit"]  # the parser of options is not imported
    assert best["scry find --json"] < 1.2 * best["scry find --limit"]


@pytest.mark.skipif(PEER is None, reason="SCRY_PEER names no environment with semble 0.7.0")
def test_find_with_a_warm_index_against_the_peer(sample: IndexerProject) -> None:
    assert PEER is not None
    best = shortest(
        {
            "semble search": [str(Path(PEER) / "bin" / "semble"), "search", QUESTION, "."],
            "scry find": [SCRY, "find", QUESTION],
        },
        sample.root,
    )
    assert best["scry find"] < MOST_OF_THE_PEER * best["semble search"]
