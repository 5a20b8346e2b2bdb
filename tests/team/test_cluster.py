"""`scry team index` by Ray: a cluster of two real nodes on this machine; a node that is killed costs no document."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from scry.store.team import TeamDatabase
from scry.team.indexing import index_one_by_one
from scry.team.sources import read_sources
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer
from tests.team.team_samples import SHOP, kill_whoever_fetches, stored_words

pytestmark = [pytest.mark.needs("postgres", "ray"), pytest.mark.slow, pytest.mark.timeout(600)]

NAMES = ("cart", "stock", "depot", "till", "vault")
COUNTS = (
    "SELECT (SELECT count(*) FROM scry.contents), (SELECT count(*) FROM scry.documents), "
    "(SELECT count(*) FROM scry.files), (SELECT count(*) FROM scry.commits), (SELECT count(*) FROM scry.postings)"
)
COMMITS = "SELECT name, encode(commit_id, 'hex'), generation, documents, length FROM scry.repositories ORDER BY name"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a team with five repositories that share contents, and one that is not there."""
    folder = tmp_path_factory.mktemp("team")
    entries = ""
    for name in (*NAMES, "missing"):
        entries += f'[[repository]]\nurl = "{name}"\n'
    for name in NAMES:
        project = HistoryProject(folder / name).init_repository()
        project.commit(f"Open {name}", {**SHOP, f"{name}.py": f"def {name}_only():\n    return 1\n"})
        project.commit("Count", {"count.py": f"def count_{name}():\n    return 2\n"})
    path = folder / "team.toml"
    path.write_text(f'readers = ["public"]\n{entries}', encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(sources: Path, postgres: PostgresServer) -> tuple[object, ...]:
    """Return all that the index holds after a run of this process alone."""
    address = postgres.create_database()
    assert [each.name for each in index_one_by_one(address, read_sources(sources)) if each.error] == ["missing"]
    return contents_of(address, postgres)


def contents_of(address: str, postgres: PostgresServer) -> tuple[object, ...]:
    return stored_words(address), postgres.execute(COUNTS, address), postgres.execute(COMMITS, address)


class TwoNodes:
    """A cluster of two real nodes with one processor each, of which the second can be killed."""

    def __init__(self) -> None:
        options: dict[str, object] = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}
        self._cluster: Any = importlib.import_module("ray.cluster_utils").Cluster(
            initialize_head=True, head_node_args=options
        )
        self._second: Any = self._cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
        self.address = str(self._cluster.address)

    def kill_second(self) -> None:
        """Kill all processes of the second node, as a machine that dies does: none answers before it ends."""
        for pid in _with_descendants(self._second.all_processes["raylet"][0].process.pid):
            os.kill(pid, signal.SIGKILL)
        self._cluster.remove_node(self._second, allow_graceful=False)

    def stop(self) -> None:
        self._cluster.shutdown()


def _with_descendants(pid: int) -> list[int]:
    children = [int(each) for path in Path(f"/proc/{pid}/task").glob("*/children") for each in path.read_text().split()]
    return [pid, *(each for child in children for each in _with_descendants(child))]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[TwoNodes]:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    nodes = TwoNodes()
    yield nodes
    nodes.stop()


def start(sources: Path, address: str, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "scry", "team", "index", str(sources), "--server", address, "--json", *more]
    return subprocess.Popen(command, cwd=sources.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outcomes_of(process: subprocess.Popen[str]) -> dict[str, dict[str, Any]]:
    """Return the outcomes by repository, once all have ended: five are indexed, and the missing one costs itself."""
    output, progress = process.communicate(timeout=300)
    told = [line.partition(" ")[0] for line in progress.splitlines()]  # with Ray's own lines about killed nodes
    assert [first for first in told if first.endswith("/6")] == [f"{at}/6" for at in range(1, 7)], progress
    outcomes = {each["name"]: each for each in json.loads(output)["repositories"]}
    assert "git clone failed" in outcomes.pop("missing")["error"]
    assert {name: each["error"] for name, each in outcomes.items()} == dict.fromkeys(NAMES, "")
    return outcomes


@contextmanager
def writers_halted(address: str, table: str) -> Generator[Callable[[int], None]]:
    """Let no writer change a table meanwhile; give a function that waits until so many wait for it."""
    TeamDatabase.open_for_writing(address).close()
    sql = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' "
        f"AND query LIKE '%{table}%'"
    )
    with psycopg.connect(address) as halting, psycopg.connect(address, autocommit=True) as watching:
        halting.execute(f"LOCK TABLE scry.{table} IN SHARE MODE".encode())

        def wait_for(count: int) -> None:
            deadline = time.monotonic() + 240
            while watching.execute(sql.encode()).fetchall() != [(count,)]:
                assert time.monotonic() < deadline
                time.sleep(0.1)

        yield wait_for


@pytest.mark.acceptance("T1")
def test_one_machine_indexes_by_ray_alike(
    address: str, sources: Path, expected: tuple[object, ...], postgres: PostgresServer
) -> None:
    outcomes = outcomes_of(start(sources, address))
    assert len({each["node"] for each in outcomes.values()}) == 1
    assert contents_of(address, postgres) == expected
    [(documents,)] = postgres.execute("SELECT count(*) FROM scry.documents", address)
    assert sum(each["documents"] for each in outcomes.values()) == documents  # each is counted by one task alone
    again = outcomes_of(start(sources, address, "--jobs", "2"))
    assert all(each["is_unchanged"] for each in again.values())


@pytest.mark.parametrize("table", ["contents", "postings"])
@pytest.mark.acceptance("T1", "T3")
def test_killed_node_loses_and_doubles_nothing(
    address: str,
    sources: Path,
    cluster: TwoNodes,
    expected: tuple[object, ...],
    postgres: PostgresServer,
    table: str,
) -> None:
    """Both nodes are in the middle of staging, or of publishing, when one of them is killed with its processes."""
    with writers_halted(address, table) as wait_for:
        indexing = start(sources, address, "--address", cluster.address)
        wait_for(2)
        cluster.kill_second()
    outcomes = outcomes_of(indexing)
    assert len({each["node"] for each in outcomes.values()}) == 1
    assert contents_of(address, postgres) == expected


@pytest.mark.parametrize(
    ("cluster_address", "words"),
    [("127.0.0.1:1", "Ray can't be used at 127.0.0.1:1: "), ("here", "is HOST:PORT, or auto")],
)
def test_cluster_that_is_away_is_told(address: str, sources: Path, cluster_address: str, words: str) -> None:
    process = start(sources, address, "--address", cluster_address)
    output, told = process.communicate(timeout=120)
    assert process.returncode != 0
    assert words in output + told


def test_repository_that_kills_its_worker_costs_itself(
    sources: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = f'[[repository]]\nurl = "{kill_whoever_fetches(tmp_path, monkeypatch)}"\n'
    for name in NAMES[:2]:
        entries += f'[[repository]]\nurl = "{sources.parent / name}"\n'
    file = tmp_path / "team.toml"
    file.write_text(f'readers = ["public"]\n{entries}', encoding="utf-8")
    output, _ = start(file, address).communicate(timeout=300)
    errors = {each["name"]: each["error"] for each in json.loads(output)["repositories"]}
    assert errors.pop("poison").startswith("WorkerCrashedError")
    assert errors == {"cart": "", "stock": ""}
