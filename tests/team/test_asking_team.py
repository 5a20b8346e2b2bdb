"""A joined team is asked beside the local projects: its results, its faults, and what is asked about its results."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.engine.federation import team_answer as team_answer_module
from scry.engine.federation.team_service import TeamService
from scry.store.team import TeamDatabase
from scry.store.team.membership import forget_membership, save_membership
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "where are the prices summed up"
PATIENT = RequestContext(team_timeout_s=30.0)
DEPOT = {
    "depot/prices.py": 'def sum_prices(pallets):\n    """Sum up the prices of pallets."""\n    return sum(pallets)\n'
}
VAULT = {
    "vault/prices.py": 'def sum_secret_prices(gold):\n    """Sum up the prices of gold."""\n    return sum(gold)\n'
}


class Team:
    """A shop, a depot and a vault in an index, of which clerks may not read the vault; and a clone of the shop."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.postgres = postgres
        self.address = postgres.create_database()
        self.depot = HistoryProject(folder / "depot").init_repository()
        self.depot.commit("Sum up the prices", DEPOT)
        load(self.address, self.depot, ["public"])
        vault = HistoryProject(folder / "vault").init_repository()
        vault.commit("Sum up the secret prices", VAULT)
        load(self.address, vault, ["nobody"])
        self.shop = HistoryProject(folder / "shop").init_repository()
        self.shop.commit("Open the shop", SHOP)
        self.shop.git("remote", "add", "origin", "https://ada@example.invalid/shop.git")
        load(self.address, self.shop, ["public"])
        self.shop.update_all()

    @property
    def reader(self) -> str:
        return as_role(self.address, "clerk")


@pytest.fixture(scope="module")
def team(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Team:
    postgres.execute("CREATE ROLE clerk LOGIN")
    return Team(postgres, tmp_path_factory.mktemp("team"))


@pytest.fixture
def router(team: Team) -> Iterator[ProjectRouter]:
    """Return the router of a person who has joined the team, in their clone of the shop."""
    save_membership(team.reader)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, team.shop.root))) as router:
        yield router
    forget_membership()


def find(router: ProjectRouter, context: RequestContext = PATIENT, **params: object) -> messages.Answer:
    values: dict[str, object] = {"query": QUESTION, "team": True, **params}
    return router.find(messages.FindParams(**values), context)  # type: ignore[arg-type]


def found_in_team(answer: messages.Answer) -> list[str]:
    return [result.doc_id for result in answer.results if result.commit]


@pytest.mark.acceptance("T1")
def test_results_of_the_team_stand_among_local_ones(router: ProjectRouter, team: Team) -> None:
    answer = find(router)
    assert answer.faults == []
    assert {each.name: each.team for each in answer.projects} == {"shop": False, "depot": True}
    [depot] = [each for each in answer.results if each.doc_id == "depot:./depot/prices.py::sum_prices"]
    commit = team.depot.git("rev-parse", "HEAD")
    assert (depot.project, depot.commit) == ("depot", commit)
    assert depot.location
    assert depot.location.uri == f"scry-team:///depot/{commit}/depot/prices.py"
    [local] = [each for each in answer.results if each.doc_id == "shop:./shop/cart.py::total_price"]
    assert local.commit == ""
    assert local.location
    assert local.location.uri.startswith("file:")
    ranks = [each.contributions["semantic"].rank for each in (depot, local)]
    assert len(set(ranks)) == 2  # they are ranked among each other


def test_document_of_the_team_is_not_taken_for_a_local_one_of_its_name(team: Team, tmp_path: Path) -> None:
    """A local project has a function of the depot's path and name: the stored answer has the key of the local one
    alone.
    """
    here = HistoryProject(tmp_path / "here").init_repository()
    here.commit("Begin", {path: f"{text}\n\nPALLETS = 3\n" for path, text in DEPOT.items()})
    here.update_all()
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with ExitStack() as stack:
        save_membership(team.reader)
        stack.callback(forget_membership)
        answer = find(stack.enter_context(closing(ProjectRouter(pool, HomeWorkspace(pool, here.root)))))
        with pool.borrow(here.root) as engine:
            stored = engine.recorder.answers.get(answer.query_id)
    assert stored is not None
    keys = {result.doc_id: stored.origin.doc_keys[result.rank - 1] for result in answer.results}
    named = [doc_id for doc_id in keys if doc_id.endswith("depot/prices.py::sum_prices")]
    assert sorted(named) == ["depot:./depot/prices.py::sum_prices", "here:./depot/prices.py::sum_prices"]
    assert keys["depot:./depot/prices.py::sum_prices"] == 0
    assert keys["here:./depot/prices.py::sum_prices"] > 0


@pytest.mark.acceptance("T1")
def test_clone_is_answered_by_the_local_project_alone(router: ProjectRouter) -> None:
    answer = find(router)
    assert {each.project for each in answer.results if each.doc_id.startswith("shop:")} == {"shop"}
    assert all(not each.commit for each in answer.results if each.project == "shop")


@pytest.mark.acceptance("T2")
def test_hidden_repository_is_not_found(router: ProjectRouter) -> None:
    answer = find(router, query="sum up the secret prices of gold", limit=50)
    assert not [each for each in answer.results if "vault" in each.doc_id]


def test_question_without_team_asks_no_team(router: ProjectRouter) -> None:
    assert found_in_team(find(router, team=False)) == []
    assert "team" not in router.__dict__


def test_nobody_joined_is_refused(router: ProjectRouter) -> None:
    forget_membership()
    with pytest.raises(BadRequest, match="team: none is joined"):
        find(router)


def test_words_that_occur_nowhere_are_those_of_no_readable_repository(router: ProjectRouter) -> None:
    """`pallets` occurs in the depot alone, `gold` in the hidden vault, `frobnicate` nowhere."""
    local = find(router, query="prices of frobnicate pallets of gold", team=False)
    assert local.notice.startswith("frobnicate, pallets, gold occur nowhere here")
    answer = find(router, query="prices of frobnicate pallets of gold")
    assert found_in_team(answer)
    assert answer.notice.endswith("frobnicate, gold occur nowhere here"), answer.notice
    assert "nowhere" not in find(router, query="prices of pallets").notice


@pytest.mark.acceptance("T1")
def test_detail_reads_the_indexed_text(router: ProjectRouter) -> None:
    answer = find(router)
    rank = next(each.rank for each in answer.results if each.doc_id == "depot:./depot/prices.py::sum_prices")
    detail = router.detail(messages.DetailParams(answer.query_id, rank))
    assert (detail.state, detail.note) == ("current", "")
    assert detail.result.full
    assert detail.result.full.body == DEPOT["depot/prices.py"].rstrip("\n")


def test_detail_of_a_commit_is_its_message(router: ProjectRouter) -> None:
    answer = find(router, types=["commit"])
    [commit] = [each for each in answer.results if each.commit]
    detail = router.detail(messages.DetailParams(answer.query_id, commit.rank))
    assert detail.result.full
    assert detail.result.full.body == "Sum up the prices"


@pytest.mark.acceptance("T1")
def test_why_explains_as_for_local_results(router: ProjectRouter) -> None:
    answer = find(router)
    [depot] = [each for each in answer.results if each.doc_id == "depot:./depot/prices.py::sum_prices"]
    explanation = router.why(messages.WhyParams(depot.doc_id, query_id=answer.query_id))
    assert (explanation.status, explanation.query) == ("indexed", QUESTION)
    assert explanation.result
    assert explanation.result.commit == depot.commit
    evidence = {each.oracle: each for each in explanation.oracles}
    for name, contribution in depot.contributions.items():
        assert evidence[name].raw_score == contribution.raw_score
    shares = evidence["semantic"].shares
    assert shares, "the cosine is split by words"
    assert router.why(messages.WhyParams(depot.doc_id)).query == QUESTION  # of the newest answer that has it


def test_why_explains_a_document_of_the_team_that_no_answer_showed(router: ProjectRouter) -> None:
    """A person asks why the team did not find what they know to be in one of its repositories."""
    explanation = router.why(messages.WhyParams("depot:./depot/prices.py", "a question that nobody asked"), PATIENT)
    assert explanation.status == "indexed"
    left_out = router.why(messages.WhyParams("depot:./depot/prices.py", "prices lang:rust"), PATIENT)
    assert left_out.summary == "Not found: the question's filters leave it out (lang:rust)"
    with pytest.raises(BadRequest, match=r"\./depot/gone\.py is not in depot at "):
        router.why(messages.WhyParams("depot:./depot/gone.py", QUESTION), PATIENT)
    for hidden in ("vault", "nowhere"):
        with pytest.raises(BadRequest, match=f"has no repository {hidden}, or you may not read it"):
            router.why(messages.WhyParams(f"{hidden}:./vault/prices.py", QUESTION), PATIENT)
    own = router.why(messages.WhyParams("shop:./shop/cart.py::total_price", QUESTION), PATIENT)
    assert (own.status, own.doc_id) == ("indexed", "shop:./shop/cart.py::total_price")


def test_why_names_a_rank_that_a_document_has_in_its_repository_alone(postgres: PostgresServer, tmp_path: Path) -> None:
    """A crowd of 250 functions answers the question better, so that the document is not among the first 200."""
    address = postgres.create_database()
    crowd = HistoryProject(tmp_path / "crowd").init_repository()
    functions = [
        f'def sum_prices_{number}(pallets):\n    """Sum up the prices."""\n    return {number}\n'
        for number in range(250)
    ]
    crowd.commit("Crowd", {f"part{number}.py": function for number, function in enumerate(functions)})
    load(address, crowd, ["public"])
    lone = HistoryProject(tmp_path / "lone").init_repository()
    lone.commit(
        "Stand alone",
        {"yard.py": 'def price_of_truck(truck):\n    """Return the price of a truck."""\n    return truck\n'},
    )
    load(address, lone, ["public"])
    here = HistoryProject(tmp_path / "here").init_repository()
    here.commit("Begin", {"here.py": "HERE = 1\n"})
    here.update_all()
    save_membership(address)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with ExitStack() as stack:
        stack.callback(forget_membership)
        router = stack.enter_context(closing(ProjectRouter(pool, HomeWorkspace(pool, here.root))))
        explanation = router.why(messages.WhyParams("lone:./yard.py::price_of_truck", "sum up the prices"), PATIENT)
    [semantic] = [each for each in explanation.oracles if each.oracle == "semantic"]
    assert (semantic.state, semantic.rank) == ("beyond_depth", 1)
    assert semantic.note == "this is its rank in lone alone; in the whole team it is not among the first 200"
    assert explanation.summary == "Not found: semantic has it 1st in lone alone, not among the team's first 200"


def test_results_in_full_and_excerpts_are_read_from_the_index(router: ProjectRouter, team: Team) -> None:
    """Beside those of local results, and as `detail` has them."""
    answer = find(router, full=True, excerpt=1)
    assert answer.faults == []
    [depot] = [each for each in answer.results if each.doc_id == "depot:./depot/prices.py::sum_prices"]
    assert depot.full
    assert depot.full.body == DEPOT["depot/prices.py"].rstrip("\n")
    assert depot.excerpt == [messages.ExcerptLine(2, '"""Sum up the prices of pallets."""')]
    for result in answer.results:
        assert result.full, result.doc_id
        if result.commit:
            detail = router.detail(messages.DetailParams(answer.query_id, result.rank))
            assert detail.result.full == result.full
    assert not any(each.full or each.excerpt for each in find(router).results)


@pytest.mark.parametrize("query", ["", QUESTION])
def test_recent_changes_in_full_are_read_from_the_index(router: ProjectRouter, query: str) -> None:
    params = messages.RecentParams(query, team=True, full=True, excerpt=1)
    answer = router.recent(params, PATIENT)
    assert answer.faults == []
    team = [each for each in answer.results if each.commit]
    assert "code" in {each.content_type for each in team}
    for result in team:
        expected = "Sum up the prices" if result.content_type == "commit" else DEPOT["depot/prices.py"].rstrip("\n")
        assert result.full
        assert result.full.body == expected
        assert bool(result.excerpt) == bool(query and result.content_type == "code")


def test_text_of_a_file_is_that_of_the_index(router: ProjectRouter) -> None:
    answer = find(router)
    uri = next(each.location.uri for each in answer.results if each.commit and each.location)
    file = router.team.file(messages.TeamFileParams(uri))
    assert (file.text, file.is_current) == (DEPOT["depot/prices.py"], True)
    older = uri.replace(file.commit, "0" * 40)
    assert not router.team.file(messages.TeamFileParams(older)).is_current
    for bad in ("file:///etc/passwd", uri.replace("depot/", "vault/"), uri + "x", "scry-team:///depot"):
        with pytest.raises(BadRequest):
            router.team.file(messages.TeamFileParams(bad))


def test_filters_hold_for_the_team(router: ProjectRouter) -> None:
    assert "depot:./depot/prices.py::sum_prices" in found_in_team(find(router, query=f"{QUESTION} lang:python"))
    assert found_in_team(find(router, query=f"{QUESTION} lang:go")) == []
    assert found_in_team(find(router, query=f"{QUESTION} path:depot/", types=["code"])) != []
    assert found_in_team(find(router, query=f"{QUESTION} -path:prices", types=["code"])) == []
    assert found_in_team(find(router, query='"prices of pallets"')) == ["depot:./depot/prices.py::sum_prices"]


# Faults ---------------------------------------------------------------------------------------------------------------


def fault_of(answer: messages.Answer) -> str:
    [fault] = [each.message for each in answer.faults if each.project == "team"]
    return fault


@pytest.mark.acceptance("T3")
def test_server_away_is_told(router: ProjectRouter, team: Team) -> None:
    find(router)
    team.postgres.stop("immediate")
    try:
        router.team.close()
        answer = find(router)
        assert "can't be used" in fault_of(answer)
        assert [each for each in answer.results if each.project == "shop"]
    finally:
        team.postgres.start()
    assert found_in_team(find(router))


def test_restarted_server_is_asked_again(router: ProjectRouter, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_answer_module, "IDLE_CHECK_S", 0.0)
    assert found_in_team(find(router))
    team.postgres.stop("immediate")
    team.postgres.start()
    answer = find(router)
    assert found_in_team(answer)
    assert not answer.faults


@pytest.mark.acceptance("T3")
def test_local_answer_does_not_wait_for_a_hanging_server(router: ProjectRouter, team: Team) -> None:
    """The server's processes are halted: the answer comes all the same, and what comes later is there the next time."""
    has_come = threading.Event()
    router.team = TeamService(has_come.set)
    find(router)
    halted = team.postgres.pids()
    team.postgres.signal(signal.SIGSTOP, halted)
    try:
        answer = find(router, RequestContext())
    finally:
        team.postgres.signal(signal.SIGCONT, halted)
    assert fault_of(answer).startswith("the team's server has not answered yet")
    assert [each for each in answer.results if each.project == "shop"]
    assert has_come.wait(60)
    assert found_in_team(find(router, RequestContext(team_timeout_s=0.0)))


@pytest.mark.acceptance("T3")
def test_late_question_that_is_asked_again_is_asked_once(
    router: ProjectRouter, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors ask again until the team has answered: a slow server would get the more work the slower it is."""
    asked: list[str] = []
    borrow = team_answer_module.TeamAccess.borrow

    def counting(access: team_answer_module.TeamAccess) -> TeamDatabase:
        asked.append("a connection")
        return borrow(access)

    find(router, query="another question")
    monkeypatch.setattr(team_answer_module.TeamAccess, "borrow", counting)
    halted = team.postgres.pids()
    team.postgres.signal(signal.SIGSTOP, halted)
    try:
        late = [find(router, RequestContext()) for _ in range(3)]
    finally:
        team.postgres.signal(signal.SIGCONT, halted)
    assert [fault_of(each) for each in late] == [team_answer_module.LATE] * 3
    answer = find(router)
    assert answer.faults == []
    assert found_in_team(answer)
    assert len(asked) == 1


@pytest.mark.acceptance("T3")
def test_exhausted_connections_are_told(router: ProjectRouter) -> None:
    find(router)
    access = router.team.require()
    with ExitStack() as stack:
        for _ in range(team_answer_module.MAX_CONNECTIONS):
            stack.callback(access.give_back, access.borrow(), is_sound=True)
        assert fault_of(find(router)).startswith("all 4 connections")
    assert found_in_team(find(router))


def wait_until_disconnected(team: Team) -> None:
    """Wait until the server has ended all connections of clerks."""
    deadline = time.monotonic() + 30
    while team.postgres.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'clerk'") != [(0,)]:
        assert time.monotonic() < deadline, "a connection is still open"
        time.sleep(0.05)


@pytest.mark.acceptance("T3")
def test_question_waits_for_another_where_the_server_gives_no_further_connection(
    router: ProjectRouter, team: Team
) -> None:
    """The role may hold one connection, which an earlier question uses: the next one waits for it."""
    router.team.close()
    wait_until_disconnected(team)
    team.postgres.execute("ALTER ROLE clerk CONNECTION LIMIT 1")
    try:
        access = router.team.require()
        used = access.borrow()
        threading.Timer(0.5, access.give_back, [used], {"is_sound": True}).start()
        answer = find(router)
    finally:
        team.postgres.execute("ALTER ROLE clerk CONNECTION LIMIT -1")
    assert answer.faults == []
    assert found_in_team(answer)


@pytest.mark.acceptance("T3")
def test_refused_connection_is_told_where_there_is_no_other(router: ProjectRouter, team: Team) -> None:
    router.team.close()
    team.postgres.execute("ALTER ROLE clerk CONNECTION LIMIT 0")
    try:
        assert "too many connections" in fault_of(find(router))
    finally:
        team.postgres.execute("ALTER ROLE clerk CONNECTION LIMIT -1")


def test_unused_connections_are_closed(router: ProjectRouter, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_answer_module, "KEPT_IDLE_S", 0.2)
    router.team.close()
    assert found_in_team(find(router))
    wait_until_disconnected(team)
    assert found_in_team(find(router))


@pytest.mark.acceptance("T3")
def test_other_version_of_the_schema_is_told(router: ProjectRouter, team: Team) -> None:
    for version, words in ((99, "install a newer Scry"), (0, "no index of a team yet")):
        before = team.postgres.execute("SELECT value FROM scry.meta WHERE key = 'version'", team.address)[0][0]
        team.postgres.execute(f"UPDATE scry.meta SET value = '{version}' WHERE key = 'version'", team.address)
        try:
            router.team.close()
            assert words in fault_of(find(router))
        finally:
            team.postgres.execute(f"UPDATE scry.meta SET value = '{before}' WHERE key = 'version'", team.address)
