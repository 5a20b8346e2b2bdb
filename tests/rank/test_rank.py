"""Ranking on the pinned corpus: it may get better; a drop that chance does not make is a failure.

To see what moved: `scry lab eval tests/rank/questions.jsonl`, `scry lab why`. To accept new figures: see pinned.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from scry.core import query_terms
from scry.engine.search import BASE_ORACLE_WEIGHTS, parse_query
from scry.lab import EvaluatedIndex, EvaluationRun, paired_bootstrap, read_cases
from tests.bench.simulated_use import MODELS, PEOPLE, outcomes
from tests.rank import pinned

pytestmark = [pytest.mark.needs("history"), pytest.mark.slow, pytest.mark.timeout(900)]

LARGEST_DROP = 0.01
"""Of the mean, that may pass with a change made for another reason; the same index gives the same figures each time."""

LARGEST_DROP_OF_A_CATEGORY = 0.03

_ROUNDED = 1e-5
"""Recorded figures have six digits."""

LEAST_GAIN_OVER_WORDS = 0.02
"""Of all oracles over the words alone, that the second oracle is worth its place."""

MONTHS_OF_USE = 3
"""Months of different people, whose gains are averaged: that of one has a standard deviation of 0.008."""

LEAST_GAIN_OF_USE = 0.02
LARGEST_LOSS_BY_USE = 0.002


@pytest.fixture(scope="module")
def subject() -> Iterator[EvaluatedIndex]:
    with pinned.corpus() as subject:
        yield subject


@pytest.fixture(scope="module")
def run(subject: EvaluatedIndex) -> EvaluationRun:
    return pinned.measured(subject)


@pytest.fixture(scope="module")
def before() -> pinned.Recorded:
    return msgspec.json.decode(pinned.FIGURES.read_bytes(), type=pinned.Recorded)


def test_quality_does_not_drop_below_recorded_figures(run: EvaluationRun, before: pinned.Recorded) -> None:
    assert before.commit == pinned.COMMIT
    now = {asked.query: asked.ndcg for asked in run.asked}
    assert list(now) == list(before.ndcg), "the questions changed: record the figures anew"
    difference = paired_bootstrap(list(before.ndcg.values()), list(now.values()))
    worse = sorted((now[query] - was, query) for query, was in before.ndcg.items() if now[query] < was - 1e-6)
    assert difference.mean >= -LARGEST_DROP, worse
    assert difference.high >= -_ROUNDED, worse
    for name, was in before.categories.items():
        assert run.categories[name].ndcg >= was.ndcg - LARGEST_DROP_OF_A_CATEGORY, (name, worse)


def test_all_oracles_beat_lexical_alone(run: EvaluationRun) -> None:
    words = next(variant for variant in run.variants if variant.name == "lexical alone")
    assert run.figures.ndcg - words.figures.ndcg >= LEAST_GAIN_OVER_WORDS
    # 0.05 is asked for and not reached: docs/quality.md says what is known of that.
    assert run.categories["reworded"].ndcg > words.categories["reworded"].ndcg


def test_exact_symbol_names_rank_first(run: EvaluationRun) -> None:
    late = [asked.query for asked in run.asked if asked.category == "symbol" and asked.ranks[0] != 1]
    assert not late


def test_reworded_questions_share_no_word_with_their_target(subject: EvaluatedIndex) -> None:
    reworded = [case for case in read_cases(pinned.QUESTIONS) if case.category == "reworded"]
    assert len(reworded) >= 15
    for case in reworded:
        doc_id = case.targets[0].doc_id
        assert doc_id is not None
        number = subject.store.documents.doc_keys_by_id([doc_id], None)[doc_id]
        words = query_terms(parse_query(case.query, BASE_ORACLE_WEIGHTS, limit=10))
        assert subject.store.lexical.matched_terms(words, [number]) == {number: []}, case.query


@pytest.mark.acceptance("U1")
def test_a_month_of_jumps_gains_on_questions_that_return_and_a_careless_person_loses_nothing(
    subject: EvaluatedIndex,
) -> None:
    found = outcomes(subject, read_cases(pinned.QUESTIONS), months=MONTHS_OF_USE)
    honest = [found[person, model] for person in PEOPLE if person != "careless" for model in MODELS]
    assert sum(each.returning for each in honest) / len(honest) >= LEAST_GAIN_OF_USE
    assert min(each.every for each in found.values()) >= -LARGEST_LOSS_BY_USE


def test_each_question_category_is_large_enough() -> None:
    cases = read_cases(pinned.QUESTIONS)
    counts = {name: sum(case.category == name for case in cases) for name in {case.category for case in cases}}
    assert counts.keys() == {"symbol", "semantic", "architecture", "reworded"}
    assert min(counts.values()) >= 10
    assert len({case.query for case in cases}) == len(cases) >= 60
