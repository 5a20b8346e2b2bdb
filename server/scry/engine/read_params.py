"""The question that params ask, or that those of an earlier answer asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from scry.core.errors import BadRequest
from scry.core.types import QueryIntent, SearchQuery
from scry.engine.find import BASE_ORACLE_WEIGHTS
from scry.engine.plan import parse_query
from scry_protocol.messages import FindParams, RecentParams

MAX_QUERY_CHARACTERS = 1_000_000
"""A longer query is cut: what follows could not change an answer."""

_DEFAULT_LIMIT = FindParams("").limit


def question_from_find(params: FindParams) -> SearchQuery:
    """Raises BadRequest for a query without words."""
    if not params.query.strip():
        raise BadRequest("query", "is empty; say what to look for")
    return _parse_params(params, QueryIntent(params.intent) if params.intent else None, params.min_score)


def question_from_recent(params: RecentParams) -> SearchQuery:
    """Who asks for what is recent asks what happened: commits are as welcome as code."""
    return _parse_params(params, QueryIntent.TEMPORAL)


def question_from_options(query: str, options: Mapping[str, object], limit: int = _DEFAULT_LIMIT) -> SearchQuery:
    """The question of an earlier answer, by the options that were kept of its params. limit: where none was kept."""
    intent, source, asked, least = (options.get(name) for name in ("intent", "source", "limit", "min_score"))
    return parse_query(
        query[:MAX_QUERY_CHARACTERS],
        BASE_ORACLE_WEIGHTS,
        limit=asked if isinstance(asked, int) else limit,
        min_score=float(least) if isinstance(least, (int, float)) else 0.0,
        intent=QueryIntent(intent) if isinstance(intent, str) else None,
        content_types=_string_tuple(options.get("types")),
        source=source if isinstance(source, str) else "",
        domains=_string_tuple(options.get("domains")),
    )


def _string_tuple(value: object) -> tuple[str, ...]:
    return tuple(cast("list[str]", value)) if isinstance(value, list) else ()


def _parse_params(params: FindParams | RecentParams, intent: QueryIntent | None, min_score: float = 0.0) -> SearchQuery:
    return parse_query(
        params.query[:MAX_QUERY_CHARACTERS],
        BASE_ORACLE_WEIGHTS,
        limit=params.limit,
        min_score=min_score,
        intent=intent,
        content_types=tuple(params.types),
        source=params.source or "",
        domains=tuple(params.domains),
    )


def reject_knowledge_params(params: FindParams) -> None:
    """A relational question is about code alone. Raises BadRequest where it asks for knowledge."""
    if params.domains:
        raise BadRequest("domains", "relational questions are about code, which is about no domain; leave it out")
    if params.source == "persona":
        raise BadRequest("source", "relational questions are about code, of which your own notes are none")
