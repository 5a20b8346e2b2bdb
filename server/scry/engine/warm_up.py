"""Reads ahead what questions read, so that the first one after a start or a change is as fast as those after it."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from scry.core.errors import Cancelled, IndexUnavailable
from scry.core.path_kinds import path_kind
from scry.core.platforms import written_for
from scry.core.text import name_key
from scry.core.types import Outline
from scry.core.versions import version_of
from scry.engine.definition import file_stem
from scry.engine.find import Ballot, Voted, tally
from scry.engine.rules import name_words
from scry.store.history_reader import HistoryReader

QUESTION = "where is the main entry point"
"""Asked and forgotten: it opens the word index, the vectors and the model. Any question does."""

MOST = 20_000
"""Documents up to which all are read ahead, which takes a fifth of a second and 10 MB. Of more, a question meets few
that the one before it met."""

_AT_ONCE = 200
"""Nobody else reads meanwhile, for some 2 ms."""

GIVE_WAY_S = 0.05
"""So long after somebody asked nothing is read ahead: a question takes 10 ms, and twice that beside this."""

END_WITHIN_S = 2.0
"""So long the end waits for a warm-up that has not seen yet that it is the end."""


class WarmUp:
    """The warm-ups of one engine, one at a time. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Does nothing yet."""
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._is_frozen = False
        self._asked_at = -GIVE_WAY_S

    def give_way(self) -> None:
        """Somebody asks now."""
        self._asked_at = time.monotonic()

    def run(self, prepare: Callable[[], None], vote: Callable[[Callable[[], bool]], Voted]) -> None:
        """Answers a question, and reads all documents and their history where they are not too many.

        prepare: opens what answers are written to. vote: the first half of a find, told whether it is given up; may
        raise Cancelled.
        """
        with self._turn, suppress(Cancelled):
            if self._ended.is_set():
                return
            prepare()
            voted = vote(self._ended.is_set)
            if voted.ballot is not None:
                tally(voted.ballot, voted.state)
                self._read(voted.ballot)
                self._freeze()

    def end(self) -> None:
        """What is read ahead is of no use any more: returns once nothing is being read, or after a while."""
        self._ended.set()
        if self._turn.acquire(timeout=END_WITHIN_S):
            self._turn.release()

    def _read(self, ballot: Ballot) -> None:
        store, history = ballot.reader.store, ballot.reader.history
        for numbers in self._slices(store.all_numbers(MOST)):
            outlines = store.outlines(numbers).values()
            store.numbers_named([outline.doc_id for outline in outlines])
            _learn(outlines)
        if history is not None:
            with suppress(IndexUnavailable):  # who asks is told
                self._read_history(history)

    def _read_history(self, history: HistoryReader) -> None:
        commits, lines, symbols = history.all_numbers(MOST)
        for read, numbers in ((history.outlines, commits), (history.touches, lines), (history.symbols, symbols)):
            for part in self._slices(numbers):
                read(part)

    def _slices(self, numbers: Sequence[int]) -> Iterator[Sequence[int]]:
        for start in range(0, len(numbers), _AT_ONCE):
            while (wait := self._asked_at + GIVE_WAY_S - time.monotonic()) > 0 and not self._ended.wait(wait):
                pass  # somebody asked again
            if self._ended.is_set():
                raise Cancelled
            yield numbers[start : start + _AT_ONCE]
            time.sleep(0.0005)  # a question that waits for the lock goes first

    def _freeze(self) -> None:
        """Modules, the model and what was read live as long as this engine. A look for garbage among them takes 10 to
        40 ms every few dozen questions, and finds nothing. Once: what is garbage by then is never found.
        """
        if not self._is_frozen:
            self._is_frozen = True
            gc.freeze()


def _learn(outlines: Iterable[Outline]) -> None:
    """Works out what ranking asks of names and paths; it is kept where it is worked out."""
    for outline in outlines:
        name_key(outline.name)
        name_key(outline.container)
    for path in {outline.path for outline in outlines}:
        for ask in (path_kind, written_for, version_of):
            ask(path)
        name_words(file_stem(path).partition(".")[0])
