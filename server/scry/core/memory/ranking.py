"""Rank memories by four weighted signals, and explain a rank in words (M2, M3, M4).

score = (sum of weight * signal) / (sum of the weights that apply), rounded so that ties are exact.
Signals are from 0 to 1. Order: score, then time, newest first, then id. The reason of a rank, in under 100 characters,
is the signal with the largest share in the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from msgspec import Struct

from scry.core.memory.purpose import RecallPurpose, purpose_relevance
from scry.core.memory.types import Memory
from scry.core.text import tokenize

SCORE_DIGITS = 6

HALF_LIFE_MS = 7 * 86_400_000
"""Half-life of the recency signal, a week: this week's work ranks before last month's."""

SCOPE_SIGNALS: Mapping[str, float] = {"session": 1.0, "repository": 0.7, "agent": 0.5, "none": 0.0}

MIN_TEXT_SIGNAL = 0.5
"""The text signal of a memory that holds any word of the question; the rest is its share of the words. So the text of
the poorest match weighs 0.35, more than all else together can (0.3): a match outranks a non-match."""


class SignalWeights(Struct, frozen=True):
    """The weight of each signal. Intent before scope before recency: serving the query outranks being near, and that
    outranks being new, which breaks near ties.
    """

    text: float = 0.7
    intent: float = 0.12
    scope: float = 0.1
    recency: float = 0.08


DEFAULT_SIGNAL_WEIGHTS = SignalWeights()


class RecallContext(Struct, frozen=True):
    """The situation in which memory is queried.

    now: the time. session: the open session, or else the last one; None without any. agent: the one that queries; empty
    for the person. purpose: of the query. intent: the terms of the current work's intent; may be empty.
    """

    now: int
    session: str | None = None
    agent: str = ""
    purpose: RecallPurpose | None = None
    intent: frozenset[str] = frozenset()


class RecallSignals(NamedTuple):
    """The signals of a memory, each from 0 to 1. intent: None where no intent is known."""

    text: float
    recency: float
    scope: float
    intent: float | None = None


class RecalledMemory(NamedTuple):
    """A ranked memory. matches: the words of the query that it holds. scope: the name behind the scope signal."""

    memory: Memory
    score: float
    signals: RecallSignals
    scope: str
    matches: tuple[str, ...] = ()


def text_signal(matched_terms: Iterable[str], frequencies: Mapping[str, int], total: int) -> float:
    """Return the text signal of a memory.

    matched_terms: the query's terms that the memory holds. frequencies: for each term of the query, how many of the
    `total` memories hold it: a rare term counts more.
    """
    weights = {term: term_rarity(count, total) for term, count in frequencies.items()}
    matched_weight = sum(weights[term] for term in sorted(set(matched_terms) & weights.keys()))
    return MIN_TEXT_SIGNAL + (1 - MIN_TEXT_SIGNAL) * matched_weight / sum(weights.values()) if matched_weight else 0.0


def term_rarity(count: int, total: int) -> float:
    """Return the weight of a term that `count` of `total` memories hold."""
    return log(1 + total / (1 + count))


def recency_signal(memory: Memory, now: int) -> float:
    """Return the recency signal: it halves every HALF_LIFE_MS; pinned memories and future times stay at 1."""
    return 1.0 if memory.pinned else 0.5 ** (max(0, now - memory.time) / HALF_LIFE_MS)


def effective_scope(memory: Memory, context: RecallContext) -> str:
    """Return the scope as seen from the context: `session` for the same session, `none` for another's, else its own."""
    if context.session is not None and memory.session == context.session:
        return "session"
    return "none" if memory.scope == "session" else memory.scope


def intent_signal(memory: Memory, context: RecallContext, intent_terms: frozenset[str]) -> float | None:
    """Return how well a memory serves the query's purpose; without one, the share of the current intent that it shares.

    intent_terms: of the intent that the memory was made for.
    """
    if context.purpose is not None:
        return purpose_relevance(context.purpose, memory)
    return len(context.intent & intent_terms) / len(context.intent) if context.intent else None


def combine_signals(signals: RecallSignals, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> float:
    """Return the score, 0 to 1."""
    text, recency, scope, intent = signals
    weight_sum = weights.text + weights.recency + weights.scope + (0 if intent is None else weights.intent)
    weighted = (
        weights.text * text + weights.intent * (intent or 0.0) + weights.scope * scope + weights.recency * recency
    )
    return round(weighted / weight_sum, SCORE_DIGITS)


def signal_contributions(signals: RecallSignals, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> dict[str, float]:
    """Return the weighted signals, in the order in which equal ones are named."""
    return {
        "text": weights.text * signals.text,
        "intent": weights.intent * (signals.intent or 0.0),
        "scope": weights.scope * signals.scope,
        "recency": weights.recency * signals.recency,
    }


def sort_recalled(recalled: Iterable[RecalledMemory]) -> list[RecalledMemory]:
    """Sort memories best first: by score, then time, then id; the order is total."""
    return sorted(recalled, key=lambda each: (-each.score, -each.memory.time, each.memory.id))


def rank_memories(
    memories: Sequence[tuple[Memory, Sequence[str], frozenset[str]]],
    frequencies: Mapping[str, int],
    total: int,
    context: RecallContext,
    weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS,
) -> list[RecalledMemory]:
    """Rank memories, best first.

    memories: each with the query's terms that it holds and the terms of its intent. frequencies, total: as for
    `text_signal`.
    """
    recalled: list[RecalledMemory] = []
    texts = {
        words: text_signal(words, frequencies, total)
        for words in {tuple(matched_terms) for _, matched_terms, _ in memories}
    }
    for memory, matched_terms, intent_terms in memories:
        scope = effective_scope(memory, context)
        signals = RecallSignals(
            texts[tuple(matched_terms)],
            recency_signal(memory, context.now),
            SCOPE_SIGNALS[scope],
            intent_signal(memory, context, intent_terms),
        )
        recalled.append(RecalledMemory(memory, combine_signals(signals, weights), signals, scope, tuple(matched_terms)))
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
"""Words whose common beginning is shorter are taken to have different stems."""

_MAX_SHOWN_WORDS = 3
_MAX_WORD_LENGTH = 16


def main_signal(recalled: RecalledMemory, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS) -> str:
    """Return the signal with the largest share in the score: text, intent, scope or recency, in this order if equal."""
    parts = signal_contributions(recalled.signals, weights)
    return max(parts, key=parts.__getitem__)


def explain_recall(
    recalled: RecalledMemory, context: RecallContext, weights: SignalWeights = DEFAULT_SIGNAL_WEIGHTS
) -> str:
    """Return the reason of a rank, such as `matched 'auth' in this session` or `recent command`."""
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
    """Return whether its intent holds a word of the query, and its shown text surely none."""
    memory = recalled.memory
    if memory.detail or memory.kind == "summary":  # a detail is not loaded here, and a summary states its intent
        return False
    if _tokenize_intent(memory.capsule_intent).isdisjoint(recalled.matches):
        return False
    own = tokenize(" ".join((memory.text, *memory.refs)))
    return not any(_may_share_stem(word, own) for word in recalled.matches)


@lru_cache(maxsize=1000)
def _tokenize_intent(intent: str) -> frozenset[str]:
    """Return the words of an intent, which all memories of a session share."""
    return frozenset(tokenize(intent))


def _may_share_stem(word: str, among: Sequence[str]) -> bool:
    """Return whether one of these may be a form of the word: words match by their stems."""
    return any(each.startswith(word[:_MIN_STEM_LENGTH]) or word.startswith(each[:_MIN_STEM_LENGTH]) for each in among)


def _command_label(recalled: RecalledMemory, name: str) -> str:
    return "command output" if recalled.memory.kind == "command" and recalled.memory.detail else name


def _truncate_word(word: str) -> str:
    return word if len(word) <= _MAX_WORD_LENGTH else f"{word[: _MAX_WORD_LENGTH - 1]}…"
