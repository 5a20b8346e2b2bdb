"""Retrieve the person's own notes that bear on a query.

Reads the persona's notes; silent where none is near.
"""

from __future__ import annotations

from scry.core.knowledge import PERSONA, PERSONA_NOTES
from scry.oracles.note_oracle import SCORE_TYPE, NoteOracle
from scry.oracles.oracle import Oracle

WEIGHT = 0.5
"""As a belief's: see oracles.belief."""

_NOTES = NoteOracle(PERSONA_NOTES, frozenset({PERSONA}))

ORACLE = Oracle(
    "persona", "persona", "Persona", WEIGHT, SCORE_TYPE, _NOTES.consult, _NOTES.lookup_rank, notes_only=True
)
