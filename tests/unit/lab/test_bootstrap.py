"""The paired bootstrap: sure where it should be, unsure where not, and the same each time."""

from __future__ import annotations

import random

import pytest

from scry.lab.metrics import paired_bootstrap


@pytest.mark.acceptance("L2")
def test_a_gain_on_every_question_is_sure_and_none_is_none() -> None:
    found = paired_bootstrap([0.5] * 30, [0.6] * 30)
    assert found.mean == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1)
    assert found.is_significant
    assert found.p < 0.01
    same = paired_bootstrap([0.5] * 30, [0.5] * 30)
    assert (same.mean, same.p, same.is_significant) == (0.0, 1.0, False)


def test_one_question_of_many_is_no_proof() -> None:
    assert not paired_bootstrap([0.5] * 30, [0.5] * 29 + [1.0]).is_significant


def test_the_figures_depend_on_the_seed_alone() -> None:
    draw = random.Random(3)
    before, after = [draw.random() for _ in range(40)], [draw.random() for _ in range(40)]
    assert paired_bootstrap(before, after) == paired_bootstrap(before, after)
    assert paired_bootstrap(before, after, seed=7) != paired_bootstrap(before, after)


def test_about_one_difference_in_twenty_that_is_chance_is_taken_for_sure() -> None:
    draw = random.Random(11)
    found = [
        paired_bootstrap([draw.random() for _ in range(60)], [draw.random() for _ in range(60)]) for _ in range(200)
    ]
    assert 2 <= sum(each.is_significant for each in found) <= 24
