from __future__ import annotations

import pytest

from scry.core.memory.purpose import Purpose, read_purpose


@pytest.mark.parametrize(
    ("question", "purpose", "terms"),
    [
        ("resume work", Purpose.RESUME, ()),
        ("Resume", Purpose.RESUME, ()),
        ("what was I working on?", Purpose.RESUME, ()),
        ("pick up where we left off", Purpose.RESUME, ()),
        ("what was decided", Purpose.DECISIONS, ()),
        ("what did we decide about auth", Purpose.DECISIONS, ("auth",)),
        ("why was it decided to use JWT", Purpose.DECISIONS, ("use", "jwt")),
        ("why did tests fail", Purpose.FAILURES, ("tests",)),
        ("which tests failed", Purpose.FAILURES, ()),
        ("last errors", Purpose.FAILURES, ()),
        ("why does the parser fail on empty input", Purpose.FAILURES, ("parser", "empty", "input")),
        ("where do we resume a download", None, ("resume", "download")),
        ("continue statement in loop", None, ("continue", "statement", "loop")),
        ("error handling in the parser", None, ("error", "handling", "parser")),
        ("how does session handling work", None, ("session", "handling", "work")),
    ],
)
def test_what_a_question_wants(question: str, purpose: Purpose | None, terms: tuple[str, ...]) -> None:
    wanted = read_purpose(question)
    assert wanted.purpose is purpose
    assert wanted.terms == terms


def test_tests_are_nothing_in_particular() -> None:
    assert read_purpose("why did tests fail").is_open
    assert read_purpose("what was decided").is_open
    assert not read_purpose("why did the parser fail").is_open
    assert not read_purpose("parser").is_open


def test_the_asker_may_say_what_is_wanted() -> None:
    wanted = read_purpose("parser", Purpose.FAILURES)
    assert (wanted.purpose, wanted.terms) == (Purpose.FAILURES, ("parser",))
