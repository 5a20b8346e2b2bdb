"""The scales of plots are round."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.surfaces.render import BarRow, IntervalRow, axis_ticks, bar_chart, interval_chart


def _ticks(svg: str) -> list[str]:
    return re.findall(r'class="tick"[^>]*>([^<]*)<', svg)


@pytest.mark.parametrize(
    ("reach", "ticks"),
    [
        (0.01, ["-0.010", "-0.005", "+0.000", "+0.005", "+0.010"]),
        (0.037, ["-0.04", "-0.03", "-0.02", "-0.01", "+0.00", "+0.01", "+0.02", "+0.03", "+0.04"]),
        (0.1734, ["-0.20", "-0.15", "-0.10", "-0.05", "+0.00", "+0.05", "+0.10", "+0.15", "+0.20"]),
        (1.0, ["-1.0", "-0.5", "+0.0", "+0.5", "+1.0"]),
    ],
)
def test_differences_are_drawn_over_round_steps(reach: float, ticks: list[str]) -> None:
    assert _ticks(interval_chart("Differences", [IntervalRow("all", reach / 2, 0.0, reach)])) == ticks


def test_figures_are_drawn_over_fifths() -> None:
    assert _ticks(bar_chart("NDCG", [BarRow("all", 0.8)])) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_axis_ticks_cover_the_range_exactly(reach: float) -> None:
    values, form = axis_ticks(reach)
    assert values[-1] >= reach
    assert values[-1] <= 3 * reach
    assert 3 <= len(values) <= 9
    assert [float(format(value, form)) for value in values] == pytest.approx(values)
    step = format(values[-1] / (len(values) // 2), ".0e")
    assert step[0] in "125"
