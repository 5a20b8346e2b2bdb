"""The answers that were given: kept before they leave, so that what is done with one need not search again (D1)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import UNSET

from scry.core.errors import BadRequest
from scry.engine.query_id import is_query_id
from scry.index.project import Project, create_data_folder
from scry.store.answers import MAX_ANSWERS, AnswerStore
from scry_protocol.messages import Answer, Explanation, ResultItem

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


def now_ms() -> int:
    """Milliseconds since the epoch, by this machine's clock."""
    return time.time_ns() // 1_000_000


def _decode(data: bytes) -> StoredAnswer | None:
    """None for one that another version of Scry wrote in another form."""
    try:
        return msgspec.msgpack.decode(data, type=StoredAnswer)
    except msgspec.DecodeError:
        return None
