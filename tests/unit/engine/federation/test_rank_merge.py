"""Votes of several projects in one order (engine.together): what holds whatever the votes are."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from scry.core import OracleMatch
from scry.engine.federation import KeyedMatches, rank_among_all
from scry.oracles import RETRIEVAL_DEPTH
from scry.store.history import FIRST_COMMIT_KEY

COMMIT = FIRST_COMMIT_KEY + 1


def ballot(scores: Sequence[float]) -> KeyedMatches:
    ordered = sorted(scores, reverse=True)
    votes = [OracleMatch(number, rank, score, "bm25") for rank, (number, score) in enumerate(enumerate(ordered), 1)]
    return KeyedMatches(votes, [-vote.raw_score for vote in votes])


def ranks(lists: Sequence[KeyedMatches]) -> list[list[int]]:
    return [[vote.rank for vote in votes] for votes in rank_among_all(lists)]


def test_better_project_comes_first_and_ties_keep_project_order() -> None:
    assert ranks([ballot([9.0, 5.0]), ballot([7.0, 5.0, 1.0])]) == [[1, 3], [2, 4, 5]]


def test_single_project_keeps_its_ranks() -> None:
    assert ranks([ballot([3.0, 2.0]), ballot([])]) == [[1, 2], []]


def test_commit_rank_pushes_no_document_down() -> None:
    votes = [OracleMatch(1, 1, 9.0, "bm25"), OracleMatch(2, 2, 5.0, "bm25"), OracleMatch(COMMIT, 2, 8.0, "bm25")]
    own = KeyedMatches(votes, [-vote.raw_score for vote in votes])
    assert ranks([own, ballot([7.0, 4.0])]) == [[1, 3, 2], [2, 4]]
    assert ranks([KeyedMatches(votes[:2], own.keys[:2]), ballot([7.0, 4.0])]) == [[1, 3], [2, 4]]


def test_merged_ranking_is_limited_to_the_retrieval_depth() -> None:
    first, second = rank_among_all([ballot(range(150)), ballot(range(150))])
    assert len(first) + len(second) == RETRIEVAL_DEPTH


def test_copies_have_one_rank_together() -> None:
    """Documents 0 of both projects are copies, and documents 1 of the second; 0 and 1 of the third are one content."""
    lists = [ballot([9.0, 5.0]), ballot([9.0, 4.0]), ballot([8.0, 7.0])]
    copies = [{0: "a"}, {0: "a"}, {0: "b", 1: "b"}]
    assert [[vote.rank for vote in votes] for votes in rank_among_all(lists, copies)] == [[1, 4], [1, 5], [2, 3]]


def test_copies_of_a_whole_project_leave_the_depth_to_others() -> None:
    lists, copies = [ballot(range(150, 300))] * 3, [{number: number for number in range(150)}] * 3
    *_, last = rank_among_all([*lists, ballot(range(100))], [*copies, {}])
    assert [vote.rank for vote in last] == list(range(151, 201))


@given(st.lists(st.lists(st.integers(0, 9).map(float), max_size=30), min_size=1, max_size=5))
def test_ranks_are_unique_and_keep_order_within_projects(scores: list[list[float]]) -> None:
    placed = ranks([ballot(each) for each in scores])
    assert sorted(rank for each in placed for rank in each) == list(range(1, sum(map(len, scores)) + 1))
    assert all(each == sorted(each) for each in placed)
