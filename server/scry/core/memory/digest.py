"""A summary of a piece of work, made of what was noted in it, without a model."""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.memory.purpose import DECIDED
from scry.core.memory.types import Memory

_FAILURES, _FILES, _COMMITS, _NOTES = 3, 8, 5, 3
_LINE = 200


def summarize(intent: str, memories: Sequence[Memory]) -> str:
    """Intent, decisions, the last failures, commits, files touched: what one wants to know who goes on with it.

    memories: what was noted, in order of time. Empty where there is nothing to tell.
    """
    said = [memory for memory in memories if memory.kind != "summary"]
    if not said:
        return ""
    parts = [
        [f"Intent: {intent}"] if intent else [],
        [DECIDED + _line(each) for each in said if each.kind == "decision"],
        [f"Failed: {_failure(each)}" for each in _last_failures(said)],
        [f"Noted: {_line(each)}" for each in said if each.kind in ("note", "message")][-_NOTES:],
        [f"Committed: {_line(each)}" for each in said if each.kind == "commit"][-_COMMITS:],
        _files(said),
    ]
    return "\n".join(line for part in parts for line in part)


def _last_failures(memories: Sequence[Memory]) -> list[Memory]:
    """The last ones, each told once, that nothing of the same words passed after."""
    last: dict[str, Memory] = {}
    for each in memories:
        if each.kind in ("command", "error", "test"):
            last.pop(each.text, None)
            last[each.text] = each
    return [each for each in last.values() if each.failed][-_FAILURES:]


def _failure(memory: Memory) -> str:
    status = f" (exit {memory.status})" if memory.status else ""
    return f"{_line(memory)}{status}"


def _files(memories: Sequence[Memory]) -> list[str]:
    """Those that were edited, the last first."""
    paths = dict.fromkeys(each.text for each in reversed(memories) if each.kind == "edit")
    shown = ", ".join(list(paths)[:_FILES])
    more = f" and {len(paths) - _FILES} more" if len(paths) > _FILES else ""
    return [f"Files: {shown}{more}"] if paths else []


def _line(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if len(text) <= _LINE else f"{text[: _LINE - 1]}…"
