"""Convert answers and index states to the wire.

The domain's answer in the wire's words: the only place where both vocabularies meet.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, UnsetType

from scry.core import types
from scry.core.doc_id import parse_doc_id
from scry.core.knowledge import PERSONA
from scry.core.types import (
    Answer,
    Candidate,
    Document,
    FileStructure,
    FusionScoring,
    Hit,
    IndexState,
    OracleFault,
    Point,
    ProofStep,
    Span,
)
from scry.engine.response.notices import add_notice, add_status_summary
from scry_protocol import messages

ORACLE_SHORT_NAMES = {
    "semantic": "sem",
    "lexical": "lex",
    "temporal": "temp",
    "persona": "persona",
    "belief": "bel",
    "memory": "mem",
}
"""Oracles as they are named in a result's line."""

RAW_SCORE_DIGITS = 6
"""Raw scores on the wire are rounded to this; fused scores are not, for they can be recomputed."""


def present_answer(answer: Answer, mode: str, root: Path, project: str, encoding: str) -> messages.Answer:
    """The answer as it leaves. encoding: `utf-8` or `utf-16`, what characters of positions count."""
    question = answer.question
    presented = messages.Answer(
        query=question.text,
        mode=mode,
        query_id=answer.query_id,
        intent=question.intent.value,
        scoring=present_scoring(answer.scoring),
        index=present_state(answer.index),
        results=[present_hit(hit, root, project, encoding) for hit in answer.hits],
        faults=[present_fault(fault) for fault in answer.faults],
    )
    return add_notice(presented, answer.notice)


def present_state(state: IndexState) -> messages.IndexState:
    """The index's state as it leaves."""
    presented = messages.IndexState(
        state=state.state,
        history=state.history,
        generation=state.generation,
        files_indexed=state.files_indexed,
        files_total=state.files_total,
        vectors=state.vectors,
        vectors_total=state.vectors_total,
        skipped=state.skipped,
        unsaved=[replace_surrogates(path) for path in state.unsaved],
        index_commit=state.index_commit,
        head_commit=state.head_commit,
        model=state.model,
        message=state.message,
        history_extent=state.history_extent,
    )
    return add_status_summary(presented)


def present_scoring(scoring: FusionScoring) -> messages.Scoring:
    """How to recompute the scores."""
    return messages.Scoring(k=scoring.k, depth=scoring.depth, weights=dict(scoring.weights), ceiling=scoring.ceiling)


def present_fault(fault: OracleFault) -> messages.Fault:
    """An oracle that could not answer."""
    return messages.Fault(oracle=fault.oracle, message=fault.message)


def present_hit(hit: Hit, root: Path, project: str, encoding: str) -> messages.ResultItem:
    """A result as it leaves; arguments as of `present_answer`."""
    candidate = hit.candidate
    document = hit.document
    return messages.ResultItem(
        rank=hit.rank,
        doc_id=document.doc_id,
        content_type=document.content_type,
        title=replace_surrogates(document.symbol.name)
        or Path(replace_surrogates(document.path)).name
        or document.doc_id,
        kind=document.symbol.kind,
        fused_score=candidate.fused_score,
        contributions=_present_contributions(candidate),
        adjustments=[
            messages.Adjustment(name=a.name, factor=a.factor, reason=replace_surrogates(a.reason))
            for a in candidate.adjustments
        ],
        annotations=_present_annotations(hit, root),
        snippet=replace_surrogates(hit.snippet),
        sources=list(candidate.votes),
        project=project,
        location=present_location(document, root, encoding),
        metadata=_present_metadata(document),
        evidence=describe_evidence(candidate.votes, hit.structure, hit.evidence, hit.more_in_file),
        more_in_file=hit.more_in_file,
    )


def describe_evidence(
    votes: Mapping[str, types.OracleMatch],
    structure: FileStructure | None,
    others: Sequence[str] = (),
    more_in_file: int = 0,
) -> str:
    """What found a result, by ranks alone, what else brought it here, how many files import it (X1), and how many more
    of its file there are: `lex #1 | 2 days ago | imp 12 | +3 more in this file`.
    """
    parts = [*(f"{ORACLE_SHORT_NAMES.get(name, name)} #{vote.rank}" for name, vote in votes.items()), *others]
    if structure and structure.importers:
        parts.append(f"imp {structure.importers}")
    if more_in_file:
        parts.append(f"+{more_in_file} more in this file")
    return " | ".join(parts)


def _present_annotations(hit: Hit, root: Path) -> messages.Annotations:
    return messages.Annotations(
        structural=present_structure(hit.structure) if hit.structure else UNSET,
        composite=[
            messages.CompositePart(name=p.name, value=p.value, weight=p.weight, reason=replace_surrogates(p.reason))
            for p in hit.composite
        ]
        or UNSET,
        relations=[
            messages.Relation(kind=r.kind, count=r.count, confidence=r.confidence or UNSET) for r in hit.relations
        ]
        or UNSET,
        proof=[_present_proof_step(step, root) for step in hit.proof] or UNSET,
    )


def _present_proof_step(step: ProofStep, root: Path) -> messages.Edge:
    """The place is the start of the line: more is not known of it."""
    place: messages.Location | UnsetType = UNSET
    if step.line is not None:
        path = parse_doc_id(step.source).path
        start = messages.Position(line=step.line, character=0)
        place = messages.Location(uri=file_uri(root, path), range=messages.Range(start=start, end=start))
    return messages.Edge(step.source, step.kind, step.target, step.confidence, place)


def present_location(document: Document, root: Path, encoding: str) -> messages.Location | UnsetType:
    """Where a jump leads; nowhere for what has no file."""
    """Where a document is; absent where it is no place in a file."""
    if not document.path:
        return UNSET
    return messages.Location(uri=file_uri(root, document.path), range=present_range(document.symbol.span, encoding))


def _present_metadata(document: Document) -> messages.Metadata | UnsetType:
    metadata = messages.Metadata(
        timestamp=UNSET if document.time is None else format_utc_time(document.time),
        code_refs=[replace_surrogates(place) for place in document.code_refs] or UNSET,
        session_id=document.session_id or UNSET,
        domains=list(document.domains) or UNSET,
    )
    return UNSET if metadata == messages.Metadata() else metadata


def format_utc_time(seconds: int) -> str:
    """A time in UTC, such as 2026-11-21T09:26:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _present_contributions(candidate: Candidate) -> dict[str, messages.Contribution]:
    said = candidate.document.name if candidate.document.content_type == PERSONA else ""
    return {
        name: _present_contribution(vote, said if name == PERSONA else "") for name, vote in candidate.votes.items()
    }


def _present_contribution(vote: types.OracleMatch, said: str) -> messages.Contribution:
    return messages.Contribution(
        rank=vote.rank,
        raw_score=round(vote.raw_score, RAW_SCORE_DIGITS),
        score_type=vote.score_type,
        matches=[replace_surrogates(term) for term in vote.matches] if vote.matches else UNSET,
        snippet=replace_surrogates(said or vote.note) or UNSET,
    )


def present_structure(structure: FileStructure) -> messages.Structural:
    """What the code around a result says of it."""
    return messages.Structural(
        importers=structure.importers,
        centrality=structure.centrality,
        activity_level=structure.activity_level or UNSET,
        flags=list(structure.flags),
    )


def present_range(span: Span, encoding: str) -> messages.Range:
    """A span in the columns that were agreed on."""
    return messages.Range(start=_present_position(span.start, encoding), end=_present_position(span.end, encoding))


def _present_position(point: Point, encoding: str) -> messages.Position:
    return messages.Position(line=point.line, character=point.utf8 if encoding == "utf-8" else point.utf16)


def file_uri(root: Path, path: str) -> str:
    """The URI of a file of the project."""
    return (root / path).as_uri()


def replace_surrogates(text: str) -> str:
    """JSON can't hold a lone surrogate, as undecodable bytes of a file's name become."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
