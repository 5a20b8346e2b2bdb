from __future__ import annotations

import pytest

from scry.core.memory import (
    HALF_LIFE_MS,
    Memory,
    MemoryKind,
    MemoryScope,
    RecallContext,
    RecalledMemory,
    RecallPurpose,
    explain_recall,
    rank_memories,
)

NOW = 1_795_000_000_000
HERE = "20261121-here"
DAY_MS = 86_400_000


def memory(
    name: str,
    kind: MemoryKind = "note",
    *,
    age: int = 0,
    session: str = HERE,
    scope: MemoryScope = "session",
    text: str = "",
    detail: str = "",
    intent: str = "",
    pinned: bool = False,
) -> Memory:
    return Memory(0, name, kind, NOW - age, session, "c", intent, scope, "", text, detail, pinned=pinned)


def ranked(
    *memories: tuple[Memory, tuple[str, ...]], intents: frozenset[str] = frozenset(), **viewpoint: object
) -> list[RecalledMemory]:
    seen = RecallContext(NOW, HERE, **viewpoint)  # type: ignore[arg-type]
    judged = [(each, held, frozenset(each.capsule_intent.split())) for each, held in memories]
    return rank_memories(judged, {"auth": 2, "token": 50}, 100, seen)


def names(recalled: list[RecalledMemory]) -> list[str]:
    return [each.memory.id for each in recalled]


@pytest.mark.acceptance("M3")
def test_text_match_outranks_any_non_match() -> None:
    near = memory("near", "error", pinned=True)
    far = memory("far", "edit", age=900 * DAY_MS, session="other")
    assert names(ranked((near, ()), (far, ("token",)), purpose=RecallPurpose.FAILURES)) == ["far", "near"]


@pytest.mark.acceptance("M3")
def test_recency_breaks_near_ties() -> None:
    old, new = memory("old", age=30 * DAY_MS), memory("new", age=DAY_MS)
    assert names(ranked((old, ("auth",)), (new, ("auth",)))) == ["new", "old"]


@pytest.mark.acceptance("M3")
def test_same_session_ranks_above_repository_above_agent() -> None:
    in_session = memory("session", age=2 * HALF_LIFE_MS)
    in_repository = memory("repository", session="other", scope="repository", age=2 * HALF_LIFE_MS)
    of_agent = memory("agent", session="other", scope="agent", age=2 * HALF_LIFE_MS)
    elsewhere = memory("none", session="other", age=2 * HALF_LIFE_MS)
    found = ranked(*((each, ("auth",)) for each in (elsewhere, of_agent, in_repository, in_session)))
    assert names(found) == ["session", "repository", "agent", "none"]
    assert [each.signals.scope for each in found] == [1.0, 0.7, 0.5, 0.0]


@pytest.mark.acceptance("M3")
def test_matching_intent_raises_the_score() -> None:
    plain, meant = memory("plain"), memory("meant", intent="single sign on", age=DAY_MS)
    assert names(ranked((plain, ("auth",)), (meant, ("auth",)))) == ["plain", "meant"]
    wanted = frozenset({"single", "sign"})
    assert names(ranked((plain, ("auth",)), (meant, ("auth",)), intent=wanted)) == ["meant", "plain"]
    assert ranked((plain, ()))[0].signals.intent is None


@pytest.mark.acceptance("M2")
def test_equal_scores_are_ordered_by_time_then_id() -> None:
    same = [(memory(name, age=age), ("auth",)) for name, age in (("b", 0), ("a", 0), ("d", -5), ("c", -5))]
    assert names(ranked(*same)) == ["c", "d", "a", "b"]


def test_rare_words_weigh_more_than_common_ones() -> None:
    assert names(ranked((memory("common"), ("token",)), (memory("rare"), ("auth",)))) == ["rare", "common"]


def test_pinned_memory_does_not_age() -> None:
    pinned = memory("pinned", age=400 * DAY_MS, pinned=True)
    assert names(ranked((memory("new", age=DAY_MS), ()), (pinned, ()))) == ["pinned", "new"]


@pytest.mark.acceptance("M4")
def test_reason_names_the_largest_factor() -> None:
    here = RecallContext(NOW, HERE)
    failing = RecallContext(NOW, HERE, purpose=RecallPurpose.FAILURES)
    elsewhere = memory("m", "command", session="other", detail="E 3 != 4")
    cases = [
        (ranked((memory("m"), ("auth",)))[0], here, "matched 'auth' in this session"),
        (ranked((elsewhere, ()))[0], here, "recent command output"),
        (ranked((memory("m", "decision"), ()))[0], here, "decision in this session"),
        (
            ranked((memory("m", "error", session="x"), ()), purpose=RecallPurpose.FAILURES)[0],
            failing,
            "error: says what failed",
        ),
    ]
    for found, viewpoint, words in cases:
        assert explain_recall(found, viewpoint).startswith(words)


@pytest.mark.acceptance("M4")
def test_word_only_in_the_intent_is_attributed_to_it() -> None:
    here = RecallContext(NOW, HERE)
    for text, intent, words in (
        ("pytest -q tests/client", "fix auth loop", "matched 'auth' in its intent, in this session"),
        ("Auth is cut", "fix auth loop", "matched 'auth' in this session"),
        ("pytest -k authenticated", "fix auth loop", "matched 'auth' in this session"),
        ("pytest -q", "", "matched 'auth' in this session"),
    ):
        found = ranked((memory("m", text=text, intent=intent), ("auth",)))[0]
        assert explain_recall(found, here) == words
