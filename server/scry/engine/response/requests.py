"""Convert request parameters, or those of a stored answer, to a question.

The question that params ask, or that those of an earlier answer asked.

Which question a document is to be explained for: the one that is given, or that of an earlier answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.types import QueryIntent, SearchQuery
from scry.engine.activity.answer_store import AnswerArchive, StoredAnswer
from scry.engine.search.pipeline import BASE_ORACLE_WEIGHTS
from scry.engine.search.query import parse_query
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


_QUERY_MODES = frozenset({"find", "recent", "why"})
"""Modes whose answers come of find's ranking of their words."""


class RecalledQuery(Struct, frozen=True):
    """question: None where there is none that ranks by words; then `remark` says why. query: as it was asked, likewise.

    rank: the place that the document had in the answer, where find gave it for this project alone.
    """

    question: SearchQuery | None
    query: str | None
    remark: str = ""
    rank: int | None = None


def recall_query(
    query: str | None, query_id: str | None, doc_ids: Collection[str], answers: Sequence[AnswerArchive]
) -> RecalledQuery:
    """The question given, else that of the answer named, else that of the newest answer with one of these documents.

    answers: where to look, at least one. Raises BadRequest for an empty query and for an answer that is not kept.
    """
    if query is not None:
        if not query.strip():
            raise BadRequest("query", "is empty; say what to explain it for, or leave it out")
        return RecalledQuery(question_from_options(query, {}), query)
    if query_id is not None:
        return _recall_from(
            _find_stored(query_id, answers) or answers[0].require(query_id), answers, frozenset(doc_ids)
        )
    kept = _latest_stored(doc_ids, answers)
    if kept is None:
        return RecalledQuery(None, None, "No answer has returned it lately; ask with a question to see its place.")
    return _recall_from(kept, answers, frozenset(doc_ids))


def _find_stored(query_id: str, answers: Sequence[AnswerArchive]) -> StoredAnswer | None:
    return next((kept for each in answers if (kept := each.get(query_id)) is not None), None)


def _latest_stored(doc_ids: Iterable[str], answers: Sequence[AnswerArchive]) -> StoredAnswer | None:
    found = [kept for doc_id in doc_ids for each in answers if (kept := each.latest_with(doc_id)) is not None]
    return max(found, key=lambda kept: (kept.asked.time_ms, kept.query_id), default=None)


def _recall_from(stored: StoredAnswer, answers: Sequence[AnswerArchive], doc_ids: frozenset[str]) -> RecalledQuery:
    """The question of an answer; an explanation's is that of the answer which it was asked for."""
    options, mode = stored.asked.options, stored.asked.mode
    named = options.get("query_id")
    before = _find_stored(named, answers) if mode == "why" and isinstance(named, str) else None
    if before is not None and before.asked.mode != "why":
        return _recall_from(before, answers, doc_ids)
    if mode in _QUERY_MODES and stored.query.strip() and not options.get("reason"):
        found = (result.rank for result in stored.results if result.doc_id in doc_ids)
        rank = next(found, None) if mode == "find" and not stored.asked.roots else None
        return RecalledQuery(question_from_options(stored.query, options), stored.query, rank=rank)
    about = f" of {stored.query}" if stored.query else ""
    return RecalledQuery(None, None, f"It came up in {mode}{about}, which does not rank by words.")
