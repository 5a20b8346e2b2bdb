"""Draw bar charts and interval charts as SVG, without a script, a font or any other file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from html import escape

from msgspec import Struct

_LABEL_WIDTH = 190
_WIDTH = 720
_ROW_HEIGHT = 22
_BAR_HEIGHT = 12
_MAX_LABEL_LENGTH = 28

_MAX_SCALE_STEPS = 4
"""Maximum steps of a scale on each side of zero: with more, the numbers above it would touch."""


class BarRow(Struct, frozen=True):
    """A named value. mark: a second value to draw a line at, such as the score once per file."""

    name: str
    value: float
    mark: float | None = None


class IntervalRow(Struct, frozen=True):
    """A difference with its interval."""

    name: str
    mean: float
    low: float
    high: float

    @property
    def css_class(self) -> str:
        """The CSS class of its colour."""
        return "up" if self.low > 0 else "down" if self.high < 0 else "unsure"


def bar_chart(title: str, rows: Sequence[BarRow]) -> str:
    """Draw horizontal bars from 0 to 1."""
    room = _WIDTH - _LABEL_WIDTH - 60
    parts = [_grid([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], len(rows), lambda value: _LABEL_WIDTH + value * room, ".1f")]
    for at, row in enumerate(rows):
        y = at * _ROW_HEIGHT + 24
        parts.append(_label(row.name, y))
        parts.append(
            f'<rect class="bar" x="{_LABEL_WIDTH}" y="{y}" width="{row.value * room:.1f}" height="{_BAR_HEIGHT}"/>'
        )
        if row.mark is not None:
            x = _LABEL_WIDTH + row.mark * room
            parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 2}" y2="{y + _BAR_HEIGHT + 2}"/>')
        end = _LABEL_WIDTH + max(row.value, row.mark or 0.0) * room
        parts.append(f'<text x="{end + 6:.1f}" y="{y + 10}">{row.value:.3f}</text>')
    return _svg(title, len(rows), parts)


def interval_chart(title: str, rows: Sequence[IntervalRow]) -> str:
    """Draw differences around zero with their intervals."""
    ends = [abs(end) for row in rows for end in (row.low, row.high, row.mean)]
    values, form = axis_ticks(max([*ends, 0.01]))
    reach = values[-1]
    room = (_WIDTH - _LABEL_WIDTH - 20) / 2

    def across(value: float) -> float:
        return _LABEL_WIDTH + room + value / reach * room

    parts = [_grid(values, len(rows), across, form)]
    for at, row in enumerate(rows):
        y = at * _ROW_HEIGHT + 24
        parts.append(_label(row.name, y))
        parts.append(_interval(row, across(row.low), across(row.high), across(row.mean), y + _BAR_HEIGHT / 2))
    return _svg(title, len(rows), parts)


def axis_ticks(reach: float) -> tuple[list[float], str]:
    """Return the ticks around zero that cover `reach` (over 0), and the format that shows each of them exactly.

    Steps are 1, 2 or 5 times a power of ten.
    """
    digits = math.floor(math.log10(reach / _MAX_SCALE_STEPS))
    steps = (Fraction(10) ** digits * times for times in (1, 2, 5, 10))
    step = next(step for step in steps if step * _MAX_SCALE_STEPS >= reach)
    count = math.ceil(reach / step)
    return [float(step * at) for at in range(-count, count + 1)], f"+.{_decimals(step)}f"


def _decimals(step: Fraction) -> int:
    return max(0, math.ceil(-math.log10(step)))


def _interval(row: IntervalRow, low: float, high: float, mean: float, y: float) -> str:
    words = f"{row.name}: {row.mean:+.3f} ({row.low:+.3f} … {row.high:+.3f})"
    return (
        f'<g class="{row.css_class}"><title>{escape(words)}</title>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}"/><circle cx="{mean:.1f}" cy="{y}" r="4"/></g>'
    )


def _label(name: str, y: float) -> str:
    shown = name if len(name) <= _MAX_LABEL_LENGTH else name[: _MAX_LABEL_LENGTH - 1] + "…"
    return f'<text class="name" x="{_LABEL_WIDTH - 8}" y="{y + 10}"><title>{escape(name)}</title>{escape(shown)}</text>'


def _grid(values: Sequence[float], rows: int, across: Callable[[float], float], form: str) -> str:
    """Draw vertical lines with their values above. form: the format of the values."""
    bottom = rows * _ROW_HEIGHT + 22
    return "".join(
        f'<line class="grid" x1="{across(value):.1f}" x2="{across(value):.1f}" y1="16" y2="{bottom}"/>'
        f'<text class="tick" x="{across(value):.1f}" y="11">{value:{form}}</text>'
        for value in values
    )


def _svg(title: str, rows: int, parts: Sequence[str]) -> str:
    height = rows * _ROW_HEIGHT + 28
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )
