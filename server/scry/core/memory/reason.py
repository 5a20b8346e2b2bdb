"""Why a memory has its place, in under 100 characters: the factor with the largest share in its score (M4)."""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.memory.purpose import RecallPurpose
from scry.core.memory.ranking import DEFAULT_SIGNAL_WEIGHTS, RecalledMemory, RecallContext, SignalWeights, signal_contributions
from scry.core.text import tokenize

MAX_REASON_LENGTH = 99

_SCOPE_PHRASES = {
    "session": "in this session",
    "repository": "in this repository",
    "agent": "noted by an agent",
    "none": "in an earlier session",
}

_KIND_LABELS = {
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

_PURPOSE_PHRASES = {
    RecallPurpose.RESUME: "what was done",
    RecallPurpose.DECISIONS: "what was decided",
    RecallPurpose.FAILURES: "what failed",
}

_MIN_STEM_LENGTH = 4
"""Words that share fewer letters at their beginning have no stem in common."""

_MAX_SHOWN_WORDS = 3
_MAX_WORD_LENGTH = 16


def main_signal(recalled: RecalledMemory, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> str:
    """text, intent, scope or recency: the one with the largest share; the first of these of equal ones."""
    parts = signal_contributions(recalled.signals, weights)
    return max(parts, key=parts.__getitem__)


def explain_recall(recalled: RecalledMemory, context: RecallContext, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> str:
    """Words for a person, such as `matched 'auth' in this session` or `recent command`."""
    factor, where = main_signal(recalled, weights), _SCOPE_PHRASES[recalled.scope]
    name = _KIND_LABELS[recalled.memory.kind]
    if factor == "text":
        words = recalled.matches
        if _matches_only_intent(recalled):
            return f"matched {_quote_words(words, 1)} in its intent, {where}"
        return f"matched {_quote_words(words, _MAX_SHOWN_WORDS)} {where}"
    if factor == "intent":
        purpose = context.purpose
        return f"{name}: says {_PURPOSE_PHRASES[purpose]}, {where}" if purpose else f"{name}: done for the same intent, {where}"
    if factor == "scope":
        return f"{name} {where}"
    return f"pinned {name}" if recalled.memory.pinned else f"recent {_command_label(recalled, name)}"


def _quote_words(words: Sequence[str], shown: int) -> str:
    named = ", ".join(f"'{_truncate_word(word)}'" for word in words[:shown])
    return named if len(words) <= shown else f"{named} and {len(words) - shown} more"


def _matches_only_intent(recalled: RecalledMemory) -> bool:
    """Whether what it was done for holds a word of the question, and what is shown of it surely none."""
    memory = recalled.memory
    if memory.detail or memory.kind == "summary":  # a detail is not read here, and a summary tells its intent
        return False
    own, intent = tokenize(" ".join((memory.text, *memory.refs))), tokenize(memory.capsule_intent)
    return not any(_may_share_stem(word, own) for word in recalled.matches) and any(word in intent for word in recalled.matches)


def _may_share_stem(word: str, among: Sequence[str]) -> bool:
    """Whether one of these may be a form of the word: words are found by their stems."""
    return any(each.startswith(word[:_MIN_STEM_LENGTH]) or word.startswith(each[:_MIN_STEM_LENGTH]) for each in among)


def _command_label(recalled: RecalledMemory, name: str) -> str:
    return "command output" if recalled.memory.kind == "command" and recalled.memory.detail else name


def _truncate_word(word: str) -> str:
    return word if len(word) <= _MAX_WORD_LENGTH else f"{word[: _MAX_WORD_LENGTH - 1]}…"
