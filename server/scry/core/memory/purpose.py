"""Detect what a query wants of memory: to resume, decisions or failures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from msgspec import Struct

from scry.core.memory.types import Memory
from scry.core.text import content_terms


class RecallPurpose(str, Enum):
    """The purpose of a query for memory, apart from its words. The value is its name for people."""

    RESUME = "resume"
    DECISIONS = "decisions"
    FAILURES = "failures"


class MemoryQuery(Struct, frozen=True):
    """A query as memory reads it. purpose: None for a query about anything. terms: its other subject.

    is_generic: whether it names nothing in particular, so that whatever serves its purpose answers it. decision_topic:
    its subject, where it asks what was decided about one; code that is about the subject does not answer it.
    """

    purpose: RecallPurpose | None
    terms: tuple[str, ...]
    is_generic: bool = False
    decision_topic: tuple[str, ...] = ()


PURPOSE_PATTERNS: Mapping[RecallPurpose, re.Pattern[str]] = MappingProxyType(
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
                | (?:decided?|agreed|settled)\ (?:about|regarding)
                | what(?=\ .{0,120}\b(?:was|were|been|did|we|they|team)\ (?:decided?|agreed?|settled?)\b)
            )\b | \bdecisions\W*$ | ^\W*decisions?\ *:""",
            re.IGNORECASE | re.VERBOSE,
        ),
        RecallPurpose.FAILURES: re.compile(
            r"""\b(?:
                why\ (?:did|do|does|are|is|was|were)
                    (?=\ .{0,300}\b(?:fail(?:s|ed|ing)?|break(?:s|ing)?|broken?|red|crash(?:e[sd]|ing)?)\b)
                | what\ (?:failed|broke|crashed|went\ wrong|is\ failing|is\ broken)
                | which\ tests?\ (?:fail(?:ed|s)?|broke|are\ failing|are\ red)
                | (?:last|latest|recent)\ (?:errors?|failures?|failed\ (?:tests?|commands?|builds?))
                | what\ (?:was|were)\ the\ (?:last\ )?(?:errors?|failures?)
            )\b""",
            re.IGNORECASE | re.VERBOSE,
        ),
    }
)
"""Phrases that show a purpose."""

_PURPOSE_WORDS: Mapping[RecallPurpose, frozenset[str]] = {
    RecallPurpose.RESUME: frozenset(
        {"resume", "continue", "work", "session", "last", "previous", "left", "off", "back"}
    ),
    RecallPurpose.DECISIONS: frozenset(
        {"decide", "decided", "decision", "decisions", "made", "taken", "agree", "agreed", "settle", "settled", "team"}
    ),
    RecallPurpose.FAILURES: frozenset(
        "fail fails failed failing failure failures break breaks breaking broke broken crash crashes crashed crashing"
        " red wrong error errors last latest recent".split()
    ),
}
"""Words that state a purpose and no subject."""

_CODE_QUESTION = re.compile(r"\W*(?:how|where)\b", re.IGNORECASE)
"""How a program decides, and where it does, is in its code."""

_GENERIC_WORDS = frozenset({"test", "tests", "build", "builds", "ci", "command", "commands", "run", "everything"})
"""Words that name nothing in particular: "why did tests fail" also wants errors that do not say `test`."""

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
"""Relevance of each kind, from 0 to 1: a person who resumes work wants its summary before a list of files."""

_SUCCESS_FACTOR = 0.5
"""Factor of commands that passed: a person who resumes work wants to see first what failed."""


def parse_memory_query(question: str, explicit: RecallPurpose | None = None) -> MemoryQuery:
    """Parse a query for memory. explicit: the purpose, where the caller states it."""
    purpose = explicit or next(
        (purpose for purpose, pattern in PURPOSE_PATTERNS.items() if pattern.search(question)), None
    )
    terms = content_terms(question)
    if purpose is None:
        return MemoryQuery(None, tuple(terms))
    rest = content_terms(PURPOSE_PATTERNS[purpose].sub(" ", question)) if not explicit else terms
    about = tuple(term for term in rest if term not in _PURPOSE_WORDS[purpose])
    is_generic = set(about) <= _GENERIC_WORDS
    is_recall = purpose is RecallPurpose.DECISIONS and not is_generic and not _CODE_QUESTION.match(question)
    return MemoryQuery(purpose, about, is_generic, about if is_recall else ())


def purpose_relevance(purpose: RecallPurpose, memory: Memory) -> float:
    """Return the relevance of a memory for a purpose by its kind and outcome, from 0 to 1."""
    relevance = _KIND_RELEVANCE[purpose].get(memory.kind, 0.0)
    if purpose is RecallPurpose.DECISIONS and memory.kind == "summary":
        return relevance if DECISION_PREFIX in memory.text else 0.0
    if memory.failed or memory.kind not in ("test", "command"):
        return relevance
    return relevance * _SUCCESS_FACTOR if purpose is RecallPurpose.RESUME else 0.0


DECISION_PREFIX = "Decided: "
"""Prefix of the lines of a summary that state decisions."""
