"""The question that params ask, or that those of an earlier answer asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from scry.core.errors import BadRequest
from scry.core.types import Intent, Question
from scry.engine.find import BASE_WEIGHTS
from scry.engine.plan import plan
from scry_protocol.messages import FindParams, RecentParams

MOST_QUERY_CHARACTERS = 1_000_000
"""A longer query is cut: what follows could not change an answer."""

_DEFAULT_LIMIT = FindParams("").limit


def read_find(params: FindParams) -> Question:
    """Raises BadRequest for a query without words."""
    if not params.query.strip():
        raise BadRequest("query", "is empty; say what to look for")
    intent = Intent(params.intent) if params.intent else None
    return _plan(params.query, params.limit, intent, tuple(params.types), params.min_score)


def read_recent(params: RecentParams) -> Question:
    """Who asks for what is recent asks what happened: commits are as welcome as code."""
    return _plan(params.query, params.limit, Intent.TEMPORAL, tuple(params.types))


def read_again(query: str, options: Mapping[str, object]) -> Question:
    """The question of an earlier answer, by the options that were kept of its params."""
    intent, types, limit = options.get("intent"), options.get("types"), options.get("limit")
    return _plan(
        query,
        limit if isinstance(limit, int) else _DEFAULT_LIMIT,
        Intent(intent) if isinstance(intent, str) else None,
        tuple(cast("list[str]", types)) if isinstance(types, list) else (),
    )


def _plan(query: str, limit: int, intent: Intent | None, types: tuple[str, ...], min_score: float = 0.0) -> Question:
    text = query[:MOST_QUERY_CHARACTERS]
    return plan(text, BASE_WEIGHTS, limit=limit, min_score=min_score, intent=intent, content_types=types)
