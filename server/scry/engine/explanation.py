"""What an explanation is made of, before it takes the wire's form."""

from __future__ import annotations

from msgspec import Struct

from scry.core.types import Fault, Hit, IndexState, Outline, Question, Scoring, Structure
from scry.embedding.shares import Shares
from scry.engine.leave_out import LeftOut
from scry.engine.lived import Lived
from scry.engine.locate import Target

VOTED, BEYOND_DEPTH, NO_MATCH, FAILED = "voted", "beyond_depth", "no_match", "failed"
OTHER_KIND = "other_kind"


class OracleEvidence(Struct, frozen=True):
    """What one oracle says of a document. The fields are those of the wire's struct of this name."""

    oracle: str
    title: str
    state: str
    rank: int | None
    raw_score: float | None
    score_type: str
    share: float = 0.0
    matches: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    note: str = ""
    shares: Shares | None = None


class Place(Struct, frozen=True):
    """Where a document stands in one mode, of how many; rank None where it has no place, and `note` says why."""

    mode: str
    rank: int | None
    of: int
    note: str = ""


class Case(Struct, frozen=True):
    """Why a document has its place for one question, or none.

    document: the one that is looked at; of a file, its highest. ranked: how many documents have a place. hit: it as
    find gives it, with its place however far down; None where find does not rank it. left_out: where it would stand
    without each factor of its score. absence: why find does not rank it at all, beside the oracles' silence.
    """

    question: Question
    scoring: Scoring
    faults: tuple[Fault, ...]
    document: Outline
    oracles: tuple[OracleEvidence, ...]
    ranked: int
    hit: Hit | None = None
    left_out: tuple[LeftOut, ...] = ()
    absence: str = ""


class Explained(Struct, frozen=True):
    """All that is said of a document. case: None without a question. remark: what a person should know beside it."""

    target: Target
    query: str | None
    query_id: str
    index: IndexState
    case: Case | None
    places: tuple[Place, ...]
    lived: Lived | None
    structure: Structure | None
    remark: str = ""
