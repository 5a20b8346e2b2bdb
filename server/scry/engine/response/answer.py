"""Convert requests from the wire to domain values, and answers and index states, with their notices, to the wire. Pure.

A notice is rendered once, with the client's names for commands: that of the mode, of an incomplete index, and why an
answer is empty (F11).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast, overload

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from scry.core import types
from scry.core.doc_id import parse_doc_id
from scry.core.knowledge import PERSONA
from scry.core.notices import COMMAND_LINE, CommandNames, render_notices
from scry.core.text import format_count
from scry.core.types import (
    INDEX_FAULT,
    Answer,
    Candidate,
    Document,
    FileStructure,
    FurtherPlace,
    FusionScoring,
    Hit,
    IndexState,
    OracleFault,
    ProofStep,
    Span,
)
from scry.engine.context import FindRequest, NeighborsRequest, OrientRequest, RecentRequest, RequestContext
from scry.projects.project import Project
from scry_protocol import messages

ORACLE_SHORT_NAMES = {
    "semantic": "sem",
    "lexical": "lex",
    "temporal": "temp",
    "persona": "persona",
    "belief": "bel",
    "memory": "mem",
    "use": "use",
}
"""Names of the oracles in the line that describes a result's evidence."""

MAX_SHOWN_FACTOR = 0.8
"""A factor below it stands in the evidence of a result: it can explain a low rank beside high ranks of oracles."""

RAW_SCORE_DIGITS = 6
"""Digits that raw scores are rounded to on the wire; fused scores are not rounded, for clients can recompute them."""

WEAK_CONFIDENCE = 0.1
"""A result with a lower confidence bears a sign. Of the first results of annotated questions, 4 % of the right ones lie
below, of questions for other repositories 79 %, of nonsense 99.6 % (docs/decisions/0091)."""


# Requests -------------------------------------------------------------------------------------------------------------


def find_request(params: messages.FindParams) -> FindRequest:
    """Return the parameters of a find."""
    return FindRequest(
        params.query,
        params.limit,
        params.min_score,
        params.intent,
        params.types,
        params.source or "",
        params.domains,
        mode="reason" if params.reason else "find",
        with_full_results=params.full,
        excerpt_lines=params.excerpt,
        is_typed=params.picker is not None and not params.reason,
    )


def recent_request(params: messages.RecentParams) -> RecentRequest:
    """Return the parameters of a recent."""
    return RecentRequest(
        params.query,
        params.days,
        params.limit,
        params.types,
        params.source or "",
        params.domains,
        with_full_results=params.full,
        excerpt_lines=params.excerpt,
    )


def orient_request(params: messages.OrientParams) -> OrientRequest:
    """Return the parameters of an orient."""
    return OrientRequest(params.path, params.limit)


def neighbors_request(params: messages.NeighborsParams) -> NeighborsRequest:
    """Return the parameters of a neighbors."""
    return NeighborsRequest(params.file, params.limit, params.by, params.belief, params.types, params.line)


@overload
def to_request(params: messages.FindParams) -> FindRequest: ...
@overload
def to_request(params: messages.RecentParams) -> RecentRequest: ...
@overload
def to_request(params: messages.OrientParams) -> OrientRequest: ...
@overload
def to_request(params: messages.NeighborsParams) -> NeighborsRequest: ...
def to_request(
    params: messages.FindParams | messages.RecentParams | messages.OrientParams | messages.NeighborsParams,
) -> FindRequest | RecentRequest | OrientRequest | NeighborsRequest:
    """Return the domain request of a question, whatever its mode."""
    if isinstance(params, messages.FindParams):
        return find_request(params)
    if isinstance(params, messages.RecentParams):
        return recent_request(params)
    if isinstance(params, messages.OrientParams):
        return orient_request(params)
    return neighbors_request(params)


class RequestedProjects(Struct, frozen=True):
    """The projects that a request selects: some by name, all registered ones, and those linked to the selected ones."""

    names: Sequence[str] = ()
    all_registered: bool = False
    include_linked: bool = False


def requested_projects(params: Struct) -> RequestedProjects:
    """Return the projects that a request's parameters select."""
    names = getattr(params, "projects", None) or ()
    everything, linked = getattr(params, "all_projects", None), getattr(params, "linked_projects", None)
    return RequestedProjects(names, bool(everything), bool(linked))


def names_projects(params: Struct) -> bool:
    """Return whether a request's parameters name projects, or select all or linked ones."""
    return bool(
        getattr(params, "projects", None)
        or getattr(params, "all_projects", None)
        or getattr(params, "linked_projects", None)
    )


# Answers --------------------------------------------------------------------------------------------------------------


def present_answer(answer: Answer, mode: str, project: Project, context: RequestContext) -> messages.Answer:
    """Return the answer, with positions in the context's encoding and texts with its names of commands."""
    question, faults = answer.question, answer.faults
    if answer.index.state == "failed":
        faults = (*faults, *index_faults(answer.index))
    presented = messages.Answer(
        query=question.text,
        mode=mode,
        query_id=answer.query_id,
        intent=question.intent.value,
        scoring=present_scoring(answer.scoring),
        index=present_state(answer.index, context.commands),
        results=[present_hit(hit, project, context.encoding) for hit in answer.hits],
        faults=[present_fault(fault) for fault in faults],
    )
    notice = render_notices(answer.notices, context.commands) if answer.notices else ""
    is_explained = True in [each.explains_emptiness for each in answer.notices]
    return add_notice(presented, notice, context.commands, is_explained=is_explained)


def present_state(state: IndexState, commands: CommandNames = COMMAND_LINE) -> messages.IndexState:
    """Return the index's state, with its notices in its message."""
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
        message="; ".join(
            [part for part in (state.message, *[each.render(commands) for each in state.notices]) if part]
        ),
        history_extent=state.history_extent,
        failed=state.failed,
        graph=state.graph,
    )
    return add_status_summary(presented)


def index_faults(state: IndexState) -> tuple[OracleFault, ...]:
    """Return the fault of an index that could not be brought up to date; none for any other."""
    fault = OracleFault(INDEX_FAULT, state.message or "indexing failed, and is tried again")
    return (fault,) if state.state == "failed" else ()


def present_scoring(scoring: FusionScoring) -> messages.Scoring:
    """Return how to recompute the fused scores."""
    weights, term_weights, exponents = dict(scoring.weights), dict(scoring.term_weights), dict(scoring.exponents)
    counts, prefix = scoring.cosine_counts, scoring.prefix
    return messages.Scoring(scoring.k, scoring.depth, weights, scoring.ceiling, term_weights, counts, prefix, exponents)


def present_fault(fault: OracleFault) -> messages.Fault:
    """Return the fault of an oracle that could not answer."""
    return messages.Fault(oracle=fault.oracle, message=fault.message)


def present_hit(hit: Hit, project: Project, encoding: str) -> messages.ResultItem:
    """Return a result. encoding: of positions, utf-8 or utf-16."""
    candidate = hit.candidate
    document = hit.document
    metadata = messages.Metadata(
        timestamp=UNSET if document.time is None else format_utc_time(document.time),
        code_refs=[replace_surrogates(reference) for reference in document.code_refs] or UNSET,
        session_id=document.session_id or UNSET,
        domains=list(document.domains) or UNSET,
        entrenchment=UNSET if document.entrenchment is None else document.entrenchment,
    )
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
        annotations=messages.Annotations(
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
            proof=[_present_proof_step(step, project.root) for step in hit.proof] or UNSET,
        ),
        snippet=replace_surrogates(hit.snippet),
        sources=list(candidate.oracle_matches),
        project=project.name,
        location=present_location(document, project.root, encoding),
        metadata=UNSET if metadata == messages.Metadata() else metadata,
        evidence=describe_evidence(
            candidate.oracle_matches,
            hit.structure,
            hit.evidence,
            candidate.adjustments,
            is_weak=hit.confidence is not None and hit.confidence < WEAK_CONFIDENCE,
        ),
        more_in_file=hit.more_in_file,
        further=[present_further_place(place, project.root, encoding) for place in hit.further],
        confidence=UNSET if hit.confidence is None else hit.confidence,
    )


def present_further_place(place: FurtherPlace, root: Path, encoding: str) -> messages.FurtherPlace:
    """Return a further place of a result's file. encoding: of positions, utf-8 or utf-16."""
    document, span = place.document, place.document.symbol.span
    last = span.end.line + (1 if span.end.utf8 or span.end.line == span.start.line else 0)
    lines = f"line {last}" if last == span.start.line + 1 else f"lines {span.start.line + 1}-{last}"
    return messages.FurtherPlace(
        doc_id=document.doc_id,
        title=replace_surrogates(document.symbol.name) or lines,
        kind=document.symbol.kind,
        fused_score=place.fused_score,
        location=cast("messages.Location", present_location(document, root, encoding)),
    )


def describe_evidence(
    oracle_matches: Mapping[str, types.OracleMatch],
    structure: FileStructure | None,
    others: Sequence[str] = (),
    adjustments: Sequence[types.Adjustment] = (),
    *,
    is_weak: bool = False,
) -> str:
    """Return the line on a result's evidence, such as `weak | lex #1 | test x0.5 | 2 days ago | imp 12` (X1).

    It holds the sign of a weak match, the rank of each match, the factor that lowered the result most (`file_words`
    apart, which most results have), other evidence, and the number of files that import it.
    """
    parts = ["weak"] if is_weak else []
    parts += [f"{ORACLE_SHORT_NAMES.get(name, name)} #{match.rank}" for name, match in oracle_matches.items()]
    lowest, factor = "", MAX_SHOWN_FACTOR
    for adjustment in adjustments:
        if adjustment.factor < factor and adjustment.name != "file_words":
            lowest, factor = adjustment.name, adjustment.factor
    if lowest:
        parts.append(f"{lowest} x{factor:.2g}")
    parts += others
    if structure and structure.importers:
        parts.append(f"imp {structure.importers}")
    return " | ".join(parts)


def _present_proof_step(step: ProofStep, root: Path) -> messages.Edge:
    """Return a step with the start of its line as location: the column is not known."""
    location: messages.Location | UnsetType = UNSET
    if step.line is not None:
        path = parse_doc_id(step.source).path
        start = messages.Position(line=step.line, character=0)
        location = messages.Location(uri=file_uri(root, path), range=messages.Range(start=start, end=start))
    return messages.Edge(step.source, step.kind, step.target, step.confidence, location)


def present_location(document: Document, root: Path, encoding: str) -> messages.Location | UnsetType:
    """Return where a document is, and its name in there; absent where it is in no file."""
    if not document.path:
        return UNSET
    range_ = present_range(document.symbol.span, encoding)
    name = present_range(document.symbol.name_span, encoding).start
    return messages.Location(file_uri(root, document.path), range_, UNSET if name == range_.start else name)


def format_utc_time(seconds: int) -> str:
    """Return a time in UTC, such as 2026-11-21T09:26:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _present_contributions(candidate: Candidate) -> dict[str, messages.Contribution]:
    note = candidate.document.name if candidate.document.content_type == PERSONA else ""
    return {
        name: messages.Contribution(
            rank=match.rank,
            raw_score=round(match.raw_score, RAW_SCORE_DIGITS),
            score_type=match.score_type,
            matches=[replace_surrogates(term) for term in match.matches] if match.matches else UNSET,
            snippet=replace_surrogates((note if name == PERSONA else "") or match.note) or UNSET,
            cosine=UNSET if match.cosine is None else round(match.cosine, RAW_SCORE_DIGITS),
        )
        for name, match in candidate.oracle_matches.items()
    }


def present_structure(structure: FileStructure) -> messages.Structural:
    """Return what the code around a result says about it."""
    return messages.Structural(
        importers=structure.importers,
        centrality=structure.centrality,
        activity_level=structure.activity_level or UNSET,
        flags=list(structure.flags),
    )


def present_range(span: Span, encoding: str) -> messages.Range:
    """Return a span with columns in the negotiated encoding."""
    start, end = span.start, span.end
    first, last = (start.utf8, end.utf8) if encoding == "utf-8" else (start.utf16, end.utf16)
    return messages.Range(messages.Position(start.line, first), messages.Position(end.line, last))


@lru_cache(maxsize=1000)  # a file holds several results, and further places
def file_uri(root: Path, path: str) -> str:
    """Return the URI of a file of the project."""
    return (root / path).as_uri()


def replace_surrogates(text: str) -> str:
    """Return the text without lone surrogates, which undecodable bytes of file names become and JSON can't hold."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# Notices --------------------------------------------------------------------------------------------------------------

_MAX_NAMED_FILES = 3


def add_status_summary(state: messages.IndexState) -> messages.IndexState:
    """Return the state with its summary for a status line."""
    summary = state.state
    if state.state == "ready":
        summary = f"{format_count(state.files_indexed, 'file')} indexed"
        summary += ", reading the history" if state.history == "pending" else ""
    elif state.state == "paused":
        summary = f"paused at {_describe_progress(state)}"
    elif state.state == "indexing":
        summary = f"indexing {_describe_progress(state)}" if state.files_total else "looking for files"
    return replace(state, summary=summary)


def describe_incomplete(state: messages.IndexState, commands: CommandNames = COMMAND_LINE) -> str:
    """Return what an answer from this index may lack; empty for nothing. One short line: editors show it in a title."""
    if state.state == "ready":
        stage = "the history is still being read" if state.history == "pending" else ""
    elif state.state == "failed":
        stage = "indexing failed: results may be partial or old"
    elif state.state == "paused":
        stage = f"indexing is paused at {_describe_progress(state)} ({commands.resume_index})"
    elif not state.files_indexed:
        stage = f"the index is still to be made{commands.index_hint}"
    elif state.files_indexed < state.files_total:
        stage = f"indexing {_describe_progress(state)}: results are partial"
    elif state.state == "starting" and state.vectors == state.vectors_total:
        stage = "looking for changes: what was edited just now may be missing"
    else:
        stage = f"indexing {_describe_progress(state)}: results may be partial"
    parts = (stage, _describe_unsaved(state) if state.unsaved else "", state.message)
    return "; ".join([part for part in parts if part])


def _describe_progress(state: messages.IndexState) -> str:
    """Return the progress in files, then in vectors: an editor's title has no room for both."""
    if state.files_indexed >= state.files_total and state.vectors < state.vectors_total:
        return f"{state.vectors} of {state.vectors_total} vectors"
    return f"{state.files_indexed} of {state.files_total} files"


def _describe_unsaved(state: messages.IndexState) -> str:
    named = ", ".join(state.unsaved[:_MAX_NAMED_FILES]) + (", …" if len(state.unsaved) > _MAX_NAMED_FILES else "")
    return f"unsaved text is searched after the save ({named})"


def describe_emptiness(answer: messages.Answer, commands: CommandNames = COMMAND_LINE) -> str:
    """Return why an answer holds no result, and what can be done about it."""
    state = answer.index
    if state.state == "ready" and state.files_total:
        searched = f"{format_count(state.files_total, 'file')}{_describe_skipped(state)}"
        advice = (
            f"Try other words, or fewer filters{commands.min_score and f' and {commands.min_score}'} if you set any."
        )
        advice = "A part of Scry could not answer, see above." if answer.faults else advice
        return f"Nothing found in {searched}. {advice}"
    if state.state == "ready":
        return f"There is nothing to search: this folder holds no file that can be indexed{_describe_skipped(state)}."
    if state.files_indexed:
        return f"Nothing found so far: {describe_incomplete(state, commands)}."
    return f"Nothing could be searched yet: {describe_incomplete(state, commands)}."


def describe_size(state: messages.IndexState) -> str:
    """Return how much an index holds: `812 files (3 left out: …)`."""
    return f"{format_count(state.files_indexed, 'file')}{_describe_skipped(state)}"


def _describe_skipped(state: messages.IndexState) -> str:
    return f" ({state.skipped} left out: binary, ignored, too large …)" if state.skipped else ""


def add_notice(
    answer: messages.Answer,
    mode_notice: str = "",
    commands: CommandNames = COMMAND_LINE,
    *,
    is_explained: bool = False,
) -> messages.Answer:
    """Return the answer with its notice: that of its mode, why it is empty, and what may be missing.

    is_explained: whether the notice of its mode says why it is empty.
    """
    is_plain = answer.results or is_explained
    missing = describe_incomplete(answer.index, commands) if is_plain else describe_emptiness(answer, commands)
    return replace(answer, notice="; ".join([part for part in (mode_notice, missing) if part]))


def add_merged_notice(
    answer: messages.Answer,
    parts: Sequence[tuple[str, str, messages.IndexState]],
    commands: CommandNames = COMMAND_LINE,
) -> messages.Answer:
    """Return the answer of several projects with their notices, each with the names of the projects that it is of.

    parts: of each project its name, the rendered notice of its mode, and the state of its index.
    """
    names_by_text: dict[str, list[str]] = {}
    for name, mode_notice, state in parts:
        for text in (mode_notice, describe_incomplete(state, commands)):
            names_by_text.setdefault(text, []).append(name)
    texts = [f"{_list_names(names)}: {text}" for text, names in names_by_text.items() if text]
    empty = [] if answer.results or texts else [describe_emptiness(answer, commands)]
    return replace(answer, notice="; ".join([*texts, *empty]))


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MAX_NAMES_OF_NOTICE
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_MAX_NAMES_OF_NOTICE])} and {more} more"


_MAX_NAMES_OF_NOTICE = 5
