"""An explanation in the wire's words."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET

from scry.core.doc_id import file_id
from scry.embedding.shares import Shares
from scry.engine.explanation import Explained, OracleEvidence
from scry.engine.leave_out import decisive
from scry.engine.lived import Lived
from scry.engine.present import (
    SCORE_DIGITS,
    present_fault,
    present_hit,
    present_scoring,
    present_state,
    present_structure,
    present_text,
    present_time,
)
from scry.engine.why_line import summarise
from scry_protocol import messages

FIELD_NAMES = {"text": "body"}
"""Fields of a passage as they are named on the wire, where that differs."""


def present_explanation(explained: Explained, root: Path, project: str, encoding: str) -> messages.Explanation:
    """The explanation as it leaves. encoding: `utf-8` or `utf-16`, what characters of positions count."""
    case = explained.case
    holds = decisive(case.left_out) if case else None
    return messages.Explanation(
        doc_id=present_text(explained.target.doc_id),
        query=explained.query,
        query_id=explained.query_id,
        status=explained.target.status,
        summary=present_text(summarise(explained)),
        text="",
        index=present_state(explained.index),
        reason=present_text(explained.target.reason or explained.remark or (case.absence if case else "")),
        near=[present_text(near) for near in explained.target.near],
        faults=[present_fault(fault) for fault in case.faults] if case else [],
        scoring=present_scoring(case.scoring) if case else UNSET,
        result=present_hit(case.hit, root, project, encoding) if case and case.hit else UNSET,
        oracles=[_evidence(said) for said in case.oracles] if case else [],
        decisive=holds.name if holds else UNSET,
        without=[messages.Without(name=left.name, rank=left.rank) for left in case.left_out] if case else [],
        places=[
            messages.Place(mode=place.mode, rank=place.rank, of=place.of, note=place.note) for place in explained.places
        ],
        structural=present_structure(explained.structure) if explained.structure else UNSET,
        lived=_lived(explained.lived) if explained.lived else UNSET,
    )


def _evidence(said: OracleEvidence) -> messages.OracleEvidence:
    return messages.OracleEvidence(
        oracle=said.oracle,
        title=said.title,
        state=said.state,
        rank=said.rank,
        raw_score=None if said.raw_score is None else round(said.raw_score, SCORE_DIGITS),
        score_type=said.score_type,
        share=said.share,
        matches=[present_text(term) for term in said.matches],
        missing=[present_text(term) for term in said.missing],
        note=present_text(said.note),
        shares=_shares(said.shares) if said.shares else UNSET,
    )


def _shares(shares: Shares) -> messages.Shares:
    return messages.Shares(
        total=shares.cosine,
        shares=[
            messages.Share(
                query_word=present_text(share.query_word),
                document_word=present_text(share.passage_word),
                field=FIELD_NAMES.get(share.field, share.field),
                value=share.value,
            )
            for share in shares.shares
        ],
        remainder=shares.remainder,
    )


def _lived(lived: Lived) -> messages.Lived:
    return messages.Lived(
        commits=lived.commits,
        last_commit=present_text(lived.last_commit),
        last_changed=UNSET if lived.last_changed is None else present_time(lived.last_changed),
        uncommitted=lived.uncommitted,
        co_changes=[messages.Link(doc_id=present_text(file_id(path)), count=count) for path, count in lived.co_changes],
    )
