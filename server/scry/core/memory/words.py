"""The words by which a memory is found: its own, and those for what it is."""

from __future__ import annotations

import re

from scry.core.memory.types import Observation
from scry.core.text import tokenize

_TEST_RUNNER = re.compile(
    r"(?:^|[\s;&|/(])(?:pytest|py\.test|tox|nox|unittest|jest|vitest|mocha|ava|karma|playwright|cypress|rspec|minitest"
    r"|phpunit|pest|ctest|gtest|busted|(?:cargo|go|npm|yarn|pnpm|bun|deno|dotnet|mvn|gradle|gradlew|mix|swift|make|rake"
    r"|composer|bazel|zig|stack|cabal|flutter|dart|sbt|lein|just|task)(?:\s+run)?\s+(?:nex)?test)\b"
)
"""Commands that run tests, of the usual languages."""

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
"""Characters of a detail that count, from its end: there stands what went wrong."""


def is_test_command(command: str) -> bool:
    """Whether a command line is one that runs tests."""
    return _TEST_RUNNER.search(command) is not None


def observation_terms(observation: Observation, intent: str) -> list[str]:
    """The distinct terms, in order. intent: what the observation was made for."""
    failed = observation.outcome == "failed" or bool(observation.status)
    of_kind = [_KIND_TERMS[observation.kind], "failed error" if failed else ""]
    if observation.kind == "command" and is_test_command(observation.text):
        of_kind.append("test")
    parts = (observation.text, *observation.refs, *of_kind, intent, observation.detail[-_MAX_DETAIL_CHARACTERS:])
    return list(dict.fromkeys(tokenize(" ".join(parts))))
