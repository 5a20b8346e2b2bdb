"""Reasons for a document that an oracle did not return although its score ranks it high enough."""

from __future__ import annotations

import pytest

from scry.core.types import DocumentHeader, FusionScoring, IndexState
from scry.engine.explain.explain import explain_missed
from scry.engine.explain.explanation import (
    BEYOND_DEPTH,
    DocumentExplanation,
    OracleFinding,
    WhyResult,
    summarize_explanation,
)
from scry.engine.explain.resolve_id import ResolvedDocument
from scry.engine.search import BASE_ORACLE_WEIGHTS, parse_query
from scry.oracles import lexical, semantic


@pytest.mark.acceptance("W1")
def test_only_a_search_by_meaning_is_called_inexact() -> None:
    assert explain_missed(semantic.ORACLE, 178) == "passed over by the search among many vectors, which is not exact"
    assert (
        explain_missed(lexical.ORACLE, 178) == "not returned by the search, although its score would give it this rank"
    )
    assert explain_missed(lexical.ORACLE, 201) == explain_missed(semantic.ORACLE, 201) == ""


@pytest.mark.parametrize(
    ("rank", "summary"),
    [
        (13, "Not found: semantic passed over it; its score would put it 13th"),
        (201, "Not found: semantic has it only 201st, and its votes end at 200"),
    ],
)
@pytest.mark.acceptance("W4")
def test_summary_tells_what_was_passed_over_from_what_ranks_too_low(rank: int, summary: str) -> None:
    finding = OracleFinding("semantic", "Semantic", BEYOND_DEPTH, rank, 0.31, "cosine")
    explanation = DocumentExplanation(
        parse_query("q", BASE_ORACLE_WEIGHTS, limit=10),
        FusionScoring(60, {}, 1.0),
        (),
        DocumentHeader(1, "./a.py", "code", "a.py", "a", "file", ""),
        (finding,),
        ranked_count=0,
    )
    target = ResolvedDocument("./a.py", "indexed", (1,))
    why = WhyResult(target, "q", "q_1", IndexState(), explanation, (), None, None)
    assert summarize_explanation(why) == summary
