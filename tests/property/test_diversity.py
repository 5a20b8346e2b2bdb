"""Results held back by the repeat rule are counted correctly for any rankings."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scry.core import Candidate, SearchQuery
from scry.engine.search import WORTHY_SHARE, find_hidden_repeats, max_boost, parse_query, rank_with_boosts
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
@given(elections(), _QUERIES, st.integers(1, 12))
def test_hidden_places_of_a_file_do_not_depend_on_the_limit(election: Election, text: str, limit: int) -> None:
    question = _ask(text, limit)
    ranked = _ranked(election, question, limit)
    shown = ranked[:limit]
    without_repeat = {
        each.document.doc_key: each
        for each in _ranked(election, replace(question, strengths={"repeat": 0.0}), None)
        if each.document.path
    }
    shown_keys = {candidate.document.doc_key for candidate in shown}
    firsts = {each.document.path: each for each in reversed(shown) if each.document.path}
    expected = Counter(
        firsts[each.document.path].document.doc_key
        for key, each in without_repeat.items()
        if each.document.path in firsts
        and key not in shown_keys
        and each.fused_score >= WORTHY_SHARE * firsts[each.document.path].fused_score * (1 + 1e-9)
    )
    hidden = find_hidden_repeats(ranked, shown)
    assert {doc_key: len(places) for doc_key, places in hidden.items()} == expected
    for doc_key, places in hidden.items():
        assert {place.document.path for place in places} == {_path_of(doc_key, shown)}
        assert [place.fused_score for place in places] == sorted((p.fused_score for p in places), reverse=True)


def _path_of(doc_key: int, shown: list[Candidate]) -> str:
    return next(each.document.path for each in shown if each.document.doc_key == doc_key)


def _top(question: SearchQuery) -> float:
    return fuse.fused_score_ceiling(question.weights, max_boost(question))
