"""Detect what a query wants of memory: to resume, decisions or failures.

What a question wants of memory: to go on where one was, to know what was decided, or what went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from msgspec import Struct

from scry.core.memory.types import Memory
from scry.core.text import content_terms


class RecallPurpose(str, Enum):
    """What a question is after, apart from its words. The value is how a person names it."""

    RESUME = "resume"
    DECISIONS = "decisions"
    FAILURES = "failures"


class MemoryQuery(Struct, frozen=True):
    """purpose: None for a question that may be about anything. terms: what it is about besides.

    is_open: whether it names nothing in particular, so that whatever serves its purpose answers it.
    """

    purpose: RecallPurpose | None
    terms: tuple[str, ...]
    is_generic: bool = False


_PURPOSE_PATTERNS: Mapping[RecallPurpose, re.Pattern[str]] = MappingProxyType(
    {
        RecallPurpose.RESUME: re.compile(
            r"""\b(?:
                (?:resume|continue|get\ back\ to|(?:go|carry)\ on\ with)\ (?:(?:my|our|the)\ )?(?:(?:last|previous)\ )?
                    (?:work|session|task)
                | pick(?:ing)?\ up\ where\ (?:i|we)\ left(?:\ off)?
                | (?:where|what)\ (?:was|were|did)\ (?:i|we)\ (?:leave|left|stop|doing|working\ on|up\ to)(?:\ off)?
                | where\ (?:was|were)\ (?:i|we)
                | what\ (?:did|have)\ (?:i|we)\ (?:do|done)(?:\ (?:last|yesterday|today|so\ far|lately))?
                | (?:last|previous)\ session
            )\b | ^\W*resume\W*$""",
            re.IGNORECASE | re.VERBOSE,
        ),
        RecallPurpose.DECISIONS: re.compile(
            r"""\b(?:
                (?:what|which|why)(?:\ \w+)?\ (?:was|were|is|has\ been|have\ been|did\ (?:we|i|you|they)|have\ we|we)
                    \ (?:decided?|agreed?|settled?)(?:\ on)?
                | (?:what|which|all|list|show)(?:\ (?:the|our))?\ decisions?
                    (?:\ (?:was|were|have\ been)\ (?:made|taken))?
                | why\ was\ it\ decided
                | decisions?\ (?:on|about|for|made|taken|regarding)
            )\b""",
            re.IGNORECASE | re.VERBOSE,
        ),
        RecallPurpose.FAILURES: re.compile(
            r"""\b(?:
                why\ (?:did|do|does|are|is|was|were)
                    (?=\ .*\b(?:fail(?:s|ed|ing)?|break(?:s|ing)?|broken?|red|crash(?:e[sd]|ing)?)\b)
                | what\ (?:failed|broke|crashed|went\ wrong|is\ failing|is\ broken)
                | which\ tests?\ (?:fail(?:ed|s)?|broke|are\ failing|are\ red)
                | (?:last|latest|recent)\ (?:errors?|failures?|failed\ (?:tests?|commands?|builds?))
                | what\ (?:was|were)\ the\ (?:last\ )?(?:errors?|failures?)
            )\b""",
            re.IGNORECASE | re.VERBOSE,
        ),
    }
)
"""How people ask for it."""

_PURPOSE_WORDS: Mapping[RecallPurpose, frozenset[str]] = {
    RecallPurpose.RESUME: frozenset(
        {"resume", "continue", "work", "session", "last", "previous", "left", "off", "back"}
    ),
    RecallPurpose.DECISIONS: frozenset(
        {"decide", "decided", "decision", "decisions", "made", "taken", "agreed", "settled"}
    ),
    RecallPurpose.FAILURES: frozenset(
        "fail fails failed failing failure failures break breaks breaking broke broken crash crashes crashed crashing"
        " red wrong error errors last latest recent".split()
    ),
}
"""Words that only say what is wanted."""

_GENERIC_WORDS = frozenset({"test", "tests", "build", "builds", "ci", "command", "commands", "run", "everything"})
"""Words that name nothing in particular: who asks why tests failed wants the errors that do not say `test`, too."""

_KIND_RELEVANCE: Mapping[RecallPurpose, Mapping[str, float]] = {
    RecallPurpose.RESUME: {
        "summary": 1.0,
        "decision": 0.9,
        "error": 0.8,
        "test": 0.8,
        "command": 0.8,
        "note": 0.7,
        "message": 0.7,
        "commit": 0.6,
        "edit": 0.5,
    },
    RecallPurpose.DECISIONS: {"decision": 1.0, "summary": 1.0},
    RecallPurpose.FAILURES: {"error": 1.0, "test": 1.0, "command": 0.8},
}
"""How well each kind answers, from 0 to 1: who comes back to some work wants its summary before a list of files."""

_SUCCESS_FACTOR = 0.5
"""Who comes back wants to know what failed, before the commands that passed."""


def parse_memory_query(question: str, explicit: RecallPurpose | None = None) -> MemoryQuery:
    """What a question wants of memory. told: what the asker says it is after."""
    purpose = explicit or next((purpose for purpose, cue in _PURPOSE_PATTERNS.items() if cue.search(question)), None)
    asked = content_terms(question)
    if purpose is None:
        return MemoryQuery(None, tuple(asked))
    rest = content_terms(_PURPOSE_PATTERNS[purpose].sub(" ", question)) if not explicit else asked
    about = tuple(term for term in rest if term not in _PURPOSE_WORDS[purpose])
    return MemoryQuery(purpose, about, is_generic=set(about) <= _GENERIC_WORDS)


def purpose_relevance(purpose: RecallPurpose, memory: Memory) -> float:
    """How well a memory answers such a question by what it is, from 0 to 1."""
    worth = _KIND_RELEVANCE[purpose].get(memory.kind, 0.0)
    if purpose is RecallPurpose.DECISIONS and memory.kind == "summary":
        return worth if DECISION_PREFIX in memory.text else 0.0
    if memory.failed or memory.kind not in ("test", "command"):
        return worth
    return worth * _SUCCESS_FACTOR if purpose is RecallPurpose.RESUME else 0.0


DECISION_PREFIX = "Decided: "
"""Begins the lines of a summary that tell decisions."""
