"""Reads ahead what questions read, so that the first one after a start or a change is as fast as those after it."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from scry.core.errors import IndexUnavailable
from scry.core.path_kinds import path_kind
from scry.core.platforms import written_for
from scry.core.text import name_key
from scry.core.types import IndexState, Outline
from scry.core.versions import version_of
from scry.engine.definition import file_stem
from scry.engine.find import Ballot, tally
from scry.engine.rules import name_words
from scry.store.history_reader import HistoryReader

QUESTION = "where is the main entry point"
"""Asked and forgotten: it opens the word index, the vectors and the model. Any question does."""

MOST = 20_000
"""Documents up to which all are read ahead, which takes a fifth of a second and 10 MB. Of more, a question meets few
that the one before it met."""


_AT_ONCE = 200
"""Nobody else reads meanwhile, for some 2 ms."""


def warm_up(ballot: Ballot, state: IndexState) -> None:
    """Answers a question, and reads all documents and their history where they are not too many."""
    tally(ballot, state)
    store, history = ballot.reader.store, ballot.reader.history
    for numbers in _slices(store.all_numbers(MOST)):
        outlines = store.outlines(numbers).values()
        store.numbers_named([outline.doc_id for outline in outlines])
        _learn(outlines)
    if history is not None:
        with suppress(IndexUnavailable):  # who asks is told
            _read_history(history)
    # Modules, the model and what was read live as long as this process. A look for garbage among them takes 10 to 40 ms
    # every few dozen questions, and finds nothing. Once: what is garbage by then is never found.
    if not gc.get_freeze_count():
        gc.freeze()


def _slices(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), _AT_ONCE):
        yield numbers[start : start + _AT_ONCE]
        time.sleep(0.0005)  # a question that waits for the lock goes first


def _learn(outlines: Iterable[Outline]) -> None:
    """Works out what ranking asks of names and paths; it is kept where it is worked out."""
    for outline in outlines:
        name_key(outline.name)
        name_key(outline.container)
    for path in {outline.path for outline in outlines}:
        for ask in (path_kind, written_for, version_of):
            ask(path)
        name_words(file_stem(path).partition(".")[0])


def _read_history(history: HistoryReader) -> None:
    commits, lines, symbols = history.all_numbers(MOST)
    for read, numbers in ((history.outlines, commits), (history.touches, lines), (history.symbols, symbols)):
        for part in _slices(numbers):
            read(part)
