"""A query without options runs as if the parser had parsed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scry.surfaces.cli import COMMANDS, ask_plain_question, parse_plain_question, run_command
from scry.surfaces.cli import run as plain
from scry.surfaces.cli.engines import DefaultQuestionOptions
from scry.surfaces.cli.questions import QuestionOptions, find
from scry.surfaces.cli.run import suggest_command

ODD_WORDS = ("find", "status", "lang:go", '"exact text"', "a=b", "*", "@file", "\udcff")
WORD = st.text(max_size=8) | st.sampled_from(ODD_WORDS)


class _Engine:
    """Record the call."""

    def __init__(self) -> None:
        self.calls: list[object] = []

    def find(self, *calls: object) -> None:
        self.calls += calls


def _recorded_calls(ask: Callable[[], int], module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the request and its manner in the engine's words, then how the answer is shown, by name."""
    engine = _Engine()

    def note(
        question: Callable[[_Engine], object],
        manner: QuestionOptions | DefaultQuestionOptions,
        *,
        with_graph: bool = False,
    ) -> int:
        assert not with_graph
        question(engine)
        engine.calls.append({name: getattr(manner, name) for name in DefaultQuestionOptions.__struct_fields__})
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(module, "ask", note)
        assert ask() == 0
    return engine.calls


@given(words=st.lists(WORD, min_size=1, max_size=4))
@example(words=["where is it"])
@example(words=["find", "find"])
@example(words=["find", "status"])
@example(words=[""])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_plain_question_equals_the_parsed_command(words: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    question = parse_plain_question(words)
    if question is None:
        return
    plainly = _recorded_calls(lambda: ask_plain_question(question), plain, monkeypatch)
    assert len(plainly) == 3
    assert plainly == _recorded_calls(lambda: run_command(words), find, monkeypatch)


def test_plain_question_has_every_question_option() -> None:
    assert DefaultQuestionOptions.__struct_fields__ == tuple(QuestionOptions.__annotations__)


@pytest.mark.parametrize(
    "words", [[], ["find"], ["--help"], ["-x"], ["a question", "--json"], ["find", "--", "-x"], ["find", "a", "-1"]]
)
def test_other_command_lines_are_left_to_the_parser(words: Sequence[str]) -> None:
    assert parse_plain_question(words) is None


def test_a_command_is_left_to_the_parser() -> None:
    assert {name: parse_plain_question([name, "x"]) for name in COMMANDS} == dict.fromkeys(COMMANDS) | {"find": "x"}


@pytest.mark.parametrize(
    ("word", "command"),
    [
        *(
            ("statsu", "status"),
            ("statu", "status"),
            ("sstatus", "status"),
            ("stotus", "status"),
            ("reccent", "recent"),
        ),
        *(("neighbor", "neighbors"), ("serveh", "serve"), ("status", ""), ("st", ""), ("retry", ""), ("sattsu", "")),
        *(("", ""), ("statu?", ""), ("ls", "")),  # near lsp: two letters say too little
    ],
)
def test_mistyped_command_is_told(word: str, command: str) -> None:
    assert suggest_command(word) == (
        f"scry: this searched for the word {word}; the command is scry {command}\n" if command else ""
    )


def test_word_that_asks_for_help_is_told_the_option() -> None:
    assert suggest_command("help") == "scry: this searched for the word help; the option is scry --help\n"
