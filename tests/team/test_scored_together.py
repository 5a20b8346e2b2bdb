"""The words of all repositories are scored together: as each of them alone, and by what the role sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scry.core.text import expand_query_terms
from scry.store.bm25 import BM25_B, BM25_DIGITS, BM25_K1
from scry.store.lexical import stem_of
from scry.store.team import Postings, TeamDatabase, TeamReader
from scry.store.team import lexical as lexical_module
from scry.store.team.lexical import TeamWords
from scry.store.team.postings import Integers
from scry.store.team.schema import CODE_WORDS
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import SHOP, load, question_of

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

QUESTIONS = (
    "sum up the prices of items",
    "put an item into the cart of a customer and the cart into the warehouse",
    "add_item",
    "item zzzzunheard",
    "zzzzunheard",
    "the zebra of repository four",
)
LIMITS = (1, 3, 200)
Scores = Sequence[tuple[int, float, int]]


@pytest.fixture(scope="module")
def addresses(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return the addresses of a team for a role that sees two of its repositories less, and for one that sees all.

    Shops 0 and 1 are equal, 2 holds words of the questions less often, 3 none, and 4 and 5 are hidden.
    """
    created = postgres.create_database()
    for role in ("scored", "scored_all"):
        postgres.execute(f"CREATE ROLE {role} LOGIN")
    for number in range(6):
        project = HistoryProject(tmp_path_factory.mktemp("team") / f"shop{number}").init_repository()
        files = dict(SHOP)
        if number == 2:
            files = {path: text.replace("item", "thing", 4) for path, text in SHOP.items()}
        if number == 3:
            files = {"notes.txt": "Nothing else.\n"}
        if number > 3:
            files["zebra.md"] = "# Zebra\n\nThe zebra of the item, in a cart of items.\n" * number
        project.commit(f"Open shop {number}", files)
        load(created, project, ("public",) if number < 4 else ("scored_all",))
    yield {role: as_role(created, role) for role in ("scored", "scored_all")}
    postgres.drop_database(created)


def scores_of(words: TeamWords, terms: Sequence[str], repository: int) -> Scores:
    columns = words.score_repository(terms, repository)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def bm25_by_hand(database: TeamDatabase, reader: TeamReader, terms: Sequence[str]) -> Mapping[int, Scores]:
    """Return the scores of each visible repository, from all postings that the role sees, document by document."""
    words = reader.words
    held: dict[str, dict[int, Postings]] = {}
    rows = database.select("SELECT term, repository_id, packed FROM postings WHERE corpus = %s", (CODE_WORDS,))
    for term, repository, packed in rows:
        held.setdefault(term.decode(), {})[repository] = Postings.unpack(packed)
    unit, found = 10.0**BM25_DIGITS, {each: dict[int, tuple[float, int]]() for each in reader.repositories}
    for stem, times in Counter(map(stem_of, terms)).items():
        own = held.get(stem, {})
        assert words.document_frequency(stem) == sum(map(len, own.values()))
        weight = times * words.weight_of(stem)
        for repository, postings in own.items():
            columns = postings.keys.tolist(), postings.frequencies.tolist(), postings.lengths.tolist()
            for key, frequency, length in zip(*columns, strict=True):
                norm = BM25_K1 * (1 - BM25_B + BM25_B * length / words.average)
                score, count = found[repository].get(key, (0.0, 0))
                found[repository][key] = score + weight * frequency / (frequency + norm), count + times
    return {
        repository: [(key, round(score * unit) / unit, count) for key, (score, count) in sorted(own.items())]
        for repository, own in found.items()
    }


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("role", ["scored", "scored_all"])
def test_scores_are_those_of_each_repository_alone(addresses: dict[str, str], role: str, text: str) -> None:
    terms = expand_query_terms(question_of(text))
    with TeamDatabase.open_for_reading(addresses[role]) as database, database.snapshot():
        reader, other = TeamReader(database), TeamReader(database)
        assert len(reader.repositories) == (4 if role == "scored" else 6)
        reader.words.score_repositories(terms, list(reader.repositories))
        together = {each: scores_of(reader.words, terms, each) for each in reader.repositories}
        alone = {each: scores_of(other.words, terms, each) for each in other.repositories}
        by_hand = bm25_by_hand(database, other, terms)
    assert together == alone == by_hand
    names = {info.name: together[each] for each, info in reader.repositories.items()}
    assert names["shop0"] == names["shop1"]
    assert not names["shop3"]
    if text == "zzzzunheard":
        assert not any(together.values())


def test_hidden_repository_has_no_scores(addresses: dict[str, str]) -> None:
    terms = expand_query_terms(question_of(QUESTIONS[0]))
    with TeamDatabase.open_for_reading(addresses["scored_all"]) as database, database.snapshot():
        every = list(TeamReader(database).repositories)
    with TeamDatabase.open_for_reading(addresses["scored"]) as database, database.snapshot():
        reader = TeamReader(database)
        reader.words.score_repositories(terms, every)
        scored = {each: scores_of(reader.words, terms, each) for each in every}
    assert len(every) == 6
    assert [each for each in every if scored[each]] == [each for each in reader.repositories if scored[each]]


def in_order_of_new_scores(scored: Mapping[int, Scores], min_terms: int, least: float) -> list[int]:
    """Return the repositories by their best documents; those last whose every score an earlier one has, too."""
    holders: dict[float, set[int]] = {}
    for repository, own in scored.items():
        for _, score, held in own:
            if held >= min_terms and score > 0 and score >= least:
                holders.setdefault(score, set()).add(repository)
    order: list[int] = []
    for score in sorted(holders, reverse=True):
        if not holders[score] & set(order):
            order.append(min(holders[score]))
    rest = [each for score in sorted(holders, reverse=True) for each in sorted(holders[score])]
    return list(dict.fromkeys([*order, *rest]))


@pytest.mark.parametrize("min_terms", [1, 2])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("text", QUESTIONS)
def test_best_repositories_are_those_of_all_documents(
    addresses: dict[str, str], text: str, limit: int, min_terms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many repositories are scored at once: those that hold one of the best documents, and all equal ones."""
    terms = expand_query_terms(question_of(text))
    with TeamDatabase.open_for_reading(addresses["scored_all"]) as database, database.snapshot():
        scored = bm25_by_hand(database, TeamReader(database), terms)
        every = sorted(score for own in scored.values() for _, score, held in own if held >= min_terms)
        least = every[-limit] if len(every) >= limit else 0.0
        highest = {
            each: max([score for _, score, held in own if held >= min_terms], default=0.0)
            for each, own in scored.items()
        }
        best = [each for each in highest if highest[each] >= least and highest[each] > 0]
        for first, at_once in ((1, 0), (2, 0), (32, 0), (1, 1_000_000)):
            monkeypatch.setattr(lexical_module, "_FIRST_REPOSITORIES", first)
            monkeypatch.setattr(lexical_module, "_MAX_POSTINGS_READ_AT_ONCE", at_once)
            words = TeamReader(database).words
            found = words.best_repositories(terms, limit, min_terms)
            assert sorted(found) == sorted(best), first
            assert found == in_order_of_new_scores(scored, min_terms, least), first
            assert words.floor(terms, limit) == least


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("text", QUESTIONS)
def test_best_repositories_hold_what_a_filter_leaves(
    addresses: dict[str, str], text: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents are tested from the best on, and those that can't be among the best are not."""
    terms = expand_query_terms(question_of(text))
    tested: set[tuple[int, int]] = set()

    def is_left(repositories: Integers, keys: Integers) -> NDArray[np.bool_]:
        asked = set(zip(repositories.tolist(), keys.tolist(), strict=True))
        assert not tested & asked, "a document was tested twice"
        tested.update(asked)
        return (keys + repositories) % 3 != 0

    with TeamDatabase.open_for_reading(addresses["scored_all"]) as database, database.snapshot():
        scored = bm25_by_hand(database, TeamReader(database), terms)
        left = {
            repository: [each for each in own if (each[0] + repository) % 3 != 0] for repository, own in scored.items()
        }
        every = sorted(score for own in left.values() for _, score, _ in own)
        least = every[-limit] if len(every) >= limit else 0.0
        for first, at_once in ((1, 0), (2, 0), (32, 0), (1, 1_000_000)):
            monkeypatch.setattr(lexical_module, "_FIRST_REPOSITORIES", first)
            monkeypatch.setattr(lexical_module, "_MAX_POSTINGS_READ_AT_ONCE", at_once)
            tested.clear()
            words = TeamReader(database).words
            assert words.best_repositories(terms, limit, 1, is_left) == in_order_of_new_scores(left, 1, least), first
            assert words.floor(terms, limit) == least
    holding = sum(map(len, scored.values()))
    assert len(tested) < holding or (text, limit) != (QUESTIONS[0], 1)
