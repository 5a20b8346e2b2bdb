"""What is logged of an answer and of what is done with it. docs/events.md describes these bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from scry import __version__
from scry.core.events import FEEDBACK, QUERY, USE, LogEvent
from scry.core.text import escape_unencodable
from scry.engine.answers import AnswerOrigin, StoredAnswer, now_ms
from scry_protocol.messages import Detail, Explanation, Fault, FeedbackParams, IndexState, ResultItem, UseParams

_OMITTED_PARAMS = frozenset({"query", "doc_id", "folder", "picker"})
"""Of params: what stands elsewhere in the event, or names something of this moment."""


def logged_options(params: msgspec.Struct) -> dict[str, object]:
    """What was asked for beside the query."""
    asked = msgspec.structs.asdict(params).items()
    kept = ((name, value) for name, value in asked if name not in _OMITTED_PARAMS)
    return {name: escape_unencodable(value) if isinstance(value, str) else value for name, value in kept}


def query_event(stored: StoredAnswer) -> LogEvent:
    """A question and what was answered."""
    return LogEvent(QUERY, stored.asked.time_ms, _encode_json(_query_body(stored)), stored.query_id)


def detail_event(detail: Detail, origin: AnswerOrigin, query_id: str) -> LogEvent:
    """A question for one result in full. query_id: the event's own; `of` is the answer that the result is of."""
    body = _common_fields(origin, detail.query) | {
        "of": {"query_id": detail.query_id, "rank": detail.result.rank},
        "state": detail.state,
        "results": [_result_fields(detail.result)],
    }
    return LogEvent(QUERY, origin.time_ms, _encode_json(body), query_id)


def use_event(params: UseParams, doc_id: str, surface: str) -> LogEvent:
    """A result was used."""
    body = {"rank": params.rank, "result_used": doc_id, "how": params.how, "surface": surface}
    return LogEvent(USE, now_ms(), _encode_json(body), params.query_id, escape_unencodable(params.act_id))


def feedback_event(params: FeedbackParams, doc_id: str | None, surface: str) -> LogEvent:
    """An answer, or one result of it, was good or bad."""
    body: dict[str, object] = {"signal": params.signal, "comment": escape_unencodable(params.comment), "surface": surface}
    if doc_id is not None:
        body |= {"rank": params.rank, "doc_id": doc_id}
    return LogEvent(FEEDBACK, now_ms(), _encode_json(body), params.query_id)


def logged_doc_ids(event: LogEvent) -> list[str]:
    """The documents of a logged query's answer, by rank."""
    body: dict[str, Any] = msgspec.json.decode(event.body)
    return [result["doc_id"] for result in body["results"]]


def _query_body(stored: StoredAnswer) -> dict[str, object]:
    body = _common_fields(stored.asked, stored.query)
    if stored.answer is not None:
        body["intent"] = stored.answer.intent
    if stored.explanation is not None:
        body |= _explanation_fields(stored.explanation)
    either = stored.answer or stored.explanation
    if either is not None:
        body["index"] = _index_fields(either.index)
        body["faults"] = _failed_oracles(either.faults)
    body["results"] = [_result_fields(result) for result in stored.results]
    return body


def _common_fields(asked: AnswerOrigin, query: str) -> dict[str, object]:
    return {
        "mode": asked.mode,
        "query": query,
        "options": asked.options,
        "surface": asked.surface,
        "asker": asked.asker,
        "root": asked.root,
        "version": __version__,
    }


def _explanation_fields(explanation: Explanation) -> dict[str, object]:
    decisive = explanation.decisive
    return {
        "doc_id": explanation.doc_id,
        "status": explanation.status,
        "decisive": None if decisive is UNSET else decisive,
    }


def _result_fields(result: ResultItem) -> dict[str, object]:
    """Ranks, raw scores and annotations; what the index can tell again is left out."""
    return {
        "rank": result.rank,
        "doc_id": result.doc_id,
        "content_type": result.content_type,
        "fused_score": result.fused_score,
        "contributions": {
            name: {"rank": found.rank, "raw_score": found.raw_score, "score_type": found.score_type}
            for name, found in result.contributions.items()
        },
        "adjustments": {each.name: each.factor for each in result.adjustments},
        "annotations": result.annotations,
    }


def _index_fields(index: IndexState) -> Mapping[str, object]:
    """How complete the index was, without words for people."""
    summary: dict[str, Any] = msgspec.structs.asdict(index)
    del summary["message"]
    return summary | {"unsaved": len(index.unsaved)}


def _failed_oracles(faults: Sequence[Fault]) -> list[str]:
    return [fault.oracle for fault in faults]


def _encode_json(body: Mapping[str, object]) -> str:
    return msgspec.json.encode(body).decode()
