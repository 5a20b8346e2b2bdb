"""An answer for a person: one line a result, then its snippet (X1)."""

from __future__ import annotations

import shlex

from msgspec import UNSET

from scry.core.doc_id import commit_sha_of, display_doc_id, split_off_project
from scry.surfaces.text.explain import describe_result_figures, describe_scoring
from scry.surfaces.text.fault import describe_fault
from scry.surfaces.text.full import full_result_blocks
from scry.surfaces.text.line import StyledLine, TextSpan, styled_line
from scry.surfaces.text.page_lines import render_lines
from scry.surfaces.text.printable import make_printable
from scry.surfaces.text.proof import proof_lines
from scry.surfaces.text.width import wrap_text
from scry_protocol.messages import Answer, ResultItem

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
