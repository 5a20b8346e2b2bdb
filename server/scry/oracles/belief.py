"""Retrieve the beliefs of the team that bear on a query.

Which beliefs of the team bear on the question? Reads the project's beliefs; silent where none is near.

Patterns and session notes are found by words and meaning like any document; this one adds that something is believed.
"""

from __future__ import annotations

from scry.core.knowledge import BELIEF, PROJECT_NOTES
from scry.oracles.note_oracle import SCORE_TYPE, NoteOracle
from scry.oracles.oracle import Oracle

WEIGHT = 0.5
"""With words and meaning a belief that answers the question comes among the first; by this alone it comes after all
code that two oracles agree on."""

_BELIEFS = NoteOracle(PROJECT_NOTES, frozenset({BELIEF}))

ORACLE = Oracle(
    "belief", "bel", "Belief", WEIGHT, SCORE_TYPE, _BELIEFS.consult, _BELIEFS.matched_terms, _BELIEFS.lookup_rank
)
