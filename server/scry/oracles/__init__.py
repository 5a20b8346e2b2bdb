"""The sources of ranked evidence, in the order in which their terms are summed."""

from __future__ import annotations

from scry.oracles import belief, lexical, memory, persona, semantic, temporal
from scry.oracles.oracle import Oracle

ORACLES: tuple[Oracle, ...] = (
    semantic.ORACLE,
    lexical.ORACLE,
    temporal.ORACLE,
    persona.ORACLE,
    belief.ORACLE,
    memory.ORACLE,
)
