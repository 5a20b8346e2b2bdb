"""`scry detail`: one result of an earlier answer in full."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from scry.core.errors import BadRequest
from scry.surfaces.cli.answering import open_updated_projects, replace_undecodable, build_params
from scry.surfaces.cli.asking import QuestionOptions
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry_protocol.messages import DetailParams


def detail(
    query_id: Annotated[str, Parameter(help="The answer's name, which stands in its first line.")],
    place: Annotated[int | None, Parameter(name="RANK", help="The result's place in it, from 1.")] = None,
    *,
    rank: Annotated[int | None, Parameter(help="The same as RANK.")] = None,
    as_json: JsonOption = False,
    root: RootOption = None,
    force: ForceOption = False,
) -> int:
    """Shows one result of an earlier answer in full: its text, and what it is tied to.

    Nothing is searched again; the last 1,000 answers are kept. For example: scry detail q_20261121_092600_abcd2345 1
    """
    from scry.surfaces.text.detail import render_detail, add_detail_text

    params = build_params(DetailParams, {"query_id": replace_undecodable(query_id), "rank": _resolve_rank(place, rank)})
    with open_updated_projects(QuestionOptions(as_json=as_json, root=root, force=force, wait=False)) as projects:
        found = add_detail_text(projects.detail(params))
        if as_json:
            print_json(found)
        else:
            from scry.surfaces.cli.colours import terminal_width

            print_lines(render_detail(found, terminal_width(sys.stdout)))
    return 0


def _resolve_rank(place: int | None, rank: int | None) -> int:
    """The rank, however it was given. Raises BadRequest."""
    if place is None and rank is None:
        raise BadRequest("rank", "which result? Give its place in the answer, such as scry detail QUERY_ID 1")
    if place is not None and rank is not None and place != rank:
        raise BadRequest("rank", f"{place} and --rank {rank} are two results; give one of them")
    return place if place is not None else rank or 0
