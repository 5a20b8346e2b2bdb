"""Convert an explanation to the wire.

An explanation in the wire's words.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET

from scry.core.doc_id import file_doc_id
from scry.embedding.attribution import CosineAttribution
from scry.engine.explain.counterfactual import decisive_factor
from scry.engine.explain.explanation import FileHistory, OracleFinding, WhyResult, summarize_explanation
from scry.engine.response.answer import (
    RAW_SCORE_DIGITS,
    format_utc_time,
    present_fault,
    present_hit,
    present_scoring,
    present_state,
    present_structure,
    replace_surrogates,
)
from scry_protocol import messages

CHUNK_FIELD_NAMES = {"text": "body"}
"""Fields of a passage as they are named on the wire, where that differs."""


def present_explanation(explained: WhyResult, root: Path, project: str, encoding: str) -> messages.Explanation:
    """The explanation as it leaves. encoding: `utf-8` or `utf-16`, what characters of positions count."""
    case = explained.explanation
    holds = decisive_factor(case.ablations) if case else None
    return messages.Explanation(
        doc_id=replace_surrogates(explained.target.doc_id),
        query=explained.query,
        query_id=explained.query_id,
        status=explained.target.status,
        summary=replace_surrogates(summarize_explanation(explained)),
        text="",
        index=present_state(explained.index),
        reason=replace_surrogates(explained.target.reason or explained.remark or (case.absence if case else "")),
        near=[replace_surrogates(near) for near in explained.target.similar],
        faults=[present_fault(fault) for fault in case.faults] if case else [],
        scoring=present_scoring(case.scoring) if case else UNSET,
        result=present_hit(case.hit, root, project, encoding) if case and case.hit else UNSET,
        oracles=[_present_oracle_evidence(said) for said in case.oracles] if case else [],
        decisive=holds.name if holds else UNSET,
        without=[messages.Without(name=left.name, rank=left.rank) for left in case.ablations] if case else [],
        places=[
            messages.Place(mode=place.mode, rank=place.rank, of=place.total, note=place.note)
            for place in explained.mode_ranks
        ],
        structural=present_structure(explained.structure) if explained.structure else UNSET,
        lived=_present_file_history(explained.file_history) if explained.file_history else UNSET,
    )


def _present_oracle_evidence(said: OracleFinding) -> messages.OracleEvidence:
    return messages.OracleEvidence(
        oracle=said.oracle,
        title=said.title,
        state=said.state,
        rank=said.rank,
        raw_score=None if said.raw_score is None else round(said.raw_score, RAW_SCORE_DIGITS),
        score_type=said.score_type,
        share=said.share,
        matches=[replace_surrogates(term) for term in said.matches],
        missing=[replace_surrogates(term) for term in said.missing],
        note=replace_surrogates(said.note),
        shares=_present_shares(said.shares) if said.shares else UNSET,
    )


def _present_shares(shares: CosineAttribution) -> messages.Shares:
    return messages.Shares(
        total=shares.cosine,
        shares=[
            messages.Share(
                query_word=replace_surrogates(share.query_word),
                document_word=replace_surrogates(share.passage_word),
                field=CHUNK_FIELD_NAMES.get(share.field, share.field),
                value=share.value,
            )
            for share in shares.contributions
        ],
        remainder=shares.remainder,
    )


def _present_file_history(lived: FileHistory) -> messages.Lived:
    return messages.Lived(
        commits=lived.commits,
        last_commit=replace_surrogates(lived.last_commit),
        last_changed=UNSET if lived.last_changed is None else format_utc_time(lived.last_changed),
        uncommitted=lived.uncommitted,
        co_changes=[
            messages.Link(doc_id=replace_surrogates(file_doc_id(path)), count=count) for path, count in lived.co_changes
        ],
    )
