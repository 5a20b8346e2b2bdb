"""Of many repositories a question reads and ranks only what can be among the best; the best are the same."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import pytest
from msgspec.structs import replace

from scry.core.types import OracleMatch
from scry.engine.federation import rank_across_projects, rank_merge, retrieve_from_team, team_results, team_search
from scry.engine.search import Ranking, rank_candidates
from scry.oracles.temporal import CoChanges
from scry.store.team import TeamDatabase, TeamReader
from scry.store.team import reader as reader_module
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer
from tests.team.team_samples import SHOP, encode, load, question_of

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

REPOSITORIES = 6
QUESTIONS = (
    "sum up the prices of items",
    "add_item",
    "put an item into the cart of a customer",
    "commit that counts prices in cents",
    "order of the shop lang:python",
)
Places = list[tuple[float, str, str]]


@pytest.fixture(scope="module")
def address(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a team of repositories that hold the words of the questions ever less often."""
    created = postgres.create_database()
    for number in range(REPOSITORIES):
        project = HistoryProject(tmp_path_factory.mktemp("team") / f"shop{number}").init_repository()
        files = {
            f"{'far/' * number}{path}": text.replace("price", "price" * (number < 3)) + f"\n# Shop {number}.\n"
            for path, text in SHOP.items()
        }
        project.commit(f"Open the shop {number}", files)
        for change in range(6):
            functions = "".join(f"\n\ndef item_{at}(price):\n    return price + {change}\n" for at in range(8))
            some = [*files.items()][change % 3 : change % 3 + 2]
            project.commit(f"Sum up prices and items {change}", {path: text + functions for path, text in some})
        load(created, project)
    yield created
    postgres.drop_database(created)


def places_of(rankings: list[Ranking], limit: int) -> Places:
    """Return the best results of all repositories."""
    every = [
        (-each.fused_score, str(at), each.document.doc_id)
        for at, ranking in enumerate(rankings)
        for each in ranking.ranked
    ]
    return sorted(every)[:limit]


@pytest.mark.parametrize("limit", [1, 3, 10])
@pytest.mark.parametrize("text", QUESTIONS)
def test_best_results_are_those_of_whole_rankings(address: str, text: str, limit: int) -> None:
    question = replace(question_of(text), limit=limit)
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        reader = TeamReader(database)
        found = retrieve_from_team(question, reader, encode)
        assert len(found) == REPOSITORIES
        matches = rank_across_projects([each.retrieval for each in found])
        whole = [
            rank_candidates(question, each.retrieval.reader, own) for each, own in zip(found, matches, strict=True)
        ]
        bounded = team_results.rank_in_team(found, matches, reader)
    assert places_of(bounded, limit) == places_of(whole, limit)
    counts = [sum(len(each.ranked) for each in rankings) for rankings in (bounded, whole)]
    assert counts[0] < counts[1] or limit == 10, "nothing was left out"


def temporal_matches(address: str, text: str) -> list[tuple[str, list[tuple[int, float, str]]]]:
    """Return the matches by co-changes of each repository, ranked among those of all."""
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        found = retrieve_from_team(question_of(text), TeamReader(database), encode)
        matches = rank_across_projects([each.retrieval for each in found])

        def describe(own: Mapping[int, str], match: OracleMatch) -> tuple[int, float, str]:
            return match.rank, match.raw_score, own[match.doc_key]

        described: list[tuple[str, list[tuple[int, float, str]]]] = []
        for each, own in zip(found, matches, strict=True):
            temporal = own.by_oracle["temporal"]
            headers = each.retrieval.reader.headers([match.doc_key for match in temporal])
            names = {key: header.doc_id for key, header in headers.items()}
            described.append((each.repository.name, sorted(describe(names, match) for match in temporal)))
    return described


@pytest.mark.parametrize("text", QUESTIONS)
def test_co_changes_are_read_as_deep_as_they_can_rank(address: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a depth of few places, what is not read ranks below it."""
    for module in (team_search, rank_merge):
        monkeypatch.setattr(module, "RETRIEVAL_DEPTH", 12)
    lengths: list[tuple[int, int]] = []
    prefetch = team_search._prefetch_co_changed  # pyright: ignore[reportPrivateUsage]

    def counting(reader: TeamReader, every: Mapping[int, CoChanges], readers: object) -> dict[int, CoChanges]:
        read = prefetch(reader, every, readers)  # type: ignore[arg-type]
        lengths.append(
            (sum(len(own.documents) for own in read.values()), sum(len(own.documents) for own in every.values()))
        )
        return read

    with monkeypatch.context() as patch:
        patch.setattr(team_search, "_prefetch_co_changed", counting)
        found = temporal_matches(address, text)

    def read_all(_reader: TeamReader, every: Mapping[int, CoChanges], _readers: object) -> Mapping[int, CoChanges]:
        return every

    with monkeypatch.context() as patch:
        patch.setattr(team_search, "_prefetch_co_changed", read_all)
        assert found == temporal_matches(address, text)
    [(read, every)] = lengths
    assert any(own for _, own in found)
    assert read < every


FILTERED = (
    "sum up the prices of items lang:python",
    "add_item path:far",
    "order of the shop -path:cart",
    "cart lang:go",
)


@pytest.mark.parametrize("text", FILTERED)
def test_filters_leave_the_same_however_files_are_looked_up(
    address: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of the best documents are looked up one by one, and those of many documents by repository; the nearest
    documents are read in two depths.
    """

    def matches() -> list[tuple[str, dict[str, list[tuple[int, float]]]]]:
        with TeamDatabase.open_for_reading(address) as database, database.snapshot():
            return [
                (
                    each.repository.name,
                    {
                        oracle: [(match.doc_key, match.raw_score) for match in own]
                        for oracle, own in each.retrieval.oracle_matches.by_oracle.items()
                    },
                )
                for each in retrieve_from_team(question_of(text), TeamReader(database), encode)
            ]

    found = matches()
    assert bool(found) == ("lang:go" not in text)
    monkeypatch.setattr(team_search, "_MAX_LOOKUPS", 0)
    assert matches() == found
    monkeypatch.setattr(team_search, "_NEAREST_MARGIN", 10 - team_search.RETRIEVAL_DEPTH)
    few = {name: own["semantic"] for name, own in matches()}
    assert {name for name, own in few.items() if own} <= {name for name, own in found if own["semantic"]}
    monkeypatch.setattr(reader_module, "FILTERED_DEPTH", 40)
    assert {name: own["semantic"] for name, own in matches()} == few


def test_bound_is_infinite_where_scores_alone_choose_nothing(address: str) -> None:
    question = replace(question_of(QUESTIONS[0]), min_score=0.1)
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        found = retrieve_from_team(question, TeamReader(database), encode)
        for each in found:
            highest = team_results._highest_score(each.retrieval, each.retrieval.oracle_matches)  # pyright: ignore[reportPrivateUsage]
            assert math.isinf(highest)
