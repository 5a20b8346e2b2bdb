"""Parse a query into filters, phrases, words, intent and oracle weights. Pure.

What is asked: filters, exact texts and words of a query, its intent, and the weights that follow. Pure.

    lang:go  path:internal/  type:code     only these; with `-` in front, all but these
    source:persona  domain:style           only one's own notes, or the project; only knowledge about this
    "exact text"                           only documents that hold this text
Anything else is literal text, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scry.core.knowledge import KNOWLEDGE_TYPES
from scry.core.memory.purpose import parse_memory_query
from scry.core.types import QueryFilter, QueryIntent, SearchQuery

_FILTER_PATTERN = re.compile(r"(?<!\S)(-?)(lang|path|type|source|domain):(\"[^\"]+\"|[^\s\"]+)(?!\S)")
_PHRASE_PATTERN = re.compile(r"(?<!\w)\"([^\"]*\w[^\"]*)\"(?!\w)")
_IDENTIFIER_PATTERN = re.compile(r"[\w$.:#-]*(?:[a-z0-9][A-Z]|_|::|\w\.\w|\(\)$)[\w$.:#()-]*|[A-Z][a-z0-9]+")

CONTENT_TYPES = frozenset({"code", "doc", "commit", *KNOWLEDGE_TYPES})
KNOWLEDGE_SOURCES = frozenset({"project", "persona"})
"""What the project holds, and what the person noted; memory is the project's."""

_ALLOWED_FILTER_VALUES = {"type": CONTENT_TYPES, "source": KNOWLEDGE_SOURCES}
"""All values of these filters; with any other the word is literal text."""

_INTENT_PATTERNS: tuple[tuple[QueryIntent, re.Pattern[str]], ...] = (
    (
        QueryIntent.TEMPORAL,
        re.compile(r"\b(recent|recently|lately|latest changes?|changed|last (week|month)|history)\b", re.I),
    ),
    (QueryIntent.RATIONALE, re.compile(r"\b(why|rationale|reasons?|decided|decision|motivation|trade-?offs?)\b", re.I)),
    (QueryIntent.MECHANISM, re.compile(r"\bhow\b", re.I)),
    (
        QueryIntent.DEFINITION,
        re.compile(r"\b(where is|where are|what is|defined?|definition of|implemented|declared)\b", re.I),
    ),
)

INTENT_WEIGHT_FACTORS: Mapping[QueryIntent, Mapping[str, float]] = {
    QueryIntent.GENERAL: {},
    QueryIntent.TEMPORAL: {"temporal": 2.0},
    QueryIntent.RATIONALE: {"belief": 2.0, "memory": 1.5},
    QueryIntent.MECHANISM: {},
    QueryIntent.DEFINITION: {},
}
"""What an intent multiplies an oracle's base weight by. Never below 1: no intent skips an oracle (F7). Raising meaning
for mechanisms or words for definitions moved nothing that could be measured, so these two are only reported."""


MEMORY_QUESTION_FACTOR = 60.0
"""What memory's weight is multiplied by for a question that asks for nothing else ("resume work"): its first ten then
stand before what words, meaning and history all put first, and its file and a name that the question mentions raise as
far as they can (30 / 70 > 3.2 / 61 * 8.1). Code stays where it is to code."""


def parse_query(
    text: str,
    base_weights: Mapping[str, float],
    *,
    limit: int,
    min_score: float = 0.0,
    intent: QueryIntent | None = None,
    content_types: tuple[str, ...] = (),
    source: str = "",
    domains: tuple[str, ...] = (),
) -> SearchQuery:
    """Reads a query. base_weights: each oracle's weight, by name, in the order in which terms are summed."""
    filters, unfiltered = _extract_filters(text)
    phrases = tuple(dict.fromkeys(phrase.strip() for phrase in _PHRASE_PATTERN.findall(unfiltered)))
    words = _PHRASE_PATTERN.sub(" ", unfiltered)
    chosen = intent or detect_intent(words)
    factors = {**INTENT_WEIGHT_FACTORS[chosen]}
    if parse_memory_query(words).is_generic:
        factors["memory"] = MEMORY_QUESTION_FACTOR
    return SearchQuery(
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


def _extract_filters(text: str) -> tuple[list[QueryFilter], str]:
    """The filters of a query, and what is left of it."""
    filters: list[QueryFilter] = []

    def take(match: re.Match[str]) -> str:
        minus, field, value = match.groups()
        value = value.strip('"')
        if value not in _ALLOWED_FILTER_VALUES.get(field, (value,)):
            return match.group()
        filters.append(QueryFilter(field, value, bool(minus)))
        return " "

    return filters, _FILTER_PATTERN.sub(take, text)


def browse_question(text: str, limit: int) -> SearchQuery:
    """The question of a mode that asks no oracle. text: what it is about, such as a path."""
    return SearchQuery(text, "", (), (), QueryIntent.GENERAL, {}, limit, 0.0)


def detect_intent(words: str) -> QueryIntent:
    """What a question is after, by its words; a lone identifier asks for its definition."""
    stripped = words.strip()
    if " " not in stripped and _IDENTIFIER_PATTERN.fullmatch(stripped):
        return QueryIntent.DEFINITION
    for intent, cue in _INTENT_PATTERNS:
        if cue.search(words):
            return intent
    return QueryIntent.GENERAL
