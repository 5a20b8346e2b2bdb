"""How soon `initialize` is answered, beside the start of Python with the language server's library.

Figures are reported; only ratios are asserted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.lsp_client import LspClient
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

ROUNDS = 5
FILES = 900


def initialize_seconds(root: Path) -> float:
    start = time.perf_counter()
    with LspClient(root) as client:
        client.initialize(root)
        taken = time.perf_counter() - start
        assert client.shut_down() == 0
    return taken


def library_seconds() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import pygls.lsp.server"], check=True)
    return time.perf_counter() - start


def test_initialize_does_not_wait_for_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "0")
    without: list[float] = []
    ready: list[float] = []
    library: list[float] = []
    with open_indexer_project(tmp_path / "indexed") as indexed:
        indexed.connect_when_ready()
        for number in range(ROUNDS):
            new = IndexerProject(tmp_path / f"new{number}")
            new.write_many_files(FILES)
            library.append(library_seconds())
            ready.append(initialize_seconds(indexed.root))
            without.append(initialize_seconds(new.root))
            new.end()
    medians = [statistics.median(times) for times in (library, ready, without)]
    print(
        "\npython with pygls {:.0f} ms; initialize with an index {:.0f} ms, without one {:.0f} ms".format(
            *(1e3 * each for each in medians)
        )
    )
    assert medians[2] < 2 * medians[1]
    assert medians[1] < 2 * medians[0]
