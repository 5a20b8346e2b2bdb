"""Begin, find and end sessions and pieces of work; used inside a transaction of the store."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from scry.store.memory.schema import new_id, new_session_id

SESSION_IDLE_MS = 2 * 3_600_000
"""A session without an explicit start ends after so long without an observation: a lunch is shorter, a night is not."""


class SessionOwner(Struct, frozen=True):
    """Owner of sessions: a work tree, and an agent in it; "" for the person."""

    root: str
    agent: str = ""


class OpenCapsule(Struct, frozen=True):
    """An open piece of work: row ids of its session and of itself, and its intent."""

    session_id: int
    capsule_id: int
    intent: str


def find_open_capsule(database: sqlite3.Connection, owner: SessionOwner, now: int) -> OpenCapsule | None:
    """Return the current piece of work; None where there is none, or where its session has ended by idleness."""
    row = database.execute(
        "SELECT s.number, c.number, c.intent, s.intent, s.noted FROM sessions s JOIN capsules c ON c.session = s.number"
        " WHERE s.root = ? AND s.agent = ? AND s.ended IS NULL AND c.ended IS NULL"
        " ORDER BY c.number DESC LIMIT 1",
        (owner.root, owner.agent),
    ).fetchone()
    if row is None or (not row[3] and row[4] < now - SESSION_IDLE_MS):
        return None
    return OpenCapsule(*row[:3])


def list_open_capsules(database: sqlite3.Connection, owner: SessionOwner) -> list[int]:
    """Return the ids of the open pieces of work, also of sessions that ended by idleness."""
    rows = database.execute(
        "SELECT c.number FROM capsules c JOIN sessions s ON s.number = c.session"
        " WHERE s.root = ? AND s.agent = ? AND c.ended IS NULL",
        (owner.root, owner.agent),
    )
    return [row[0] for row in rows]


def begin_session(database: sqlite3.Connection, owner: SessionOwner, intent: str, now: int) -> OpenCapsule:
    """Begin a session with a first piece of work; return that."""
    session = database.execute(
        "INSERT INTO sessions (id, root, agent, intent, started, noted) VALUES (?, ?, ?, ?, ?, ?)",
        (new_session_id(now), owner.root, owner.agent, intent, now, now),
    ).lastrowid
    return begin_capsule(database, session or 0, intent, now)


def begin_capsule(database: sqlite3.Connection, session: int, intent: str, now: int) -> OpenCapsule:
    """Begin another piece of work in a session; return it."""
    capsule = database.execute(
        "INSERT INTO capsules (id, session, intent, started) VALUES (?, ?, ?, ?)", (new_id("c"), session, intent, now)
    ).lastrowid
    return OpenCapsule(session, capsule or 0, intent)


def end_capsule(database: sqlite3.Connection, capsule: int, now: int) -> None:
    """End a piece of work; one without an intent ends at its last observation."""
    database.execute(
        "UPDATE capsules SET ended = CASE WHEN intent = '' THEN"
        " coalesce((SELECT max(time) FROM memories WHERE capsule = capsules.number), ?) ELSE ? END WHERE number = ?",
        (now, now, capsule),
    )


def end_sessions(database: sqlite3.Connection, owner: SessionOwner, now: int) -> None:
    """End the open sessions of the owner."""
    database.execute(
        "UPDATE sessions SET ended = CASE WHEN intent = '' THEN min(noted, ?) ELSE ? END"
        " WHERE root = ? AND agent = ? AND ended IS NULL",
        (now, now, owner.root, owner.agent),
    )


def current_session_and_intent(database: sqlite3.Connection, owner: SessionOwner) -> tuple[str, str] | None:
    """Return the session that `this` names in a work tree, and the intent of its open piece of work.

    It is the open session or else the last one; None where there never was one.
    """
    return database.execute(
        "SELECT s.id, coalesce((SELECT c.intent FROM capsules c WHERE c.session = s.number AND c.ended IS NULL), '')"
        " FROM sessions s WHERE s.number = (SELECT number FROM sessions WHERE root = ? AND agent = ?"
        " ORDER BY ended IS NULL DESC, number DESC LIMIT 1)",
        (owner.root, owner.agent),
    ).fetchone()
