"""The measures, by hand-computed cases and by what must hold for any."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.lab import (
    CUTOFF,
    ExpectedResult,
    JudgedLocation,
    first_result_per_file,
    matches_target,
    ndcg,
    paired_bootstrap,
    recall,
    reciprocal_rank,
    score_results,
    summarize_scores,
)


def _location(path: str, start: int = 1, end: int = 10) -> JudgedLocation:
    return JudgedLocation(f"./{path}::x{start}", path, start, end)


def test_ndcg_of_known_ranks() -> None:
    assert ndcg([1], 1) == 1
    assert ndcg([2], 1) == pytest.approx(1 / math.log2(3))
    assert ndcg([1, None], 2) == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert ndcg([11, None], 2) == 0
    assert ndcg(list(range(1, 21)), 20) == 1


def test_result_matching_several_targets_counts_once() -> None:
    assert score_results([_location("a.py")], [ExpectedResult("a.py"), ExpectedResult("src/a.py")]).ndcg < 1


@given(st.lists(st.one_of(st.none(), st.integers(1, 60)), min_size=1, max_size=8))
def test_measures_are_bounded_and_monotonic_in_rank(ranks: list[int | None]) -> None:
    assert 0 <= ndcg(ranks, len(ranks)) <= 1
    assert 0 <= reciprocal_rank(ranks) <= 1
    assert recall(ranks, 1) <= recall(ranks, 5) <= recall(ranks, 50) <= 1
    free = next(rank for rank in range(1, 70) if rank not in ranks)
    for at, rank in enumerate(ranks):
        if (rank is None or free < rank) and ranks.count(rank) == 1:
            better = [*ranks[:at], free, *ranks[at + 1 :]]
            assert ndcg(better, len(ranks)) >= ndcg(ranks, len(ranks))


def test_a_target_is_matched_by_its_path_from_either_root() -> None:
    assert matches_target(_location("src/app/a.py"), ExpectedResult("src/app/a.py"))
    assert matches_target(_location("src/app/a.py"), ExpectedResult("app/a.py"))
    assert matches_target(_location("app/a.py"), ExpectedResult("src/app/a.py"))
    assert not matches_target(_location("src/app/a.py"), ExpectedResult("pp/a.py"))
    assert not matches_target(JudgedLocation("commit:abc", "", 0, 0), ExpectedResult("commit/"))


def test_target_lines_and_document_must_match() -> None:
    assert matches_target(_location("a.py", 1, 10), ExpectedResult("a.py", 10, 12))
    assert not matches_target(_location("a.py", 1, 9), ExpectedResult("a.py", 10, 12))
    assert matches_target(_location("a.py", 4), ExpectedResult("a.py", doc_id="./a.py::x4"))
    assert not matches_target(_location("a.py", 5), ExpectedResult("a.py", doc_id="./a.py::x4"))


def test_once_per_file_lets_each_file_take_one_rank() -> None:
    places = [_location("a.py", 1), _location("a.py", 20), _location("b.py", 1)]
    assert [place.path for place in first_result_per_file(places)] == ["a.py", "b.py"]
    scored = score_results(places, [ExpectedResult("b.py")])
    assert scored.ranks == [3]
    assert scored.ndcg == pytest.approx(0.5)
    assert scored.file_ndcg == pytest.approx(1 / math.log2(3))


def test_file_measure_of_several_targets_in_one_file_can_be_perfect() -> None:
    targets = [ExpectedResult("a.py", 1, 5), ExpectedResult("a.py", 90, 95), ExpectedResult("b.py")]
    places = [_location("a.py", 1, 9), _location("a.py", 90, 99), _location("b.py", 1)]
    assert score_results(places, targets).file_ndcg == 1
    assert score_results(places[:2], targets).file_ndcg == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert score_results(places, targets).ndcg == 1


def test_file_measure_counts_only_the_first_ten_files() -> None:
    assert score_results([_location("a.py", 1, 9)], [ExpectedResult("a.py", 50, 60)]).file_ndcg == 1
    beyond = [_location(f"{at}.py") for at in range(CUTOFF)] + [_location("late.py")]
    assert score_results(beyond, [ExpectedResult("late.py")]).file_ndcg == 0
    assert score_results(beyond, [ExpectedResult("late.py")]).ranks == [CUTOFF + 1]


def test_a_summary_is_the_mean() -> None:
    found = summarize_scores(
        [score_results([_location("a.py")], [ExpectedResult("a.py")]), score_results([], [ExpectedResult("a.py")])]
    )
    assert (found.questions, found.ndcg, found.mrr, found.recall["10"]) == (2, 0.5, 0.5, 0.5)


@pytest.mark.acceptance("L2")
def test_uniform_gain_is_significant_and_none_is_not() -> None:
    found = paired_bootstrap([0.5] * 30, [0.6] * 30)
    assert found.mean == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1)
    assert found.is_significant
    assert found.p < 0.01
    same = paired_bootstrap([0.5] * 30, [0.5] * 30)
    assert (same.mean, same.p, same.is_significant) == (0.0, 1.0, False)


@pytest.mark.acceptance("L2")
def test_few_questions_show_no_significance() -> None:
    one = paired_bootstrap([0.2], [0.9])
    assert (one.mean, one.low, one.high, one.p) == (pytest.approx(0.7), -1.0, 1.0, 1.0)
    assert not one.is_significant
    assert not paired_bootstrap([0.2] * 5, [0.9] * 5).is_significant
    assert paired_bootstrap([0.2] * 5 + [0.5] * 9, [0.9] * 5 + [0.5] * 9).p >= 2 / 2**5
    assert paired_bootstrap([0.2] * 9, [0.9] * 9).is_significant


def test_gain_on_one_question_is_not_significant() -> None:
    assert not paired_bootstrap([0.5] * 30, [0.5] * 29 + [1.0]).is_significant


def test_bootstrap_depends_on_the_seed_only() -> None:
    draw = random.Random(3)
    before, after = [draw.random() for _ in range(40)], [draw.random() for _ in range(40)]
    assert paired_bootstrap(before, after) == paired_bootstrap(before, after)
    assert paired_bootstrap(before, after, seed=7) != paired_bootstrap(before, after)


def test_chance_differences_are_significant_one_time_in_twenty() -> None:
    draw = random.Random(11)
    found = [
        paired_bootstrap([draw.random() for _ in range(60)], [draw.random() for _ in range(60)]) for _ in range(200)
    ]
    assert 2 <= sum(each.is_significant for each in found) <= 24
