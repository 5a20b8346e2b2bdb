"""What a question wants of memory: to go on where one was, to know what was decided, or what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from msgspec import Struct

from scry.core.memory.types import Memory
from scry.core.text import content_terms


class Purpose(str, Enum):
    """What a question is after, apart from its words. The value is how a person names it."""

    RESUME = "resume"
    DECISIONS = "decisions"
    FAILURES = "failures"


class Wanted(Struct, frozen=True):
    """purpose: None for a question that may be about anything. terms: what it is about besides.

    is_open: whether it names nothing in particular, so that whatever serves its purpose answers it.
    """

    purpose: Purpose | None
    terms: tuple[str, ...]
    is_open: bool = False


_CUES: Mapping[Purpose, re.Pattern[str]] = MappingProxyType(
    {
        Purpose.RESUME: re.compile(
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
        Purpose.DECISIONS: re.compile(
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
        Purpose.FAILURES: re.compile(
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

_NAMING_THE_PURPOSE: Mapping[Purpose, frozenset[str]] = {
    Purpose.RESUME: frozenset({"resume", "continue", "work", "session", "last", "previous", "left", "off", "back"}),
    Purpose.DECISIONS: frozenset({"decide", "decided", "decision", "decisions", "made", "taken", "agreed", "settled"}),
    Purpose.FAILURES: frozenset(
        "fail fails failed failing failure failures break breaks breaking broke broken crash crashes crashed crashing"
        " red wrong error errors last latest recent".split()
    ),
}
"""Words that only say what is wanted."""

_IN_GENERAL = frozenset({"test", "tests", "build", "builds", "ci", "command", "commands", "run", "everything"})
"""Words that name nothing in particular: who asks why tests failed wants the errors that do not say `test`, too."""

_SERVED_BY: Mapping[Purpose, Mapping[str, float]] = {
    Purpose.RESUME: {
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
    Purpose.DECISIONS: {"decision": 1.0, "summary": 1.0},
    Purpose.FAILURES: {"error": 1.0, "test": 1.0, "command": 0.8},
}
"""How well each kind answers, from 0 to 1: who comes back to some work wants its summary before a list of files."""

_OF_WHAT_WENT_WELL = 0.5
"""Who comes back wants to know what failed, before the commands that passed."""


def read_purpose(question: str, told: Purpose | None = None) -> Wanted:
    """What a question wants of memory. told: what the asker says it is after."""
    purpose = told or next((purpose for purpose, cue in _CUES.items() if cue.search(question)), None)
    asked = content_terms(question)
    if purpose is None:
        return Wanted(None, tuple(asked))
    rest = content_terms(_CUES[purpose].sub(" ", question)) if not told else asked
    about = tuple(term for term in rest if term not in _NAMING_THE_PURPOSE[purpose])
    return Wanted(purpose, about, is_open=set(about) <= _IN_GENERAL)


def serves(purpose: Purpose, memory: Memory) -> float:
    """How well a memory answers such a question by what it is, from 0 to 1."""
    worth = _SERVED_BY[purpose].get(memory.kind, 0.0)
    if purpose is Purpose.DECISIONS and memory.kind == "summary":
        return worth if DECIDED in memory.text else 0.0
    if memory.failed or memory.kind not in ("test", "command"):
        return worth
    return worth * _OF_WHAT_WENT_WELL if purpose is Purpose.RESUME else 0.0


DECIDED = "Decided: "
"""Begins the lines of a summary that tell decisions."""
