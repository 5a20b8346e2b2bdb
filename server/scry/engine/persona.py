"""The person's notes: kept, looked through and forgotten, whichever project they were told in."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager

import numpy as np
from msgspec import UNSET

from scry.core.errors import BadRequest
from scry.core.places import data_home
from scry.core.settings import BUNDLED, Settings
from scry.core.text import content_terms, encodable
from scry.embedding.choose import bundled
from scry.engine.present import present_text, present_time
from scry.index.embed import maker_of
from scry.index.shelf_places import persona_path
from scry.index.shelf_vectors import fill_shelf
from scry.store.kept_answers import forget_answers
from scry.store.persona import Note, PersonaFile, Told
from scry_protocol.messages import PersonaNote, PersonaNotes, PersonaParams, RememberParams

MOST_CHARACTERS = 10_000
FOUND = 20
"""So many notes at most are found by a search."""

_NEAR = 0.25
"""The cosine from which a note that shares no word is found."""


def remember(params: RememberParams, settings: Settings) -> PersonaNotes:
    """Keeps a note. Raises BadRequest naming the parameter, IndexUnavailable."""
    text = params.text.strip()
    if not text:
        raise BadRequest("text", "is empty; say what to remember")
    if len(text) > MOST_CHARACTERS:
        raise BadRequest("text", f"is longer than {MOST_CHARACTERS:,} characters; a note is a few sentences")
    named = tuple(dict.fromkeys(domain.strip() for domain in params.domains if domain.strip()))
    with _opened() as file:
        domains = named or _domains_of(file, params.supersedes)
        told = Told(encodable(text), tuple(map(encodable, domains)), params.supersedes or "")
        try:
            note = file.add(told, time.time_ns() // 1_000_000)
        except KeyError as error:
            raise _unknown("supersedes", params.supersedes or "") from error
        if settings.model == BUNDLED:  # another model is in the indexer alone, which makes the vectors when it can
            fill_shelf(file, maker_of(BUNDLED, bundled()), bundled(), lambda: None)
    return PersonaNotes([_present(note)], "Remembered.")


def _domains_of(file: PersonaFile, doc_id: str | None) -> tuple[str, ...]:
    """What the note is about whose place is taken: who says something anew need not say that again."""
    found = file.standing([doc_id]) if doc_id else []
    return found[0].told.domains if found else ()


def persona(params: PersonaParams) -> PersonaNotes:
    """Lists, searches or forgets notes. Raises BadRequest naming the parameter, IndexUnavailable."""
    with _opened() as file:
        if params.action == "forget":
            return _forget(file, params.doc_id or "")
        if params.action == "search" and not params.query.strip():
            raise BadRequest("query", "is empty; say what to look for")
        notes = file.standing(_search(file, params.query) if params.action == "search" else None)
    wanted = frozenset(domain.lower() for domain in params.domains)
    chosen = [note for note in notes if not wanted or wanted & {domain.lower() for domain in note.told.domains}]
    return PersonaNotes([_present(note) for note in chosen], "" if chosen else "There is no such note.")


@contextmanager
def _opened() -> Generator[PersonaFile]:
    with closing(PersonaFile.open(persona_path())) as file:
        yield file


def _forget(file: PersonaFile, doc_id: str) -> PersonaNotes:
    found = file.standing([doc_id])
    try:
        file.forget(doc_id, time.time_ns() // 1_000_000)
    except KeyError as error:
        raise _unknown("doc_id", doc_id) from error
    is_clean = forget_answers(data_home(), [doc_id])
    rest = "" if is_clean else " But an open Scry reads an answer that shows it: close that one, and forget again."
    if not found:
        return PersonaNotes([], f"{doc_id} no longer stood; its text is gone now, too.{rest}")
    bare = PersonaNote(doc_id, "", present_time(found[0].time_ms // 1000), [], "direct")
    return PersonaNotes([bare], f"Forgotten; no file of Scry holds its text any more.{rest}")


def _search(file: PersonaFile, query: str) -> Sequence[str]:
    """The doc_ids of notes by how many of the question's words they hold, then by meaning."""
    shelf, model = file.shelf, bundled()
    near = shelf.by_meaning(model.identity, model.encode_query(query))
    doc_ids = shelf.doc_ids()
    numbers = shelf.numbers_named(doc_ids)
    words = content_terms(query)
    held = {number: len(found) for number, found in shelf.holding(words, list(numbers.values())).items()}
    cosines = dict(zip(near.numbers.tolist(), np.round(near.scores, 6).tolist(), strict=True))
    scores = {doc_id: (held[number], cosines.get(number, 0.0)) for doc_id, number in numbers.items()}
    found = [doc_id for doc_id, (count, cosine) in scores.items() if count or cosine >= _NEAR]
    return sorted(found, key=lambda doc_id: (-sum(scores[doc_id]), doc_id))[:FOUND]


def _present(note: Note) -> PersonaNote:
    return PersonaNote(
        doc_id=note.doc_id,
        text=present_text(note.told.text),
        timestamp=present_time(note.time_ms // 1000),
        domains=list(note.told.domains),
        source="direct",
        superseded=note.told.supersedes or UNSET,
    )


def _unknown(field: str, doc_id: str) -> BadRequest:
    return BadRequest(field, f"{doc_id or 'nothing'} is no note of yours; scry persona list names them")
