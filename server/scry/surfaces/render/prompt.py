"""Render an answer as Markdown for a language model, and a result as a code reference."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec import UNSET

from scry.core.doc_id import commit_sha_of, parse_doc_id, split_off_project
from scry.core.knowledge import knowledge_type
from scry.surfaces.render.results import (
    describe_fault,
    describe_kind,
    describe_result_figures,
    display_snippet,
    path_of_uri,
    proof_lines,
)
from scry.surfaces.render.styled_text import make_printable, shorten_question
from scry_protocol.messages import Answer, Range, ResultItem

_PERSONAL_TYPES = ("belief", "persona")


def render_for_model(answer: Answer, *, home: str = "", explain: bool = False) -> str:
    """Render an answer as Markdown, grouped by whose knowledge it is, with code references (J7).

    Foreign text can't start a line and is one line long, so that it can't pass for a heading. home: as in
    `results.render_answer`.
    """
    return "\n".join(
        [
            render_answer_header(answer),
            *group_results(answer.results, lambda result: render_result_entry(result, home, explain=explain)),
        ]
    )


def group_results(results: Sequence[ResultItem], show: Callable[[ResultItem], str]) -> list[str]:
    """Return the results in blocks of Markdown, one for each group that is not empty, under its heading."""
    blocks: list[str] = []
    for heading, personal in (("Project Knowledge", False), ("Your Beliefs", True)):
        group = [result for result in results if (result.content_type in _PERSONAL_TYPES) == personal]
        if group:
            blocks.append(f"## {heading}\n\n{''.join(map(show, group))}")
    return blocks


def render_answer_header(answer: Answer) -> str:
    """Render the facts of an answer as a whole, one a line: query, id, faults, notice."""
    query = (
        [f"Query: {make_printable(shorten_question(answer.query))}"] if answer.query.strip() else []
    )  # `recent` needs no query
    facts = [*query, f"Query id: {answer.query_id}"]
    facts += [make_printable(f"Fault: {describe_fault(fault)}") for fault in answer.faults]
    if answer.notice:
        facts.append(make_printable(f"Notice: {answer.notice}"))
    return "".join(f"{fact}\n" for fact in facts)


def render_result_entry(result: ResultItem, home: str, *, explain: bool = False) -> str:
    """Render one result in a few lines. home: as in `results.render_answer`."""
    head = f"{result.rank}. [{describe_kind(result, home)}] {result.doc_id}"
    evidence = " | ".join(part for part in (result.evidence, _further_places(result)) if part)
    reference = code_reference(result, home)
    facts = [f"({evidence})" if evidence else "", f"at {reference}" if reference else ""]
    lines = [" ".join(part for part in (head, *facts) if part)]
    if snippet := display_snippet(result):
        lines.append(f"   - {snippet}")
    lines += [f"   {line.line}| {line.text}" for line in result.excerpt or ()]
    lines += [f"   - {text}" for text in proof_lines(result)]
    if explain:
        lines += [f"   - {text}" for text in describe_result_figures(result)]
        lines += [f"   - Also in: {copy.doc_id}" for copy in result.also_in]
    return "".join(f"{make_printable(text)}\n" for text in lines)


_MAX_FURTHER_NAMES = 3
"""Further places that a model is told of by name; the structured output has the others."""


def _further_places(result: ResultItem) -> str:
    """Return the further places of a result's file by what follows the path in their doc_ids; empty for none."""
    if not result.more_in_file:
        return ""
    shown = result.further[:_MAX_FURTHER_NAMES]
    names = [re.split("::|#", split_off_project(place.doc_id)[1], maxsplit=1)[-1] for place in shown]
    names += ["…"] if result.more_in_file > len(shown) else []
    words = f": {', '.join(names)}" if shown else ""
    return f"+{result.more_in_file} more in this file{words}"


def code_reference(result: ResultItem, home: str = "") -> str:
    """Return the file and its 1-based lines, both inclusive: `src/app.py:12-40`; empty for a result without location.

    A result whose doc_id names its project, such as `lib:./src/app.py`, has the absolute path unless that project is
    `home`: a reader need not know where other projects lie.
    """
    if result.metadata is not UNSET and result.metadata.code_refs is not UNSET:
        return ", ".join(result.metadata.code_refs)
    if result.location is UNSET or knowledge_type(result.doc_id.removeprefix(f"{result.project}:")):
        return ""
    named = result.doc_id.startswith(f"{result.project}:")
    path = parse_doc_id(result.doc_id.removeprefix(f"{result.project}:")).path
    if named and result.project != home:
        path = path_of_uri(result.location.uri)
    first, last = _line_numbers(result.location.range)
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _line_numbers(range_: Range) -> tuple[int, int]:
    first = range_.start.line + 1
    ends_before = range_.end.character == 0 and range_.end.line > range_.start.line
    return first, range_.end.line + (0 if ends_before else 1)


def result_clipboard_text(result: ResultItem) -> str:
    """Return the text to copy for a result: a code reference, the hash of a commit, or else the doc_id."""
    if result.location is not UNSET:
        return code_reference(result)
    doc_id = result.doc_id.removeprefix(f"{result.project}:")
    return commit_sha_of(doc_id) or doc_id
