"""The shape of an oracle: one source of ranked evidence, that knows no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scry.core.types import Outline, Question, Vote
from scry.embedding.embedder import Embedder
from scry.store.index_store import IndexStore

DEPTH = 200
"""How many votes an oracle casts at most (F4)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What an oracle may read for one question.

    files: ids of the files that the filters leave; None for all. embedder: the one whose vectors answer; None where
    there are none yet.
    """

    store: IndexStore
    files: tuple[int, ...] | None = None
    embedder: Embedder | None = None
    _outlines: dict[int, Outline] = field(default_factory=dict[int, Outline])

    def outlines(self, numbers: Sequence[int]) -> Mapping[int, Outline]:
        """What ranking reads of these documents, of those that are there; each is read once a question."""
        self._outlines.update(self.store.outlines([number for number in numbers if number not in self._outlines]))
        return self._outlines


@dataclass(frozen=True, slots=True)
class Oracle:
    """name: on the wire. short: in a line of text. title: in an explanation. weight: its base weight in fusion.

    consult answers a question with votes, best first; finding nothing is no error. matches says for a few documents, by
    number, which terms of the question truly matched there.
    """

    name: str
    short: str
    title: str
    weight: float
    consult: Callable[[Question, Reader], tuple[Vote, ...]]
    matches: Callable[[Question, Reader, Sequence[int]], Mapping[int, tuple[str, ...]]]
