"""What was done, failed or was decided that bears on the question? Reads the project's memory; silent where no memory
holds at least half of what is asked, by how rare its words are.

A question that asks for memory itself ("resume work", "what was decided", "why did tests fail") is answered by what
serves it, also without a common word. Any other is about the project: what was captured in passing (a jump, an edit, a
commit) only points at what the other oracles find there, and is left out. Memories are ranked by four signals
(core.memory.ranking), as of the full hour: so that the same question has the same answer a minute later and in another
process.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from scry.core.asked import searched_words
from scry.core.knowledge import MEMORY, MEMORY_SHELF
from scry.core.memory.purpose import Wanted, read_purpose
from scry.core.memory.ranking import Recalled, Viewpoint
from scry.core.memory.reason import explain
from scry.core.types import Outline, Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader, Standing
from scry.store.memory.shelf import MemoryShelf

WEIGHT = 0.5
"""As a belief's (see oracles.belief)."""

SCORE_TYPE = "relevance"

LEAST = 0.5
"""Of much that was noted, something holds one word of any question."""

_HOUR_MS = 3_600_000


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by score; equal ones stand by time, then id. Raises IndexUnavailable."""
    shelf = _shelf(reader)
    if shelf is None:
        return ()
    viewpoint, recalled = _recall(question, shelf, is_for_memory=reader.chosen.types == frozenset({MEMORY}))
    numbers = shelf.numbers_of([each.memory for each in recalled])
    return tuple(
        Vote(number, rank, each.score, SCORE_TYPE, each.matches, explain(each, viewpoint))
        for rank, (number, each) in enumerate(zip(numbers, recalled, strict=True), 1)
    )


def _shelf(reader: Reader) -> MemoryShelf | None:
    """Memory, if there is any and the filters leave it."""
    shelf = reader.knowledge.shelf(MEMORY_SHELF) if reader.knowledge is not None else None
    is_wanted = reader.chosen.has_type(MEMORY) and reader.chosen.has_domains(())  # memories are about none
    return shelf if isinstance(shelf, MemoryShelf) and is_wanted else None


def _recall(question: Question, shelf: MemoryShelf, *, is_for_memory: bool) -> tuple[Viewpoint, list[Recalled]]:
    wanted = _wanted(question)
    now = time.time_ns() // 1_000_000 // _HOUR_MS * _HOUR_MS
    viewpoint = shelf.viewpoint(now, wanted.purpose)
    captured = is_for_memory or wanted.purpose is not None
    terms, is_open = wanted.terms, wanted.is_open
    return viewpoint, shelf.recall(terms, viewpoint, DEPTH, serving=is_open, least=LEAST, captured=captured)


def _wanted(question: Question) -> Wanted:
    wanted = read_purpose(" ".join((question.words, *question.phrases)))
    return wanted if wanted.purpose is not None else Wanted(None, tuple(searched_words(question)))


def matches(_question: Question, _reader: Reader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: the votes hold them."""
    return {}


def stand(question: Question, reader: Reader, document: Outline) -> Standing:
    """Its place among memories."""
    if document.content_type != MEMORY:
        return Standing(is_other_kind=True)
    for vote in consult(question, reader):
        if vote.number == document.number:
            return Standing(vote.rank, vote.raw_score)
    return Standing(note="it holds less than half of what is asked, or others that hold more are too many")


ORACLE = Oracle("memory", "mem", "Memory", WEIGHT, SCORE_TYPE, consult, matches, stand)
"""What a memory says of a question."""
