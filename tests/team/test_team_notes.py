"""Beliefs, patterns and session notes of a team's repositories are found, explained and hidden as their code is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.store.lexical import stem_of
from scry.store.team import TeamDatabase, TeamReader, TeamWriter
from scry.store.team.membership import forget_membership, save_membership
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, find, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTION = "why are prices counted in cents"
CENTS = """---
statement: Prices are counted in cents, since fractions of a euro round badly.
entrenchment: high
evidence: [shop/cart.py:8, shop/gone.py:3]
domains: [money]
---

A float lost a cent in the first audit.
"""
FLOATS = """---
statement: Prices may be floats.
attacks: [prices-in-cents]
date: 2001-01-01
---
"""
RETRACTED = """---
statement: Prices are counted in thalers.
status: retracted
---
"""
GOLD = """---
statement: Prices of gold are counted in secret ounces.
---
"""
NOTES = {
    ".scry/beliefs/prices-in-cents.md": CENTS,
    ".scry/beliefs/prices-as-floats.md": FLOATS,
    ".scry/beliefs/thalers.md": RETRACTED,
    ".scry/patterns/repository.md": "# Repository\n\nPrices come from one repository object.\n",
}
CENTS_ID = "shop:belief:prices-in-cents"


class Team:
    """A shop with notes that all may read, a vault with a belief that only guards may read, and a clone of neither."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.address = postgres.create_database()
        self.shop = HistoryProject(folder / "shop").init_repository()
        self.shop.commit("Count prices in cents", {**SHOP, **NOTES})
        load(self.address, self.shop)
        vault = HistoryProject(folder / "vault").init_repository()
        vault.commit("Open the vault", {"vault.py": "def door():\n    pass\n", ".scry/beliefs/gold.md": GOLD})
        load(self.address, vault, ["note_guards"])
        self.home = HistoryProject(folder / "home").init_repository()
        self.home.commit("Live here", {"home.py": "def bed():\n    pass\n"})
        self.home.update_all()


@pytest.fixture(scope="module")
def team(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Team:
    for role in ("note_guards", "note_guard LOGIN IN ROLE note_guards", "note_clerk LOGIN"):
        postgres.execute(f"CREATE ROLE {role}")
    return Team(postgres, tmp_path_factory.mktemp("team"))


@pytest.fixture
def router(team: Team, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProjectRouter]:
    monkeypatch.setenv("SCRY_LEARN", "false")  # what one test uses ranks nothing in the next
    save_membership(as_role(team.address, "note_clerk"))
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, team.home.root))) as router:
        yield router
    forget_membership()


def ask(router: ProjectRouter, query: str = QUESTION, **params: object) -> messages.Answer:
    values: dict[str, object] = {"query": query, "team": True, "limit": 50, **params}
    return router.find(messages.FindParams(**values), RequestContext(team_timeout_s=30.0))  # type: ignore[arg-type]


def result_of(answer: messages.Answer, doc_id: str = CENTS_ID) -> messages.ResultItem:
    [result] = [each for each in answer.results if each.doc_id == doc_id]
    return result


@pytest.mark.acceptance("T1")
def test_beliefs_are_found_beside_code(router: ProjectRouter, team: Team) -> None:
    answer = ask(router)
    assert answer.faults == []
    belief = result_of(answer)
    assert {"shop:./shop/cart.py::total_price", "shop:belief:prices-as-floats", "shop:pattern:repository"} <= {
        each.doc_id for each in answer.results
    }
    assert not [each for each in answer.results if "thalers" in each.doc_id]
    assert {"belief", "lexical", "semantic"} <= set(belief.contributions)
    assert belief.location
    path = f"/shop/{team.shop.git('rev-parse', 'HEAD')}/.scry/beliefs/prices-in-cents.md"
    assert belief.location.uri == f"scry-team://{path}"
    assert "reaches: shop/cart.py" in belief.snippet
    assert "! its evidence is gone: shop/gone.py:3" in belief.snippet
    assert "! contradicted by belief:prices-as-floats" in belief.snippet
    assert belief.metadata
    assert belief.metadata.entrenchment == 0.8
    assert "! nothing has supported it for" in belief.snippet  # commits of samples are of 2023


def test_filters_hold_for_notes(router: ProjectRouter) -> None:
    assert {each.content_type for each in ask(router, types=["belief"]).results} == {"belief"}
    assert [each.doc_id for each in ask(router, f"{QUESTION} domain:money").results if "belief" in each.doc_id] == [
        CENTS_ID
    ]
    assert not [each for each in ask(router, types=["code"]).results if "belief" in each.doc_id]


@pytest.mark.acceptance("T1")
def test_why_and_detail_of_a_belief_are_as_for_local_ones(router: ProjectRouter) -> None:
    answer = ask(router)
    belief = result_of(answer)
    detail = router.detail(messages.DetailParams(answer.query_id, belief.rank))
    assert detail.result.full
    assert "A float lost a cent in the first audit." in detail.result.full.body
    assert detail.result.full.impact
    assert [each.doc_id for each in detail.result.full.impact.reaches][:1] == ["shop:./shop/cart.py"]
    assert any("contradicted by" in warning for warning in detail.result.full.impact.warnings)
    explanation = router.why(messages.WhyParams(belief.doc_id, query_id=answer.query_id))
    evidence = {each.oracle: each for each in explanation.oracles}
    for name, contribution in belief.contributions.items():
        assert evidence[name].raw_score == contribution.raw_score, name
    assert evidence["semantic"].shares


def test_file_of_a_belief_is_shown_as_it_is_written(router: ProjectRouter) -> None:
    belief = result_of(ask(router))
    assert belief.location
    assert router.team.file(messages.TeamFileParams(belief.location.uri)).text == CENTS


@pytest.mark.acceptance("T2")
def test_beliefs_of_a_hidden_repository_are_neither_found_nor_counted(team: Team) -> None:
    question = "are prices of gold counted in secret ounces"
    clerk, guard = as_role(team.address, "note_clerk"), as_role(team.address, "note_guard")
    assert "vault:belief:gold" in [name for name, _ in find(guard, question)]
    assert not [name for name, _ in find(clerk, question) if name.startswith("vault")]
    for address, count in ((guard, 4), (clerk, 3)):
        with psycopg.connect(address, options="-c search_path=scry,public") as connection:
            assert connection.execute("SELECT count(*), sum(length(content)) > 0 FROM notes").fetchone() == (
                count,
                True,
            )
            nearest = connection.execute("SELECT doc_id FROM notes ORDER BY vector <#> vector LIMIT 9").fetchall()
            assert len(nearest) == count
        with TeamDatabase.open_for_reading(address) as database, database.snapshot():
            reader = TeamReader(database)
            assert reader.note_count == count
            frequency = reader.note_words.document_frequency(stem_of("ounces"))
            assert frequency == count - 3


@pytest.mark.acceptance("T1")
def test_notes_rank_as_in_a_local_clone(router: ProjectRouter, team: Team) -> None:
    team.shop.update_all(standalone=True)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, team.shop.root))) as clone:
        local = ask(clone, team=False)
    expected = {each.doc_id: each for each in local.results if each.content_type in ("belief", "pattern")}
    assert len(expected) == 3
    found = [each for each in ask(router).results if each.content_type in ("belief", "pattern")]
    assert [each.doc_id for each in found] == [f"shop:{doc_id}" for doc_id in expected]
    for own in found:
        other = expected[own.doc_id.removeprefix("shop:")]
        assert own.snippet == other.snippet
        assert own.contributions.keys() == other.contributions.keys()
        for name, contribution in own.contributions.items():
            assert contribution.rank == other.contributions[name].rank, (own.doc_id, name)
            # vectors are in half precision
            assert contribution.raw_score == pytest.approx(other.contributions[name].raw_score, abs=1e-3)


def test_changed_notes_replace_those_before(address: str, tmp_path: Path, postgres: PostgresServer) -> None:
    shop = HistoryProject(tmp_path / "shop").init_repository()
    shop.commit("Count prices in cents", {**SHOP, **NOTES})
    load(address, shop)
    (shop.root / ".scry/beliefs/prices-as-floats.md").unlink()
    shop.commit("Decide", {".scry/beliefs/prices-in-cents.md": CENTS.replace("badly", "wrongly")})
    load(address, shop)
    stored = postgres.execute("SELECT convert_from(doc_id, 'UTF8') FROM scry.notes ORDER BY number", address)
    assert stored == [("belief:prices-in-cents",), ("pattern:repository",)]
    assert postgres.execute("SELECT notes FROM scry.repositories", address) == [(2,)]
    assert not [name for name, _ in find(address, QUESTION) if "floats" in name]
    stale = "SELECT count(*) FROM scry.postings WHERE corpus = 2 AND term = 'badli'"
    assert postgres.execute(stale, address) == [(0,)]


def test_notes_go_with_their_repository(address: str, tmp_path: Path, postgres: PostgresServer) -> None:
    shop = HistoryProject(tmp_path / "shop").init_repository()
    shop.commit("Count prices in cents", {**SHOP, **NOTES})
    load(address, shop)
    assert CENTS_ID in [name for name, _ in find(address, QUESTION)]
    with TeamDatabase.open_for_writing(address) as database:
        TeamWriter(database).remove("shop")
    assert postgres.execute("SELECT count(*) FROM scry.notes", address) == [(0,)]
    assert find(address, QUESTION) == []
