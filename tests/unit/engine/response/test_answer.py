from __future__ import annotations

import pytest

from scry.core import Adjustment, FileStructure, IndexState, OracleMatch
from scry.engine.response import describe_evidence
from scry.engine.response.answer import index_faults
from scry.surfaces.render.results import describe_fault
from scry_protocol.messages import Fault

VOTE = OracleMatch(doc_key=1, rank=4, raw_score=1.0, score_type="bm25")


@pytest.mark.acceptance("X1")
def test_evidence_lists_ranks_of_matching_oracles_only() -> None:
    votes = {"semantic": VOTE, "lexical": OracleMatch(1, 2, 12.4, "bm25")}
    assert describe_evidence(votes, FileStructure(importers=12)) == "sem #4 | lex #2 | imp 12"


@pytest.mark.acceptance("X1")
def test_evidence_names_the_factor_that_lowered_a_result_most() -> None:
    lowered = (Adjustment("test", 0.5, ""), Adjustment("repeat", 0.25, ""), Adjustment("definition", 2.0, ""))
    assert describe_evidence({"lexical": VOTE}, None, ("today",), lowered) == "lex #4 | repeat x0.25 | today"
    hardly = (Adjustment("place", 0.97, ""), Adjustment("definition", 2.0, ""))
    assert describe_evidence({"lexical": VOTE}, None, (), hardly) == "lex #4"


@pytest.mark.acceptance("X1")
def test_zero_importers_are_absent() -> None:
    assert describe_evidence({"lexical": VOTE}, FileStructure()) == "lex #4"
    assert describe_evidence({"lexical": VOTE}, None) == "lex #4"


@pytest.mark.acceptance("X1")
@pytest.mark.parametrize(
    ("oracle", "short"),
    [("persona", "persona"), ("belief", "bel"), ("memory", "mem"), ("temporal", "temp"), ("novel", "novel")],
)
def test_oracle_short_names(oracle: str, short: str) -> None:
    assert describe_evidence({oracle: VOTE}, None) == f"{short} #4"


def test_every_answer_of_an_index_that_could_not_be_updated_says_so() -> None:
    (fault,) = index_faults(IndexState(state="failed", message="The disk is full."))
    assert (fault.oracle, fault.message) == ("index", "The disk is full.")
    assert index_faults(IndexState(state="ready")) == ()
    shown = describe_fault(Fault(fault.oracle, fault.message, "shop"))
    assert shown == "the index of shop could not be brought up to date: The disk is full."
