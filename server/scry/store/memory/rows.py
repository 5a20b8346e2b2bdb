"""Values of memory from rows and back."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any, cast

from scry.core.memory.types import Capsule, MemoryKind, Memory, MemoryOutcome, MemoryScope, WorkSession

SELECT_SESSIONS = (
    "SELECT s.id, s.root, s.agent, s.intent, s.started, s.ended,"
    " (SELECT count(*) FROM memories m JOIN capsules c ON c.number = m.capsule WHERE c.session = s.number)"
    " FROM sessions s"
)
SELECT_CAPSULES = "SELECT c.id, s.id, c.intent, c.started, c.ended FROM capsules c JOIN sessions s ON s.number = c.session"

_MEMORY_COLUMNS = (
    "m.number, m.id, m.kind, m.time, s.id, c.id, c.intent, m.scope, m.agent, m.text, m.detail, m.status, m.outcome,"
    " m.refs, m.times, m.pinned, m.document"
)
_FROM_MEMORIES = "FROM memories m JOIN capsules c ON c.number = m.capsule JOIN sessions s ON s.number = c.session"
SELECT_MEMORIES = f"SELECT {_MEMORY_COLUMNS} {_FROM_MEMORIES}"
SELECT_MEMORIES_BRIEF = f"SELECT {_MEMORY_COLUMNS.replace('m.detail', 'substr(m.detail, 1, 1)')} {_FROM_MEMORIES}"
"""Of a detail, which may be long, only whether there is one."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_RANDOM_LETTERS = 10


def new_id(prefix: str = "") -> str:
    """A name that is used once: 50 random bits, in letters that can be told apart."""
    return prefix + "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM_LETTERS))


def new_session_id(now: int) -> str:
    """A name that says the day: 20261121-k3v7qa2xbe."""
    return time.strftime("%Y%m%d-", time.gmtime(now // 1000)) + new_id()


def read_session(row: tuple[Any, ...]) -> WorkSession:
    """From a row of SESSION."""
    return WorkSession(*row)


def read_capsule(row: tuple[Any, ...]) -> Capsule:
    """From a row of CAPSULE."""
    return Capsule(*row)


def read_memory(row: tuple[Any, ...]) -> Memory:
    """From a row of MEMORY."""
    number, name, kind, when, session, capsule, intent, scope, agent, text, detail, *rest = row
    status, outcome, refs, times, pinned, document = rest
    return Memory(
        number=number,
        id=name,
        kind=cast("Kind", kind),
        time=when,
        session=session,
        capsule=capsule,
        capsule_intent=intent,
        scope=cast("Scope", scope),
        agent=agent,
        text=text,
        detail=detail,
        status=status,
        outcome=cast("Outcome", outcome),
        refs=tuple(json.loads(refs)) if refs != "[]" else (),
        times=times,
        pinned=bool(pinned),
        doc_key=document,
    )
