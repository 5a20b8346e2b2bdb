"""Params that no message has are refused with the field's name, whatever they hold."""

from __future__ import annotations

import pytest

from scry.core import BadRequest
from scry.surfaces.serving.params import parse_params
from scry_protocol.messages import FindParams

HALF = "\ud800"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"query": "a", "limit": 0}, "limit: Expected `int` >= 1".replace("`", "")),
        ({"query": "a", HALF: 1}, "half a surrogate pair"),
        ({"query": "a", "limit": HALF}, "half a surrogate pair"),
        ({"query": "a", "intent": HALF}, "half a surrogate pair"),
        ({"query": "a", "types": [HALF]}, "half a surrogate pair"),
    ],
)
def test_params_that_cannot_be_read_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        parse_params(FindParams, values)


def test_text_may_hold_half_a_surrogate_pair() -> None:
    assert parse_params(FindParams, {"query": HALF}).query == HALF
