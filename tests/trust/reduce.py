"""Reduce a content that breaks a promise to a small one that breaks it too."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

_MAX_SECONDS = 60.0

_Part = TypeVar("_Part", bytes, int)


def reduce_content(data: bytes, is_broken: Callable[[bytes], bool]) -> bytes:
    """Return the least content found in a minute that is still broken: without lines, then without characters."""
    deadline = time.monotonic() + _MAX_SECONDS
    lines = _reduce(data.splitlines(keepends=True), lambda part: is_broken(b"".join(part)), deadline)
    few = b"".join(lines)
    return bytes(_reduce(list(few), lambda part: is_broken(bytes(part)), deadline))


def _reduce(parts: list[_Part], is_broken: Callable[[Sequence[_Part]], bool], deadline: float) -> list[_Part]:
    """Remove ever smaller pieces while the rest is broken (delta debugging, Zeller and Hildebrandt 2002)."""
    size = max(1, len(parts) // 2)
    while parts and time.monotonic() < deadline:
        start, was_reduced = 0, False
        while start < len(parts) and time.monotonic() < deadline:
            rest = parts[:start] + parts[start + size :]
            if is_broken(rest):
                parts, was_reduced = rest, True
            else:
                start += size
        if size == 1 and not was_reduced:
            break
        size = max(1, size // 2)
    return parts
