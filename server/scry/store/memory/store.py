"""Memory, open for writing: sessions, pieces of work, what was noted in them (M1).

What `note` has returned for is on the disk (WAL, synchronous=FULL). Secrets are masked here, at the only door, so that
none is ever in a file. Several processes write at the same time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import BadRequest, IndexUnavailable, MemoryUnavailable
from scry.core.knowledge import MEMORY_SHELF
from scry.core.memory.digest import summarize
from scry.core.memory.masking import mask
from scry.core.memory.types import CAPTURED, PROSE, Memory, Observation, Session, default_scope
from scry.core.memory.words import words_of
from scry.store.memory import rows
from scry.store.memory.migrations import FILE, MEMORY
from scry.store.memory.sessions import (
    Owner,
    Place,
    begin_capsule,
    begin_session,
    end_capsule,
    end_sessions,
    open_place,
    unfinished,
)
from scry.store.memory.shelf import entry_of
from scry.store.memory.stems import hold, release
from scry.store.shelf_file import ShelfFile
from scry.store.stems import Stems

MOST_TEXT, MOST_DETAIL = 4_000, 20_000
"""Characters. Of a longer text the beginning is kept, of a longer detail the end: there stands what went wrong."""

MOST_NAME = 100
"""Characters of an agent's name."""

_MOST_READ = 200_000
"""So much of a text is looked at. It is masked before it is cut, or half a secret could be left."""

_SUMMARY = "summary"


class Noted(Struct, frozen=True):
    """What became of an observation. is_new: false when it was told before. masked: how many secrets were."""

    memory: Memory
    is_new: bool
    masked: int


class MemoryStore:
    """The memory of one project. Every method may be called from any thread; all raise MemoryUnavailable."""

    def __init__(self, folder: Path, make_folder: Callable[[], None]) -> None:
        """The file in a folder, made where it is missing. make_folder: makes the folder; may raise OSError."""
        try:
            make_folder()
            self._file = ShelfFile(MEMORY_SHELF, folder / FILE, MEMORY, write=True)
        except (IndexUnavailable, OSError) as error:
            raise MemoryUnavailable(f"memory can't be written: {error}") from error
        self._stems = Stems()

    @property
    def file(self) -> ShelfFile:
        """The file, for what takes out of it for good."""
        return self._file

    def is_in_place(self) -> bool:
        """Whether the file is still the one at its path."""
        return self._file.is_in_place()

    def close(self) -> None:
        """Gives the file free."""
        self._file.close()

    # Sessions -----------------------------------------------------------------------------------------------------

    def start(self, owner: Owner, intent: str, now: int) -> Session:
        """Begins a piece of work: in the session that was begun and is open, or in a new one. Returns the session."""
        intent, owner = _clean(intent, MOST_TEXT)[0], _clean_owner(owner)
        with self._writing() as database:
            place = open_place(database, owner, now)
            session = place.session if place is not None and place.intent else None
            self._finish(database, owner, now, sessions=session is None)
            if session is None:
                session = begin_session(database, owner, intent, now).session
            else:
                begin_capsule(database, session, intent, now)
            return _session(database, session)

    def end(self, owner: Owner, now: int) -> Session | None:
        """Ends the open session, with a summary of what was done in it; None where none is open."""
        owner = _clean_owner(owner)
        with self._writing() as database:
            place = open_place(database, owner, now)
            self._finish(database, owner, now, sessions=True)
            return None if place is None else _session(database, place.session)

    # Notes --------------------------------------------------------------------------------------------------------

    def note(self, observation: Observation, owner: Owner) -> Noted:
        """Notes something in the owner's session, which is begun where none is open."""
        clean, masked = _masked(observation)
        owner = _clean_owner(owner)
        with self._writing() as database:
            place = open_place(database, owner, clean.time)
            if place is None:
                self._finish(database, owner, clean.time, sessions=True)
                place = begin_session(database, owner, "", clean.time)
            number, is_new = self._write(database, clean, place, owner.agent)
            database.execute("UPDATE sessions SET noted = max(noted, ?) WHERE number = ?", (clean.time, place.session))
            return Noted(_memory(database, number), is_new, masked)

    def summarize(self, capsule: str, text: str, now: int) -> Memory:
        """Puts a person's words in the place of a summary; where there are none, one is made anew from what was noted.

        Raises BadRequest for an unknown capsule, or one in which nothing was noted.
        """
        with self._writing() as database:
            found = database.execute("SELECT number FROM capsules WHERE id = ?", (capsule,)).fetchone()
            if found is None:
                raise BadRequest("of", f"no piece of work is named {capsule}; scry session list names them")
            number = self._summarize(database, found[0], now, _clean(text, MOST_TEXT)[0])
            if number is None:
                raise BadRequest("of", f"nothing was noted in {capsule} that could be summarized")
            return _memory(database, number)

    def pin(self, name: str, *, is_pinned: bool) -> Memory:
        """Keeps a memory as new as it is, or lets it age again. Raises BadRequest for an unknown one."""
        with self._writing() as database:
            database.execute("UPDATE memories SET pinned = ? WHERE id = ?", (is_pinned, name))
            found = database.execute("SELECT number FROM memories WHERE id = ?", (name,)).fetchone()
            if found is None:
                raise BadRequest("id", f"no memory is named {name}; scry memory list names them")
            return _memory(database, found[0])

    # Commits ------------------------------------------------------------------------------------------------------

    def head(self, root: str) -> str | None:
        """The commit at which this work tree was last seen."""
        with self._writing() as database:
            row = database.execute("SELECT sha FROM heads WHERE root = ?", (root,)).fetchone()
            return row[0] if row else None

    def set_head(self, root: str, sha: str) -> None:
        """Notes at which commit a work tree is."""
        with self._writing() as database:
            database.execute("INSERT OR REPLACE INTO heads VALUES (?, ?)", (root, sha))

    # Inside a transaction -----------------------------------------------------------------------------------------

    def _write(self, database: sqlite3.Connection, clean: Observation, place: Place, agent: str) -> tuple[int, bool]:
        known = _known(database, place.capsule, clean.key)
        if known is not None:
            database.execute(
                "UPDATE memories SET times = times + 1, time = max(time, ?) WHERE number = ?", (clean.time, known)
            )
            return known, False
        return self._insert(database, clean, place, agent), True

    def _insert(self, database: sqlite3.Connection, clean: Observation, place: Place, agent: str) -> int:
        stems = self._stems_of(clean, place.intent)
        scope = clean.scope or default_scope(clean.kind, agent)
        found = (clean.kind, clean.time, scope, agent, clean.text, clean.detail, clean.status, clean.outcome)
        number = database.execute(
            "INSERT INTO memories (id, capsule, kind, time, scope, agent, text, detail, status, outcome, refs, key,"
            " stems) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (rows.new_id(), place.capsule, *found, json.dumps(clean.refs), clean.key, " ".join(stems)),
        ).lastrowid
        assert number is not None
        hold(database, number, stems, captured=clean.kind in CAPTURED)
        self._put_on_shelf(database, number)
        return number

    def _put_on_shelf(self, database: sqlite3.Connection, number: int) -> None:
        memory = _memory(database, number)
        if memory.kind in PROSE:
            document = self._file.shelf.put([entry_of(memory)])[0] - self._file.shelf.first
            database.execute("UPDATE memories SET document = ? WHERE number = ?", (document, number))

    def _stems_of(self, observation: Observation, intent: str) -> list[str]:
        stems = (self._stems.of(term) for term in words_of(observation, intent))
        return list(dict.fromkeys(stem for stem in stems if stem))

    def _finish(self, database: sqlite3.Connection, owner: Owner, now: int, *, sessions: bool) -> None:
        """Ends the owner's pieces of work, each with its summary, and if wanted the sessions."""
        for capsule in unfinished(database, owner):
            end_capsule(database, capsule, now)
            self._summarize(database, capsule, now)
        if sessions:
            end_sessions(database, owner, now)

    def _summarize(self, database: sqlite3.Connection, capsule: int, now: int, text: str = "") -> int | None:
        """text: a person's words; without them a person's earlier ones stay."""
        intent, session, ended, by_hand, agent = database.execute(
            "SELECT c.intent, c.session, c.ended, c.by_hand, s.agent FROM capsules c"
            " JOIN sessions s ON s.number = c.session WHERE c.number = ?",
            (capsule,),
        ).fetchone()
        known = _known(database, capsule, _SUMMARY)
        if by_hand and not text:
            return known
        told = text or summarize(intent, _memories(database, capsule))
        if not told:
            return None
        if known is not None:
            self.remove(database, [known])
        database.execute("UPDATE capsules SET by_hand = ? WHERE number = ?", (bool(text), capsule))
        clean = Observation("summary", _clean(told, MOST_TEXT)[0], ended or now, key=_SUMMARY)
        return self._insert(database, clean, Place(session, capsule, intent), agent)

    def remove(self, database: sqlite3.Connection, numbers: Sequence[int]) -> None:
        """Takes memories away with all their words."""
        for number in numbers:
            found = database.execute("SELECT id, stems, document FROM memories WHERE number = ?", (number,)).fetchone()
            if found is None:
                continue
            release(database, number, found[1].split())
            if found[2] is not None:
                self._file.shelf.remove([f"memory:{found[0]}"])
            database.execute("DELETE FROM memories WHERE number = ?", (number,))

    def resummarize(self, database: sqlite3.Connection, capsules: Sequence[int], now: int) -> None:
        """Makes the summaries of ended pieces of work anew, but for those that a person wrote."""
        for capsule in capsules:
            known = _known(database, capsule, _SUMMARY)
            ended, by_hand = database.execute(
                "SELECT ended, by_hand FROM capsules WHERE number = ?", (capsule,)
            ).fetchone()
            if ended is None or (by_hand and known is not None):
                continue
            database.execute("UPDATE capsules SET by_hand = 0 WHERE number = ?", (capsule,))
            self.remove(database, [] if known is None else [known])
            self._summarize(database, capsule, now)

    def _writing(self) -> _Writing:
        return _Writing(self._file)


class _Writing:
    """A transaction whose failures are memory's."""

    def __init__(self, file: ShelfFile) -> None:
        self._inner = file.transaction()

    def __enter__(self) -> sqlite3.Connection:
        try:
            return self._inner.__enter__()
        except IndexUnavailable as error:
            raise MemoryUnavailable(str(error)) from error

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self._inner.__exit__(type(error) if error else None, error, None)
        except IndexUnavailable as failure:
            raise MemoryUnavailable(str(failure)) from failure


def _masked(observation: Observation) -> tuple[Observation, int]:
    text, in_text = _clean(observation.text, MOST_TEXT)
    detail, in_detail = _clean(observation.detail[-_MOST_READ:], MOST_DETAIL, from_end=True)
    refs = [_clean(ref, MOST_TEXT) for ref in observation.refs]
    key, _ = _clean(observation.key, MOST_TEXT)
    clean = replace(observation, text=text, detail=detail, refs=tuple(ref for ref, _ in refs), key=key)
    return clean, in_text + in_detail + sum(count for _, count in refs)


def _clean_owner(owner: Owner) -> Owner:
    return replace(owner, agent=_clean(owner.agent, MOST_NAME)[0]) if owner.agent else owner


def _clean(text: str, most: int, *, from_end: bool = False) -> tuple[str, int]:
    """A text as it may be kept, and how many secrets were in it."""
    found = mask(text[-_MOST_READ:] if from_end else text[:_MOST_READ])
    plain = found.text.encode("utf-8", "backslashreplace").decode().replace("\0", "").strip()
    if len(plain) > most:
        plain = f"…{plain[1 - most :]}" if from_end else f"{plain[: most - 1]}…"
    return plain, found.count


def _known(database: sqlite3.Connection, capsule: int, key: str) -> int | None:
    if not key:
        return None
    row = database.execute("SELECT number FROM memories WHERE capsule = ? AND key = ?", (capsule, key)).fetchone()
    return row[0] if row else None


def _memory(database: sqlite3.Connection, number: int) -> Memory:
    return rows.memory_from(database.execute(f"{rows.MEMORY} WHERE m.number = ?", (number,)).fetchone())


def _memories(database: sqlite3.Connection, capsule: int) -> list[Memory]:
    """In order of time."""
    found = database.execute(f"{rows.MEMORY} WHERE m.capsule = ? ORDER BY m.time, m.number", (capsule,))
    return [rows.memory_from(row) for row in found]


def _session(database: sqlite3.Connection, number: int) -> Session:
    return rows.session_from(database.execute(f"{rows.SESSION} WHERE s.number = ?", (number,)).fetchone())
