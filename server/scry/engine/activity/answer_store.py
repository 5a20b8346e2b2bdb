"""Store the last answers of a project, locate their results, and build the log events about them.

Whether something is kept right now: the person may switch that while processes run, and all of them heed it.

The answers that were given: kept before they leave, so that what is done with one need not search again (D1).

What is logged of an answer and of what is done with it. docs/events.md describes these bodies.

Where a result of an earlier answer is now.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from scry import __version__
from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest, BadSettings
from scry.core.events import FEEDBACK, QUERY, USE, LogEvent
from scry.core.files import config_home
from scry.core.settings import SETTINGS_FILE_NAME, Settings, load_settings
from scry.core.text import escape_unencodable
from scry.core.types import Document
from scry.engine.context import is_query_id, now_ms
from scry.engine.response.answer import present_location
from scry.projects.project import Project, create_data_folder
from scry.store.answers import MAX_ANSWERS, AnswerStore
from scry.store.index.store import IndexStore
from scry_protocol.messages import (
    Answer,
    Detail,
    Explanation,
    Fault,
    FeedbackParams,
    IndexState,
    Location,
    ResultItem,
    UseParams,
)


class RecordingSwitch:
    """Follows the person's settings file, unless the environment or the surface has decided. Safe to share."""

    def __init__(self, settings: Settings, name: Literal["log", "memory"]) -> None:
        """settings: as they stood when the project was opened. name: of the setting."""
        self._path = config_home() / SETTINGS_FILE_NAME
        self._name = name
        self._is_on = self._value_in(settings)
        self._is_fixed = dict(settings.sources).get(name) not in (None, str(self._path))
        self._last_stamp: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def is_on(self) -> bool:
        """Whether to keep what happens now. A settings file that can't be read changes nothing."""
        if self._is_fixed:
            return self._is_on
        with self._lock:
            stamp = self._stamp()
            if stamp != self._last_stamp:
                self._last_stamp = stamp
                try:
                    self._is_on = self._value_in(load_settings(None, {}))
                except BadSettings:
                    return self._is_on
            return self._is_on

    def _value_in(self, settings: Settings) -> bool:
        return settings.log if self._name == "log" else settings.memory

    def _stamp(self) -> tuple[int, int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (status.st_ino, status.st_size, status.st_mtime_ns)


_STAMP_LENGTH = len("q_YYYYMMDD_HHMMSS")


class AnswerOrigin(msgspec.Struct, frozen=True):
    """How an answer came about.

    mode: which kind of question. time_ms: when, in milliseconds since the epoch. surface: the way in, such as cli or
    lsp. asker: tells terminals and editors apart. options: what was asked for beside the query. root: the work tree.
    encoding: what characters of positions count. is_private: asked while the log was off, and never to be logged.
    numbers: the store's numbers of the results' documents, by rank; empty where they have none. roots: their work
    trees, by rank; empty where all are of `root`.
    """

    mode: str
    time_ms: int
    surface: str
    asker: str
    root: str
    encoding: str
    options: Mapping[str, object] = {}
    is_private: bool = False
    numbers: Sequence[int] = ()
    roots: Sequence[str] = ()


class StoredAnswer(msgspec.Struct, frozen=True):
    """An answer as it left, and how it came about. It is one of the two."""

    asked: AnswerOrigin
    answer: Answer | None = None
    explanation: Explanation | None = None

    @property
    def query_id(self) -> str:
        """The answer's name."""
        return self._content.query_id

    @property
    def query(self) -> str:
        """The question; empty where there was none."""
        return self._content.query or ""

    @property
    def results(self) -> Sequence[ResultItem]:
        """What was found, by rank; of an explanation, what it explains."""
        if self.answer is not None:
            return self.answer.results
        explained = self.explanation
        return () if explained is None or explained.result is UNSET else (explained.result,)

    def result(self, rank: int) -> ResultItem:
        """The result at a rank. Raises BadRequest where there is none."""
        if 1 <= rank <= len(self.results):
            return self.results[rank - 1]
        raise BadRequest("rank", describe_missing_rank(self.query_id, rank, len(self.results)))

    def doc_key_in(self, root: Path, rank: int) -> int | None:
        """The store's number that a result had in this work tree's index; None where that is not known."""
        numbers, roots = self.asked.numbers, self.asked.roots
        if not 1 <= rank <= len(numbers):
            return None
        own = roots[rank - 1] if roots else self.asked.root
        return numbers[rank - 1] or None if own == str(root) else None

    @property
    def _content(self) -> Answer | Explanation:
        either = self.answer or self.explanation
        assert either is not None
        return either


class AnswerArchive:
    """The last answers of one project, whichever process gave them. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Opens nothing yet."""
        self._store = AnswerStore(project.data, partial(create_data_folder, project))

    @property
    def trouble(self) -> str:
        """Why answers are not kept for other processes; empty when they are."""
        return self._store.last_error

    def prepare(self) -> None:
        """Opens the file, made where it is missing, before an answer waits for that. Never fails."""
        self._store.prepare()

    def add(self, kept: StoredAnswer) -> None:
        """Keeps an answer that is about to leave. Never fails."""
        doc_ids = [result.doc_id for result in kept.results]
        self._store.put(kept.query_id, doc_ids, msgspec.msgpack.encode(kept))

    def get(self, query_id: str) -> StoredAnswer | None:
        """An answer by its name; None when it is not kept (any more)."""
        data = self._store.get(query_id) if is_query_id(query_id) else None
        return None if data is None else _decode(data)

    def require(self, query_id: str) -> StoredAnswer:
        """An answer by its name. Raises BadRequest, which says whether it expired."""
        kept = self.get(query_id)
        if kept is None:
            raise BadRequest("query_id", self.explain_absence(query_id))
        return kept

    def latest_with(self, doc_id: str) -> StoredAnswer | None:
        """The newest answer that holds this document."""
        data = self._store.newest_with_document(doc_id)
        return None if data is None else _decode(data)

    def explain_absence(self, query_id: str) -> str:
        """Why there is no answer of this name, in words for a person."""
        if not is_query_id(query_id):
            return f"{query_id!r} is no name of an answer; each answer says its own, like q_20261121_092600_abcd2345"
        oldest = self._store.oldest_query_id()
        if oldest is not None and query_id[:_STAMP_LENGTH] <= oldest[:_STAMP_LENGTH]:
            return f"{query_id} has expired: the last {MAX_ANSWERS:,} answers are kept; ask again"
        return f"no answer in this project is named {query_id}; was it given in another one?"

    def close(self) -> None:
        """Gives the file free."""
        self._store.close()


def describe_missing_rank(query_id: str, rank: int, count: int) -> str:
    """What is wrong with a rank, in words for a person."""
    there = f"{query_id} has {count} result{'' if count == 1 else 's'}" if count else "that answer is empty"
    return f"there is no result {rank}: {there}"


def _decode(data: bytes) -> StoredAnswer | None:
    """None for one that another version of Scry wrote in another form."""
    try:
        return msgspec.msgpack.decode(data, type=StoredAnswer)
    except msgspec.DecodeError:
        return None


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
    body: dict[str, object] = {
        "signal": params.signal,
        "comment": escape_unencodable(params.comment),
        "surface": surface,
    }
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


class ResultLocation(msgspec.Struct, frozen=True):
    """A place to jump to. line, column: 1-based; columns count UTF-16 units. result: with its location as it is now."""

    result: ResultItem
    path: Path
    line: int
    column: int


def locate_result(stored: StoredAnswer, rank: int, store: IndexStore | None, project: Project) -> ResultLocation:
    """Where that result is, by what is indexed now, else as it was answered.

    Raises BadRequest for a result that has no place in a file, and for one whose file is gone or leaves the project.
    """
    result = stored.result(rank)
    if result.location is UNSET:
        raise BadRequest("rank", f"result {rank}, {result.doc_id}, has no place in a file")
    found = store.documents.find_by_doc_id(split_off_project(result.doc_id)[1]) if store else []
    if found:
        now = present_location(found[0], project.root, "utf-16")
        start = found[0].symbol.name_span.start
        result = msgspec.structs.replace(result, location=now)
        return ResultLocation(result, _indexed_path(found[0], project), start.line + 1, start.utf16 + 1)
    start = result.location.range.start
    return ResultLocation(result, _path_of_location(result.location, rank), start.line + 1, start.character + 1)


def _indexed_path(document: Document, project: Project) -> Path:
    path = project.root / document.path
    if not path.resolve().is_relative_to(project.root):
        raise BadRequest("rank", f"{path} leads out of the project now")
    return _require_file(path)


def _path_of_location(location: Location, rank: int) -> Path:
    """The file of a document that is not indexed here (any more)."""
    from urllib.parse import unquote_to_bytes, urlsplit
    from urllib.request import url2pathname

    place = urlsplit(location.uri)
    if place.scheme != "file":
        raise BadRequest("rank", f"result {rank} is no file on this machine")
    raw = unquote_to_bytes(place.path).decode("utf-8", "surrogateescape")
    return _require_file(Path(url2pathname(raw.replace("%", "%25"))))


def _require_file(path: Path) -> Path:
    if not path.is_file():
        raise BadRequest("rank", f"{path} is gone since this was answered")
    return path
