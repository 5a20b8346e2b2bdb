"""Ranking of memories: what holds for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.core.memory import (
    DEFAULT_SIGNAL_WEIGHTS,
    MAX_REASON_LENGTH,
    MEMORY_KINDS,
    SCOPE_SIGNALS,
    Memory,
    RecallContext,
    RecalledMemory,
    RecallPurpose,
    explain_recall,
    main_signal,
    rank_memories,
)

NOW = 1_795_000_000_000
WORDS = {"auth": 3, "token": 40, "x" * 300: 1, "größe": 2, "検索": 1}

memories = st.builds(
    Memory,
    number=st.integers(1, 10**6),
    id=st.text("abcdefgh", min_size=1, max_size=6),
    kind=st.sampled_from(MEMORY_KINDS),
    time=st.integers(NOW - 10**11, NOW + 10**6),
    session=st.sampled_from(["here", "there"]),
    capsule=st.just("c"),
    capsule_intent=st.sampled_from(["", "auth", "single sign on"]),
    scope=st.sampled_from(["session", "repository", "agent"]),
    agent=st.just(""),
    text=st.sampled_from(["", "Decided: use it", "pytest"]),
    detail=st.sampled_from(["", "E 3 != 4"]),
    status=st.sampled_from([None, 0, 1]),
    outcome=st.sampled_from(["", "failed", "passed"]),
    pinned=st.booleans(),
)  # fmt: skip
judged = st.tuples(memories, st.lists(st.sampled_from(sorted(WORDS)), unique=True)).map(
    lambda pair: (pair[0], tuple(pair[1]), frozenset(pair[0].capsule_intent.split()))
)
viewpoints = st.builds(
    RecallContext,
    now=st.just(NOW),
    session=st.sampled_from([None, "here"]),
    purpose=st.sampled_from([None, *RecallPurpose]),
    intent=st.sampled_from([frozenset[str](), frozenset({"auth"}), frozenset({"single", "sign"})]),
)


def score(found: RecalledMemory) -> float:
    """Return the documented formula, written out once more."""
    signals = found.signals
    parts = [
        (DEFAULT_SIGNAL_WEIGHTS.text, signals.text),
        (DEFAULT_SIGNAL_WEIGHTS.recency, signals.recency),
        (DEFAULT_SIGNAL_WEIGHTS.scope, signals.scope),
    ]
    if signals.intent is not None:
        parts.append((DEFAULT_SIGNAL_WEIGHTS.intent, signals.intent))
    return sum(weight * value for weight, value in parts) / sum(weight for weight, _ in parts)


@pytest.mark.acceptance("M2")
@given(st.lists(judged, max_size=8), viewpoints, st.randoms())
def test_memory_order_is_total_and_depends_on_values_only(
    given_ones: list[tuple[Memory, tuple[str, ...], frozenset[str]]], viewpoint: RecallContext, random: object
) -> None:
    shuffled = list(given_ones)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = rank_memories(given_ones, WORDS, 100, viewpoint)
    keys = [(-each.score, -each.memory.time, each.memory.id) for each in found]
    assert keys == sorted(keys)
    assert keys == [(-e.score, -e.memory.time, e.memory.id) for e in rank_memories(shuffled, WORDS, 100, viewpoint)]
    for each in found:
        signals = each.signals
        assert all(0 <= value <= 1 for value in (signals.text, signals.recency, signals.scope, signals.intent or 0))
        assert signals.scope == SCOPE_SIGNALS[each.scope]
        assert each.score == pytest.approx(score(each), abs=1e-6)


@pytest.mark.acceptance("M3")
@given(judged, judged, viewpoints)
def test_text_matches_precede_non_matches(
    one: tuple[Memory, tuple[str, ...], frozenset[str]],
    other: tuple[Memory, tuple[str, ...], frozenset[str]],
    viewpoint: RecallContext,
) -> None:
    matching = (one[0], one[1] or ("token",), one[2])
    found = rank_memories([(other[0], (), other[2]), matching], WORDS, 100, viewpoint)
    assert found[0].matches


@pytest.mark.acceptance("M4")
@given(judged, viewpoints)
def test_reason_is_short_and_names_the_largest_factor(
    one: tuple[Memory, tuple[str, ...], frozenset[str]], viewpoint: RecallContext
) -> None:
    found = rank_memories([one], WORDS, 100, viewpoint)[0]
    signals = found.signals
    truly = {
        "text": DEFAULT_SIGNAL_WEIGHTS.text * signals.text,
        "intent": DEFAULT_SIGNAL_WEIGHTS.intent * (signals.intent or 0.0),
        "scope": DEFAULT_SIGNAL_WEIGHTS.scope * signals.scope,
        "recency": DEFAULT_SIGNAL_WEIGHTS.recency * signals.recency,
    }
    factor = main_signal(found)
    assert truly[factor] == max(truly.values())
    words = explain_recall(found, viewpoint)
    assert 0 < len(words) < 100 == MAX_REASON_LENGTH + 1
    applies = {
        "text": words.startswith("matched "),
        "intent": ": says " in words or "same intent" in words,
        "recency": words.startswith(("recent ", "pinned ")),
    }
    assert [name for name, is_reason in applies.items() if is_reason] == ([factor] if factor in applies else [])
