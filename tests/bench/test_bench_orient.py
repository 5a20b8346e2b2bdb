"""How fast a folder of 10,000 files is put in order, beside reading the names of its files alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scry.core.types import IndexState, Structure
from scry.engine.orient import orient
from scry.engine.reading import Reading
from scry.store.index_store import IndexStore
from scry.store.rows import NewFile

pytestmark = pytest.mark.bench

FILES = 10_000
ROUNDS = 40
MOST_OF_THE_NAMES = 40.0
"""Each file is fetched with all that is known of it, judged and sorted; 16 when this was written."""


def _times(work: Callable[[], object]) -> list[float]:
    """Processor milliseconds of each round, sorted: a busy machine does not count."""
    taken: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append((time.process_time() - start) * 1e3)
    return sorted(taken)


def test_a_folder_of_ten_thousand_files(tmp_path: Path) -> None:
    paths = [f"src/pkg{number // 100}/mod{number}.py" for number in range(FILES)]
    with closing(IndexStore.open(tmp_path, write=True)) as store:
        store.publish([NewFile(path, 3000, 1, b"x", language="python", text="x = 1\n" * 500) for path in paths])
        store.save_structures({path: Structure(number * 7919 % 97) for number, path in enumerate(paths)})
        reading = Reading(store, IndexState(state="ready"), None)
        names = _times(store.known_paths)
        ordered = _times(lambda: orient("src", 10, tmp_path, reading, lambda: False))
    p50, p95 = statistics.median(ordered), ordered[int(ROUNDS * 0.95)]
    print(
        f"\norient of {FILES} files p50 {p50:.0f} ms, p95 {p95:.0f} ms; their names {statistics.median(names):.0f} ms"
    )
    assert p50 < MOST_OF_THE_NAMES * statistics.median(names)
