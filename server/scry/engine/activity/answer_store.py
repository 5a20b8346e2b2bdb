"""Store the last answers of a project, and follow the setting that turns recording on and off.

An answer is stored before it is sent, so that `detail`, `open` and `use` need no second search (D1).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Literal

import msgspec

from scry.core.decoding import decode_msgpack
from scry.core.doc_id import is_query_id
from scry.core.errors import BadRequest, BadSettings
from scry.core.platform import config_home
from scry.core.settings import SETTINGS_FILE_NAME, Settings, load_settings
from scry.engine.response.recording import AnswerOrigin, StoredAnswer
from scry.projects.project import Project, create_data_folder
from scry.store.answers import MAX_ANSWERS, AnswerStore


class RecordingSwitch:
    """The person's setting that turns recording on or off, read again when its file changes.

    An environment variable or an override of the surface comes first. Safe to share between threads.
    """

    def __init__(self, settings: Settings, name: Literal["log", "memory", "learn"]) -> None:
        """Start from the settings that the project was opened with. name: of the setting."""
        self._path = config_home() / SETTINGS_FILE_NAME
        self._name = name
        self._is_on: bool = getattr(settings, name)
        self._is_fixed = dict(settings.sources).get(name) not in (None, str(self._path))
        self._last_stamp: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def is_on(self) -> bool:
        """Return whether to record what happens now. A settings file that can't be read changes nothing."""
        if self._is_fixed:
            return self._is_on
        with self._lock:
            try:
                status = self._path.stat()
                stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            except OSError:
                stamp = (0, 0, 0)
            if stamp != self._last_stamp:
                self._last_stamp = stamp
                try:
                    self._is_on = getattr(load_settings(None, {}), self._name)
                except BadSettings:
                    return self._is_on
            return self._is_on


_STAMP_LENGTH = len("q_YYYYMMDD_HHMMSS")


class AnswerArchive:
    """The last answers of one project, from all processes. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Open nothing yet."""
        self._store = AnswerStore(project.data, partial(create_data_folder, project))

    @property
    def trouble(self) -> str:
        """Why answers can't be stored, in words for a person; empty when they can."""
        return self._store.lasting_error

    def prepare(self) -> None:
        """Create or open the file, so that no answer has to wait for it. Never fails."""
        self._store.prepare()

    def add(self, answer: StoredAnswer) -> None:
        """Store an answer that is about to leave. Never fails."""
        doc_ids = answer.doc_ids
        for result in answer.results:
            doc_ids.extend(map(attrgetter("doc_id"), (*result.further, *result.also_in)))
        self._store.put(answer.content.query_id, doc_ids, msgspec.msgpack.encode(answer))

    def get(self, query_id: str) -> StoredAnswer | None:
        """Return an answer by its id; None when it is not stored (any more)."""
        data = self._store.get(query_id) if is_query_id(query_id) else None
        return None if data is None else _decode(data)

    def require(self, query_id: str) -> StoredAnswer:
        """Return an answer by its id. Raises BadRequest, which says whether it expired."""
        stored = self.get(query_id)
        if stored is None:
            raise BadRequest("query_id", self.explain_absence(query_id))
        return stored

    def latest_with(self, doc_id: str) -> StoredAnswer | None:
        """Return the newest answer that holds this document; None for none."""
        data = self._store.newest_with_document(doc_id)
        return None if data is None else _decode(data)

    def latest_from(self, is_asker: Callable[[AnswerOrigin], bool]) -> StoredAnswer | None:
        """Return the newest answer to a question whose origin passes a test; None for none."""
        for data in self._store.newest_first():
            stored = _decode(data)
            if stored is not None and stored.answer is not None and is_asker(stored.origin):
                return stored
        return None

    def explain_absence(self, query_id: str) -> str:
        """Return why no answer has this id, in words for a person."""
        if not is_query_id(query_id):
            return f"{query_id!r} is no name of an answer; each answer says its own, like q_20261121_092600_abcd2345"
        oldest = self._store.oldest_query_id()
        if oldest is not None and query_id[:_STAMP_LENGTH] <= oldest[:_STAMP_LENGTH]:
            return f"{query_id} has expired: the last {MAX_ANSWERS:,} answers are kept; ask again"
        return f"no answer in this project is named {query_id}; was it given in another one?"

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def _decode(data: bytes) -> StoredAnswer | None:
    """Return a stored answer; None for one that another version of Scry wrote in another form."""
    try:
        return decode_msgpack(data, StoredAnswer)
    except msgspec.DecodeError:
        return None
