"""Results held back by the repeat rule are counted correctly for any rankings."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scry.core import Candidate, SearchQuery
from scry.engine.search import count_hidden_repeats, max_boost, parse_query, rank_with_boosts
from scry.engine.search import fusion as fuse
from tests.property.test_fusion import Election, elections

_QUERIES = st.sampled_from(["fuse", "where is RRF fusion implemented", "retry test"])


def _ask(text: str, limit: int) -> SearchQuery:
    return parse_query(text, {"semantic": 1.0, "lexical": 1.3, "temporal": 0.5}, limit=limit)


def _ranked(election: Election, question: SearchQuery, limit: int | None) -> list[Candidate]:
    documents, votes = election
    return rank_with_boosts(
        fuse.fuse_matches(votes, documents, question.weights), question, _top(question), str.lower, limit
    )


@pytest.mark.acceptance("F5", "F10")
@given(elections(), _QUERIES, st.integers(1, 12), st.sampled_from([0.0, 0.05, 0.2, 0.5]))
def test_held_back_results_are_those_of_the_repeat_rule_alone(
    election: Election, text: str, limit: int, least: float
) -> None:
    question = replace(_ask(text, limit), min_score=least)
    ranked = _ranked(election, question, limit)
    shown = _enough(ranked, question)
    free = _enough(_ranked(election, replace(question, strengths={"repeat": 0.0}), None), question)
    numbers = {candidate.document.doc_key for candidate in shown}
    wanted = Counter(each.document.path for each in free if each.document.doc_key not in numbers)
    held_back = count_hidden_repeats(ranked, shown, question)
    firsts = {each.document.path: each.document.doc_key for each in reversed(shown)}
    assert held_back == {firsts[path]: count for path, count in wanted.items() if path}


def _enough(ranked: list[Candidate], question: SearchQuery) -> list[Candidate]:
    return [each for each in ranked if each.fused_score >= question.min_score][: question.limit]


def _top(question: SearchQuery) -> float:
    return fuse.fused_score_ceiling(question.weights, max_boost(question))
