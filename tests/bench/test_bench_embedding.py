"""How fast the bundled model is. Absolute figures are reported; only ratios on the same machine are asserted."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import scry.embedding.static_model
from scry.embedding import Passage, StaticModel

SERVER = Path(scry.embedding.static_model.__file__).parents[2]
CHUNK_LINES = 50
QUERY = "where is the retry of failed uploads decided and logged"
START = """
import time
start = time.process_time()
import numpy
numpy_seconds = time.process_time() - start
start = time.process_time()
from scry.embedding.static_model import StaticModel
StaticModel.load().encode_query("send")
print(numpy_seconds, time.process_time() - start)
"""

pytestmark = pytest.mark.bench


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture(scope="module")
def chunks() -> list[Passage]:
    """Return some thousand chunks of the standard library."""
    passages: list[Passage] = []
    for file in sorted(Path(statistics.__file__).parent.glob("*.py")):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        for start in range(0, len(lines), CHUNK_LINES):
            text = "\n".join(lines[start : start + CHUNK_LINES])
            passages.append(Passage(f"{file.stem}_{start}", f"lib/{file.name}", "", text))
    return passages


def seconds(action: Callable[[], object], times: int = 5) -> float:
    """Return the shortest of several durations, in processor time so that a busy machine does not count."""
    found: list[float] = []
    for _ in range(times):
        start = time.process_time()
        action()
        found.append(time.process_time() - start)
    return min(found)


def test_encoded_passages_per_second(model: StaticModel, chunks: list[Passage]) -> None:
    cold = seconds(lambda: model.encode_passages(chunks), times=1)
    warm = seconds(lambda: model.encode_passages(chunks))
    half = seconds(lambda: model.encode_passages(chunks[::2]))
    tokens = seconds(lambda: [model.tokenizer.encode(chunk.text) for chunk in chunks])
    print(
        f"\n{len(chunks)} chunks of {CHUNK_LINES} lines: {len(chunks) / cold:,.0f} a second with a cold word cache, "
        f"{len(chunks) / warm:,.0f} with a warm one, tokenising alone {len(chunks) / tokens:,.0f}"
    )
    assert warm < 4 * half


def test_a_query_costs_a_fraction_of_a_chunk(model: StaticModel, chunks: list[Passage]) -> None:
    query = seconds(lambda: [model.encode_query(QUERY) for _ in range(100)]) / 100
    chunk = seconds(lambda: model.encode_passages(chunks[:500])) / 500
    print(f"\na query: {1000 * query:.3f} ms")
    assert query < chunk


def test_model_load_time_beside_numpy_import() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", START], env={"PYTHONPATH": str(SERVER)}, capture_output=True, text=True, check=True
        )
        for _ in range(5)
    ]
    numpy_seconds, ready_seconds = (
        min(times) for times in zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    )
    print(f"\nnumpy: {1000 * numpy_seconds:.0f} ms, the model after it: {1000 * ready_seconds:.0f} ms")
    assert ready_seconds < 2 * numpy_seconds
