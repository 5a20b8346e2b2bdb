"""What an explanation is made of, before it takes the wire's form."""

from __future__ import annotations

from msgspec import Struct

from scry.core.types import OracleFault, Hit, IndexState, DocumentHeader, SearchQuery, FusionScoring, FileStructure
from scry.embedding.shares import CosineAttribution
from scry.engine.leave_out import Ablation
from scry.engine.lived import FileHistory
from scry.engine.locate import ResolvedDocument

VOTED, BEYOND_DEPTH, NO_MATCH, FAILED = "voted", "beyond_depth", "no_match", "failed"
OTHER_KIND = "other_kind"


class OracleFinding(Struct, frozen=True):
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
    shares: CosineAttribution | None = None


class ModeRank(Struct, frozen=True):
    """Where a document stands in one mode, of how many; rank None where it has no place, and `note` says why."""

    mode: str
    rank: int | None
    total: int
    note: str = ""


class DocumentExplanation(Struct, frozen=True):
    """Why a document has its place for one question, or none.

    document: the one that is looked at; of a file, its highest. ranked: how many documents have a place. hit: it as
    find gives it, with its place however far down; None where find does not rank it. left_out: where it would stand
    without each factor of its score. absence: why find does not rank it at all, beside the oracles' silence.
    """

    question: SearchQuery
    scoring: FusionScoring
    faults: tuple[OracleFault, ...]
    document: DocumentHeader
    oracles: tuple[OracleFinding, ...]
    ranked_count: int
    hit: Hit | None = None
    ablations: tuple[Ablation, ...] = ()
    absence: str = ""


class WhyResult(Struct, frozen=True):
    """All that is said of a document. case: None without a question. remark: what a person should know beside it."""

    target: ResolvedDocument
    query: str | None
    query_id: str
    index: IndexState
    explanation: DocumentExplanation | None
    mode_ranks: tuple[ModeRank, ...]
    file_history: FileHistory | None
    structure: FileStructure | None
    remark: str = ""
