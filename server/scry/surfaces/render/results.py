"""Render an answer as terminal lines, with the figures and proof behind each result.

What could not answer, in words for a person.

The steps that make a result an answer to a relational question, a line each (N3).

The figures behind a result, with their units (X2).

An answer for a person: one line a result, then its snippet (X1).
"""

from __future__ import annotations

import shlex

from msgspec import UNSET

from scry.core.doc_id import commit_sha_of, display_doc_id, split_off_project
from scry.surfaces.render.full_result import full_result_blocks
from scry.surfaces.render.page import render_lines
from scry.surfaces.render.styled_text import StyledLine, TextSpan, make_printable, styled_line, wrap_text
from scry_protocol.messages import Adjustment, Answer, CompositePart, Contribution, Edge, Fault, ResultItem, Structural


def describe_fault(fault: Fault) -> str:
    """Which oracle or project could not answer, and why: `semantic of lib could not answer: …`."""
    if not fault.oracle:
        return f"{fault.project} could not be asked: {fault.message}"
    of = f" of {fault.project}" if fault.project else ""
    return f"{fault.oracle}{of} could not answer: {fault.message}"


_PASSIVE_VERBS = {
    "calls": "is called by",
    "imports": "is imported by",
    "inherits": "is inherited by",
    "defines": "is defined by",
    "changes_with": "changes with",
}


def proof_lines(result: ResultItem) -> list[str]:
    """`calls ./a.py::f at line 12 (by name)`: what the result does or undergoes; other steps begin with who does it."""
    proof = result.annotations.proof
    own = result.doc_id.removeprefix(f"{result.project}:")
    return [] if proof is UNSET else [_describe_edge(edge, own) for edge in proof]


def _describe_edge(edge: Edge, own: str) -> str:
    if edge.source != own and edge.target == own:
        words = f"{_PASSIVE_VERBS[edge.kind]} {edge.source}"
    else:
        does = f"{edge.kind.replace('_', ' ')} {edge.target}"
        words = does if edge.source == own else f"{edge.source} {does}"
    place = "" if edge.location is UNSET else f" at line {edge.location.range.start.line + 1}"
    return f"{words}{place} ({edge.confidence})"


def describe_scoring(answer: Answer) -> str:
    """How the scores of an answer came about."""
    scoring = answer.scoring
    if answer.mode == "reason":
        return "scores are the parts of the question that a result meets, as a share of the most that any meets"
    if not scoring.k:
        return "scores are the sum of weight x value of each part, times what is adjusted"
    weights = ", ".join(f"{name} {weight:g}" for name, weight in scoring.weights.items())
    return f"intent {answer.intent}; scores by rank fusion, k {scoring.k}, weights: {weights}"


def describe_result_figures(result: ResultItem) -> list[str]:
    """One line for each thing that found, moved or describes the result."""
    lines = [
        f"{name.capitalize()}: {_describe_contribution(name, found)}" for name, found in result.contributions.items()
    ]
    if result.annotations.composite is not UNSET:
        lines += [_describe_composite_part(part) for part in result.annotations.composite]
    if result.annotations.structural is not UNSET:
        lines.append(f"Structural: {describe_structure(result.annotations.structural)}")
    lines += [f"Adjusted: {_describe_adjustment(adjustment)}" for adjustment in result.adjustments]
    lines.append(f"Score: {result.fused_score:.4f}")
    return lines


def _describe_composite_part(part: CompositePart) -> str:
    name = part.name.replace("_", " ").capitalize()
    return f"{name}: {part.value:.2f} x {part.weight:g} ({part.reason})"


def _describe_contribution(name: str, found: Contribution) -> str:
    text = f"#{found.rank} ({describe_score(found.score_type, found.raw_score)})"
    if found.snippet is not UNSET and found.snippet:  # of a person's note its own words, of a memory words about it
        return f'{text} "{found.snippet}"' if name == "persona" else f"{text} {found.snippet}"
    if found.matches is UNSET or not found.matches:
        return text
    return f"{text} matched: " + ", ".join(f'"{term}"' for term in found.matches)


def describe_score(score_type: str, raw_score: float) -> str:
    """A raw score with its unit."""
    if score_type == "cosine":
        return f"{raw_score:.2f} cosine"
    if score_type == "bm25":
        return f"{raw_score:.1f} BM25"
    if score_type == "relevance":
        return f"{raw_score:.2f} relevance"
    if score_type == "co_change_count":
        return f"co-changes: {raw_score:.0f}"
    return f"{raw_score:g} {score_type}"


def describe_structure(structural: Structural) -> str:
    """What the code around a result says of it, in words."""
    parts = [
        "1 importer" if structural.importers == 1 else f"{structural.importers} importers",
        f"{structural.centrality} centrality",
    ]
    if structural.activity_level is not UNSET:
        level = structural.activity_level
        parts.append("no activity of late" if level == "none" else f"{level} activity")
    if "test" not in structural.flags:
        parts.append("not test")
    return ", ".join([*parts, *(flag.replace("_", " ") for flag in structural.flags)])


def _describe_adjustment(adjustment: Adjustment) -> str:
    return f"x{adjustment.factor:.3g} {adjustment.name.replace('_', ' ')} ({adjustment.reason})"


_INDENT = "     "
_MIN_WRAP_WIDTH = 20


def render_answer(
    answer: Answer, *, home: str = "", explain: bool = False, width: int | None = None, root: str = ""
) -> list[StyledLine]:
    """The answer as lines.

    home: the project that was asked in; results of others are tagged with theirs. explain: with the figures behind
    each result. width: cells of the screen to wrap snippets at; None for one line each. root: the folder that was
    named for the question, if one was.
    """
    lines = _answer_header_lines(answer, explain)
    for result in answer.results:
        lines.append(_result_line(result, home))
        if result.full is UNSET or result.full.signature != result.snippet:  # a commit's is its head in full
            lines += _snippet_lines(result, width)
        lines += [styled_line(_INDENT, (make_printable(text), "quiet")) for text in proof_lines(result)]
        if explain:
            lines += [styled_line(_INDENT, (text, "quiet")) for text in describe_result_figures(result)]
        if result.full is not UNSET:
            lines += [(TextSpan(_INDENT, "plain"), *each) for each in render_lines(full_result_blocks(result))]
    return [*lines, *belief_footer_lines(answer, root)]


def belief_footer_lines(answer: Answer, root: str) -> list[StyledLine]:
    """How many beliefs matched, and a command that digs deeper; nothing where none did (X3)."""
    beliefs = [result for result in answer.results if result.content_type == "belief" and result.contributions]
    if not beliefs:
        return []
    doc_id = beliefs[0].doc_id.removeprefix(f"{beliefs[0].project}:")
    where = f" --root {shlex.quote(root)}" if root else ""
    count = "1 belief bears" if len(beliefs) == 1 else f"{len(beliefs)} beliefs bear"
    command = f"scry neighbors --belief {shlex.quote(doc_id.removeprefix('belief:'))}{where}"
    return [styled_line(("Belief impact", "strong"), f": {count} on this. What it reaches: ", (command, "place"))]


def _answer_header_lines(answer: Answer, explain: bool) -> list[StyledLine]:
    count = len(answer.results)
    lines = [styled_line((answer.query_id, "quiet"), f"  {count} result{'' if count == 1 else 's'}")]
    lines += [styled_line((describe_fault(fault), "bad")) for fault in answer.faults]
    if answer.notice:
        lines.append(styled_line((answer.notice, "warning")))
    if explain:
        lines.append(styled_line((describe_scoring(answer), "quiet")))
    return lines


def _result_line(result: ResultItem, home: str) -> StyledLine:
    return styled_line(
        f"{result.rank}. ",
        (f"[{describe_kind(result, home)}]", "tag"),
        " ",
        (display_doc_id(result.doc_id), "place"),
        (f"  ({result.evidence})" if result.evidence else "", "evidence"),
    )


def describe_kind(result: ResultItem, home: str) -> str:
    """What a result is, with its project when that is not the one asked in: `code`, `code:Other`."""
    is_elsewhere = home and result.project and result.project != home
    return f"{result.content_type}:{result.project}" if is_elsewhere else result.content_type


def display_snippet(result: ResultItem) -> str:
    """The snippet beside the result's name: a commit's begins with digits that this has, too."""
    sha = commit_sha_of(split_off_project(result.doc_id)[1])
    digits, _, words = result.snippet.partition(": ")
    return words if sha is not None and digits and sha.startswith(digits) else result.snippet


def _snippet_lines(result: ResultItem, width: int | None) -> list[StyledLine]:
    text = make_printable(display_snippet(result)).strip()
    if not text:
        return []
    room = None if width is None else max(_MIN_WRAP_WIDTH, width - len(_INDENT))
    return [styled_line(_INDENT, part) for part in ([text] if room is None else wrap_text(text, room))]
