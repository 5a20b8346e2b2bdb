"""Recent changes of a team stand beside those of the local projects: by time, by words, as permitted, and late."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.engine.federation.team_service import TeamService
from scry.store.team import TeamDatabase
from scry.store.team.membership import forget_membership, save_membership
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

PATIENT = RequestContext(team_timeout_s=30.0)
HOUR = 3600
DEPOT = {
    "depot/prices.py": 'def sum_prices(pallets):\n    """Sum up the prices of pallets."""\n    return sum(pallets)\n',
    "depot/gate.py": 'def open_gate(key):\n    """Open the gate for a truck."""\n    return key\n',
}
VAULT = {"vault/gold.py": 'def count_gold(bars):\n    """Count the bars of gold."""\n    return len(bars)\n'}


def repository(folder: Path, hours_ago: float) -> HistoryProject:
    """Return an empty repository, of which the next commit is so old."""
    return HistoryProject(folder, clock=int(time.time() - (hours_ago + 1) * HOUR)).init_repository()


class Team:
    """A depot that changed 20 and 4 hours ago, a hidden vault of an hour ago, an old mill, and a clone of the shop."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.postgres = postgres
        self.address = postgres.create_database()
        self.depot = repository(folder / "depot", 20)
        self.depot.commit("Sum up the prices", {"depot/prices.py": DEPOT["depot/prices.py"]})
        self.depot.clock = int(time.time() - 5 * HOUR)
        self.newest = self.depot.commit("Open the gate", {"depot/gate.py": DEPOT["depot/gate.py"]})
        load(self.address, self.depot, ["public"])
        vault = repository(folder / "vault", 1)
        vault.commit("Count the gold", VAULT)
        load(self.address, vault, ["nobody"])
        mill = repository(folder / "mill", 24 * 100)
        mill.commit("Grind the prices", {"mill/grind.py": DEPOT["depot/prices.py"].replace("pallets", "sacks")})
        load(self.address, mill, ["public"])
        self.shop = repository(folder / "shop", 10)
        self.shop.commit("Open the shop", SHOP)
        self.shop.git("remote", "add", "origin", "https://example.invalid/shop.git")
        load(self.address, self.shop, ["public"])
        self.shop.update_all()


@pytest.fixture(scope="module")
def team(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Team:
    postgres.execute("CREATE ROLE reader_of_changes LOGIN")
    return Team(postgres, tmp_path_factory.mktemp("team"))


@pytest.fixture
def router(team: Team) -> Iterator[ProjectRouter]:
    save_membership(as_role(team.address, "reader_of_changes"))
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, team.shop.root))) as router:
        yield router
    forget_membership()


def recent(router: ProjectRouter, context: RequestContext = PATIENT, **params: object) -> messages.Answer:
    return router.recent(messages.RecentParams(**{"team": True, **params}), context)  # type: ignore[arg-type]


def ids(answer: messages.Answer) -> list[str]:
    return [each.doc_id for each in answer.results]


@pytest.mark.acceptance("T1", "R1")
def test_changes_of_all_stand_in_the_order_of_time(router: ProjectRouter, team: Team) -> None:
    answer = recent(router)
    assert answer.faults == []
    found = ids(answer)
    ordered = [
        f"depot:commit:{team.newest}",
        "depot:./depot/gate.py",
        "shop:./shop/cart.py",
        "depot:./depot/prices.py",
    ]
    assert [each for each in found if each in ordered] == ordered
    assert not [each for each in found if each.startswith("mill:")]  # older than a week
    [gate] = [each for each in answer.results if each.doc_id == "depot:./depot/gate.py"]
    assert (gate.project, gate.commit) == ("depot", team.newest)
    assert gate.location
    assert gate.location.uri == f"scry-team:///depot/{team.newest}/depot/gate.py"
    assert gate.snippet == f'{team.newest[:7]}: "Open the gate" (1 file)'


def test_commits_of_one_second_follow_their_parents(
    postgres: PostgresServer, router: ProjectRouter, tmp_path: Path
) -> None:
    address, ledger = postgres.create_database(), repository(tmp_path / "ledger", 3)
    for subject in "abcdef":
        ledger.clock -= HOUR
        ledger.commit(subject, {"ledger/lines.py": f"LINE = '{subject}'\n"})
    load(address, ledger, ["public"])
    save_membership(as_role(address, "reader_of_changes"))
    answer = recent(router, types=["commit"], limit=50)
    own = [each.doc_id for each in answer.results if each.project == "ledger"]
    names = ledger.git("rev-list", "HEAD").split()
    assert own == [f"ledger:commit:{name}" for name in names]
    [lines] = [each for each in recent(router, types=["code"], limit=50).results if each.project == "ledger"]
    assert '"f"' in lines.snippet


@pytest.mark.acceptance("T2")
def test_hidden_repository_and_own_clone_give_no_changes(router: ProjectRouter) -> None:
    answer = recent(router, limit=100, days=36500)
    assert not [each for each in ids(answer) if "vault" in each]
    assert all(not each.commit for each in answer.results if each.project.startswith("shop"))


def test_days_and_types_bound_the_changes(router: ProjectRouter, team: Team) -> None:
    assert {each.split(":")[0] for each in ids(recent(router, days=200, limit=50))} == {"depot", "mill", "shop"}
    commits = recent(router, types=["commit"])
    assert {each.content_type for each in commits.results} == {"commit"}
    assert f"depot:commit:{team.newest}" in ids(commits)
    code = recent(router, types=["code"], limit=50)
    assert "depot:./depot/prices.py" in ids(code)
    assert {each.content_type for each in code.results} == {"code"}
    assert len(recent(router, limit=2).results) == 2


@pytest.mark.acceptance("T1", "R1")
def test_words_choose_and_time_ranks(router: ProjectRouter) -> None:
    answer = recent(router, query="sum up the prices of pallets")
    assert answer.faults == []
    found = ids(answer)
    assert "depot:./depot/prices.py::sum_prices" in found
    assert "depot:./depot/gate.py::open_gate" not in found  # newer, and about something else
    [best] = [each for each in answer.results if each.doc_id == "depot:./depot/prices.py::sum_prices"]
    assert "recency" in {each.name for each in best.adjustments}
    mill = next((each for each in answer.results if each.doc_id.startswith("mill:./")), None)
    assert mill is None or mill.rank > best.rank
    assert not [each for each in ids(recent(router, query="sum up prices", days=7)) if each.startswith("mill:")]


def test_results_are_explained_and_shown_in_full(router: ProjectRouter, team: Team) -> None:
    answer = recent(router)
    ranks = {each.doc_id: each.rank for each in answer.results}
    gate = router.detail(messages.DetailParams(answer.query_id, ranks["depot:./depot/gate.py"]))
    assert gate.state == "current"
    assert gate.result.full
    assert gate.result.full.body == DEPOT["depot/gate.py"].rstrip("\n")
    commit = router.detail(messages.DetailParams(answer.query_id, ranks[f"depot:commit:{team.newest}"]))
    assert commit.result.full
    assert commit.result.full.body == "Open the gate"
    explanation = router.why(messages.WhyParams("depot:./depot/gate.py", query_id=answer.query_id))
    assert explanation.status == "indexed"


@pytest.mark.acceptance("T1", "R1")
def test_older_changes_are_shown_where_nobody_has_any_of_the_last_days(router: ProjectRouter, team: Team) -> None:
    """All histories are made old, so that neither the shop nor the team changed in the last week."""
    age = "UPDATE scry.commits SET time = time {} 8640000"
    team.postgres.execute(age.format("-"), team.address)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    old = repository(team.shop.root.parent / "old", 24 * 50)
    old.commit("Begin", {"old.py": "def begin():\n    return 1\n"})
    old.update_all()
    try:
        with closing(ProjectRouter(pool, HomeWorkspace(pool, old.root))) as own:
            answer = recent(own)
            assert {each.split(":")[0] for each in ids(answer)} >= {"old", "depot"}
            assert "nothing changed in the last 7 days" in answer.notice.lower(), answer.notice
            assert recent(own, days=7).results == []
        assert not [each for each in recent(router).results if each.commit]  # the shop has changes of this week
    finally:
        team.postgres.execute(age.format("+"), team.address)


@pytest.mark.acceptance("T3")
def test_late_changes_are_there_the_next_time(router: ProjectRouter, team: Team) -> None:
    has_come = threading.Event()
    router.team = TeamService(has_come.set)
    recent(router)

    def ask_while_halted() -> messages.Answer:
        halted = team.postgres.pids()
        team.postgres.signal(signal.SIGSTOP, halted)
        try:
            return recent(router, RequestContext())
        finally:
            team.postgres.signal(signal.SIGCONT, halted)

    answer = ask_while_halted()
    [fault] = answer.faults
    assert fault.retry
    assert "has not answered yet" in fault.message
    assert "shop:./shop/cart.py" in ids(answer)
    assert has_come.wait(60)
    assert f"depot:commit:{team.newest}" in ids(ask_while_halted())


def test_statements_do_not_grow_with_repositories(
    team: Team, router: ProjectRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    select = TeamDatabase.select

    def count(self: TeamDatabase, sql: str, values: object = ()) -> object:
        statements.append(sql)
        return select(self, sql, values)  # type: ignore[arg-type]

    monkeypatch.setattr(TeamDatabase, "select", count)
    recent(router, days=1)
    of_one = len(statements)
    statements.clear()
    assert {each.project for each in recent(router, days=3000, limit=50).results if each.commit} == {"depot", "mill"}
    assert len(statements) == of_one
