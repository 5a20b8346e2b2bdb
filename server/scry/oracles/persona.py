"""Which of the person's own notes bear on the question? Reads the notes of all projects; silent where none is near."""

from __future__ import annotations

from scry.core.knowledge import PERSONA, PERSONA_SHELF
from scry.oracles.notes import SCORE_TYPE, Notes
from scry.oracles.oracle import Oracle

WEIGHT = 0.5
"""As a belief's (see oracles.belief)."""

_NOTES = Notes(PERSONA_SHELF, frozenset({PERSONA}))

ORACLE = Oracle("persona", "persona", "Persona", WEIGHT, SCORE_TYPE, _NOTES.consult, _NOTES.matches, _NOTES.stand)
