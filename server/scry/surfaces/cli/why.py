"""`scry why`: why something was found, or was not."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from scry.core.doc_id import split_off_project
from scry.surfaces.cli.answering import open_updated_engine, open_updated_projects, replace_undecodable, build_params
from scry.surfaces.cli.asking import QuestionOptions
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry_protocol.messages import WhyParams


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
    from scry.surfaces.text.explanation import render_explanation, add_explanation_text

    words = replace_undecodable(" ".join(query)) if query else None
    params = build_params(WhyParams, {"doc_id": replace_undecodable(doc_id), "query": words, "query_id": query_id})
    manner = QuestionOptions(as_json=as_json, root=root, force=force, wait=wait)
    with open_updated_projects(manner) if split_off_project(doc_id)[0] else open_updated_engine(manner) as asked:
        explanation = add_explanation_text(asked.why(params, manner.request_context))
        if as_json:
            print_json(explanation)
        else:
            from scry.surfaces.cli.colours import terminal_width

            print_lines(render_explanation(explanation, terminal_width(sys.stdout)))
    return 0
