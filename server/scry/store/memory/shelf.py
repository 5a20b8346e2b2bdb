"""What of memory stands beside code: all of it can be a result; what is prose is found by words and by meaning too.

Memories that are no prose (commands, edits, jumps) stand on no shelf: their few words would crowd the lexical oracle,
and whoever looks for code does not look for them. The memory oracle alone finds them.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

from scry.core.knowledge import MEMORY, MEMORY_SHELF, Entry
from scry.core.memory.purpose import Purpose
from scry.core.memory.ranking import Recalled, Viewpoint
from scry.core.memory.types import Memory
from scry.core.text import content_terms, terms
from scry.core.types import Document, Outline, Point, Span, Symbol
from scry.store.database import marks, parts
from scry.store.memory import rows
from scry.store.memory.recall import Asked, find
from scry.store.memory.sessions import Owner, viewpoint_of
from scry.store.shelf_reader import ShelfReader
from scry.store.stems import Stems

OFF_SHELF = 2**40
"""Added to the number of a memory that stands on no shelf, so that it is none of those that do."""

_TITLE = 80
_OUTLINES = (
    "SELECT m.number, m.id, m.kind, substr(m.text, 1, 400), c.intent FROM memories m"
    " JOIN capsules c ON c.number = m.capsule"
)
"""What a title is made of: a question reads two hundred of them, and texts may be long."""


def doc_id_of(name: str) -> str:
    """The doc_id of a memory."""
    return f"{MEMORY}:{name}"


def entry_of(memory: Memory) -> Entry:
    """A memory as it stands on the shelf."""
    title = title_of(memory)
    return Entry(
        doc_id_of(memory.id),
        MEMORY,
        title,
        full_text(memory),
        snippet_of(memory),
        tuple(terms(f"{title} {memory.text}")),
        memory.time // 1000,
        code_refs=memory.refs,
        session_id=memory.session,
        kind=memory.kind,
    )


def title_of(memory: Memory) -> str:
    """Its first line, or of a summary what it was about."""
    return _title(memory.kind, memory.text, memory.capsule_intent)


def _title(kind: str, text: str, intent: str) -> str:
    first = intent or text if kind == "summary" else text
    line = " ".join(first.partition("\n")[0].split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"


def snippet_of(memory: Memory) -> str:
    """What it is, and its words in one line."""
    status = f" (exit {memory.status})" if memory.status else ""
    times = f" (×{memory.times})" if memory.times > 1 else ""
    return f"{memory.kind}: {' '.join(memory.text.split())}{status}{times}"


def full_text(memory: Memory) -> str:
    """All of it."""
    return f"{memory.text}\n\n{memory.detail}" if memory.detail else memory.text


class MemoryShelf(ShelfReader):
    """Memory as questions read it."""

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, lock: threading.RLock, owner: Owner | None = None
    ) -> None:
        """owner: whose session `this session` is; None for nobody's. The rest is as of ShelfReader."""
        super().__init__(MEMORY_SHELF, folder, connection, lock)
        self._connection = connection
        self._owner = owner
        self._stems = Stems()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was noted."""
        return not self.select("SELECT 1 FROM memories LIMIT 1")

    def viewpoint(self, now: int, purpose: Purpose | None, intent: str = "") -> Viewpoint:
        """From where its owner asks. intent: what for; that of the work that is going on where it is empty."""
        with self._reading():
            found = viewpoint_of(self._connection, self._owner) if self._owner is not None else None
        session, current = found or (None, "")
        agent = self._owner.agent if self._owner is not None else ""
        return Viewpoint(now, session, agent, purpose, frozenset(content_terms(intent or current)))

    def recall(
        self,
        terms: Sequence[str],
        viewpoint: Viewpoint,
        limit: int,
        *,
        serving: bool = True,
        least: float = 0.0,
        kinds: frozenset[str] = frozenset(),
        captured: bool = True,
    ) -> list[Recalled]:
        """What a question finds, best first. terms: what it is about. The rest is as of Asked."""
        words = tuple((term, stem) for term in terms if (stem := self._stems.of(term)))
        with self._reading():
            return find(self._connection, Asked(viewpoint, words, limit, serving, least, kinds, captured))

    def numbers_of(self, memories: Sequence[Memory]) -> list[int]:
        """Their numbers among all that can be a result."""
        return [self._number_of(memory) for memory in memories]

    def _number_of(self, memory: Memory) -> int:
        return self.first + (OFF_SHELF + memory.number if memory.document is None else memory.document)

    def memory(self, number: int) -> Memory | None:
        """A memory by its number among all that can be a result."""
        return next(iter(self._memories([number]).values()), None)

    def outlines(self, numbers: Sequence[int]) -> dict[int, Outline]:
        """See ShelfReader."""
        shift = self.first + OFF_SHELF
        found = super().outlines([number for number in numbers if number < shift])
        for part in parts([number - shift for number in numbers if number >= shift]):
            sql = f"{_OUTLINES} WHERE m.number IN ({marks(part)})"
            for number, name, kind, text, intent in self.select(sql, part):
                title = _title(kind, text, intent)
                found[shift + number] = Outline(shift + number, doc_id_of(name), MEMORY, "", title, kind, "")
        return found

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """See ShelfReader."""
        return {number: _document(number, memory) for number, memory in self._memories(numbers).items()}

    def numbers_named(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """See ShelfReader."""
        names = {doc_id.removeprefix(f"{MEMORY}:"): doc_id for doc_id in doc_ids if doc_id.startswith(f"{MEMORY}:")}
        found: dict[str, int] = {}
        for part in parts(list(names)):
            rows_found = self.select(f"SELECT id, number, document FROM memories WHERE id IN ({marks(part)})", part)
            for name, number, document in rows_found:
                found[names[name]] = self.first + (OFF_SHELF + number if document is None else document)
        return found

    def _memories(self, numbers: Sequence[int]) -> dict[int, Memory]:
        found: dict[int, Memory] = {}
        for column, shift in (("number", self.first + OFF_SHELF), ("document", self.first)):
            own = [n - shift for n in numbers if (n >= self.first + OFF_SHELF) == (column == "number")]
            for part in parts(own):
                for row in self.select(f"{rows.MEMORY} WHERE m.{column} IN ({marks(part)})", part):
                    memory = rows.memory_from(row)
                    found[self._number_of(memory)] = memory
        return found


def _document(number: int, memory: Memory) -> Document:
    start = Point(0, 0, 0)
    place = Span(start, start)
    return Document(
        number,
        doc_id_of(memory.id),
        MEMORY,
        "",
        "text",
        Symbol(title_of(memory), memory.kind, "", snippet_of(memory), full_text(memory), place, place, ""),
        time=memory.time // 1000,
        code_refs=memory.refs,
        session_id=memory.session,
    )
