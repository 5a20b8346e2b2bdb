from __future__ import annotations

import math

import msgspec
import pytest

from scry_protocol.messages import Answer
from tests.contract.samples import BY_NAME, FOLDER, INVALID, SAMPLES, VALID, Json, Sample, each


def test_every_method_has_valid_and_invalid_samples() -> None:
    wanted = {
        (name, role, valid)
        for name, method in BY_NAME.items()
        for role in ("params", "result")
        for valid in (True, False)
        if role == "params" or method.result
    }
    assert {(sample.method, sample.role, sample.valid) for sample in SAMPLES} == wanted


def test_every_file_in_the_sample_folder_is_a_sample() -> None:
    assert {path for path in FOLDER.rglob("*") if path.is_file()} == {sample.path for sample in SAMPLES}


@each(VALID)
def test_valid_sample_is_decoded(sample: Sample) -> None:
    assert isinstance(msgspec.json.decode(sample.data, type=sample.kind), sample.kind)


@each(INVALID)
def test_invalid_sample_is_refused_by_the_name_of_its_field(sample: Sample) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.json.decode(sample.data, type=sample.kind)
    assert sample.blamed in str(refused.value)


@each([sample for sample in VALID if not sample.newer])
def test_decoding_keeps_all_values_of_a_sample(sample: Sample) -> None:
    again = msgspec.to_builtins(msgspec.json.decode(sample.data, type=sample.kind))
    assert _says(again, sample.value)


def test_comparison_helper_detects_a_lost_value() -> None:
    assert _says({"a": [{"b": 1, "more": 2}]}, {"a": [{"b": 1}]})
    assert not _says({"a": [{}]}, {"a": [{"b": 1}]})
    assert not _says({"a": []}, {"a": [{"b": 1}]})


def _says(whole: Json, part: Json) -> bool:
    """Return whether `whole` contains `part`; an object may have more members (defaults)."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _says(whole[key], value) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(whole) == len(part) and all(map(_says, whole, part))
    return whole == part


@each([sample for sample in VALID if sample.newer])
def test_unknown_fields_of_a_newer_sidecar_are_ignored(sample: Sample) -> None:
    again = msgspec.to_builtins(msgspec.json.decode(sample.data, type=sample.kind))
    assert not _says(again, sample.value)
    assert _says(sample.value, again)


@each([sample for sample in VALID if sample.kind is Answer])
def test_sample_scores_are_recomputable_as_documented(sample: Sample) -> None:
    answer = msgspec.json.decode(sample.data, type=Answer)
    for result in answer.results:
        factors = math.prod(adjustment.factor for adjustment in result.adjustments)
        if answer.mode == "orient":
            parts = result.annotations.composite or []
            assert result.fused_score == sum(part.weight * part.value for part in parts) * factors
        elif answer.scoring.k:
            scoring, ranks = answer.scoring, {name: one.rank for name, one in result.contributions.items()}
            total = sum(weight / (scoring.k + ranks[name]) for name, weight in scoring.weights.items() if name in ranks)
            assert result.fused_score == total * factors / scoring.ceiling
    assert [result.rank for result in answer.results] == list(range(1, len(answer.results) + 1))
    assert answer.results == sorted(answer.results, key=lambda result: (-result.fused_score, result.doc_id))
