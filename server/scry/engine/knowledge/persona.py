"""Store, list, search and delete the person's notes, which are the same in every project."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager

import numpy as np
from msgspec import Struct

from scry.core.errors import BadRequest
from scry.core.platform import data_home
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.text import content_terms, escape_unencodable
from scry.embedding.static_model import load_bundled_model
from scry.engine.search.results import truncate
from scry.indexer.embed import embed_missing_notes_of, embedder_info
from scry.projects.project import persona_store_path
from scry.store.events.maintenance import forget_answers_in_projects
from scry.store.notes.persona import PersonaDatabase, PersonaNoteBody, StoredPersonaNote

MAX_NOTE_CHARACTERS = 10_000
MAX_FOUND_NOTES = 20
"""How many notes a search finds at most."""

_MIN_COSINE = 0.25
"""The cosine from which a note that shares no word with the query is found."""


def remember_note(
    text: str, settings: Settings, *, domains: Sequence[str] = (), supersedes: str | None = None
) -> StoredPersonaNote:
    """Store a note of the person. Raises BadRequest naming the parameter, IndexUnavailable.

    domains: what the note is about. supersedes: doc_id of a note whose place it takes, and whose domains it has where
    none are given. A current note that says the same is returned instead of a second one.
    """
    text = text.strip()
    if not text:
        raise BadRequest("text", "is empty; say what to remember")
    if len(text) > MAX_NOTE_CHARACTERS:
        raise BadRequest("text", f"is longer than {MAX_NOTE_CHARACTERS:,} characters; a note is a few sentences")
    named = tuple(dict.fromkeys(domain.strip() for domain in domains if domain.strip()))
    with _open_notes() as database:
        about = named or _superseded_domains(database, supersedes)
        body = PersonaNoteBody(escape_unencodable(text), tuple(map(escape_unencodable, about)), supersedes or "")
        if repeated := _find_same_note(database, body, any_domains=not named):
            return repeated
        try:
            note = database.add(body, time.time_ns() // 1_000_000)
        except KeyError as error:
            raise _unknown_note_error("supersedes", supersedes or "") from error
        if settings.model == BUNDLED_MODEL:  # another model runs in the indexer alone, which adds the vectors later
            model = load_bundled_model()
            embed_missing_notes_of(database.store, embedder_info(BUNDLED_MODEL, model), model, lambda: None)
    return note


def _find_same_note(database: PersonaDatabase, body: PersonaNoteBody, *, any_domains: bool) -> StoredPersonaNote | None:
    """Return the current note with this text, which a client that asks again has stored already."""
    for note in database.current_notes():
        known = note.body
        replaces_same = body.supersedes in ("", known.supersedes) and body.supersedes != note.doc_id
        if known.text == body.text and replaces_same and (any_domains or known.domains == body.domains):
            return note
    return None


def _superseded_domains(database: PersonaDatabase, doc_id: str | None) -> tuple[str, ...]:
    notes = database.current_notes([doc_id]) if doc_id else []
    return notes[0].body.domains if notes else ()


def list_notes(query: str | None = None, domains: Sequence[str] = ()) -> list[StoredPersonaNote]:
    """Return the current notes: all, or with a query those that it finds, best first.

    domains: only notes about one of these; all when empty. Raises BadRequest for an empty query, IndexUnavailable.
    """
    with _open_notes() as database:
        if query is not None and not query.strip():
            raise BadRequest("query", "is empty; say what to look for")
        notes = database.current_notes(None if query is None else _search_notes(database, query))
    wanted = frozenset(domain.lower() for domain in domains)
    return [note for note in notes if not wanted or wanted & {domain.lower() for domain in note.body.domains}]


class ForgottenNote(Struct, frozen=True):
    """A deleted note. time_ms: when it was made; None for one that was superseded before.

    is_clean: whether no file of Scry holds its text any more.
    """

    doc_id: str
    time_ms: int | None
    is_clean: bool


def forget_note(doc_id: str) -> ForgottenNote:
    """Delete a note for good, also from the stored answers of all projects. Raises BadRequest, IndexUnavailable."""
    with _open_notes() as database:
        notes = database.current_notes([doc_id])
        try:
            is_erased = database.forget(doc_id, time.time_ns() // 1_000_000)
        except KeyError as error:
            raise _unknown_note_error("doc_id", doc_id) from error
        is_clean = forget_answers_in_projects(data_home(), [doc_id])
    return ForgottenNote(doc_id, notes[0].time_ms if notes else None, is_erased and is_clean)


@contextmanager
def _open_notes() -> Generator[PersonaDatabase]:
    with closing(PersonaDatabase.open(persona_store_path())) as database:
        yield database


def _search_notes(database: PersonaDatabase, query: str) -> Sequence[str]:
    """Return the doc_ids of notes by how many of the query's words they hold, then by cosine."""
    notes, model = database.notes, load_bundled_model()
    near = notes.search_vectors(model.identity, model.encode_query(query))
    doc_ids = notes.list_doc_ids()
    doc_keys = notes.doc_keys_by_id(doc_ids)
    matched = notes.matched_terms(content_terms(query), list(doc_keys.values()))
    word_counts = {doc_key: len(terms) for doc_key, terms in matched.items()}
    cosines = dict(zip(near.doc_keys.tolist(), np.round(near.scores, 6).tolist(), strict=True))
    scores = {doc_id: (word_counts[doc_key], cosines.get(doc_key, 0.0)) for doc_id, doc_key in doc_keys.items()}
    matching = [doc_id for doc_id, (count, cosine) in scores.items() if count or cosine >= _MIN_COSINE]
    return sorted(matching, key=lambda doc_id: (-sum(scores[doc_id]), doc_id))[:MAX_FOUND_NOTES]


def _unknown_note_error(field: str, doc_id: str) -> BadRequest:
    return BadRequest(field, f"{truncate(doc_id, 100) or 'nothing'} is no note of yours; scry persona list names them")
