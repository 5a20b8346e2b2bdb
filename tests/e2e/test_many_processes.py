"""Editors, command lines, an agent and HTTP on one project at once: one index, one log, one indexer, and no lock that
anybody sees.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scry.projects import open_project, read_address
from tests.conformance.ways import OverCommandLine, OverHttp, OverLsp, OverMcp, Way
from tests.e2e.command_line import CommandLine
from tests.polling import eventually
from tests.processes import is_running

pytestmark = pytest.mark.slow

LINES = 4
"""Command lines at a time: with two editors, HTTP and MCP that makes eight processes."""


@dataclass
class Load:
    """Concurrent queries and their errors."""

    root: Path
    until: float
    asked: int = 0
    wrong: list[str] = field(default_factory=list[str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, way: Way, number: int) -> None:
        """Asks, uses, rates and saves by turns until the time is over."""
        turn = number
        while time.monotonic() < self.until:
            turn += 1
            try:
                self._one(way, turn)
            except Exception as error:  # whatever it is, a user would have seen it
                self.wrong.append(f"{way.name}: {error!r}")

    def _one(self, way: Way, turn: int) -> None:
        found = self._ask(way, "find", {"query": f"total of the cart {turn % 7}"})
        if turn % 2:
            self._ask(way, "recent", {"query": "receipt"})
        if turn % 3 == 0:
            self._ask(way, "why", {"doc_id": found["results"][0]["doc_id"], "query": "cart"})
        if turn % 4 == 0:
            way.ask("feedback", {"query_id": found["query_id"], "signal": "good"})
        if turn % 5 == 0:
            (self.root / "shop" / f"made_{turn % 20}.py").write_text(f"def made_{turn}(cart):\n    return cart\n")
        for oracle in found["faults"]:
            self.wrong.append(f"{way.name}: {oracle}")
        if found["index"]["message"] or "lock" in found["notice"]:
            self.wrong.append(f"{way.name}: {found['index']['message']} {found['notice']}")

    def _ask(self, way: Way, mode: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = way.ask(mode, params)
        with self.lock:
            self.asked += 1
        return answer


@pytest.fixture
def ways(shop: Path) -> Iterator[list[Way]]:
    CommandLine(shop).run("index")
    with ExitStack() as opened:
        ways: list[Way] = [OverLsp(shop), OverLsp(shop), OverHttp(shop, shop.parent / "s"), OverMcp(shop)]
        for way in ways:
            opened.callback(way.close)
        yield ways


@pytest.mark.acceptance("F1", "E1", "E4")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("seconds", [12, pytest.param(60, marks=pytest.mark.bench)])
def test_eight_processes_share_one_index_and_one_log(shop: Path, ways: list[Way], seconds: float) -> None:
    before = logged(shop)
    indexer = indexer_of(shop)
    everyone: list[Way] = [*ways, *(OverCommandLine(shop) for _ in range(LINES))]
    load = Load(shop, time.monotonic() + seconds)
    with ThreadPoolExecutor(len(everyone)) as threads:
        for number, way in enumerate(everyone):
            threads.submit(load.run, way, number)
    assert load.wrong == []
    assert load.asked >= len(everyone)
    assert indexer_of(shop) == indexer, "one indexed all the time"
    eventually(lambda: indexers(shop) == [indexer], "no other indexer is left")
    eventually(lambda: logged(shop) - before == load.asked, "every question is logged once")
    print(f"\n{load.asked} questions in {seconds:g} s by {len(everyone)} processes")


@pytest.mark.acceptance("F11")
def test_killed_indexer_is_replaced_while_clients_continue(shop: Path, ways: list[Way]) -> None:
    killed = indexer_of(shop)
    (shop / "shop" / "late.py").write_text("def arrived_after_the_kill():\n    pass\n")
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: indexer_of(shop) not in (0, killed), "another process indexes")
    for way in ways:
        found = until_found(way, "arrived_after_the_kill")
        assert found == "./shop/late.py::arrived_after_the_kill", way.name
    eventually(lambda: len(indexers(shop)) == 1, "exactly one indexes")


def until_found(way: Way, name: str) -> str:
    """Return the first result for a name, as soon as there is one."""
    found: list[str] = []

    def look() -> bool:
        results = way.ask("find", {"query": name, "limit": 1})["results"]
        found[:] = [result["doc_id"] for result in results if name in result["doc_id"]]
        return bool(found)

    eventually(look, f"{way.name} finds {name}")
    return found[0]


def logged(root: Path) -> int:
    """Return the number of queries in the project's log; 0 while there is no log."""
    done = CommandLine(root).run("log", "--json", "--sql", "SELECT count(*) FROM queries")
    rows = json.loads(done.out)["rows"]
    return int(rows[0][0]) if rows else 0


def indexer_of(root: Path) -> int:
    """Return the process that says it indexes the project, and lives; 0 for none."""
    address = read_address(open_project(root).cache)
    return address.pid if address is not None and is_running(address.pid) else 0


def indexers(root: Path) -> list[int]:
    """Return every process that indexes the project, or tries to."""
    return [pid for pid in _pids() if is_indexer(pid, root)]


def is_indexer(pid: int, root: Path) -> bool:
    words = _read(Path(f"/proc/{pid}/cmdline")).split(b"\0")
    return b"scry.indexer.process" in words and os.fsencode(root) in words and is_running(pid)


def _pids() -> list[int]:
    return sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
