"""`scry why` and `scry detail`: explain a ranking and show one result in full."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from scry.core.doc_id import split_off_project
from scry.core.errors import BadRequest
from scry.surfaces.cli.engines import complete_reference, open_engine, open_updated_projects, replace_undecodable
from scry.surfaces.cli.options import ForceOption, FurtherOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines, terminal_width
from scry.surfaces.cli.questions.browse import to_project_path
from scry.surfaces.cli.questions.question_options import QuestionOptions
from scry.surfaces.serving.params import parse_params
from scry_protocol.messages import DetailParams, WhyParams


def why(
    doc_id: Annotated[
        str, Parameter(help="What to explain, as answers name it, such as ./src/app.py::main; also src/app.py:12.")
    ],
    *query: Annotated[
        str, Parameter(help="The question to explain it for; when left out, the last one that found it.")
    ],
    query_id: Annotated[str | None, Parameter(help="Explain it for the question of this answer.")] = None,
    as_json: JsonOption = False,
    root: RootOption = None,
    force: ForceOption = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or explain from what is there.")
    ] = True,
) -> int:
    """Says why something was found where it was, or why it was not found.

    For example: scry why ./src/app.py::main "where does it start"
    """
    from scry.surfaces.render.explanation import add_explanation_text, render_explanation

    words = replace_undecodable(" ".join(query)) if query else None
    named = replace_undecodable(_to_project_doc_id(doc_id, root))
    params = parse_params(WhyParams, {"doc_id": named, "query": words, "query_id": query_id})
    options = QuestionOptions(as_json=as_json, root=root, force=force, wait=wait)
    names_project = bool(split_off_project(doc_id)[0])
    project = open_engine(root, force=force, update=wait)
    with open_updated_projects(options) if names_project else project as answerer:
        explanation = add_explanation_text(answerer.why(params, options.request_context))
        names_no_file = explanation.status == "missing" and len(doc_id.split()) > 1
        if names_no_file and words and len(words.split()) == 1 and ("/" in words or "." in words):
            command = shlex.join(["scry", "why", words, params.doc_id])
            raise BadRequest(
                "doc_id", f"nothing has this name; the document comes before the question, such as: {command}"
            )
        if as_json:
            print_json(explanation)
        else:
            print_lines(render_explanation(explanation, terminal_width(sys.stdout)))
    return 0


def _to_project_doc_id(doc_id: str, root: Path | None) -> str:
    """Return what to explain as a doc_id of the project. A file that exists from the current folder is read from there,
    as in every command, with or without a line or a name in it.
    """
    path = doc_id.partition("::")[0].partition("#")[0]
    while path:
        within = to_project_path(path, root)
        if within != path:
            return f"./{within}{doc_id.removeprefix(path)}"
        path, _, line = path.rpartition(":")
        if not line.isdecimal():
            break
    return doc_id


def detail(
    query_id: Annotated[str, Parameter(help="The answer's name, which stands in its first line: q_…")],
    place: Annotated[
        int | None, Parameter(name="RANK", help="The result's place in it, from 1; alone: in this terminal's last one.")
    ] = None,
    *,
    rank: Annotated[int | None, Parameter(help="The same as RANK.")] = None,
    doc_id: FurtherOption = None,
    as_json: JsonOption = False,
    root: RootOption = None,
    force: ForceOption = False,
) -> int:
    """Shows one result of an earlier answer in full: its text, and what it is tied to.

    Nothing is searched again; the last 1,000 answers are kept. For example: scry detail q_20261121_092600_abcd2345 1,
    or scry detail 1 for the last answer in this terminal.
    """
    from scry.surfaces.render.explanation import add_detail_text, render_detail

    name, result = complete_reference(query_id, _resolve_rank(place, rank), root, force=force, command="detail")
    values = {"query_id": replace_undecodable(name), "rank": result, "doc_id": doc_id}
    params = parse_params(DetailParams, values)
    with open_updated_projects(QuestionOptions(as_json=as_json, root=root, force=force, wait=False)) as projects:
        shown = add_detail_text(projects.detail(params))
        if as_json:
            print_json(shown)
        else:
            print_lines(render_detail(shown, terminal_width(sys.stdout)))
    return 0


def _resolve_rank(place: int | None, rank: int | None) -> int | None:
    """Return the rank, given by position or by option. Raises BadRequest for two that differ."""
    if place is not None and rank is not None and place != rank:
        raise BadRequest("rank", f"{place} and --rank {rank} are two results; give one of them")
    return rank if place is None else place
