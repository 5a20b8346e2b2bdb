"""How a number of bytes is written for a person."""

from __future__ import annotations

_KILO = 1_000
_UNITS = ("kB", "MB", "GB", "TB")


def format_size(count: int) -> str:
    """A number of bytes in decimal units with one digit: "812 bytes", "12.3 MB"."""
    if count < _KILO:
        return f"{count} byte{'' if count == 1 else 's'}"
    amount = float(count)
    for unit in _UNITS:
        amount /= _KILO
        if round(amount, 1) < _KILO or unit == _UNITS[-1]:
            return f"{amount:.1f} {unit}"
    raise AssertionError("the last unit takes everything")
