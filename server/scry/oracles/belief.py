"""Retrieve the beliefs of the team that bear on a query.

Reads the project's beliefs; silent where none is near. Patterns and session notes are found by words and vectors like
any document; this oracle adds weight to what the team states as a belief.
"""

from __future__ import annotations

from scry.core.knowledge import BELIEF, PROJECT_NOTES
from scry.oracles.note_oracle import SCORE_TYPE, NoteOracle
from scry.oracles.oracle import Oracle

WEIGHT = 0.5
"""Together with words and meaning, a belief that answers the query ranks among the first; by this oracle alone it ranks
behind all code that two oracles agree on."""

_BELIEFS = NoteOracle(PROJECT_NOTES, frozenset({BELIEF}), answers_decisions=True)

ORACLE = Oracle("belief", "bel", "Belief", WEIGHT, SCORE_TYPE, _BELIEFS.consult, _BELIEFS.lookup_rank, notes_only=True)
