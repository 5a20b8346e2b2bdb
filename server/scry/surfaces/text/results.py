"""An answer for a person: one line a result, then its snippet (X1)."""

from __future__ import annotations

import shlex

from msgspec import UNSET

from scry.core.doc_id import commit_of, readable_id, split_project
from scry.surfaces.text.explain import explain_result, explain_scoring
from scry.surfaces.text.fault import describe_fault
from scry.surfaces.text.full import full_blocks
from scry.surfaces.text.line import Line, Piece, line
from scry.surfaces.text.page_lines import to_lines
from scry.surfaces.text.printable import printable
from scry.surfaces.text.proof import proof_lines
from scry.surfaces.text.width import wrap
from scry_protocol.messages import Answer, ResultItem

_INDENT = "     "
_NARROWEST = 20


def show_answer(
    answer: Answer, *, home: str = "", explain: bool = False, width: int | None = None, root: str = ""
) -> list[Line]:
    """The answer as lines.

    home: the project that was asked in; results of others are tagged with theirs. explain: with the figures behind
    each result. width: cells of the screen to wrap snippets at; None for one line each. root: the folder that was
    named for the question, if one was.
    """
    lines = _head(answer, explain)
    for result in answer.results:
        lines.append(_result_line(result, home))
        if result.full is UNSET or result.full.signature != result.snippet:  # a commit's is its head in full
            lines += _snippet_lines(result, width)
        lines += [line(_INDENT, (printable(text), "quiet")) for text in proof_lines(result)]
        if explain:
            lines += [line(_INDENT, (text, "quiet")) for text in explain_result(result)]
        if result.full is not UNSET:
            lines += [(Piece(_INDENT, "plain"), *each) for each in to_lines(full_blocks(result))]
    return [*lines, *belief_footer(answer, root)]


def belief_footer(answer: Answer, root: str) -> list[Line]:
    """How many beliefs matched, and a command that digs deeper; nothing where none did (X3)."""
    beliefs = [result for result in answer.results if result.content_type == "belief" and result.contributions]
    if not beliefs:
        return []
    doc_id = beliefs[0].doc_id.removeprefix(f"{beliefs[0].project}:")
    where = f" --root {shlex.quote(root)}" if root else ""
    count = "1 belief bears" if len(beliefs) == 1 else f"{len(beliefs)} beliefs bear"
    command = f"scry neighbors --belief {shlex.quote(doc_id.removeprefix('belief:'))}{where}"
    return [line(("Belief impact", "strong"), f": {count} on this. What it reaches: ", (command, "place"))]


def _head(answer: Answer, explain: bool) -> list[Line]:
    count = len(answer.results)
    lines = [line((answer.query_id, "quiet"), f"  {count} result{'' if count == 1 else 's'}")]
    lines += [line((describe_fault(fault), "bad")) for fault in answer.faults]
    if answer.notice:
        lines.append(line((answer.notice, "warning")))
    if explain:
        lines.append(line((explain_scoring(answer), "quiet")))
    return lines


def _result_line(result: ResultItem, home: str) -> Line:
    return line(
        f"{result.rank}. ",
        (f"[{describe_kind(result, home)}]", "tag"),
        " ",
        (readable_id(result.doc_id), "place"),
        (f"  ({result.evidence})" if result.evidence else "", "evidence"),
    )


def describe_kind(result: ResultItem, home: str) -> str:
    """What a result is, with its project when that is not the one asked in: `code`, `code:Other`."""
    is_elsewhere = home and result.project and result.project != home
    return f"{result.content_type}:{result.project}" if is_elsewhere else result.content_type


def snippet_of(result: ResultItem) -> str:
    """The snippet beside the result's name: a commit's begins with digits that this has, too."""
    sha = commit_of(split_project(result.doc_id)[1])
    digits, _, words = result.snippet.partition(": ")
    return words if sha is not None and digits and sha.startswith(digits) else result.snippet


def _snippet_lines(result: ResultItem, width: int | None) -> list[Line]:
    text = printable(snippet_of(result)).strip()
    if not text:
        return []
    room = None if width is None else max(_NARROWEST, width - len(_INDENT))
    return [line(_INDENT, part) for part in ([text] if room is None else wrap(text, room))]
