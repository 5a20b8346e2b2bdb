"""Read ahead what queries read, so that the first find after a start or a change is as fast as later ones."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module

from scry.core.errors import Cancelled, IndexUnavailable
from scry.core.text import find_identifiers, normalize_name, split_identifier
from scry.core.types import Answer, DocumentHeader
from scry.engine.search.document_boosts import file_stem
from scry.engine.search.path_boosts import read_path
from scry.engine.search.pipeline import Retrieval, RetrievalResult, build_answer
from scry.store.history.reader import HistoryReader

WARM_UP_QUESTION = "where is the main entry point"
"""The query of a warm-up: any query opens the word index, the vectors and the model."""

MAX_WARM_DOCUMENTS = 40_000
"""Documents up to which all are read ahead, in a third of a second and 20 MB. Of more documents, a query needs few
that the one before it needed."""

_BATCH_SIZE = 200
"""Documents read at a time: others wait some 2 ms for the lock."""

PAUSE_S = 0.05
"""Pause of the reading after a query began: a query takes 10 ms, and twice that beside a warm-up."""

_GC_THRESHOLDS = 20_000, 10, 10
"""A query makes a few hundred objects that outlive it or refer to each other: with Python's 700, it was held up by one
or two collections, a sixth of a millisecond, that found next to nothing."""

STOP_TIMEOUT_S = 2.0
"""Longest wait of `stop` for a warm-up that has not noticed it yet."""


_LATER_MODULES = ("scry.engine.search.unmatched",)
"""Modules that a query imports whose words do not all occur."""


class WarmUp:
    """The warm-ups of one engine, one at a time. Every method may be called from any thread."""

    def __init__(self, queried_at: Callable[[], float]) -> None:
        """Start nothing yet. queried_at: returns when the last query began, by the monotonic clock."""
        self._running, self._next = threading.Lock(), threading.Lock()
        self._history_read: tuple[HistoryReader, int] | None = None
        self._stopped = threading.Event()
        self._is_frozen = False
        self._queried_at = queried_at

    def run(
        self,
        prepare: Callable[[], None],
        retrieve_question: Callable[[Callable[[], bool]], RetrievalResult],
        present: Callable[[Answer], object],
    ) -> None:
        """Answer a query, and read all documents and their history where they are not too many.

        prepare: opens the store that answers are written to. retrieve_question: the first half of a find, given a test
        for whether it is cancelled, which waits for queries; may raise Cancelled. present: brings the answer into the
        form of the wire.
        """
        if not self._next.acquire(blocking=False):
            return  # another one is to begin, and will read what there is by then
        with self._running, suppress(Cancelled):
            self._next.release()
            if self._stopped.is_set():
                return
            prepare()
            result = retrieve_question(self._yield_to_queries)
            if result.retrieval is not None:
                present(build_answer(result.retrieval, result.state))
                for name in _LATER_MODULES:
                    import_module(name)
                self._read_documents(result.retrieval)
                self._freeze()

    def stop(self) -> None:
        """End the warm-ups: return once nothing is being read, or after STOP_TIMEOUT_S."""
        self._stopped.set()
        if self._running.acquire(timeout=STOP_TIMEOUT_S):
            self._running.release()

    def _read_documents(self, retrieval: Retrieval) -> None:
        store, history = retrieval.reader.code.store, retrieval.reader.commits.history
        for doc_keys in self._batches(store.documents.unread_doc_keys(MAX_WARM_DOCUMENTS)):
            _fill_caches(store.documents.headers(doc_keys).values(), store.lexical.stem)
        if history is not None:
            with suppress(IndexUnavailable):  # queries report it
                self._read_history(history, store.lexical.stem)

    def _read_history(self, history: HistoryReader, stem: Callable[[str], str]) -> None:
        version = history, history.refresh()
        if version == self._history_read:
            return
        commits, lines, symbols = history.all_keys(MAX_WARM_DOCUMENTS)
        for batch in self._batches(commits):
            subjects = [header.name for header in history.headers(batch).values()]
            for word in {word for subject in subjects for word in find_identifiers(subject)}:
                for term in split_identifier(word):
                    stem(term)
        for read, keys in ((history.symbol_ids_by_commit, lines), (history.get_symbols, symbols)):
            for batch in self._batches(keys):
                read(batch)
        self._history_read = version

    def _batches(self, keys: Sequence[int]) -> Iterator[Sequence[int]]:
        for start in range(0, len(keys), _BATCH_SIZE):
            if self._yield_to_queries():
                raise Cancelled
            yield keys[start : start + _BATCH_SIZE]
            time.sleep(0.0005)  # a query that waits for the lock goes first

    def _yield_to_queries(self) -> bool:
        """Wait until no query has begun for PAUSE_S; return whether the warm-ups are to end."""
        while (wait := self._queried_at() + PAUSE_S - time.monotonic()) > 0 and not self._stopped.wait(wait):
            pass  # another query began
        return self._stopped.is_set()

    def _freeze(self) -> None:
        """Exempt all objects of now from garbage collection, once.

        Modules, the model and the caches live as long as the engine; a collection that scans them takes 10 to 40 ms
        every few dozen queries and frees nothing. Objects that are garbage at this moment are never freed.
        """
        if not self._is_frozen:
            self._is_frozen = True
            gc.freeze()
            gc.set_threshold(*_GC_THRESHOLDS)


def _fill_caches(headers: Iterable[DocumentHeader], stem: Callable[[str], str]) -> None:
    """Compute what ranking derives from names and paths; the functions cache it."""
    for header in headers:
        normalize_name(header.name)
        normalize_name(header.container)
    for path in {header.path for header in headers}:
        read_path(stem, path)
        normalize_name(file_stem(path))
