"""Derive the search terms of an observation and the summary of a piece of work.

Both are made without a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scry.core.memory.purpose import DECISION_PREFIX
from scry.core.memory.types import Memory, Observation
from scry.core.text import tokenize

_TEST_RUNNER = re.compile(
    r"(?:^|[\s;&|/(])(?:pytest|py\.test|tox|nox|unittest|jest|vitest|mocha|ava|karma|playwright|cypress|rspec|minitest"
    r"|phpunit|pest|ctest|gtest|busted|(?:cargo|go|npm|yarn|pnpm|bun|deno|dotnet|mvn|gradle|gradlew|mix|swift|make|rake"
    r"|composer|bazel|zig|stack|cabal|flutter|dart|sbt|lein|just|task)(?:\s+run)?\s+(?:nex)?test)\b"
)
"""Commands that run tests, in the usual languages."""

_KIND_TERMS = {
    "error": "error failed",
    "test": "test",
    "decision": "decision decided",
    "edit": "edited",
    "jump": "opened",
    "commit": "commit committed",
    "command": "command",
    "note": "note",
    "message": "message",
    "summary": "summary",
}

_MAX_DETAIL_CHARACTERS = 4_000
"""Characters of a detail that are searched, from its end, where errors stand."""


def is_test_command(command: str) -> bool:
    """Return whether a command line runs tests."""
    return _TEST_RUNNER.search(command) is not None


def observation_terms(observation: Observation, intent: str) -> list[str]:
    """Return the distinct search terms of an observation, in order. intent: of the work that it was made in."""
    failed = observation.outcome == "failed" or bool(observation.status)
    of_kind = [_KIND_TERMS[observation.kind], "failed error" if failed else ""]
    if observation.kind == "command" and is_test_command(observation.text):
        of_kind.append("test")
    parts = (observation.text, *observation.refs, *of_kind, intent, observation.detail[-_MAX_DETAIL_CHARACTERS:])
    return list(dict.fromkeys(tokenize(" ".join(parts))))


_MAX_FAILURES, _MAX_FILES, _MAX_COMMITS, _MAX_NOTES = 3, 8, 5, 3
_MAX_LINE_LENGTH = 200

_TEST_REPORT = re.compile(r"\d+ tests? in (.+), \d+ failed(?:, \d+ skipped)?")
"""The line for a whole test report (index.notes.junit), after its failed tests."""


def summarize_work(intent: str, memories: Sequence[Memory]) -> str:
    """Summarize a piece of work for whoever resumes it: intent, decisions, last failures, commits, edited files.

    memories: of the work, in order of time. The summary is empty where there are none.
    """
    facts = [memory for memory in memories if memory.kind != "summary"]
    if not facts:
        return ""
    parts = [
        [f"Intent: {intent}"] if intent else [],
        [DECISION_PREFIX + _one_line(each) for each in facts if each.kind == "decision"],
        [f"Failed: {_describe_failure(each)}" for each in _last_failures(facts)],
        [f"Noted: {_one_line(each)}" for each in facts if each.kind in ("note", "message")][-_MAX_NOTES:],
        [f"Committed: {_one_line(each)}" for each in facts if each.kind == "commit"][-_MAX_COMMITS:],
        _describe_edited_files(facts),
    ]
    return "\n".join(line for part in parts for line in part)


def _last_failures(memories: Sequence[Memory]) -> list[Memory]:
    """Return the last failures, each once, that no later success of the same text resolved.

    The failures of a test report stand until the next report of that name; the report's own line is replaced by its
    failed tests.
    """
    last: dict[str, Memory] = {}
    by_report: dict[str, list[str]] = {}
    in_report: list[str] = []
    for each in memories:
        if each.kind not in ("command", "error", "test"):
            continue
        last.pop(each.text, None)
        report = _TEST_REPORT.fullmatch(each.text) if each.kind == "test" else None
        if report is None or not in_report:
            last[each.text] = each
            in_report += [each.text] if each.kind == "test" else []
        if report is not None:
            for text in set(by_report.get(report[1], ())) - set(in_report):
                last.pop(text, None)
            by_report[report[1]], in_report = in_report, []
    return [each for each in last.values() if each.failed][-_MAX_FAILURES:]


def _describe_failure(memory: Memory) -> str:
    status = f" (exit {memory.status})" if memory.status else ""
    return f"{_one_line(memory)}{status}"


def _describe_edited_files(memories: Sequence[Memory]) -> list[str]:
    """Return a line naming the edited files, the last first; none without edits."""
    paths = dict.fromkeys(each.text for each in reversed(memories) if each.kind == "edit")
    shown = ", ".join(list(paths)[:_MAX_FILES])
    more = f" and {len(paths) - _MAX_FILES} more" if len(paths) > _MAX_FILES else ""
    return [f"Files: {shown}{more}"] if paths else []


def _one_line(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[: _MAX_LINE_LENGTH - 1]}…"
