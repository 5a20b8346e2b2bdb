"""Retrieve the person's own notes that bear on a query.

Which of the person's own notes bear on the question? Reads the notes of all projects; silent where none is near.
"""

from __future__ import annotations

from scry.core.knowledge import PERSONA, PERSONA_NOTES
from scry.oracles.note_oracle import SCORE_TYPE, NoteOracle
from scry.oracles.oracle import Oracle

WEIGHT = 0.5
"""As a belief's (see oracles.belief)."""

_PERSONA_NOTES = NoteOracle(PERSONA_NOTES, frozenset({PERSONA}))

ORACLE = Oracle(
    "persona",
    "persona",
    "Persona",
    WEIGHT,
    SCORE_TYPE,
    _PERSONA_NOTES.consult,
    _PERSONA_NOTES.matched_terms,
    _PERSONA_NOTES.lookup_rank,
)
