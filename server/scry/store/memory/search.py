"""Find memories by words, purpose and viewpoint, and show them as search results.

core.memory.ranking ranks the candidates. Any memory can be a result; prose is also a document of the note store, found
by words and by meaning. Commands, edits and jumps are no documents of it: their few words would crowd the lexical
oracle of notes, and the memory oracle alone finds them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from msgspec import Struct

from scry.core.knowledge import MEMORY, KnowledgeDocument
from scry.core.memory.purpose import RecallPurpose, purpose_relevance
from scry.core.memory.ranking import RecallContext, RecalledMemory, rank_memories, text_signal
from scry.core.memory.types import MEMORY_KINDS, Memory
from scry.core.text import content_terms, tokenize
from scry.core.types import Document, DocumentHeader, Point, Span, Symbol
from scry.store.lexical import stem_of
from scry.store.memory.postings import find_candidates, look_up_terms
from scry.store.memory.schema import SELECT_MEMORIES, SELECT_MEMORIES_BRIEF, read_memory
from scry.store.memory.sessions import SessionOwner, current_session_and_intent
from scry.store.notes.database import NoteDatabase
from scry.store.notes.reader import NoteReader
from scry.store.sqlite.database import batches, placeholders

MAX_RANKED = 220
"""Number of candidates that are read and ranked, those that hold most of the query first: a few more than are
retrieved.
"""

MAX_PER_KIND = 50
"""Number of memories of each kind that a purpose asks for."""


class RecallQuery(Struct, frozen=True):
    """A query on memory.

    terms_with_stems: its words, each with its stem. limit: maximal number of results. include_purpose_matches: whether
    a memory that serves the purpose of the viewpoint is a result without any of the words. min_share: share of the
    query that a memory has to hold, weighted by rarity. kinds: only these; all when empty. include_captured: whether
    automatically captured memories are found by their words.
    """

    viewpoint: RecallContext
    terms_with_stems: Sequence[tuple[str, str]]
    limit: int
    include_purpose_matches: bool = True
    min_share: float = 0.0
    kinds: frozenset[str] = frozenset()
    include_captured: bool = True


def recall_memories(database: sqlite3.Connection, query: RecallQuery) -> list[RecalledMemory]:
    """Return the best memories for a query, best first; none where no word occurs and no purpose is served."""
    query_terms, total = look_up_terms(database, query.terms_with_stems)
    frequencies = {each.word: each.document_frequency for each in query_terms}
    matched = find_candidates(database, query_terms, query.min_share, captured=query.include_captured)
    texts = {words: text_signal(words, frequencies, total) for words in set(matched.values())}
    best = sorted(matched, key=lambda memory_id: (-texts[matched[memory_id]], -memory_id))[:MAX_RANKED]
    purpose_matches = _purpose_matches(database, query.viewpoint.purpose) if query.include_purpose_matches else []
    memories = [
        m
        for m in _read_memories(database, dict.fromkeys((*best, *purpose_matches)))
        if not query.kinds or m.kind in query.kinds
    ]
    intents = {intent: _intent_terms(intent, query) for intent in {memory.capsule_intent for memory in memories}}
    candidates = [(memory, matched.get(memory.number, ()), intents[memory.capsule_intent]) for memory in memories]
    return rank_memories(candidates, frequencies, total, query.viewpoint)[: query.limit]


def _purpose_matches(database: sqlite3.Connection, purpose: RecallPurpose | None) -> list[int]:
    """Return the ids of the newest memories of the kinds that a purpose asks for."""
    memory_ids: list[int] = []
    for kind in MEMORY_KINDS if purpose is not None else ():
        sql = f"{SELECT_MEMORIES_BRIEF} WHERE m.kind = ? ORDER BY m.time DESC, m.number DESC LIMIT ?"
        memories = (read_memory(row) for row in database.execute(sql, (kind, MAX_PER_KIND)))
        memory_ids += [
            memory.number for memory in memories if purpose is not None and purpose_relevance(purpose, memory) > 0
        ]
    return memory_ids


def _read_memories(database: sqlite3.Connection, memory_ids: Iterable[int]) -> list[Memory]:
    memories: list[Memory] = []
    for part in batches(list(memory_ids)):
        sql = f"{SELECT_MEMORIES_BRIEF} WHERE m.number IN ({placeholders(part)})"
        memories += (read_memory(row) for row in database.execute(sql, part))
    return memories


def _intent_terms(intent: str, query: RecallQuery) -> frozenset[str]:
    """Return the words of an intent; none where the viewpoint has no intent."""
    return frozenset(content_terms(intent)) if query.viewpoint.intent else frozenset()


UNLISTED_OFFSET = 2**40
"""Added to the id of a memory that is no document of the note store, so that it differs from every document."""

_MAX_TITLE = 80
_SELECT_HEADERS = (
    "SELECT m.number, m.id, m.kind, substr(m.text, 1, 400), c.intent FROM memories m"
    " JOIN capsules c ON c.number = m.capsule"
)
"""Select the columns of a title: a query reads two hundred of them, and texts may be long."""


def memory_doc_id(name: str) -> str:
    """Return the doc_id of a memory."""
    return f"{MEMORY}:{name}"


def memory_entry(memory: Memory) -> KnowledgeDocument:
    """Return a memory as a document of the note store."""
    title = memory_title(memory)
    return KnowledgeDocument(
        memory_doc_id(memory.id),
        MEMORY,
        title,
        memory_text(memory),
        memory_snippet(memory),
        tuple(tokenize(f"{title} {memory.text}")),
        memory.time // 1000,
        code_refs=memory.refs,
        session_id=memory.session,
        kind=memory.kind,
    )


def memory_title(memory: Memory) -> str:
    """Return the first line of a memory; of a summary, its intent."""
    return _format_title(memory.kind, memory.text, memory.capsule_intent)


def _format_title(kind: str, text: str, intent: str) -> str:
    first = intent or text if kind == "summary" else text
    line = " ".join(first.partition("\n")[0].split())
    return line if len(line) <= _MAX_TITLE else f"{line[: _MAX_TITLE - 1]}…"


def memory_snippet(memory: Memory) -> str:
    """Return kind and words of a memory in one line."""
    status = f" (exit {memory.status})" if memory.status else ""
    times = f" (×{memory.times})" if memory.times > 1 else ""
    return f"{memory.kind}: {' '.join(memory.text.split())}{status}{times}"


def memory_text(memory: Memory) -> str:
    """Return the whole text of a memory."""
    return f"{memory.text}\n\n{memory.detail}" if memory.detail else memory.text


class MemoryNoteReader:
    """The memories of a project as notes: the documents of its note store, and memories that are none of them.

    Every method may be called from any thread, and raises IndexUnavailable.
    """

    def __init__(self, database: NoteDatabase, owner: SessionOwner | None = None) -> None:
        """Read from an open file. owner: whose session `this session` is; None for nobody's."""
        documents = NoteReader(database)
        self._database = database
        self._documents = documents
        self._select = database.select
        self._owner = owner
        self.first_doc_key = database.first_doc_key
        self.search_words = documents.search_words
        self.search_vectors = documents.search_vectors
        self.matched_terms = documents.matched_terms
        self.doc_id_order = documents.doc_id_order

    @property
    def is_empty(self) -> bool:
        """Whether there is no memory."""
        return not self._select("SELECT 1 FROM memories LIMIT 1")

    def viewpoint(self, now: int, purpose: RecallPurpose | None, intent: str = "") -> RecallContext:
        """Return the viewpoint of the owner. intent: "" for that of the open piece of work."""
        with self._database.read_errors():
            session_and_intent = (
                current_session_and_intent(self._database.connection, self._owner) if self._owner is not None else None
            )
        session, current = session_and_intent or (None, "")
        agent = self._owner.agent if self._owner is not None else ""
        return RecallContext(now, session, agent, purpose, frozenset(content_terms(intent or current)))

    def recall(
        self,
        terms: Sequence[str],
        viewpoint: RecallContext,
        limit: int,
        *,
        include_purpose_matches: bool = True,
        min_share: float = 0.0,
        kinds: frozenset[str] = frozenset(),
        include_captured: bool = True,
    ) -> list[RecalledMemory]:
        """Return the memories for a query, best first. terms: its words. The rest is as in `RecallQuery`."""
        words = tuple((term, stem) for term in terms if (stem := stem_of(term)))
        with self._database.read_errors():
            return recall_memories(
                self._database.connection,
                RecallQuery(viewpoint, words, limit, include_purpose_matches, min_share, kinds, include_captured),
            )

    def holds_term(self, term: str) -> bool:
        """Return whether any memory holds a term, also one that is no document of the note store."""
        return bool(self._select("SELECT 1 FROM stems WHERE stem = ? AND stem <> ''", (stem_of(term),)))

    def doc_keys_of(self, memories: Sequence[Memory]) -> list[int]:
        """Return the document keys of these memories."""
        return [self._doc_key_of(memory) for memory in memories]

    def _doc_key_of(self, memory: Memory) -> int:
        return self.first_doc_key + (UNLISTED_OFFSET + memory.number if memory.doc_key is None else memory.doc_key)

    def get_memory(self, doc_key: int) -> Memory | None:
        """Return the memory with this document key."""
        return next(iter(self._memories_by_doc_key([doc_key]).values()), None)

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of these memories; see `NoteReader.headers`."""
        shift = self.first_doc_key + UNLISTED_OFFSET
        headers = self._documents.headers([memory_id for memory_id in doc_keys if memory_id < shift])
        for part in batches([memory_id - shift for memory_id in doc_keys if memory_id >= shift]):
            sql = f"{_SELECT_HEADERS} WHERE m.number IN ({placeholders(part)})"
            for memory_id, name, kind, text, intent in self._select(sql, part):
                title = _format_title(kind, text, intent)
                headers[shift + memory_id] = DocumentHeader(
                    shift + memory_id, memory_doc_id(name), MEMORY, "", title, kind, ""
                )
        return headers

    def get_documents(self, doc_keys: Sequence[int]) -> dict[int, Document]:
        """Return these memories as documents; see `NoteReader.get_documents`."""
        return {
            memory_id: _make_document(memory_id, memory)
            for memory_id, memory in self._memories_by_doc_key(doc_keys).items()
        }

    def doc_keys_by_id(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return the keys of the memories with these doc_ids; see `NoteReader.doc_keys_by_id`."""
        names = {doc_id.removeprefix(f"{MEMORY}:"): doc_id for doc_id in doc_ids if doc_id.startswith(f"{MEMORY}:")}
        doc_keys: dict[str, int] = {}
        for part in batches(list(names)):
            rows_found = self._select(
                f"SELECT id, number, document FROM memories WHERE id IN ({placeholders(part)})", part
            )
            for name, memory_id, document in rows_found:
                doc_keys[names[name]] = self.first_doc_key + (
                    UNLISTED_OFFSET + memory_id if document is None else document
                )
        return doc_keys

    def _memories_by_doc_key(self, doc_keys: Sequence[int]) -> dict[int, Memory]:
        memories: dict[int, Memory] = {}
        for column, shift in (("number", self.first_doc_key + UNLISTED_OFFSET), ("document", self.first_doc_key)):
            own = [n - shift for n in doc_keys if (n >= self.first_doc_key + UNLISTED_OFFSET) == (column == "number")]
            for part in batches(own):
                for row in self._select(f"{SELECT_MEMORIES} WHERE m.{column} IN ({placeholders(part)})", part):
                    memory = read_memory(row)
                    memories[self._doc_key_of(memory)] = memory
        return memories


def _make_document(doc_key: int, memory: Memory) -> Document:
    start = Point(0, 0, 0)
    span = Span(start, start)
    return Document(
        doc_key,
        memory_doc_id(memory.id),
        MEMORY,
        "",
        "text",
        Symbol(memory_title(memory), memory.kind, "", memory_snippet(memory), memory_text(memory), span, span, ""),
        time=memory.time // 1000,
        code_refs=memory.refs,
        session_id=memory.session,
    )
