"""Weight overrides, valid and invalid."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from scry.core import BadRequest
from scry.engine.search import BASE_ORACLE_WEIGHTS, parse_query
from scry.lab import (
    ALL_ADJUSTMENTS,
    NO_OVERRIDES,
    WeightOverrides,
    check_override_names,
    list_ablations,
    parse_weight_overrides,
)

VOTED = ("semantic", "lexical", "temporal")
QUESTION = parse_query("where is it", BASE_ORACLE_WEIGHTS, limit=10)


def test_no_overrides_change_nothing() -> None:
    assert parse_weight_overrides((), {}) is NO_OVERRIDES
    assert NO_OVERRIDES.apply_to(QUESTION) == QUESTION


def test_ablation_setting_weighs_oracles_and_scales_adjustments() -> None:
    overridden = parse_weight_overrides(("semantic", "repeat"), {"lexical": 0.5}).apply_to(QUESTION)
    others = {name: weight for name, weight in QUESTION.weights.items() if name != "semantic"}
    assert overridden.weights == others | {"lexical": others["lexical"] * 0.5}
    assert overridden.strengths == {"repeat": 0}
    assert parse_weight_overrides((ALL_ADJUSTMENTS,), {}).apply_to(QUESTION).strengths == {"*": 0}


def test_overrides_stand_above_learnt_exponents() -> None:
    learnt = replace(QUESTION, strengths={"definition": 0.5, "tested": 2.0})
    assert NO_OVERRIDES.apply_to(learnt).strengths == learnt.strengths
    assert parse_weight_overrides(("tested",), {}).apply_to(learnt).strengths == {"definition": 0.5, "tested": 0}
    assert parse_weight_overrides((ALL_ADJUSTMENTS,), {}).apply_to(learnt).strengths == {"*": 0}


@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan")])
def test_negative_or_infinite_weight_is_refused(value: float) -> None:
    with pytest.raises(BadRequest, match="weight: repeat"):
        parse_weight_overrides((), {"repeat": value})


def test_removing_all_oracles_and_unknown_names_are_refused() -> None:
    with pytest.raises(BadRequest, match="no oracle to answer"):
        parse_weight_overrides(tuple(BASE_ORACLE_WEIGHTS), {})
    check_override_names(parse_weight_overrides(("repeat", "semantic", ALL_ADJUSTMENTS), {}), {"repeat"})
    with pytest.raises(BadRequest, match="'reapet' moves nothing here; there are: semantic"):
        check_override_names(parse_weight_overrides(("reapet",), {}), {"repeat"})


@pytest.mark.acceptance("L1")
def test_ablation_lists_each_part_left_out_and_oracles_alone() -> None:
    found = {each.name: each.apply_to(QUESTION) for each in list_ablations(VOTED, {"repeat", "definition"})}
    for oracle in VOTED:
        assert set(found[f"without {oracle}"].weights) == set(BASE_ORACLE_WEIGHTS) - {oracle}
        assert set(found[f"{oracle} alone"].weights) == {oracle}
    assert "persona alone" not in found
    for adjustment in ("repeat", "definition"):
        assert found[f"without {adjustment}"].strengths == {adjustment: 0}
    for naive, oracle in (("vector search", "semantic"), ("keyword search", "lexical")):
        assert set(found[naive].weights) == {oracle}
        assert found[naive].strengths == {"*": 0}


def test_later_of_two_ablation_settings_wins() -> None:
    both = WeightOverrides("a", "a", {"semantic": 0.5}, {"repeat": 2}).merge(
        WeightOverrides("b", "b", {"semantic": 0}, {"commit": 0})
    )
    assert (both.name, both.oracles, both.adjustments) == ("b", {"semantic": 0}, {"repeat": 2, "commit": 0})
    bare = WeightOverrides("a", "a", {}, {"repeat": 2}).merge(WeightOverrides("b", "b", {}, {ALL_ADJUSTMENTS: 0}))
    assert bare.apply_to(QUESTION).strengths == {"*": 0}
    assert not WeightOverrides("a", "a", dict.fromkeys(BASE_ORACLE_WEIGHTS, 0.0)).keeps_any_oracle(QUESTION)
