"""Relevance filtering of search results, in one project and in several."""

from __future__ import annotations

from scry.core import FIRST_KNOWLEDGE_KEY, Adjustment, Candidate, DocumentHeader, OracleMatch
from scry.engine.browse import (
    MIN_SCORE_SHARES,
    POOL_SIZE,
    ProjectRanking,
    filter_relevant,
    relevance_threshold,
    shared_thresholds,
)
from scry.engine.search import MENTIONED_NAME_FACTOR, NAME_IN_QUESTION_FACTOR

UNIT = {"lexical": 1.0, "semantic": 1.0}


def candidate(number: int, fused: float, defines: float = 0.0, **scores: float) -> Candidate:
    """scores: raw, by oracle."""
    votes = {name: OracleMatch(number, 1, score, "bm25") for name, score in scores.items()}
    adjustments = (Adjustment("definition", defines, "defines it"),) if defines else ()
    return Candidate(DocumentHeader(number, f"./{number}", "code", "", "", "file", ""), votes, 0.0, adjustments, fused)


def numbers(ranked: list[Candidate]) -> list[int]:
    return [each.document.doc_key for each in ranked]


def test_relevance_needs_a_share_of_the_best_score() -> None:
    ranked = [
        candidate(1, 0.9, lexical=10.0),
        candidate(2, 0.8, lexical=10.0 * MIN_SCORE_SHARES["lexical"]),
        candidate(3, 0.7, lexical=10.0 * MIN_SCORE_SHARES["lexical"] - 0.1),
        candidate(4, 0.6, lexical=0.1, semantic=0.5),
        candidate(5, 0.5, temporal=9.0),
    ]
    assert numbers(filter_relevant(ranked, relevance_threshold(ranked))) == [1, 2, 4]


def test_defined_name_is_relevant_and_mentioned_word_is_not() -> None:
    ranked = [
        candidate(1, 0.9, lexical=10.0),
        candidate(2, 0.8, defines=MENTIONED_NAME_FACTOR, lexical=0.1),
        candidate(3, 0.7, defines=NAME_IN_QUESTION_FACTOR, lexical=0.1),
    ]
    assert numbers(filter_relevant(ranked, relevance_threshold(ranked))) == [1, 2]


def test_only_the_result_pool_of_find_is_relevant() -> None:
    ranked = [candidate(number, 1.0 - number / 100, lexical=1.0) for number in range(POOL_SIZE + 10)]
    assert numbers(filter_relevant(ranked, relevance_threshold(ranked))) == list(range(POOL_SIZE))


def test_knowledge_takes_no_pool_slot_and_uses_code_thresholds() -> None:
    others = [candidate(number, 1.0 - number / 100, lexical=1.0) for number in range(POOL_SIZE)]
    belief = candidate(FIRST_KNOWLEDGE_KEY + 1, 0.9, lexical=100.0)
    weak = candidate(FIRST_KNOWLEDGE_KEY + 2, 0.8, lexical=0.1)
    found = numbers(filter_relevant([*others, belief, weak], relevance_threshold([*others, belief, weak])))
    assert found == [*range(POOL_SIZE), FIRST_KNOWLEDGE_KEY + 1]
    assert numbers(filter_relevant([belief, weak], relevance_threshold([belief, weak]))) == [FIRST_KNOWLEDGE_KEY + 1], (
        "alone by its own best"
    )


def test_best_score_of_all_projects_sets_the_threshold() -> None:
    one = ProjectRanking([candidate(1, 0.9, lexical=10.0)], {"lexical": 20.0})
    other = ProjectRanking([candidate(2, 0.5, lexical=4.0)], {"lexical": 10.0})
    bars = shared_thresholds([one, other])
    assert [bar.min_raw["lexical"] for bar in bars] == [
        MIN_SCORE_SHARES["lexical"] * 10.0,
        MIN_SCORE_SHARES["lexical"] * 5.0,
    ]


def test_incomparable_scores_are_judged_within_their_project() -> None:
    one = ProjectRanking([candidate(1, 0.9, semantic=0.8)], {})
    other = ProjectRanking([candidate(2, 0.5, semantic=0.1)], {})
    assert [bar.min_raw["semantic"] for bar in shared_thresholds([one, other])] == [
        MIN_SCORE_SHARES["semantic"] * 0.8,
        MIN_SCORE_SHARES["semantic"] * 0.1,
    ]


def test_project_without_results_changes_no_threshold() -> None:
    one = ProjectRanking([candidate(1, 0.9, lexical=10.0)], UNIT)
    assert shared_thresholds([one, ProjectRanking([], {})])[0] == shared_thresholds([one])[0]
