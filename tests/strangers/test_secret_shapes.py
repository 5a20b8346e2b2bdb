"""Secrets in many shapes are masked before anything is stored; what only looks like one is left as it is."""

from __future__ import annotations

import pytest

from scry.core.memory import MASK, mask_secrets
from tests.planted_secrets import Planted
from tests.strangers.secret_shapes import HARMLESS, secret_shapes

SHAPES = secret_shapes()


def test_there_are_enough_of_each() -> None:
    assert len({each.text for each in SHAPES}) == len(SHAPES) >= 140
    assert len(set(HARMLESS)) == len(HARMLESS) >= 100


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: ascii(shape.text[:50]))
def test_shape_of_a_secret_is_masked(shape: Planted) -> None:
    for text in (shape.text, f"first line\n{shape.text}\nlast line"):
        found = mask_secrets(text)
        assert shape.secret not in found.text, found.text
        assert MASK in found.text
        assert found.count >= 1


@pytest.mark.parametrize("text", HARMLESS, ids=lambda text: ascii(text[:50]))
def test_harmless_text_is_left_alone(text: str) -> None:
    assert mask_secrets(text).text == text
    assert mask_secrets(f"before\n{text}\nafter").text == f"before\n{text}\nafter"


def test_masking_twice_changes_nothing_more() -> None:
    for shape in SHAPES:
        once = mask_secrets(shape.text).text
        assert mask_secrets(once).text == once
