"""Reasons for a document that an oracle did not return although its score ranks it high enough."""

from __future__ import annotations

import pytest

from scry.engine.explain.explain import explain_missed
from scry.oracles import lexical, semantic


@pytest.mark.acceptance("W1")
def test_only_a_search_by_meaning_is_called_inexact() -> None:
    assert explain_missed(semantic.ORACLE, 178) == "passed over by the search among many vectors, which is not exact"
    assert (
        explain_missed(lexical.ORACLE, 178) == "not returned by the search, although its score would give it this rank"
    )
    assert explain_missed(lexical.ORACLE, 201) == explain_missed(semantic.ORACLE, 201) == ""
