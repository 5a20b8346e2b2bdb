"""Convert notes of the person, and observations for memory, to and from the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from scry.core.errors import BadRequest, MemoryUnavailable
from scry.core.memory.types import CONTENT_KEY, Memory, Observation, WorkSession
from scry.core.notices import COMMAND_LINE, CommandNames
from scry.core.settings import Settings
from scry.core.text import format_count
from scry.engine.response.answer import format_utc_time, replace_surrogates
from scry.store.events.log import now_ms
from scry.store.memory.search import memory_doc_id
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.knowledge.memory import MemoryService
    from scry.store.notes.persona import StoredPersonaNote

# Notes of the person --------------------------------------------------------------------------------------------------


def remember_persona_note(params: messages.RememberParams, settings: Settings) -> messages.PersonaNotes:
    """Store a note of the person. Raises BadRequest naming the parameter, IndexUnavailable."""
    from scry.engine.knowledge.persona import remember_note

    note = remember_note(params.text, settings, domains=params.domains, supersedes=params.supersedes)
    return messages.PersonaNotes([_present_persona_note(note)], "Remembered.")


def list_or_forget_persona_notes(params: messages.PersonaParams) -> messages.PersonaNotes:
    """List, search or delete notes of the person. Raises BadRequest naming the parameter, IndexUnavailable."""
    from scry.engine.knowledge.persona import list_notes

    if params.action == "forget":
        return _forget_persona_note(params.doc_id or "")
    notes = list_notes(params.query if params.action == "search" else None, params.domains)
    note = "" if notes else "There is no such note."
    return messages.PersonaNotes([_present_persona_note(each) for each in notes], note)


def _forget_persona_note(doc_id: str) -> messages.PersonaNotes:
    from scry.engine.knowledge.persona import forget_note

    forgotten = forget_note(doc_id)
    warning = " But an open Scry reads it, or an answer that shows it: close that one, and forget again."
    rest = "" if forgotten.is_clean else warning
    if forgotten.time_ms is None:
        return messages.PersonaNotes([], f"{doc_id} no longer stood; its text is gone now, too.{rest}")
    bare = messages.PersonaNote(doc_id, "", format_utc_time(forgotten.time_ms // 1000), [], "direct")
    return messages.PersonaNotes([bare], f"Forgotten; no file of Scry holds its text any more.{rest}")


def _present_persona_note(note: StoredPersonaNote) -> messages.PersonaNote:
    return messages.PersonaNote(
        doc_id=note.doc_id,
        text=replace_surrogates(note.body.text),
        timestamp=format_utc_time(note.time_ms // 1000),
        domains=list(note.body.domains),
        source="direct",
        superseded=note.body.supersedes or UNSET,
    )


# Memory ---------------------------------------------------------------------------------------------------------------


_MAX_STATUS = 2**32
"""Windows has exit statuses of 32 bits, without a sign."""


def record_observation(
    memory: MemoryService, params: messages.ObserveParams, commands: CommandNames = COMMAND_LINE
) -> messages.Observed:
    """Record an observation. The outcome says why it could not be stored; raises BadRequest."""
    if not params.text.strip():
        raise BadRequest("text", "is empty; say what to remember")
    if params.status is not None and abs(params.status) > _MAX_STATUS:
        raise BadRequest("status", f"is an exit status, a number from {-_MAX_STATUS} to {_MAX_STATUS}")
    observation = Observation(
        params.kind,
        params.text,
        now_ms(),
        params.detail,
        params.status,
        params.outcome or "",
        tuple(params.refs),
        params.scope,
        key=f"act {params.act_id}" if params.act_id else CONTENT_KEY,
    )
    try:
        recorded = memory.note(observation, params.agent)
    except MemoryUnavailable as error:
        return messages.Observed("", "", recorded=False, note=error.describe(commands))
    return messages.Observed(
        memory_doc_id(recorded.memory.id),
        recorded.memory.session,
        recorded.is_new,
        recorded.masked_secrets,
        _describe_outcome(recorded.masked_secrets, is_new=recorded.is_new),
    )


def _describe_outcome(masked: int, *, is_new: bool) -> str:
    if not is_new:
        return "this was recorded before"
    return f"{format_count(masked, 'secret')} masked" if masked else ""


def list_or_forget_memories(memory: MemoryService, params: messages.MemoryParams) -> messages.Memories:
    """List, search or delete memories. Raises BadRequest naming the parameter, MemoryUnavailable."""
    from scry.engine.search.results import truncate
    from scry.store.memory.reader import MemoryFilter

    if params.action == "forget":
        if not params.ids:
            raise BadRequest("ids", "is empty; name the memories to forget")
        forgotten = memory.forget(MemoryFilter(ids=tuple(each.removeprefix("memory:") for each in params.ids)))
        if not forgotten.ids:
            named = truncate(", ".join(params.ids), 100)
            raise BadRequest("ids", f"no memory is named {named}; the action list names them")
        return messages.Memories([], f"Forgot {format_count(len(forgotten.ids), 'memory')}.")
    if params.action == "search":
        if not params.query.strip():
            raise BadRequest("query", "is empty; say what to look for")
        matches = memory.search(params.query, params.limit)
        entries = [_present_memory(match.recalled.memory, match.why) for match in matches]
    else:
        entries = [_present_memory(each) for each in memory.memories(MemoryFilter(), params.limit)]
    return messages.Memories(entries, "" if entries else "There is no such memory.")


def _present_memory(memory: Memory, why: str = "") -> messages.MemoryEntry:
    return messages.MemoryEntry(
        doc_id=memory_doc_id(memory.id),
        kind=memory.kind,
        text=replace_surrogates(memory.text),
        timestamp=format_utc_time(memory.time // 1000),
        session_id=memory.session,
        times=memory.times,
        why=replace_surrogates(why),
    )


def list_or_change_sessions(memory: MemoryService, params: messages.SessionParams) -> messages.Sessions:
    """List sessions, or begin or end one. Raises BadRequest naming the parameter, MemoryUnavailable."""
    if params.action == "list":
        sessions = [_present_session(session) for session, _ in memory.sessions(params.limit)]
        return messages.Sessions(sessions, "" if sessions else "There is no session yet.")
    if params.action == "start":
        if not params.intent.strip():
            raise BadRequest("intent", "is empty; say what the work is about")
        return messages.Sessions([_present_session(memory.start(params.intent))], "Begun.")
    ended = memory.end()
    if ended is None:
        return messages.Sessions([], "No session is open.")
    return messages.Sessions([_present_session(ended)], "Ended.")


def _present_session(session: WorkSession) -> messages.Session:
    return messages.Session(
        session_id=session.id,
        intent=replace_surrogates(session.intent),
        agent=replace_surrogates(session.agent),
        started=format_utc_time(session.started // 1000),
        memories=session.memories,
        ended=UNSET if session.ended is None else format_utc_time(session.ended // 1000),
    )
