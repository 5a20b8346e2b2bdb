"""Results of a team that a person used are found first again, and say so; the own project learns none of them."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.store.team import TeamDatabase
from scry.store.team.jumps import TeamJump, count_shared_uses, give_jumps, hash_question, take_back_jumps
from scry.store.team.membership import forget_membership, save_membership
from scry.team import index_one_by_one, read_sources
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "unload the pallets of a truck"
CONTEXT = RequestContext(team_timeout_s=30.0)

DEPOT = {
    "src/pallets.py": '''def unload_truck(truck):
    """Unload the pallets of a truck."""
    return truck.pallets


def weigh_truck(truck):
    """Weigh the pallets of a truck."""
    return sum(pallet.weight for pallet in truck.pallets)
''',
    "src/yard.py": '''def clear_yard(yard):
    """Unload each truck of the yard, and stack its pallets."""
    return [truck.pallets for truck in yard.trucks]
''',
}
HOME = {"src/yard.py": 'def clear_yard(garden):\n    """Unload the truck of the garden: its pallets."""\n'}
"""A project with a document of the same doc_id as one of the team."""

USED = "./src/yard.py::clear_yard"

MEMBERS = ("ann", "ben", "cid", "dot")


class Team:
    """A depot in a team's index, and a person's own project."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.address = postgres.create_database()
        self.depot = HistoryProject(folder / "depot").init_repository()
        self.depot.commit("Open the depot", DEPOT)
        load(self.address, self.depot, ["public"])
        self.home = HistoryProject(folder / "home").init_repository()
        self.home.commit("Live here", HOME)
        self.home.update_all(standalone=True)


@pytest.fixture
def team(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    team = Team(postgres, tmp_path)
    save_membership(as_role(team.address, "member"))
    yield team
    forget_membership()


@pytest.fixture(scope="module", autouse=True)
def members(postgres: PostgresServer) -> None:
    for role in ("member", *MEMBERS):
        postgres.execute(f"CREATE ROLE {role} LOGIN")


@contextmanager
def person(team: Team) -> Generator[ProjectRouter]:
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, team.home.root))) as router:
        yield router


def find(router: ProjectRouter, query: str = QUESTION, *, team: bool = True) -> messages.Answer:
    return router.find(messages.FindParams(query, team=team), CONTEXT)


def use(team: Team, doc_id: str) -> None:
    """Jump to a result of the team in a session of its own, which ends when that is learnt."""
    with person(team) as router:
        answer = find(router)
        rank = next(each.rank for each in answer.results if each.doc_id == doc_id)
        assert router.use(messages.UseParams(answer.query_id, rank, "jump", act_id=uuid4().hex)).recorded


def test_used_result_of_a_team_comes_first_with_its_reason(team: Team) -> None:
    used = f"depot:{USED}"
    with person(team) as router:
        before = [each.doc_id for each in find(router).results if each.doc_id.startswith("depot:")]
    assert before[0] == "depot:./src/pallets.py::unload_truck"
    use(team, used)
    with person(team) as router:
        answer = find(router)
        first = answer.results[0]
        assert (first.doc_id, first.contributions["use"].rank) == (used, 1)
        assert first.contributions["use"].snippet == f"you opened this for '{QUESTION}', today"
        explained = router.why(messages.WhyParams(used, query_id=answer.query_id), CONTEXT)
        assert explained.result
        assert explained.result.contributions == first.contributions
        assert find(router, "weigh a truck").results[0].doc_id == "depot:./src/pallets.py::weigh_truck"


def test_use_of_a_team_is_no_use_of_the_own_document_with_that_name(team: Team) -> None:
    use(team, f"depot:{USED}")
    with person(team) as router:
        [own] = [each for each in find(router, team=False).results if each.doc_id == USED]
        assert "use" not in own.contributions
        together = {each.doc_id: each for each in find(router).results}
        assert "use" not in together[f"home:{USED}"].contributions


def test_use_of_the_own_document_is_no_use_of_the_team(team: Team) -> None:
    use(team, f"home:{USED}")
    with person(team) as router:
        found = {each.doc_id: each for each in find(router).results}
        assert "use" in found[f"home:{USED}"].contributions
        assert "use" not in found[f"depot:{USED}"].contributions


def test_commits_since_a_use_lower_it_as_in_a_clone(team: Team) -> None:
    used = f"depot:{USED}"
    use(team, used)
    with person(team) as router:
        before = next(each for each in find(router).results if each.doc_id == used).contributions["use"].raw_score
    team.depot.clock = int(time.time()) + 3600  # commits after the uses
    for number in range(10):
        changed = DEPOT["src/yard.py"].replace("return [", f"number = {number}\n    return [")
        team.depot.commit(f"Change the yard {number}", {"src/yard.py": changed})
    load(team.address, team.depot, ["public"])
    with person(team) as router:
        after = next(each for each in find(router).results if each.doc_id == used).contributions["use"].raw_score
    assert after == pytest.approx(before / 2, rel=0.01)


def test_moved_document_of_a_team_is_followed(team: Team) -> None:
    use(team, f"depot:{USED}")
    (team.depot.root / "src/yard.py").unlink()
    team.depot.commit("Move the yard", {"src/place.py": DEPOT["src/yard.py"]})
    load(team.address, team.depot, ["public"])
    with person(team) as router:
        found = {each.doc_id: each for each in find(router).results}
        assert "use" in found["depot:./src/place.py::clear_yard"].contributions


# What several members opened ------------------------------------------------------------------------------------------


def give(
    team: Team, role: str, doc_id: str = USED, question: str = QUESTION, *, rank: int = 1, clear: bool = False
) -> None:
    """Give a jump to a document of the depot, as a member whose setting `team_jumps` is `clear` or `hashed`."""
    given = question if clear else hash_question(question)
    give_jumps(as_role(team.address, role), [TeamJump("depot", doc_id, 1, given, not clear, uuid4().bytes)])


def count(team: Team) -> int:
    with TeamDatabase.open_for_writing(team.address) as database:
        return count_shared_uses(database)


def find_used(team: Team, question: str = QUESTION) -> messages.ResultItem:
    with person(team) as router:
        return next(each for each in find(router, question).results if each.doc_id == f"depot:{USED}")


def test_place_that_three_members_opened_comes_first_for_all(team: Team) -> None:
    for role in MEMBERS[:3]:
        give(team, role, question=f"  {QUESTION.upper()}", clear=role == "ann")
        assert count(team) == (role == "cid")
    found = find_used(team)
    assert found.rank == 1
    month = time.strftime("%B %Y", time.gmtime())
    assert found.contributions["use"].snippet == f"3 members of the team opened this for this question, last in {month}"
    with person(team) as router:
        explained = router.why(messages.WhyParams(found.doc_id, query=QUESTION), CONTEXT)
        assert explained.result
        assert "use" in explained.result.contributions
    assert "use" not in find_used(team, "clear the yard of trucks").contributions


def test_jumps_of_one_member_count_once(team: Team) -> None:
    for _ in range(5):
        give(team, "ann")
        give(team, "ben")
    assert count(team) == 0


def test_roles_that_a_member_takes_on_do_not_count_as_members(team: Team, postgres: PostgresServer) -> None:
    """Who is in several roles would else vote several times."""
    postgres.execute("CREATE ROLE carriers; CREATE ROLE packers; GRANT carriers, packers TO ann")
    given = (
        "INSERT INTO scry.jumps (act, repository_id, doc_id, rank, question, is_hashed) SELECT %s, id, %s, 1, %s, true"
    )
    with psycopg.connect(as_role(team.address, "ann"), autocommit=True) as ann:
        for number, role in enumerate(("ann", "carriers", "packers")):
            ann.execute(f"SET ROLE {role}".encode())
            ann.execute(
                f"{given} FROM scry.repositories".encode(),
                (bytes([number]), USED.encode(), hash_question(QUESTION).encode()),
            )
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ann.execute(
                    "INSERT INTO scry.jumps SELECT 'carriers', 'x', now(), id, 'd', 1, 'q', true FROM scry.repositories"
                )
    assert postgres.execute("SELECT DISTINCT role FROM scry.jumps", team.address) == [("ann",)]
    assert count(team) == 0


def test_jumps_that_are_no_text_do_not_stop_the_count(team: Team) -> None:
    """A member may insert any bytes; the owner's run counts what is a jump."""
    sql = (
        "INSERT INTO scry.jumps (act, repository_id, doc_id, rank, question, is_hashed) "
        "SELECT %s, id, %s, %s, %s, %s FROM scry.repositories"
    )
    hashed = hash_question(QUESTION).encode()
    with psycopg.connect(as_role(team.address, "ben"), autocommit=True) as ben:
        rows = [(b"\xff", 1, hashed), (b"./a", -5, b"\xff\xfe"), (b"./a", 2**31 - 1, hashed), (b"", 0, b"")]
        for number, (doc_id, rank, question) in enumerate(rows):
            for is_hashed in (True, False):
                ben.execute(sql, (bytes([number, is_hashed]), doc_id, rank, question, is_hashed))
    for role in MEMBERS[:3]:
        give(team, role)
    assert count(team) == 1


def test_jump_that_another_one_follows_does_not_count(team: Team) -> None:
    for role in MEMBERS[:3]:
        give(team, role)
        give(team, role, "./src/pallets.py::weigh_truck")  # within a minute: the yard was not the answer
    assert count(team) == 1
    assert "use" not in find_used(team).contributions


def test_shared_uses_decay_and_are_forgotten_with_the_jumps(team: Team, postgres: PostgresServer) -> None:
    for role in MEMBERS[:3]:
        give(team, role)
    count(team)
    score = find_used(team).contributions["use"].raw_score
    postgres.execute("UPDATE scry.jumps SET given_at = given_at - interval '30 days'", team.address)
    count(team)
    assert find_used(team).contributions["use"].raw_score == pytest.approx(score / 2, rel=0.05)
    assert take_back_jumps(as_role(team.address, "ben")) == 1
    assert count(team) == 0
    assert "use" not in find_used(team).contributions


def test_shared_uses_rank_nothing_where_learning_is_off(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    for role in MEMBERS:
        give(team, role)
    count(team)
    assert find_used(team).contributions["use"].rank == 1
    monkeypatch.setenv("SCRY_LEARN", "false")
    assert "use" not in find_used(team).contributions


@pytest.mark.acceptance("T2")
def test_shared_uses_of_a_hidden_repository_are_hidden(team: Team, postgres: PostgresServer) -> None:
    for role in MEMBERS:
        give(team, role)
    count(team)
    shown = "SELECT count(*) FROM scry.shared_uses"
    with psycopg.connect(as_role(team.address, "member"), autocommit=True) as member:
        assert member.execute(shown).fetchone() == (1,)
        load(team.address, team.depot, ["ann"])
        assert member.execute(shown).fetchone() == (0,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            member.execute("INSERT INTO scry.shared_uses VALUES ('q', 1, 'd', 9, 9, now())")


def test_rows_that_no_scry_gives_cost_themselves_alone(team: Team) -> None:
    rows = [("a", "x" * 8000, "now()"), ("b", r"a\000b", "now()"), ("c", "0" * 32, "'infinity'")]
    for role in MEMBERS[:3]:
        give(team, role)
        with psycopg.connect(as_role(team.address, role), autocommit=True, options="-c search_path=scry,public") as own:
            for act, question, at in rows:
                values = f"'{role}', '{act}', {at}, id, 'd', 1, '{question}', true"
                own.execute(f"INSERT INTO jumps SELECT {values} FROM repositories".encode())
    assert count(team) == 1
    assert find_used(team).rank == 1


def test_run_of_the_owner_counts_the_jumps(team: Team) -> None:
    for role in MEMBERS:
        give(team, role)
    sources = team.depot.root.parent / "team.toml"
    sources.write_text(f'readers = ["public"]\n[[repository]]\nname = "depot"\nurl = "{team.depot.root}"\n')
    [outcome] = index_one_by_one(team.address, read_sources(sources))
    assert outcome.error == ""
    assert find_used(team).rank == 1
