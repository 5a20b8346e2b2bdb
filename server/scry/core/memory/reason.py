"""Why a memory has its place, in under 100 characters: the factor with the largest share in its score (M4)."""

from __future__ import annotations

from scry.core.memory.purpose import Purpose
from scry.core.memory.ranking import WEIGHTS, Recalled, Viewpoint, Weights, shares

MOST_CHARACTERS = 99

_WHERE = {
    "session": "in this session",
    "repository": "in this repository",
    "agent": "noted by an agent",
    "none": "in an earlier session",
}

_NAMES = {
    "command": "command",
    "error": "error",
    "test": "test result",
    "edit": "edit",
    "jump": "jump",
    "commit": "commit",
    "decision": "decision",
    "note": "note",
    "message": "message",
    "summary": "summary",
}

_SERVED = {
    Purpose.RESUME: "what was done",
    Purpose.DECISIONS: "what was decided",
    Purpose.FAILURES: "what failed",
}

_SHOWN_WORDS = 3
_WORD_CHARACTERS = 16


def main_factor(recalled: Recalled, weights: Weights = WEIGHTS) -> str:
    """text, intent, scope or recency: the one with the largest share; the first of these of equal ones."""
    parts = shares(recalled.signals, weights)
    return max(parts, key=parts.__getitem__)


def explain(recalled: Recalled, viewpoint: Viewpoint, weights: Weights = WEIGHTS) -> str:
    """Words for a person, such as `matched 'auth' in this session` or `recent command`."""
    factor, where = main_factor(recalled, weights), _WHERE[recalled.scope]
    name = _NAMES[recalled.memory.kind]
    if factor == "text":
        words = ", ".join(f"'{_cut(word)}'" for word in recalled.matches[:_SHOWN_WORDS])
        more = "" if len(recalled.matches) <= _SHOWN_WORDS else f" and {len(recalled.matches) - _SHOWN_WORDS} more"
        return f"matched {words}{more} {where}"
    if factor == "intent":
        purpose = viewpoint.purpose
        return f"{name}: says {_SERVED[purpose]}, {where}" if purpose else f"{name}: done for the same intent, {where}"
    if factor == "scope":
        return f"{name} {where}"
    return f"pinned {name}" if recalled.memory.pinned else f"recent {_output(recalled, name)}"


def _output(recalled: Recalled, name: str) -> str:
    return "command output" if recalled.memory.kind == "command" and recalled.memory.detail else name


def _cut(word: str) -> str:
    return word if len(word) <= _WORD_CHARACTERS else f"{word[: _WORD_CHARACTERS - 1]}…"
