"""Which question a document is to be explained for: the one that is given, or that of an earlier answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.types import Question
from scry.engine.answers import Answers, Kept
from scry.engine.read_params import read_again

_BY_WORDS = frozenset({"find", "recent", "why"})
"""Modes whose answers come of find's ranking of their words."""


class AskedAgain(Struct, frozen=True):
    """question: None where there is none that ranks by words; then `remark` says why. query: as it was asked, likewise.

    rank: the place that the document had in the answer, where find gave it for this project alone.
    """

    question: Question | None
    query: str | None
    remark: str = ""
    rank: int | None = None


def asked_again(
    query: str | None, query_id: str | None, doc_ids: Collection[str], answers: Sequence[Answers]
) -> AskedAgain:
    """The question given, else that of the answer named, else that of the newest answer with one of these documents.

    answers: where to look, at least one. Raises BadRequest for an empty query and for an answer that is not kept.
    """
    if query is not None:
        if not query.strip():
            raise BadRequest("query", "is empty; say what to explain it for, or leave it out")
        return AskedAgain(read_again(query, {}), query)
    if query_id is not None:
        return _of(_find(query_id, answers) or answers[0].read(query_id), answers, frozenset(doc_ids))
    kept = _newest(doc_ids, answers)
    if kept is None:
        return AskedAgain(None, None, "No answer has returned it lately; ask with a question to see its place.")
    return _of(kept, answers, frozenset(doc_ids))


def _find(query_id: str, answers: Sequence[Answers]) -> Kept | None:
    return next((kept for each in answers if (kept := each.find(query_id)) is not None), None)


def _newest(doc_ids: Iterable[str], answers: Sequence[Answers]) -> Kept | None:
    found = [kept for doc_id in doc_ids for each in answers if (kept := each.last_with(doc_id)) is not None]
    return max(found, key=lambda kept: (kept.asked.time_ms, kept.query_id), default=None)


def _of(kept: Kept, answers: Sequence[Answers], doc_ids: frozenset[str]) -> AskedAgain:
    """The question of an answer; an explanation's is that of the answer which it was asked for."""
    options, mode = kept.asked.options, kept.asked.mode
    named = options.get("query_id")
    before = _find(named, answers) if mode == "why" and isinstance(named, str) else None
    if before is not None and before.asked.mode != "why":
        return _of(before, answers, doc_ids)
    if mode in _BY_WORDS and kept.query.strip() and not options.get("reason"):
        found = (result.rank for result in kept.results if result.doc_id in doc_ids)
        rank = next(found, None) if mode == "find" and not kept.asked.roots else None
        return AskedAgain(read_again(kept.query, options), kept.query, rank=rank)
    about = f" of {kept.query}" if kept.query else ""
    return AskedAgain(None, None, f"It came up in {mode}{about}, which does not rank by words.")
