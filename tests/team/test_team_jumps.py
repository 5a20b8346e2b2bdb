"""Jumps are given to the team by those who opted in, aside, and are seen by them and the owner alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from scry.engine.activity import team_jumps
from scry.engine.activity.team_jumps import JumpGiver
from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.store.team.jumps import TeamJump, hash_question
from scry.store.team.membership import forget_membership, save_membership
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "where are the prices summed up"
GIVEN = "SELECT role, convert_from(doc_id, 'UTF8'), convert_from(question, 'UTF8'), is_hashed FROM scry.jumps"


class Team:
    """A shop that all may read and a vault that nobody may, and a person's own project."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.postgres = postgres
        self.address = postgres.create_database()
        for name, readers in (("shop", ["public"]), ("vault", ["nobody"])):
            project = HistoryProject(folder / name).init_repository()
            project.commit(f"Open the {name}", SHOP)
            load(self.address, project, readers)
        self.home = HistoryProject(folder / "home").init_repository()
        self.home.commit("Live here", {"home.py": "def bed():\n    pass\n"})
        self.home.update_all()

    def given(self) -> list[tuple[Any, ...]]:
        return self.postgres.execute(f"{GIVEN} ORDER BY given_at, act", self.address)


@pytest.fixture(scope="module")
def team(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Team:
    for role in ("giver LOGIN", "neighbour LOGIN"):
        postgres.execute(f"CREATE ROLE {role}")
    return Team(postgres, tmp_path_factory.mktemp("team"))


@pytest.fixture(autouse=True)
def joined(team: Team, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(team_jumps, "GIVER", JumpGiver())
    monkeypatch.setattr("scry.engine.federation.team_answer.GIVER", team_jumps.GIVER)
    team.postgres.execute("DELETE FROM scry.jumps", team.address)
    save_membership(as_role(team.address, "giver"))
    yield
    forget_membership()


@contextmanager
def person(team: Team) -> Generator[ProjectRouter]:
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, team.home.root))) as router:
        yield router


def find(router: ProjectRouter, query: str = QUESTION) -> messages.Answer:
    return router.find(messages.FindParams(query, team=True), RequestContext(team_timeout_s=30.0))


def jump(router: ProjectRouter, answer: messages.Answer, act_id: str = "", how: str = "jump") -> bool:
    """Jump to a result of the team, and let what is given be given; return whether the act was recorded."""
    rank = next(each.rank for each in answer.results if each.doc_id == "shop:./shop/cart.py::total_price")
    params = messages.UseParams(answer.query_id, rank, how, act_id=act_id or uuid4().hex)  # type: ignore[arg-type]
    recorded = router.use(params)
    team_jumps.GIVER.wait(60)
    return recorded.recorded


def test_nothing_is_given_unless_a_person_opts_in(team: Team) -> None:
    with person(team) as router:
        assert jump(router, find(router))
    assert team.given() == []


def test_question_is_given_hashed_or_in_the_clear(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    document, secret = "./shop/cart.py::total_price", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    monkeypatch.setenv("SCRY_TEAM_JUMPS", "hashed")
    with person(team) as router:
        answer = find(router)
        assert jump(router, answer, "once")
        assert not jump(router, answer, "once")
        assert jump(router, answer, how="copy")
    [given] = team.given()
    assert given == ("giver", document, hash_question(f"  {QUESTION.upper()} "), True)
    assert "prices" not in str(team.postgres.execute("SELECT * FROM scry.jumps", team.address))
    monkeypatch.setenv("SCRY_TEAM_JUMPS", "clear")
    with person(team) as router:
        jump(router, find(router, f"{QUESTION} {secret}"))
    clear = team.given()[1]
    assert (clear[1], clear[3]) == (document, False)
    assert clear[2].startswith(QUESTION)
    assert secret not in clear[2]


@pytest.mark.acceptance("T2")
def test_members_see_and_delete_their_own_jumps_alone(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_TEAM_JUMPS", "clear")
    with person(team) as router:
        jump(router, find(router))
    row = "'{}', 'x', now(), (SELECT id FROM repositories WHERE name = '{}'), 'd', 1, 'q', false"
    with psycopg.connect(
        as_role(team.address, "neighbour"), autocommit=True, options="-c search_path=scry,public"
    ) as neighbour:
        assert neighbour.execute("SELECT count(*) FROM jumps").fetchone() == (0,)
        assert neighbour.execute("DELETE FROM jumps").rowcount == 0
        for sql in (
            f"INSERT INTO jumps VALUES ({row.format('giver', 'shop')})",
            "INSERT INTO jumps SELECT 'neighbour', 'y', now(), 2, 'd', 1, 'q', false",  # of the hidden vault
            "UPDATE jumps SET rank = 2",
            "TRUNCATE jumps",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                neighbour.execute(sql.encode())
        neighbour.execute(f"INSERT INTO jumps VALUES ({row.format('neighbour', 'shop')})".encode())
        assert neighbour.execute("SELECT role FROM jumps").fetchall() == [("neighbour",)]
    assert {role for role, *_ in team.given()} == {"giver", "neighbour"}  # the owner reads all


def test_jump_does_not_wait_for_a_hanging_server(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_TEAM_JUMPS", "clear")
    with person(team) as router:
        answer = find(router)
        rank = next(each.rank for each in answer.results if each.commit)
        halted = team.postgres.pids()
        team.postgres.signal(signal.SIGSTOP, halted)
        try:
            recorded = router.use(messages.UseParams(answer.query_id, rank, "jump", act_id=uuid4().hex))
            assert recorded.recorded  # while no process of the server runs
        finally:
            team.postgres.signal(signal.SIGCONT, halted)
        team_jumps.GIVER.wait(60)
    assert len(team.given()) == 1


@pytest.mark.acceptance("T3")
def test_failure_is_told_and_the_next_jump_gives_all(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRY_TEAM_JUMPS", "hashed")
    with person(team) as router:
        answer = find(router)
        team.postgres.stop("immediate")
        try:
            jump(router, answer)
            jump(router, answer)
            router.team.close()
            [_, fault] = [each.message for each in find(router).faults]
            assert fault.startswith("2 jumps could not be given to the team: the team's index can't be used")
        finally:
            team.postgres.start()
        jump(router, answer)
        assert len(team.given()) == 3
        assert find(router).faults == []


def test_waiting_jumps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_jumps, "MAX_WAITING", 2)
    save_membership("host=/nowhere dbname=none user=nobody")
    giver = JumpGiver()
    for act in (b"1", b"2", b"3"):
        giver.give(TeamJump("shop", "./a.py", 1, "q", is_hashed=False, act=act))
        giver.wait(60)
    assert giver.describe_trouble().startswith("3 jumps could not be given to the team (1 of them are dropped): ")


def test_command_shows_what_would_be_given_and_takes_back(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    def scry(*arguments: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "scry", "team", "jumps", *arguments, "--json"]
        done = subprocess.run(command, cwd=team.home.root, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    with person(team) as router:
        jump(router, find(router, "prices that would be told"))
    before = scry()
    assert (before["setting"], before["given"]) == ("off", [])
    would = before["would_give"][0]
    assert (would["repository"], would["question"]) == ("shop", "prices that would be told")
    monkeypatch.setenv("SCRY_TEAM_JUMPS", "hashed")
    with person(team) as router:
        jump(router, find(router))
    after = scry()
    assert [each["question"] for each in after["given"]] == [hash_question(QUESTION)]
    assert after["would_give"][0]["question"] == hash_question(QUESTION)
    assert scry("--take-back")["taken_back"] == 1
    assert team.given() == []
