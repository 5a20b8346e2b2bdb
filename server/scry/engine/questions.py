"""Recall the question of an earlier answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.types import QueryIntent, SearchQuery
from scry.engine.activity.answer_store import AnswerArchive, StoredAnswer
from scry.engine.context import DEFAULT_LIMIT
from scry.engine.search.pipeline import BASE_ORACLE_WEIGHTS
from scry.engine.search.query import MAX_QUERY_CHARACTERS, parse_query


def question_from_options(query: str, options: Mapping[str, object], limit: int = DEFAULT_LIMIT) -> SearchQuery:
    """Return the question of an earlier answer. options: the stored parameters. limit: where none was stored."""
    intent, source, stored_limit, min_score = (options.get(name) for name in ("intent", "source", "limit", "min_score"))
    prefix = options.get("prefix")
    return parse_query(
        query[:MAX_QUERY_CHARACTERS],
        BASE_ORACLE_WEIGHTS,
        limit=stored_limit if isinstance(stored_limit, int) else limit,
        min_score=float(min_score) if isinstance(min_score, (int, float)) else 0.0,
        intent=QueryIntent(intent) if isinstance(intent, str) else None,
        content_types=_string_tuple(options.get("types")),
        source=source if isinstance(source, str) else "",
        domains=_string_tuple(options.get("domains")),
        prefix=prefix if isinstance(prefix, str) else "",
    )


def _string_tuple(value: object) -> tuple[str, ...]:
    return tuple(cast("list[str]", value)) if isinstance(value, list) else ()


_QUERY_MODES = frozenset({"find", "recent", "why"})
"""The modes whose answers depend on find's ranking."""


class RecalledQuery(Struct, frozen=True):
    """The question that a document is explained for.

    question: None where no question ranks by words; then `remark` says why. query: its text; None likewise. rank: the
    document's rank in the answer, where find gave it. is_of_several: whether several projects answered. was_used:
    whether the oracle of use found the document then.
    """

    question: SearchQuery | None
    query: str | None
    remark: str = ""
    rank: int | None = None
    is_of_several: bool = False
    was_used: bool = False


def recall_query(
    query: str | None, query_id: str | None, doc_ids: Collection[str], answers: Sequence[AnswerArchive]
) -> RecalledQuery:
    """Return the given question, else that of the named answer, else that of the newest answer with a document.

    doc_ids: of the documents to look for. answers: where to look, at least one. Raises BadRequest for an empty query
    and for an answer that is not stored.
    """
    if query is not None:
        if not query.strip():
            raise BadRequest("query", "is empty; say what to explain it for, or leave it out")
        return RecalledQuery(question_from_options(query, {}), query)
    if query_id is not None:
        named = _find_stored(query_id, answers) or answers[0].require(query_id)
        return _recall_from(named, answers, frozenset(doc_ids))
    latest = _latest_stored(doc_ids, answers)
    if latest is None:
        return RecalledQuery(None, None, "No answer has returned it lately; ask with a question to see its place.")
    return _recall_from(latest, answers, frozenset(doc_ids))


def _find_stored(query_id: str, answers: Sequence[AnswerArchive]) -> StoredAnswer | None:
    return next((stored for archive in answers if (stored := archive.get(query_id)) is not None), None)


def _latest_stored(doc_ids: Iterable[str], answers: Sequence[AnswerArchive]) -> StoredAnswer | None:
    candidates = [
        stored for doc_id in doc_ids for archive in answers if (stored := archive.latest_with(doc_id)) is not None
    ]
    return max(candidates, key=lambda stored: (stored.origin.time_ms, stored.query_id), default=None)


def _recall_from(stored: StoredAnswer, answers: Sequence[AnswerArchive], doc_ids: frozenset[str]) -> RecalledQuery:
    """Return the question of an answer; of an explanation, the question of the answer that it was asked for."""
    options, mode = stored.origin.options, stored.origin.mode
    query_id = options.get("query_id")
    explained = _find_stored(query_id, answers) if mode == "why" and isinstance(query_id, str) else None
    if explained is not None and explained.origin.mode != "why":
        return _recall_from(explained, answers, doc_ids)
    if mode in _QUERY_MODES and stored.query.strip() and not options.get("reason"):
        ranks = (rank for rank, doc_id in enumerate(stored.doc_ids, 1) if doc_id in doc_ids)
        rank = next(ranks, None) if mode == "find" else None
        was_used = rank is not None and "use" in stored.results[rank - 1].contributions
        question, is_of_several = question_from_options(stored.query, options), bool(stored.origin.roots)
        return RecalledQuery(question, stored.query, rank=rank, is_of_several=is_of_several, was_used=was_used)
    about = f" of {stored.query}" if stored.query else ""
    return RecalledQuery(None, None, f"It came up in {mode}{about}, which does not rank by words.")
