"""`scry why`: why something was found, or was not."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from scry.core.doc_id import split_project
from scry.surfaces.cli.answering import current_engine, current_projects, readable, request
from scry.surfaces.cli.asking import Manner
from scry.surfaces.cli.options import Force, Json, Root
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
    as_json: Json = False,
    root: Root = None,
    force: Force = False,
    wait: Annotated[
        bool, Parameter(negative="--no-wait", help="Bring the index up to date first, or explain from what is there.")
    ] = True,
) -> int:
    """Says why something was found where it was, or why it was not found.

    For example: scry why ./src/app.py::main "where does it start"
    """
    from scry.surfaces.text.explanation import show_explanation, with_text

    words = readable(" ".join(query)) if query else None
    params = request(WhyParams, {"doc_id": readable(doc_id), "query": words, "query_id": query_id})
    manner = Manner(as_json=as_json, root=root, force=force, wait=wait)
    with current_projects(manner) if split_project(doc_id)[0] else current_engine(manner) as asked:
        explanation = with_text(asked.why(params, manner.of_engine))
        if as_json:
            print_json(explanation)
        else:
            from scry.surfaces.cli.colours import screen_width

            print_lines(show_explanation(explanation, screen_width(sys.stdout)))
    return 0
