"""Convert an explanation to the wire."""

from __future__ import annotations

from msgspec import UNSET

from scry.core.doc_id import file_doc_id
from scry.embedding.attribution import CosineAttribution
from scry.engine.context import RequestContext
from scry.engine.explain.counterfactual import decisive_factor
from scry.engine.explain.explanation import FileHistory, OracleFinding, WhyResult, summarize_explanation
from scry.engine.response.answer import (
    RAW_SCORE_DIGITS,
    format_utc_time,
    index_faults,
    present_fault,
    present_hit,
    present_scoring,
    present_state,
    present_structure,
    replace_surrogates,
)
from scry.projects.project import Project
from scry_protocol import messages

CHUNK_FIELD_NAMES = {"text": "body"}
"""Names of a chunk's fields on the wire, where they differ."""


def present_explanation(explained: WhyResult, project: Project, context: RequestContext) -> messages.Explanation:
    """Return the explanation, with positions in the context's encoding and texts with its names of commands."""
    explanation, target = explained.explanation, explained.target
    absence = explanation.absence if explanation else ""
    ablations = explanation.ablations if explanation else ()
    decisive = decisive_factor(ablations)
    return messages.Explanation(
        doc_id=replace_surrogates(target.doc_id),
        query=explained.query,
        query_id=explained.query_id,
        status=target.status,
        summary=replace_surrogates(summarize_explanation(explained)),
        text="",
        index=present_state(explained.index, context.commands),
        reason=replace_surrogates(target.reason or explained.remark or absence),
        near=[replace_surrogates(similar) for similar in target.similar],
        faults=[
            present_fault(fault)
            for fault in (*(explanation.faults if explanation else ()), *index_faults(explained.index))
        ],
        scoring=present_scoring(explanation.scoring) if explanation else UNSET,
        result=present_hit(explanation.hit, project, context.encoding) if explanation and explanation.hit else UNSET,
        oracles=[_present_finding(finding) for finding in explanation.oracles] if explanation else [],
        decisive=decisive.name if decisive else UNSET,
        without=[messages.Without(name=each.name, rank=each.rank) for each in ablations],
        places=[
            messages.Place(mode=mode_rank.mode, rank=mode_rank.rank, of=mode_rank.total, note=mode_rank.note)
            for mode_rank in explained.mode_ranks
        ],
        structural=present_structure(explained.structure) if explained.structure else UNSET,
        lived=_present_file_history(explained.file_history) if explained.file_history else UNSET,
    )


def _present_finding(finding: OracleFinding) -> messages.OracleEvidence:
    return messages.OracleEvidence(
        oracle=finding.oracle,
        title=finding.title,
        state=finding.state,
        rank=finding.rank,
        raw_score=None if finding.raw_score is None else round(finding.raw_score, RAW_SCORE_DIGITS),
        score_type=finding.score_type,
        share=finding.share,
        matches=[replace_surrogates(term) for term in finding.matches],
        missing=[replace_surrogates(term) for term in finding.missing],
        note=replace_surrogates(finding.note),
        shares=_present_shares(finding.shares) if finding.shares else UNSET,
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


def _present_file_history(history: FileHistory) -> messages.Lived:
    return messages.Lived(
        commits=history.commits,
        last_commit=replace_surrogates(history.last_commit),
        last_changed=UNSET if history.last_changed is None else format_utc_time(history.last_changed),
        uncommitted=history.uncommitted,
        co_changes=[
            messages.Link(doc_id=replace_surrogates(file_doc_id(path)), count=count)
            for path, count in history.co_changes
        ],
    )
