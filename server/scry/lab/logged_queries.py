"""Read logged queries, and make evaluation queries of those whose answers were used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from scry.core.doc_id import parse_doc_id, split_off_project
from scry.core.errors import BadRequest
from scry.core.events import FEEDBACK, QUERY, RELEVANT_USES, USE, LogEvent
from scry.lab.questions import EvaluationCase, ExpectedResult
from scry.store.events.log import EventReader

INFERRED_USE = "inferred"
"""A jump that the language server inferred from the requests of an editor without a plugin."""


LOGGED_CATEGORY = "log"


class LoggedQuery(msgspec.Struct):
    """A find query of the log.

    time_ms: when it was asked, since the epoch.
    options: the options beside the query.
    found: doc_ids by rank; empty where the log was shortened.
    is_merged: whether several projects, or a team, gave the answer: its doc_ids begin with their names.
    had_use: whether the oracle of use had a match among the results.
    used: doc_ids with how each was used, in the order of the uses; those of the log's own project without its name.
    rating: the last one, good or bad.
    """

    query_id: str
    time_ms: int
    query: str
    options: dict[str, Any]
    found: list[str]
    is_merged: bool = False
    had_use: bool = False
    used: list[tuple[str, str]] = msgspec.field(default_factory=list[tuple[str, str]])
    rating: str | None = None


def read_logged_queries(data: Path, root: Path) -> list[LoggedQuery]:
    """Return all find queries that were asked of the project in this root, in order.

    data: the project's data folder. Raises LogUnavailable, and BadRequest where nothing was logged yet.
    """
    reader = EventReader.open(data)
    if reader is None:
        raise BadRequest("log", "nothing was logged of this project yet; ask and use something first (scry find …)")
    with closing(reader):
        return list(_collect_queries((logged.event for logged in reader.iter_events()), str(root)))


def _collect_queries(events: Iterable[LogEvent], root: str) -> Iterator[LoggedQuery]:
    queries: dict[str, LoggedQuery] = {}
    for event in events:
        body: dict[str, Any] = msgspec.json.decode(event.body)
        query = queries.get(event.query_id or "")
        if event.kind == QUERY and event.query_id and _is_find(body, root):
            queries[event.query_id] = _read_query(event, body)
        elif query is not None and event.kind == USE:
            is_own = not body.get("team") and not body.get("elsewhere")
            doc_id: str = body["result_used"]
            query.used.append((split_off_project(doc_id)[1] if is_own else doc_id, body["how"]))
        elif query is not None and event.kind == FEEDBACK:
            query.rating = body["signal"]
    yield from queries.values()


def _read_query(event: LogEvent, body: dict[str, Any]) -> LoggedQuery:
    results: list[dict[str, Any]] = body.get("results", [])
    doc_ids = [result["doc_id"] for result in results]
    return LoggedQuery(
        event.query_id or "",
        event.time_ms,
        body["query"],
        body.get("options", {}),
        doc_ids,
        is_merged=any(split_off_project(doc_id)[0] for doc_id in doc_ids),
        had_use=any("use" in result.get("contributions", ()) for result in results),
    )


def _is_find(body: dict[str, Any], root: str) -> bool:
    options: dict[str, Any] = body.get("options", {})
    return body.get("mode") == "find" and body.get("root") == root and not options.get("reason")


def build_gold_cases(
    questions: Iterable[LoggedQuery], relevant_uses: Collection[str] = RELEVANT_USES
) -> list[EvaluationCase]:
    """Return a case for each query of which a result was used in one of these ways, in the order of the first asking.

    A query asked several times is one case with all uses. Answers rated bad are left out, and results that are no file,
    such as commits.
    """
    used: dict[str, dict[ExpectedResult, int]] = {}
    for logged in questions:
        query = " ".join(logged.query.split())
        for doc_id, how in logged.used:
            target = _expected_result(doc_id)
            if how in relevant_uses and logged.rating != "bad" and target is not None:
                counts = used.setdefault(query, {})
                counts[target] = counts.get(target, 0) + 1
    return [
        EvaluationCase(query, tuple(counts), LOGGED_CATEGORY, _usage_note(sum(counts.values())))
        for query, counts in used.items()
    ]


def _expected_result(doc_id: str) -> ExpectedResult | None:
    """Return the target of a doc_id; None where it is no file of the project."""
    return ExpectedResult(parse_doc_id(doc_id).path, doc_id=doc_id) if doc_id.startswith("./") else None


def _usage_note(uses: int) -> str:
    return f"used {uses} time{'' if uses == 1 else 's'}"
