"""Reads ahead what questions read, so that the first one after a start or a change is as fast as those after it."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from scry.core.errors import Cancelled, IndexUnavailable
from scry.core.path_kinds import classify_path
from scry.core.platforms import platform_of_path
from scry.core.text import normalize_name
from scry.core.types import DocumentHeader
from scry.core.versions import version_of_path
from scry.engine.definition import file_stem
from scry.engine.find import Retrieval, RetrievalResult, build_answer
from scry.engine.rules import name_words
from scry.store.history_reader import HistoryReader

WARM_UP_QUESTION = "where is the main entry point"
"""Asked and forgotten: it opens the word index, the vectors and the model. Any question does."""

MAX_WARM_DOCUMENTS = 20_000
"""Documents up to which all are read ahead, which takes a fifth of a second and 10 MB. Of more, a question meets few
that the one before it met."""

_BATCH_SIZE = 200
"""Nobody else reads meanwhile, for some 2 ms."""

PAUSE_S = 0.05
"""So long after somebody asked nothing is read ahead: a question takes 10 ms, and twice that beside this."""

STOP_TIMEOUT_S = 2.0
"""So long the end waits for a warm-up that has not seen yet that it is the end."""


class WarmUp:
    """The warm-ups of one engine, one at a time. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Does nothing yet."""
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._is_frozen = False
        self._asked_at = -PAUSE_S

    def pause(self) -> None:
        """Somebody asks now."""
        self._asked_at = time.monotonic()

    def run(self, prepare: Callable[[], None], retrieve_question: Callable[[Callable[[], bool]], RetrievalResult]) -> None:
        """Answers a question, and reads all documents and their history where they are not too many.

        prepare: opens what answers are written to. vote: the first half of a find, told whether it is given up; may
        raise Cancelled.
        """
        with self._turn, suppress(Cancelled):
            if self._ended.is_set():
                return
            prepare()
            voted = retrieve_question(self._ended.is_set)
            if voted.retrieval is not None:
                build_answer(voted.retrieval, voted.state)
                self._read_documents(voted.retrieval)
                self._freeze()

    def stop(self) -> None:
        """What is read ahead is of no use any more: returns once nothing is being read, or after a while."""
        self._ended.set()
        if self._turn.acquire(timeout=STOP_TIMEOUT_S):
            self._turn.release()

    def _read_documents(self, retrieval: Retrieval) -> None:
        store, history = retrieval.reader.store, retrieval.reader.history
        for numbers in self._batches(store.all_doc_keys(MAX_WARM_DOCUMENTS)):
            outlines = store.headers(numbers).values()
            store.doc_keys_by_id([outline.doc_id for outline in outlines])
            _fill_caches(outlines)
        if history is not None:
            with suppress(IndexUnavailable):  # who asks is told
                self._read_history(history)

    def _read_history(self, history: HistoryReader) -> None:
        commits, lines, symbols = history.all_keys(MAX_WARM_DOCUMENTS)
        for read, numbers in ((history.headers, commits), (history.symbol_ids_by_commit, lines), (history.get_symbols, symbols)):
            for part in self._batches(numbers):
                read(part)

    def _batches(self, numbers: Sequence[int]) -> Iterator[Sequence[int]]:
        for start in range(0, len(numbers), _BATCH_SIZE):
            while (wait := self._asked_at + PAUSE_S - time.monotonic()) > 0 and not self._ended.wait(wait):
                pass  # somebody asked again
            if self._ended.is_set():
                raise Cancelled
            yield numbers[start : start + _BATCH_SIZE]
            time.sleep(0.0005)  # a question that waits for the lock goes first

    def _freeze(self) -> None:
        """Modules, the model and what was read live as long as this engine. A look for garbage among them takes 10 to
        40 ms every few dozen questions, and finds nothing. Once: what is garbage by then is never found.
        """
        if not self._is_frozen:
            self._is_frozen = True
            gc.freeze()


def _fill_caches(outlines: Iterable[DocumentHeader]) -> None:
    """Works out what ranking asks of names and paths; it is kept where it is worked out."""
    for outline in outlines:
        normalize_name(outline.name)
        normalize_name(outline.container)
    for path in {outline.path for outline in outlines}:
        for ask in (classify_path, platform_of_path, version_of_path):
            ask(path)
        name_words(file_stem(path).partition(".")[0])
