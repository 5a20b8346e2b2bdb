"""Store, list, search and delete the person's notes.

The person's notes: kept, looked through and forgotten, whichever project they were told in.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager

import numpy as np
from msgspec import UNSET

from scry.core.errors import BadRequest
from scry.core.files import data_home
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.text import content_terms, escape_unencodable
from scry.embedding.static_model import load_bundled_model
from scry.engine.response.answer import format_utc_time, replace_surrogates
from scry.indexer.embed import embed_missing_notes_of, embedder_info
from scry.projects.note_stores import persona_store_path
from scry.store.events.maintenance import forget_answers_in_projects
from scry.store.notes.persona import PersonaDatabase, PersonaNoteBody, StoredPersonaNote
from scry_protocol.messages import PersonaNote, PersonaNotes, PersonaParams, RememberParams

MAX_NOTE_CHARACTERS = 10_000
MAX_FOUND_NOTES = 20
"""So many notes at most are found by a search."""

_MIN_COSINE = 0.25
"""The cosine from which a note that shares no word is found."""


def remember_note(params: RememberParams, settings: Settings) -> PersonaNotes:
    """Keeps a note. Raises BadRequest naming the parameter, IndexUnavailable."""
    text = params.text.strip()
    if not text:
        raise BadRequest("text", "is empty; say what to remember")
    if len(text) > MAX_NOTE_CHARACTERS:
        raise BadRequest("text", f"is longer than {MAX_NOTE_CHARACTERS:,} characters; a note is a few sentences")
    named = tuple(dict.fromkeys(domain.strip() for domain in params.domains if domain.strip()))
    with _open_notes() as file:
        domains = named or _superseded_domains(file, params.supersedes)
        told = PersonaNoteBody(
            escape_unencodable(text), tuple(map(escape_unencodable, domains)), params.supersedes or ""
        )
        try:
            note = file.add(told, time.time_ns() // 1_000_000)
        except KeyError as error:
            raise _unknown_note_error("supersedes", params.supersedes or "") from error
        if (
            settings.model == BUNDLED_MODEL
        ):  # another model is in the indexer alone, which makes the vectors when it can
            embed_missing_notes_of(
                file, embedder_info(BUNDLED_MODEL, load_bundled_model()), load_bundled_model(), lambda: None
            )
    return PersonaNotes([_present_persona_note(note)], "Remembered.")


def _superseded_domains(file: PersonaDatabase, doc_id: str | None) -> tuple[str, ...]:
    """What the note is about whose place is taken: who says something anew need not say that again."""
    found = file.current_notes([doc_id]) if doc_id else []
    return found[0].body.domains if found else ()


def list_or_forget_notes(params: PersonaParams) -> PersonaNotes:
    """Lists, searches or forgets notes. Raises BadRequest naming the parameter, IndexUnavailable."""
    with _open_notes() as file:
        if params.action == "forget":
            return _forget_note(file, params.doc_id or "")
        if params.action == "search" and not params.query.strip():
            raise BadRequest("query", "is empty; say what to look for")
        notes = file.current_notes(_search_notes(file, params.query) if params.action == "search" else None)
    wanted = frozenset(domain.lower() for domain in params.domains)
    chosen = [note for note in notes if not wanted or wanted & {domain.lower() for domain in note.body.domains}]
    return PersonaNotes([_present_persona_note(note) for note in chosen], "" if chosen else "There is no such note.")


@contextmanager
def _open_notes() -> Generator[PersonaDatabase]:
    with closing(PersonaDatabase.open(persona_store_path())) as file:
        yield file


def _forget_note(file: PersonaDatabase, doc_id: str) -> PersonaNotes:
    found = file.current_notes([doc_id])
    try:
        file.forget(doc_id, time.time_ns() // 1_000_000)
    except KeyError as error:
        raise _unknown_note_error("doc_id", doc_id) from error
    is_clean = forget_answers_in_projects(data_home(), [doc_id])
    rest = "" if is_clean else " But an open Scry reads an answer that shows it: close that one, and forget again."
    if not found:
        return PersonaNotes([], f"{doc_id} no longer stood; its text is gone now, too.{rest}")
    bare = PersonaNote(doc_id, "", format_utc_time(found[0].time_ms // 1000), [], "direct")
    return PersonaNotes([bare], f"Forgotten; no file of Scry holds its text any more.{rest}")


def _search_notes(file: PersonaDatabase, query: str) -> Sequence[str]:
    """The doc_ids of notes by how many of the question's words they hold, then by meaning."""
    shelf, model = file.notes, load_bundled_model()
    near = shelf.search_vectors(model.identity, model.encode_query(query))
    doc_ids = shelf.list_doc_ids()
    numbers = shelf.doc_keys_by_id(doc_ids)
    words = content_terms(query)
    held = {number: len(found) for number, found in shelf.matched_terms(words, list(numbers.values())).items()}
    cosines = dict(zip(near.doc_keys.tolist(), np.round(near.scores, 6).tolist(), strict=True))
    scores = {doc_id: (held[number], cosines.get(number, 0.0)) for doc_id, number in numbers.items()}
    found = [doc_id for doc_id, (count, cosine) in scores.items() if count or cosine >= _MIN_COSINE]
    return sorted(found, key=lambda doc_id: (-sum(scores[doc_id]), doc_id))[:MAX_FOUND_NOTES]


def _present_persona_note(note: StoredPersonaNote) -> PersonaNote:
    return PersonaNote(
        doc_id=note.doc_id,
        text=replace_surrogates(note.body.text),
        timestamp=format_utc_time(note.time_ms // 1000),
        domains=list(note.body.domains),
        source="direct",
        superseded=note.body.supersedes or UNSET,
    )


def _unknown_note_error(field: str, doc_id: str) -> BadRequest:
    return BadRequest(field, f"{doc_id or 'nothing'} is no note of yours; scry persona list names them")
