"""What modes that ask no oracle show for a result: orient its composite, neighbors its ties, a relation its proof."""

from __future__ import annotations

from msgspec import Struct


class ScorePart(Struct, frozen=True):
    """One part of a composite score: what was measured, its value from 0 to 1, its weight, and words for a person."""

    name: str
    value: float
    weight: float
    reason: str


class NeighborRelation(Struct, frozen=True):
    """How a neighbour is tied to the file that was asked about; confidence only where a name had to be resolved."""

    kind: str
    count: int
    confidence: str | None = None


class ProofStep(Struct, frozen=True):
    """One relation between two documents or files, by their doc_ids, as a proof states it.

    confidence: exact, by name or ambiguous. line: where it is written, 0-based; of the target for a definition, else of
    the source; None where no line shows it. count: how many commits show it, for a co-change.
    """

    source: str
    kind: str
    target: str
    confidence: str
    line: int | None = None
    count: int = 1
