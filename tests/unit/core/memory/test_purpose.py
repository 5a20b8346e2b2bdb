from __future__ import annotations

import pytest

from scry.core.memory import RecallPurpose, parse_memory_query


@pytest.mark.parametrize(
    ("question", "purpose", "terms"),
    [
        ("resume work", RecallPurpose.RESUME, ()),
        ("Resume", RecallPurpose.RESUME, ()),
        ("what was I working on?", RecallPurpose.RESUME, ()),
        ("pick up where we left off", RecallPurpose.RESUME, ()),
        ("what was decided", RecallPurpose.DECISIONS, ()),
        ("what did we decide about auth", RecallPurpose.DECISIONS, ("auth",)),
        ("why was it decided to use JWT", RecallPurpose.DECISIONS, ("use", "jwt")),
        ("about caching: what was decided?", RecallPurpose.DECISIONS, ("caching",)),
        ("what about caching was decided", RecallPurpose.DECISIONS, ("caching",)),
        ("what did the team decide about caching", RecallPurpose.DECISIONS, ("caching",)),
        ("was anything decided about caching?", RecallPurpose.DECISIONS, ("anything", "caching")),
        ("caching decisions", RecallPurpose.DECISIONS, ("caching",)),
        ("decision: caching", RecallPurpose.DECISIONS, ("caching",)),
        ("decision tree of the parser", None, ("decision", "tree", "parser")),
        ("why did tests fail", RecallPurpose.FAILURES, ("tests",)),
        ("which tests failed", RecallPurpose.FAILURES, ()),
        ("last errors", RecallPurpose.FAILURES, ()),
        ("why does the parser fail on empty input", RecallPurpose.FAILURES, ("parser", "empty", "input")),
        ("where do we resume a download", None, ("resume", "download")),
        ("continue statement in loop", None, ("continue", "statement", "loop")),
        ("error handling in the parser", None, ("error", "handling", "parser")),
        ("how does session handling work", None, ("session", "handling", "work")),
    ],
)
def test_query_purpose_and_terms_are_recognised(
    question: str, purpose: RecallPurpose | None, terms: tuple[str, ...]
) -> None:
    wanted = parse_memory_query(question)
    assert wanted.purpose is purpose
    assert wanted.terms == terms


def test_questions_about_tests_have_no_purpose() -> None:
    assert parse_memory_query("why did tests fail").is_generic
    assert parse_memory_query("what was decided").is_generic
    assert not parse_memory_query("why did the parser fail").is_generic
    assert not parse_memory_query("parser").is_generic


def test_purpose_can_be_set_explicitly() -> None:
    wanted = parse_memory_query("parser", RecallPurpose.FAILURES)
    assert (wanted.purpose, wanted.terms) == (RecallPurpose.FAILURES, ("parser",))


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("what was decided about caching", ("caching",)),
        ("caching: which decisions were made?", ("caching",)),
        ("what was decided", ()),
        ("where are decisions about caching made", ()),
        ("how is it decided what we agreed on for the cache", ()),
        ("why does caching fail", ()),
    ],
)
def test_topic_of_a_decision_is_what_was_decided_about(question: str, topic: tuple[str, ...]) -> None:
    assert parse_memory_query(question).decision_topic == topic
