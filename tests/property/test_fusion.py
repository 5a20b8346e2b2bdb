"""Fusion and adjustments: what must hold for any votes whatever."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from scry.core import Candidate, DocumentHeader, OracleMatch, SearchQuery
from scry.engine.explain import Competitors, ablate_each_factor
from scry.engine.search import PlaceRules, max_boost, parse_query, rank_with_boosts
from scry.engine.search import fusion as fuse

_ORACLES = {"semantic": 1.0, "lexical": 1.3, "temporal": 0.5}
_PATHS = ["src/a.py", "src/b.py", "tests/test_a.py", "vendor/lib.go", "docs/guide.md", "types/x.d.ts", "", ""]
_POWERS: list[dict[str, float]] = [
    {},
    {"path_words": 1.5, "file_words": 1.5, "tested": 0.5, "definition": 1.4, "test_path": 0.5},
    {"path_words": 0.5, "file_words": 0.5, "vendored_path": 1.5, "documentation_path": 0.6},
]
"""Exponents of adjustments: the defaults, and learnt ones."""

_NAMES = ["fuse", "RRFFusion", "retry", "parse_header", "", "get"]


Election = tuple[dict[int, DocumentHeader], dict[str, list[OracleMatch]]]
"""Outlines by number, and each oracle's ordered votes for some of them."""


def _document(number: int, path: str, name: str) -> DocumentHeader:
    if not path:
        return DocumentHeader(number, f"belief:{number}", "belief", "", name, "belief", "")
    kind = "function" if name else "text"
    return DocumentHeader(number, f"./{path}::{name}~{number}", "code", path, name, kind, "", 1 + number * 7 % 250)


@st.composite
def elections(draw: st.DrawFn) -> Election:
    """Outlines, and for each oracle an ordered list of votes for some of them."""
    size = draw(st.integers(1, 60))
    documents = {
        n: _document(n, draw(st.sampled_from(_PATHS)), draw(st.sampled_from(_NAMES))) for n in range(1, size + 1)
    }
    votes: dict[str, list[OracleMatch]] = {}
    for name in _ORACLES:
        chosen = draw(st.lists(st.integers(1, size + 3), max_size=size))
        votes[name] = [OracleMatch(number, rank, 1.0 / rank, "bm25") for rank, number in enumerate(chosen, 1)]
    return documents, votes


def _question(text: str) -> SearchQuery:
    return parse_query(text, _ORACLES, limit=10)


def _rank(election: Election, question: SearchQuery) -> list[Candidate]:
    documents, votes = election
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    return rank_with_boosts(fuse.fuse_matches(votes, documents, question.weights), question, top, str.lower)


@pytest.mark.acceptance("F4", "F5")
@given(elections(), st.sampled_from(["fuse", "where is RRF fusion implemented", "parse_header", "retry test"]))
def test_score_is_recomputed_and_lies_between_0_and_1(election: Election, text: str) -> None:
    question = _question(text)
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    for candidate in _rank(election, question):
        terms = 0.0
        for o, w in question.weights.items():  # not by sum(), which rounds the whole sum once from Python 3.12 on
            if o in candidate.oracle_matches:
                terms += w / (60 + candidate.oracle_matches[o].rank)
        again = terms * math.prod(a.factor for a in candidate.adjustments) / top
        assert candidate.fused_score == again
        assert 0 < candidate.fused_score <= 1 + 1e-12
        assert all(a.name and a.reason and a.factor > 0 for a in candidate.adjustments)


@pytest.mark.acceptance("F4")
@given(elections())
def test_document_counts_once_per_oracle_by_best_rank(
    election: Election,
) -> None:
    documents, votes = election
    for candidate in fuse.fuse_matches(votes, documents, _ORACLES):
        for oracle, vote in candidate.oracle_matches.items():
            ranks = [v.rank for v in votes[oracle] if v.doc_key == candidate.document.doc_key]
            assert vote.rank == min(ranks)


@pytest.mark.acceptance("F10")
@given(elections(), st.integers(0, 1000))
def test_order_is_independent_of_input_order(election: Election, seed: int) -> None:
    documents, votes = election
    shuffled = list(documents.items())
    random.Random(seed).shuffle(shuffled)
    other = (dict(shuffled), dict(sorted(votes.items(), reverse=True)))
    question = _question("retry")
    first = [(c.document.doc_id, c.fused_score) for c in _rank(election, question)]
    second = [(c.document.doc_id, c.fused_score) for c in _rank(other, question)]
    assert first == second


@pytest.mark.acceptance("F10")
@given(elections())
def test_equal_scores_are_ordered_by_doc_id(
    election: Election,
) -> None:
    for a, b in itertools.pairwise(_rank(election, _question("anything at all"))):
        assert (-a.fused_score, a.document.doc_id) < (-b.fused_score, b.document.doc_id)


@pytest.mark.acceptance("F9", "F10")
@given(
    elections(),
    st.integers(1, 12),
    st.sampled_from(["fuse", "where is RRF fusion implemented", "parse_header", "retry test", "get a thing"]),
    st.sampled_from(_POWERS),
)
def test_top_results_equal_the_head_of_the_full_ranking(
    election: Election, limit: int, text: str, powers: dict[str, float]
) -> None:
    documents, votes = election
    question = replace(_question(text), strengths=powers)
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    candidates = fuse.fuse_matches(votes, documents, question.weights)
    assert rank_with_boosts(candidates, question, top, str.lower, limit)[:limit] == _rank(election, question)[:limit]


@pytest.mark.acceptance("W1", "W2")
@given(
    elections(),
    st.sampled_from(["fuse", "where is RRF fusion implemented", "parse_header", "retry test"]),
    st.sampled_from(_POWERS),
    st.data(),
)
def test_rank_among_competitors_equals_full_ranking(
    election: Election, text: str, powers: dict[str, float], data: st.DataObject
) -> None:
    documents, votes = election
    question = replace(_question(text), strengths=powers)
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    ranked = _rank(election, question)
    known = data.draw(st.integers(0, len(ranked)), "results that were ranked before")
    rivals = Competitors.from_candidates(
        fuse.fuse_matches(votes, documents, question.weights), question, top, str.lower, ranked=ranked[:known]
    )
    for rank, candidate in enumerate(ranked, 1):
        number = candidate.document.doc_key
        assert rivals.rank_of(number) == (rank, candidate)
        for adjustment in candidate.adjustments:
            assert rivals.rank_of(number, adjustment.name) == _ranked_without(
                ranked, question, number, adjustment.name, top
            )
        for left in ablate_each_factor(candidate, rivals, question.weights)[: len(candidate.oracle_matches)]:
            fewer = {o: [v for v in cast if o != left.name or v.doc_key != number] for o, cast in votes.items()}
            again = {each.document.doc_key: at for at, each in enumerate(_rank((documents, fewer), question), 1)}
            assert left.rank == again.get(number)


def _ranked_without(
    ranked: list[Candidate], question: SearchQuery, number: int, name: str, top: float
) -> tuple[int, Candidate]:
    """By its definition: all others as they are, the places of each file chosen anew."""

    def only(candidate: Candidate, names: set[str]) -> Candidate:
        kept = [adjustment for adjustment in candidate.adjustments if adjustment.name not in names]
        return fuse.apply_adjustments(structs.replace(candidate, adjustments=()), kept, top)

    def own(candidate: Candidate) -> set[str]:
        return {name} if candidate.document.doc_key == number else set()

    boosted = [only(candidate, {"place", "repeat"} | own(candidate)) for candidate in ranked]
    more = PlaceRules(question, ranked, str.lower).adjustments_for(boosted)
    placed = [fuse.apply_adjustments(each, more.get(each.document.doc_key, ()), top) for each in boosted]
    again = fuse.order_by_score(only(candidate, own(candidate)) for candidate in placed)
    return next((rank, each) for rank, each in enumerate(again, 1) if each.document.doc_key == number)


@given(elections(), st.sampled_from(["fuse", "where is RRF fusion implemented", "retry test"]))
def test_adjustment_strength_scales_from_none_to_full(election: Election, text: str) -> None:
    question = _question(text)
    usual = _rank(election, question)
    assert _rank(election, replace(question, strengths={"*": 1.0})) == usual
    for name in sorted({adjustment.name for candidate in usual for adjustment in candidate.adjustments}):
        without = _rank(election, replace(question, strengths={name: 0.0}))
        assert all(adjustment.name != name for candidate in without for adjustment in candidate.adjustments)
    bare = _rank(election, replace(question, strengths={"*": 0.0}))
    assert [c.document.doc_key for c in bare] == [
        c.document.doc_key for c in sorted(usual, key=lambda c: (-c.rank_sum, c.document.doc_id))
    ]
