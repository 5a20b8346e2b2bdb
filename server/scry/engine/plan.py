"""What is asked: filters, exact texts and words of a query, its intent, and the weights that follow. Pure.

    lang:go  path:internal/  type:code     only these; with `-` in front, all but these
    source:persona  domain:style           only one's own notes, or the project; only knowledge about this
    "exact text"                           only documents that hold this text
Anything else is literal text, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scry.core.knowledge import KNOWLEDGE_TYPES
from scry.core.memory.purpose import read_purpose
from scry.core.types import Filter, Intent, Question

_FILTER = re.compile(r"(?<!\S)(-?)(lang|path|type|source|domain):(\"[^\"]+\"|[^\s\"]+)(?!\S)")
_PHRASE = re.compile(r"(?<!\w)\"([^\"]*\w[^\"]*)\"(?!\w)")
_IDENTIFIER = re.compile(r"[\w$.:#-]*(?:[a-z0-9][A-Z]|_|::|\w\.\w|\(\)$)[\w$.:#()-]*|[A-Z][a-z0-9]+")

TYPES = frozenset({"code", "doc", "commit", *KNOWLEDGE_TYPES})
SOURCES = frozenset({"project", "persona"})
"""What the project holds, and what the person noted; memory is the project's."""

_VALUES = {"type": TYPES, "source": SOURCES}
"""All values of these filters; with any other the word is literal text."""

_CUES: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (
        Intent.TEMPORAL,
        re.compile(r"\b(recent|recently|lately|latest changes?|changed|last (week|month)|history)\b", re.I),
    ),
    (Intent.RATIONALE, re.compile(r"\b(why|rationale|reasons?|decided|decision|motivation|trade-?offs?)\b", re.I)),
    (Intent.MECHANISM, re.compile(r"\bhow\b", re.I)),
    (
        Intent.DEFINITION,
        re.compile(r"\b(where is|where are|what is|defined?|definition of|implemented|declared)\b", re.I),
    ),
)

INTENT_FACTORS: Mapping[Intent, Mapping[str, float]] = {
    Intent.GENERAL: {},
    Intent.TEMPORAL: {"temporal": 2.0},
    Intent.RATIONALE: {"belief": 2.0, "memory": 1.5},
    Intent.MECHANISM: {},
    Intent.DEFINITION: {},
}
"""What an intent multiplies an oracle's base weight by. Never below 1: no intent skips an oracle (F7). Raising meaning
for mechanisms or words for definitions moved nothing that could be measured, so these two are only reported."""


ASKED_OF_MEMORY = 60.0
"""What memory's weight is multiplied by for a question that asks for nothing else ("resume work"): its first ten then
stand before what words, meaning and history all put first, and its file and a name that the question mentions raise as
far as they can (30 / 70 > 3.2 / 61 * 8.1). Code stays where it is to code."""


def plan(
    text: str,
    base_weights: Mapping[str, float],
    *,
    limit: int,
    min_score: float = 0.0,
    intent: Intent | None = None,
    content_types: tuple[str, ...] = (),
    source: str = "",
    domains: tuple[str, ...] = (),
) -> Question:
    """Reads a query. base_weights: each oracle's weight, by name, in the order in which terms are summed."""
    filters, unfiltered = _take_filters(text)
    phrases = tuple(dict.fromkeys(phrase.strip() for phrase in _PHRASE.findall(unfiltered)))
    words = _PHRASE.sub(" ", unfiltered)
    chosen = intent or detect_intent(words)
    factors = {**INTENT_FACTORS[chosen]}
    if read_purpose(words).is_open:
        factors["memory"] = ASKED_OF_MEMORY
    return Question(
        text=text,
        words=" ".join(words.split()),
        phrases=phrases,
        filters=tuple(filters),
        intent=chosen,
        weights={name: weight * factors.get(name, 1.0) for name, weight in base_weights.items()},
        limit=limit,
        min_score=min_score,
        content_types=content_types,
        source=source,
        domains=domains,
    )


def _take_filters(text: str) -> tuple[list[Filter], str]:
    """The filters of a query, and what is left of it."""
    filters: list[Filter] = []

    def take(match: re.Match[str]) -> str:
        minus, field, value = match.groups()
        value = value.strip('"')
        if value not in _VALUES.get(field, (value,)):
            return match.group()
        filters.append(Filter(field, value, bool(minus)))
        return " "

    return filters, _FILTER.sub(take, text)


def without_words(text: str, limit: int) -> Question:
    """The question of a mode that asks no oracle. text: what it is about, such as a path."""
    return Question(text, "", (), (), Intent.GENERAL, {}, limit, 0.0)


def detect_intent(words: str) -> Intent:
    """What a question is after, by its words; a lone identifier asks for its definition."""
    stripped = words.strip()
    if " " not in stripped and _IDENTIFIER.fullmatch(stripped):
        return Intent.DEFINITION
    for intent, cue in _CUES:
        if cue.search(words):
            return intent
    return Intent.GENERAL
