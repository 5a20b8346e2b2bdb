"""Render an answer as terminal lines: one a result, its snippet, and the figures and proof behind it (X1, X2, N3)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from posixpath import join, normpath

from msgspec import UNSET

from scry.core.doc_id import commit_sha_of, display_doc_id, parse_doc_id, split_off_project
from scry.core.files import path_of_url
from scry.core.types import INDEX_FAULT
from scry.surfaces.render.full_result import full_result_blocks
from scry.surfaces.render.page import render_lines
from scry.surfaces.render.styled_text import (
    StyledLine,
    TextSpan,
    display_width,
    make_printable,
    styled_line,
    wrap_text,
)
from scry_protocol.messages import Answer, CompositePart, Contribution, Edge, Fault, ResultItem, Scoring, Structural


def describe_fault(fault: Fault) -> str:
    """Say which oracle or project could not answer, and why: `semantic of lib could not answer: …`."""
    if not fault.oracle:
        return f"{fault.project} could not be asked: {fault.message}"
    of = f" of {fault.project}" if fault.project else ""
    if fault.oracle == INDEX_FAULT:
        return f"the index{of} could not be brought up to date: {fault.message}"
    return f"{fault.oracle}{of} could not answer: {fault.message}"


_PASSIVE_VERBS = {
    "calls": "is called by",
    "imports": "is imported by",
    "inherits": "is inherited by",
    "defines": "is defined by",
    "changes_with": "changes with",
}


def proof_lines(result: ResultItem) -> list[str]:
    """Return the steps that prove a result of a relational question: `calls ./a.py::f at line 12 (by name)`.

    A step without the result in it begins with its own subject.
    """
    proof = result.annotations.proof
    own = result.doc_id.removeprefix(f"{result.project}:")
    return [] if proof is UNSET else [_describe_edge(edge, own) for edge in proof]


def _describe_edge(edge: Edge, own: str) -> str:
    if edge.source != own and edge.target == own:
        words = f"{_PASSIVE_VERBS[edge.kind]} {edge.source}"
    else:
        does = f"{edge.kind.replace('_', ' ')} {edge.target}"
        words = does if edge.source == own else f"{edge.source} {does}"
    line = "" if edge.location is UNSET else f" at line {edge.location.range.start.line + 1}"
    return f"{words}{line} ({edge.confidence})"


def describe_scoring(answer: Answer) -> str:
    """Say how the scores of an answer are computed."""
    scoring = answer.scoring
    if answer.mode == "reason":
        return "scores are the parts of the question that a result meets, as a share of the most that any meets"
    if answer.mode == "neighbors":
        of_belief = "scores say how far the belief reaches, from 0 to 1"
        of_file = "scores are the number of relations to the file, as a share of the most that any result has"
        return of_belief if answer.query.startswith("belief:") else of_file
    if not scoring.k:
        return "scores are the sum of weight x value of each part, times what is adjusted"
    weights = ", ".join([f"{name} {weight:g}" for name, weight in scoring.weights.items()])
    text = f"intent {answer.intent}; scores by rank fusion, k {scoring.k}, weights: {weights}"
    return f"{text}; {describe_learnt_weights(scoring)}" if scoring.exponents else text


def describe_learnt_weights(scoring: Scoring) -> str:
    """Say which exponents of adjustments' factors were learnt from jumps; the weights are told elsewhere."""
    exponents = [f"{name} {power:g}" for name, power in scoring.exponents.items() if power != 1.0]
    return f"learnt from your jumps, with the factors' exponents: {', '.join(exponents) or 'all 1'}"


def describe_result_figures(result: ResultItem) -> list[str]:
    """Return a line for each oracle that found the result, each adjustment of its score, and its structure."""
    lines = [
        f"{name.capitalize()}: {_describe_contribution(name, contribution)}"
        for name, contribution in result.contributions.items()
    ]
    if result.annotations.composite is not UNSET:
        lines += [_describe_composite_part(part) for part in result.annotations.composite]
    if result.annotations.structural is not UNSET:
        lines.append(f"Structural: {describe_structure(result.annotations.structural)}")
    lines += [f"Adjusted: x{a.factor:.3g} {a.name.replace('_', ' ')} ({a.reason})" for a in result.adjustments]
    confidence = "" if result.confidence is UNSET else f", confidence {result.confidence:.2f}"
    lines.append(f"Score: {format_score(result.fused_score)}{confidence}")
    return lines


def _describe_composite_part(part: CompositePart) -> str:
    name = part.name.replace("_", " ").capitalize()
    return f"{name}: {part.value:.2f} x {part.weight:g} ({part.reason})"


def _describe_contribution(name: str, contribution: Contribution) -> str:
    score = describe_score(contribution.score_type, contribution.raw_score)
    if contribution.cosine is not UNSET:
        score += f", {describe_score('cosine', contribution.cosine)}"
    text = f"#{contribution.rank} ({score})"
    if contribution.snippet is not UNSET and contribution.snippet:  # text of a note itself; words about a memory
        return f'{text} "{contribution.snippet}"' if name == "persona" else f"{text} {contribution.snippet}"
    if contribution.matches is UNSET or not contribution.matches:
        return text
    terms = '", "'.join(contribution.matches)
    return f'{text} matched: "{terms}"'


def describe_score(score_type: str, raw_score: float) -> str:
    """Return a raw score with its unit."""
    if score_type == "cosine":
        return f"{raw_score:.2f} cosine"
    if score_type == "bm25":
        return f"{raw_score:.1f} BM25"
    if score_type == "relevance":
        return f"{raw_score:.2f} relevance"
    if score_type == "co_change_count":
        return f"co-changes: {raw_score:.0f}"
    return f"{raw_score:.3g} {score_type}"


def format_score(score: float) -> str:
    """Return a score with four decimals; a smaller one with its first two digits, so that it does not read as zero."""
    return f"{score:.4f}" if score >= 0.001 or not score else f"{score:.2g}"


def describe_structure(structural: Structural) -> str:
    """Describe the code around a result in words: importers, centrality, activity, flags."""
    parts = [
        "1 importer" if structural.importers == 1 else f"{structural.importers} importers",
        f"{structural.centrality} centrality",
    ]
    if structural.activity_level is not UNSET:
        level = structural.activity_level
        parts.append("no activity of late" if level == "none" else f"{level} activity")
    if "test" not in structural.flags:
        parts.append("not test")
    return ", ".join(parts + [flag.replace("_", " ") for flag in structural.flags])


_INDENT = "     "
_MIN_WRAP_WIDTH = 20


def render_answer(
    answer: Answer,
    *,
    home: str = "",
    explain: bool = False,
    width: int | None = None,
    root: str = "",
    folder: str = "",
) -> list[StyledLine]:
    """Render an answer.

    home: name of the current project; results of other projects are tagged with theirs. explain: add the figures
    behind each result. width: terminal cells at which snippets wrap; None for one line each. root: the folder that the
    question named by `--root`, or "". folder: the way from the current folder to the project's, such as `../..`; "" for
    the same.
    """
    count = len(answer.results)
    lines = [styled_line((answer.query_id, "quiet"), f"  {count} result{'' if count == 1 else 's'}")]
    lines += [styled_line((describe_fault(fault), "bad")) for fault in answer.faults]
    if answer.notice:
        lines.append(styled_line((answer.notice, "warning")))
    if explain:
        lines.append(styled_line((describe_scoring(answer), "quiet")))
    for result in answer.results:
        kind, place, evidence = describe_kind(result, home), display_doc_id(result.doc_id), result.evidence
        score = result.fused_score
        if evidence or score:
            digits = f"{score:.2f}" if score >= 0.005 or not score else f"{score:.1g}"
            evidence = f"{digits} | {evidence}" if evidence else digits
        if result.more_in_file:
            head = f"{result.rank}. [{kind}] {place}  ({evidence} | )"
            evidence = " | ".join([*([evidence] if evidence else []), _describe_further_places(result, head, width)])
        evidence = f"  ({evidence})" if evidence else ""
        lines.append(
            styled_line(f"{result.rank}. ", (f"[{kind}]", "tag"), " ", (place, "place"), (evidence, "evidence"))
        )
        if result.full is UNSET or result.full.signature != result.snippet:  # a commit's signature repeats its snippet
            lines += _snippet_lines(result, width, folder)
            lines += [
                styled_line(_INDENT, (f"{each.line}| ", "quiet"), make_printable(each.text))
                for each in result.excerpt or ()
            ]
        lines += [styled_line(_INDENT, (make_printable(text), "quiet")) for text in proof_lines(result)]
        if explain:
            lines += [styled_line(_INDENT, (text, "quiet")) for text in describe_result_figures(result)]
            lines += [styled_line(_INDENT, "Further: ", (place.doc_id, "place")) for place in result.further]
            lines += [styled_line(_INDENT, "Also in: ", (copy.doc_id, "place")) for copy in result.also_in]
        if result.full is not UNSET:
            lines += [(TextSpan(_INDENT, "plain"), *each) for each in render_lines(full_result_blocks(result))]
    beliefs = [result for result in answer.results if result.content_type == "belief" and result.contributions]
    return [*lines, _belief_footer(beliefs, root)] if beliefs else lines


def _belief_footer(beliefs: Sequence[ResultItem], root: str) -> StyledLine:
    """Return the number of beliefs that matched and a command that shows their coverage (X3)."""
    doc_id = beliefs[0].doc_id.removeprefix(f"{beliefs[0].project}:")
    where = f" --root {shlex.quote(root)}" if root else ""
    count = "1 belief bears" if len(beliefs) == 1 else f"{len(beliefs)} beliefs bear"
    command = f"scry neighbors --belief {shlex.quote(doc_id.removeprefix('belief:'))}{where}"
    return styled_line(("Belief impact", "strong"), f": {count} on this. What it reaches: ", (command, "place"))


def _describe_further_places(result: ResultItem, head: str, width: int | None) -> str:
    """Return the further places of a result's file, as `+3 more in cache.py: evict, expire, …`.

    head: what else stands in their line. width: terminal cells of the line, to which the names are cut; None for all
    that the answer holds.
    """
    file_name = PurePosixPath(parse_doc_id(split_off_project(result.doc_id)[1]).path).name
    text, separator, left = f"+{result.more_in_file} more in {file_name}", ": ", result.more_in_file
    titles = [result.title, *(place.title for place in result.further)]
    for place in result.further:
        is_named_twice = titles.count(place.title) > 1
        name = split_off_project(place.doc_id)[1].partition("::")[2] if is_named_twice else ""
        longer = f"{text}{separator}{name or place.title}"
        more = ", …" if left > 1 else ""
        if width is not None and display_width(make_printable(head + longer + more)) > width:
            break
        text, separator, left = longer, ", ", left - 1
    return make_printable(f"{text}{separator}…" if left else text)


def describe_kind(result: ResultItem, home: str) -> str:
    """Return a result's content type, with its project where that is not `home`: `code`, `code:Other`."""
    is_elsewhere = home and result.project and result.project != home
    return f"{result.content_type}:{result.project}" if is_elsewhere else result.content_type


def display_snippet(result: ResultItem) -> str:
    """Return the snippet without the short hash that a commit's snippet begins with: the result's name has it."""
    sha = commit_sha_of(split_off_project(result.doc_id)[1])
    digits, _, words = result.snippet.partition(": ")
    return words if sha is not None and digits and sha.startswith(digits) else result.snippet


def _snippet_lines(result: ResultItem, width: int | None, folder: str) -> Iterator[StyledLine]:
    """Yield `path:line: snippet`, which terminals open at a click and editors read as a list of places.

    The path leads from the current folder; it is absolute for a result whose doc_id names its project. The line is that
    of the name, where the snippet's signature stands: comments and decorators may be above it.
    """
    place, text = "", make_printable(display_snippet(result)).strip()
    if result.location is not UNSET:
        path = result.doc_id[2:].partition("::")[0].partition("#")[0] if result.doc_id.startswith("./") else ""
        if "%" in path:
            path = parse_doc_id(result.doc_id).path
        elif not path and ":./" in result.doc_id:
            path = path_of_uri(result.location.uri)
        at = result.location.range.start if result.location.name is UNSET else result.location.name
        place = f"{make_printable(normpath(join(folder, path)))}:{at.line + 1}:" if path else ""
    if width is None or not text or not place:
        if place or text:
            lines = [text] if width is None or not text else wrap_text(text, max(_MIN_WRAP_WIDTH, width - len(_INDENT)))
            yield styled_line(_INDENT, (place, "quiet"), " " if place and text else "", lines[0])
            for part in lines[1:]:
                yield styled_line(_INDENT, part)
        return
    room, cells = max(_MIN_WRAP_WIDTH, width - len(_INDENT)), display_width(place) + 1
    if cells > room:  # a path is never broken
        yield styled_line(_INDENT, (place, "quiet"))
        place, cells = "", 0
    first, *more = wrap_text("\0" * (cells - 1) + " " + text if place else text, room)
    yield styled_line(_INDENT, (place, "quiet"), " " if place and first[cells:] else "", first[cells:])
    for part in more:
        yield styled_line(_INDENT, part)


def path_of_uri(uri: str) -> str:
    """Return the path that a file's URI names on this machine; of a file of the joined team the URI without commit."""
    from urllib.parse import unquote, urlsplit  # only answers of several projects need it

    parts = urlsplit(uri)
    if parts.scheme == "scry-team":
        repository, _, path = parts.path.lstrip("/").split("/", 2)
        return unquote(f"{repository}/{path}")
    host = f"//{parts.netloc}" if parts.netloc else ""
    return path_of_url(f"{host}{parts.path}")
