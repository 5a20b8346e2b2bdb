"""A team's index: documents loaded a second, space on disk, and the time of a question, alone and with 50 readers.

    .venv/bin/pytest -q -s -m bench --timeout 36000 tests/bench/test_bench_team.py

`SCRY_BENCH_TEAM` is the number of synthetic repositories (4 by default; 1,000 make some 10^6 documents): copies of a
ninth of Scry's own code under other names, with changes. `SCRY_BENCH_REPOSITORIES` names a folder of git clones that
are indexed as well. With Ray (`make team` installs it) the load is also measured on one and two nodes of this machine.
"""

from __future__ import annotations

import importlib
import os
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scry.core import cache_home
from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.store.team.membership import forget_membership, save_membership
from scry.store.team.writer import TeamRepository
from scry.team.cluster import index_on_cluster
from scry.team.indexing import RepositoryOutcome, index_one_by_one
from scry_protocol import messages
from tests.bench.test_bench_find import QUERIES
from tests.gates.parts import ROOT
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer

pytestmark = [pytest.mark.bench, pytest.mark.needs("postgres")]

COPIES = int(os.environ.get("SCRY_BENCH_TEAM") or 4)
CLONES = os.environ.get("SCRY_BENCH_REPOSITORIES")
PARTS = 9
READERS = 50
ROUNDS = 3
PATIENT = RequestContext(team_timeout_s=60.0)


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> list[TeamRepository]:
    """Return the repositories to index: every third file of each copy is the same in all, the others have own names."""
    folder = tmp_path_factory.mktemp("team")
    sources = sorted((ROOT / "server" / "scry").rglob("*.py"))
    paths = [Path(each) for each in sorted(Path(CLONES).iterdir())] if CLONES else []
    for copy in range(COPIES):
        project = HistoryProject(folder / f"copy{copy}").init_repository()
        files = {
            str(path.relative_to(ROOT)): text if at % 3 == 0 else text.replace("def ", f"def c{copy}_")
            for at, path in enumerate(sources[copy % PARTS :: PARTS])
            for text in [path.read_text(encoding="utf-8")]
        }
        project.commit(f"Copy {copy}", files)
        paths.append(project.root)
    return [TeamRepository(path.name, str(path), "", ("public",)) for path in paths if (path / ".git").exists()]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    made = PostgresServer()
    yield made
    made.remove()


@pytest.fixture(scope="module")
def loaded(server: PostgresServer, repositories: Sequence[TeamRepository]) -> str:
    """Return the address of the loaded index, and report the load by this process alone."""
    address = server.create_database()
    measure("one process", lambda: index_one_by_one(address, repositories))
    [(size,)] = server.execute("SELECT pg_database_size(current_database())", address)
    [(documents,)] = server.execute("SELECT sum(documents) FROM scry.repositories", address)
    print(f"{len(repositories)} repositories, {documents} documents, {size / 1e6:.0f} MB on disk")
    return address


def measure(name: str, index: Callable[[], Iterator[RepositoryOutcome]]) -> None:
    """Report how many documents a second are loaded. Every load begins without checkouts."""
    shutil.rmtree(cache_home(), ignore_errors=True)
    started_at = time.perf_counter()
    outcomes = list(index())
    seconds = time.perf_counter() - started_at
    assert [each.error for each in outcomes if each.error] == []
    documents = sum(each.documents for each in outcomes)
    print(f"load by {name}: {documents} new documents in {seconds:.0f} s, {documents / seconds:.0f} a second")


@pytest.fixture
def router(loaded: str, tmp_path: Path) -> Iterator[ProjectRouter]:
    here = HistoryProject(tmp_path / "here").init_repository()
    here.commit("Begin", {"notes.py": "def prices_of_notes():\n    return 1\n"})
    here.update_all()
    save_membership(loaded)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, here.root))) as router:
        yield router
    forget_membership()


def ask(router: ProjectRouter, question: str) -> float:
    """Return the seconds that a question takes, as the sidecar answers it."""
    started_at = time.perf_counter()
    answer = router.find(messages.FindParams(question, team=True), PATIENT)
    assert answer.faults == []
    assert any(each.commit for each in answer.results)
    return time.perf_counter() - started_at


def report(name: str, seconds: Sequence[float]) -> None:
    p95 = statistics.quantiles(seconds, n=20)[-1]
    print(f"{name}: p50 {statistics.median(seconds) * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms of {len(seconds)} questions")


def test_bench_questions(router: ProjectRouter) -> None:
    ask(router, QUERIES[0])
    report("find", [ask(router, question) for _ in range(ROUNDS) for question in QUERIES])


def test_bench_many_readers(router: ProjectRouter, loaded: str) -> None:
    """Fifty people with a router each, at once, in this one process."""
    seconds: list[float] = []

    def read() -> None:
        pool = EnginePool(make_engine_opener("test", start_indexer=False))
        with closing(ProjectRouter(pool, HomeWorkspace(pool, router.workspace.projects()[0].identify().root))) as own:
            seconds.extend(ask(own, question) for question in QUERIES)

    threads = [threading.Thread(target=read) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seconds) == READERS * len(QUERIES)
    report(f"find, {READERS} readers at once", seconds)


@pytest.mark.needs("ray")
@pytest.mark.parametrize("nodes", [1, 2])
def test_bench_load_by_ray(nodes: int, server: PostgresServer, repositories: Sequence[TeamRepository]) -> None:
    options: dict[str, object] = {"num_cpus": 1, "object_store_memory": 80_000_000}
    cluster: Any = importlib.import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={**options, "include_dashboard": False}
    )
    try:
        for _ in range(nodes - 1):
            cluster.add_node(**options)
        address = server.create_database()
        measure(f"{nodes} nodes", lambda: index_on_cluster(address, repositories, cluster=str(cluster.address)))
    finally:
        cluster.shutdown()
