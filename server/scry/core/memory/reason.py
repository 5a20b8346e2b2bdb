"""Why a memory has its place, in under 100 characters: the factor with the largest share in its score (M4)."""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.memory.purpose import Purpose
from scry.core.memory.ranking import WEIGHTS, Recalled, Viewpoint, Weights, shares
from scry.core.text import terms

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

_STEM = 4
"""Words that share fewer letters at their beginning have no stem in common."""

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
        words = recalled.matches
        if _only_its_intent_holds(recalled):
            return f"matched {_name(words, 1)} in its intent, {where}"
        return f"matched {_name(words, _SHOWN_WORDS)} {where}"
    if factor == "intent":
        purpose = viewpoint.purpose
        return f"{name}: says {_SERVED[purpose]}, {where}" if purpose else f"{name}: done for the same intent, {where}"
    if factor == "scope":
        return f"{name} {where}"
    return f"pinned {name}" if recalled.memory.pinned else f"recent {_output(recalled, name)}"


def _name(words: Sequence[str], shown: int) -> str:
    named = ", ".join(f"'{_cut(word)}'" for word in words[:shown])
    return named if len(words) <= shown else f"{named} and {len(words) - shown} more"


def _only_its_intent_holds(recalled: Recalled) -> bool:
    """Whether what it was done for holds a word of the question, and what is shown of it surely none."""
    memory = recalled.memory
    if memory.detail or memory.kind == "summary":  # a detail is not read here, and a summary tells its intent
        return False
    own, intent = terms(" ".join((memory.text, *memory.refs))), terms(memory.capsule_intent)
    return not any(_may_be(word, own) for word in recalled.matches) and any(word in intent for word in recalled.matches)


def _may_be(word: str, among: Sequence[str]) -> bool:
    """Whether one of these may be a form of the word: words are found by their stems."""
    return any(each.startswith(word[:_STEM]) or word.startswith(each[:_STEM]) for each in among)


def _output(recalled: Recalled, name: str) -> str:
    return "command output" if recalled.memory.kind == "command" and recalled.memory.detail else name


def _cut(word: str) -> str:
    return word if len(word) <= _WORD_CHARACTERS else f"{word[: _WORD_CHARACTERS - 1]}…"
