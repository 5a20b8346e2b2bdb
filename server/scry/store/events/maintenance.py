"""Remove selected events and answers for good, and compact the event log (E4).

Each of these two commands appends an event. Removed content is overwritten, the file is rewritten without it, its
journal is truncated, and backups that hold it are dropped. Old blocks that the file system or the disk keeps are beyond
this. Stored answers that show a forgotten memory or note are forgotten with it, in every project.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from scry.core.errors import LogUnavailable
from scry.core.events import COMPACT, FEEDBACK, FORGET, USE, EventFilter, LogEvent
from scry.store import answers
from scry.store.events import log as events
from scry.store.events.learner import forget_learnt
from scry.store.events.log import selection_condition
from scry.store.events.replays import forget_replays
from scry.store.events.schema import EVENT_MIGRATIONS
from scry.store.precious.backups import renew_backups
from scry.store.sqlite.database import open_shared_database, schema_version, truncate_wal, try_truncate_wal
from scry.store.sqlite.folding import add_folding, fold_text

_COMPACT = """
    UPDATE events SET body = json_set(
        body, '$.compacted', json_array_length(body, '$.results'), '$.results', json('[]')
    )
    WHERE kind = 'scry.query' AND time < ? AND json_array_length(body, '$.results') > 0
        AND query_id NOT IN (SELECT query_id FROM events WHERE kind IN ('scry.use', 'scry.feedback'))
"""


class LogRewriteResult(Struct, frozen=True):
    """The result of a rewrite.

    events, answers: how many were removed. is_clean: whether no removed content is left in a journal.
    """

    events: int
    answers: int = 0
    is_clean: bool = True


def forget_events(folder: Path, selection: EventFilter, now_ms: int) -> LogRewriteResult:
    """Remove the selected events, and the selected stored answers, for good. Raises LogUnavailable."""
    condition, values = selection_condition(selection)
    removed, is_clean = 0, True
    selected: list[tuple[str | None, str]] = []
    path = folder / events.EVENTS_FILE
    if path.exists():
        with _rewrite_database(path) as database:
            selected = database.execute(f"SELECT query_id, kind FROM events WHERE {condition}", values).fetchall()
            removed = database.execute(f"DELETE FROM events WHERE {condition}", values).rowcount
            _append_event(database, FORGET, now_ms, {"events": removed, "by": _selection_fields(selection)})
        is_clean = all([_truncate_wal(path), forget_learnt(folder)])
        renew_backups(path)
        with suppress(OSError):  # it holds no words
            forget_replays(folder, {name for name, _ in selected if name})
    count, answers_clean = _forget_selected_answers(
        folder / answers.ANSWERS_FILE,
        selection,
        {name for name, _ in selected if name},
        with_evidence=any(kind in (USE, FEEDBACK) for _, kind in selected),
    )
    return LogRewriteResult(removed, count, is_clean and answers_clean)


def compact_log(folder: Path, before_ms: int, now_ms: int) -> LogRewriteResult:
    """Drop the results of older queries that were neither used nor rated. Raises LogUnavailable."""
    path = folder / events.EVENTS_FILE
    if not path.exists():
        return LogRewriteResult(0)
    with _rewrite_database(path) as database:
        count = database.execute(_COMPACT, (before_ms,)).rowcount
        _append_event(database, COMPACT, now_ms, {"queries": count, "before": before_ms})
    return LogRewriteResult(count, is_clean=_truncate_wal(path))


def _selection_fields(selection: EventFilter) -> list[str]:
    """Return the names of the fields of a selection, without its words: those are to be forgotten."""
    return [name for name, value in asdict(selection).items() if value is not None] or ["all"]


def _append_event(database: sqlite3.Connection, kind: str, now_ms: int, body: dict[str, object]) -> None:
    event = LogEvent(kind, now_ms, json.dumps(body))
    database.execute("INSERT INTO events (time, kind, body) VALUES (?, ?, ?)", (event.time_ms, event.kind, event.body))


@contextmanager
def _rewrite_database(path: Path) -> Generator[sqlite3.Connection]:
    """Run one transaction on a file, overwrite removed content, and rewrite the file without it."""
    try:
        with closing(open_shared_database(path, timeout=events.BUSY_TIMEOUT_S, synchronous="FULL")) as database:
            if schema_version(database) > len(EVENT_MIGRATIONS):
                raise LogUnavailable(f"the log {path} was written by a newer version of Scry; update this one")
            database.execute("PRAGMA secure_delete=ON")
            add_folding(database)
            database.execute("BEGIN IMMEDIATE")
            yield database
            database.execute("COMMIT")
            database.execute("VACUUM")
    except sqlite3.Error as error:
        raise LogUnavailable(events.explain_log_error(error, path)) from error


def _truncate_wal(path: Path) -> bool:
    """Truncate the journal; return False when another process reads it all the time."""

    def attempt() -> bool:
        try:
            return try_truncate_wal(database)
        except sqlite3.OperationalError:
            return False

    with closing(sqlite3.connect(path, timeout=events.BUSY_TIMEOUT_S, isolation_level=None)) as database:
        return truncate_wal(attempt)


_USE_EVIDENCE = b"\xa4uses"
"""Stands in a stored answer that quotes earlier questions as evidence: the score type of the oracle of use."""


def _forget_selected_answers(
    path: Path, selection: EventFilter, queries: set[str], *, with_evidence: bool
) -> tuple[int, bool]:
    """Remove the stored answers of these queries, and selected ones. Returns their number, and whether cleanly.

    with_evidence: also those that quote any earlier question as evidence, which only used and rated ones are.
    """
    if not path.exists():
        return 0, True
    with _rewrite_database(path) as database:
        rows = database.execute("SELECT query_id, packed, data FROM answers")
        removed = [
            (name,)
            for name, packed, data in rows
            if name in queries
            or _answer_matches(name, packed, data, selection)
            or (with_evidence and _USE_EVIDENCE in (answers.unpack_answer(packed, data) or b""))
        ]
        database.executemany("DELETE FROM answers WHERE query_id = ?", removed)
    return len(removed), _truncate_wal(path)


def forget_answers_in_file(path: Path, doc_ids: Sequence[str]) -> bool:
    """Remove the stored answers that show any of these documents, for good. Returns whether cleanly.

    path: the file of answers. Raises LogUnavailable.
    """
    with _rewrite_database(path) as database:
        for doc_id in doc_ids:
            database.execute("DELETE FROM answers WHERE instr(doc_ids, ?)", (f"{doc_id}\n",))
    return _truncate_wal(path)


def _answer_matches(query_id: str, packed: int, data: bytes, selection: EventFilter) -> bool:
    if selection.query_id not in (None, query_id):
        return False
    stamp = query_id[: len("q_YYYYMMDD_HHMMSS")]
    if selection.since is not None and stamp < _query_id_prefix(selection.since):
        return False
    if selection.until is not None and stamp > _query_id_prefix(selection.until):
        return False
    if selection.text is None:
        return True
    return selection.text.casefold() in fold_text(answers.unpack_answer(packed, data) or b"")


def _query_id_prefix(time_ms: int) -> str:
    return time.strftime("q_%Y%m%d_%H%M%S", time.gmtime(time_ms // 1000))


def forget_answers_in_projects(data_root: Path, doc_ids: Sequence[str]) -> bool:
    """Remove the stored answers of every project that show any of these documents.

    data_root: the data folder of all projects. Returns False when another process reads a journal that still holds
    them. Raises LogUnavailable.
    """
    if not doc_ids:
        return True
    are_clean = [forget_answers_in_file(path, doc_ids) for path in sorted(data_root.glob(f"*/{answers.ANSWERS_FILE}"))]
    return all(are_clean)
