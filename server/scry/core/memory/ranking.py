"""Rank memories by four weighted signals, and explain a rank in words.

The order of memories: four signals from 0 to 1, explicit weights, explicit time (M2, M3).

score = (sum of weight * signal) / (sum of the weights that apply), rounded, so that equal means equal.
Order: score, then time, the newest first, then id.

Why a memory has its place, in under 100 characters: the factor with the largest share in its score (M4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from msgspec import Struct

from scry.core.memory.purpose import RecallPurpose, purpose_relevance
from scry.core.memory.types import Memory
from scry.core.text import tokenize

SCORE_DIGITS = 6

HALF_LIFE_MS = 7 * 86_400_000
"""After a week something is half as recent: what was done in this week's work comes before last month's."""

SCOPE_SIGNALS: Mapping[str, float] = {"session": 1.0, "repository": 0.7, "agent": 0.5, "none": 0.0}

MIN_TEXT_SIGNAL = 0.5
"""The text signal of a memory that holds any word of the question; the rest is the share of what it holds. So the text
of the poorest match weighs 0.35, more than all else together can (0.3): a match outranks a non-match."""


class SignalWeights(Struct, frozen=True):
    """What each signal counts. Intent before scope before recency: what answers the question comes before what is near,
    and that before what is new, which breaks near ties.
    """

    text: float = 0.7
    intent: float = 0.12
    scope: float = 0.1
    recency: float = 0.08


DEFAULT_SIGNAL_WEIGHTS = SignalWeights()


class RecallContext(Struct, frozen=True):
    """From where it is asked.

    now: the time. session: the session that is open, or else the last one; None without any. agent: who asks; empty for
    the person. purpose: what is asked for. intent: the terms of what the asker works for; may be empty.
    """

    now: int
    session: str | None = None
    agent: str = ""
    purpose: RecallPurpose | None = None
    intent: frozenset[str] = frozenset()


class RecallSignals(NamedTuple):
    """How well a memory answers, each from 0 to 1. intent: None where none was given."""

    text: float
    recency: float
    scope: float
    intent: float | None = None


class RecalledMemory(NamedTuple):
    """A memory with its place. matches: the words of the question that it holds. scope: the name behind its signal."""

    memory: Memory
    score: float
    signals: RecallSignals
    scope: str
    matches: tuple[str, ...] = ()


def text_signal(held: Iterable[str], frequencies: Mapping[str, int], total: int) -> float:
    """What a memory holds of a question. held: its terms that the question has. frequencies: for each term of the
    question, how many of the `total` memories hold it: a rare word says more.
    """
    worth = {term: term_rarity(count, total) for term, count in frequencies.items()}
    found = sum(worth[term] for term in sorted(set(held) & worth.keys()))
    return MIN_TEXT_SIGNAL + (1 - MIN_TEXT_SIGNAL) * found / sum(worth.values()) if found else 0.0


def term_rarity(count: int, total: int) -> float:
    """What a word says that `count` of `total` memories hold."""
    return log(1 + total / (1 + count))


def recency_signal(memory: Memory, now: int) -> float:
    """Halves with every HALF_LIFE_MS; what is pinned stays new, and so does what a clock says is of tomorrow."""
    return 1.0 if memory.pinned else 0.5 ** (max(0, now - memory.time) / HALF_LIFE_MS)


def effective_scope(memory: Memory, context: RecallContext) -> str:
    """session: of the asker's. repository: for all who work here. agent: an agent's. none: of another session."""
    if context.session is not None and memory.session == context.session:
        return "session"
    return "none" if memory.scope == "session" else memory.scope


def intent_signal(memory: Memory, context: RecallContext, intent_terms: frozenset[str]) -> float | None:
    """How well it serves the purpose of the question; without one, how much of the asker's intent it was done for.

    intent_terms: those of what the memory was made for.
    """
    if context.purpose is not None:
        return purpose_relevance(context.purpose, memory)
    return len(context.intent & intent_terms) / len(context.intent) if context.intent else None


def combine_signals(signals: RecallSignals, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> float:
    """The score, 0 to 1."""
    text, recency, scope, intent = signals
    most = weights.text + weights.recency + weights.scope + (0 if intent is None else weights.intent)
    whole = weights.text * text + weights.intent * (intent or 0.0) + weights.scope * scope + weights.recency * recency
    return round(whole / most, SCORE_DIGITS)


def signal_contributions(signals: RecallSignals, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> dict[str, float]:
    """What each signal adds to the score, before it is divided; in the order in which equal ones are named."""
    return {
        "text": weights.text * signals.text,
        "intent": weights.intent * (signals.intent or 0.0),
        "scope": weights.scope * signals.scope,
        "recency": weights.recency * signals.recency,
    }


def sort_recalled(recalled: Iterable[RecalledMemory]) -> list[RecalledMemory]:
    """Best first: by score, then time, then id. Total."""
    return sorted(recalled, key=lambda each: (-each.score, -each.memory.time, each.memory.id))


def rank_memories(
    memories: Sequence[tuple[Memory, Sequence[str], frozenset[str]]],
    frequencies: Mapping[str, int],
    total: int,
    context: RecallContext,
    weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS,
) -> list[RecalledMemory]:
    """Memories, each with the question's terms that it holds and the terms of its intent, best first.

    frequencies, total: see text_signal.
    """
    recalled: list[RecalledMemory] = []
    texts = {words: text_signal(words, frequencies, total) for words in {tuple(held) for _, held, _ in memories}}
    for memory, held, intent_terms in memories:
        scope = effective_scope(memory, context)
        signals = RecallSignals(
            texts[tuple(held)],
            recency_signal(memory, context.now),
            SCOPE_SIGNALS[scope],
            intent_signal(memory, context, intent_terms),
        )
        recalled.append(RecalledMemory(memory, combine_signals(signals, weights), signals, scope, tuple(held)))
    return sort_recalled(recalled)


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


def explain_recall(
    recalled: RecalledMemory, context: RecallContext, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS
) -> str:
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
        return (
            f"{name}: says {_PURPOSE_PHRASES[purpose]}, {where}"
            if purpose
            else f"{name}: done for the same intent, {where}"
        )
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
    return not any(_may_share_stem(word, own) for word in recalled.matches) and any(
        word in intent for word in recalled.matches
    )


def _may_share_stem(word: str, among: Sequence[str]) -> bool:
    """Whether one of these may be a form of the word: words are found by their stems."""
    return any(each.startswith(word[:_MIN_STEM_LENGTH]) or word.startswith(each[:_MIN_STEM_LENGTH]) for each in among)


def _command_label(recalled: RecalledMemory, name: str) -> str:
    return "command output" if recalled.memory.kind == "command" and recalled.memory.detail else name


def _truncate_word(word: str) -> str:
    return word if len(word) <= _MAX_WORD_LENGTH else f"{word[: _MAX_WORD_LENGTH - 1]}…"
