"""Counts and times in words for a person. Pure."""

from __future__ import annotations

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_DURATION_STEPS = ((2 * 365 * _DAY, 365 * _DAY, "year"), (60 * _DAY, 30 * _DAY, "month"), (2 * _DAY, _DAY, "day"))
_SHORT_DURATION_STEPS = ((2 * _HOUR, _HOUR, "hour"), (2 * _MINUTE, _MINUTE, "minute"))


def format_count(number: int, noun: str) -> str:
    """`1 importer`, `12 importers`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_age(seconds: float) -> str:
    """`3 days ago`: how long something is past."""
    past = format_duration(seconds)
    return f"{past} ago" if past else "just now"


def format_duration(seconds: float) -> str:
    """`3 days`: in the largest unit of which there are two at least; empty for a moment."""
    for least, unit, name in (*_DURATION_STEPS, *_SHORT_DURATION_STEPS):
        if seconds >= least:
            return f"{int(seconds // unit)} {name}s"
    return ""
