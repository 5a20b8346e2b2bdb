"""Convert results to tool results within a token budget, and read resources.

A tool result is a text within the budget and, by the protocol's schema, structured output. Resources are the index's
state, and the views of the log (docs/events.md) as tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
from mcp.types import CallToolResult, Resource, TextContent

from scry.core.errors import BadRequest, ScryError
from scry.engine.federation.router import ProjectRouter
from scry.store.events.log import read_log_view
from scry.surfaces.mcp.tools import AGENT_COMMANDS
from scry.surfaces.render.activity import render_index_state
from scry.surfaces.render.budget import render_answer_within, truncate_to_budget
from scry.surfaces.render.explanation import render_detail, render_explanation
from scry.surfaces.render.styled_text import make_printable, to_plain_text
from scry_protocol.messages import (
    Answer,
    Detail,
    Explanation,
    IndexState,
    Observed,
    PersonaNotes,
    Recorded,
    StatusParams,
)


def to_tool_result(result: msgspec.Struct, budget: int, *, home: str, with_structure: bool) -> CallToolResult:
    """Return a result as text, and as structured output if `with_structure`.

    budget: of the text, in tokens. home: the project whose name is left out of an answer, or whose state it is.
    """
    structure = msgspec.to_builtins(result) if with_structure else None
    return CallToolResult(content=[TextContent(text=render_result(result, budget, home))], structured_content=structure)


def to_error_result(error: ScryError) -> CallToolResult:
    """Return an error as a tool result that is marked as one, so that the model can read and correct it."""
    text = make_printable(error.describe(AGENT_COMMANDS))
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


def render_result(result: msgspec.Struct, budget: int, home: str) -> str:
    """Return the text of a result within the budget of tokens."""
    if isinstance(result, Answer):
        return render_answer_within(result, budget, home=home)
    if isinstance(result, Explanation):
        text = to_plain_text(render_explanation(result))
        return truncate_to_budget(f"Query id: {result.query_id}\n\n{text}", budget)
    if isinstance(result, Detail):
        return truncate_to_budget(to_plain_text(render_detail(result)), budget)
    if isinstance(result, IndexState):
        return truncate_to_budget(to_plain_text(render_index_state(result, home)), budget)
    if isinstance(result, Observed):
        if result.doc_id and not result.recorded:
            return f"Kept already as {result.doc_id}.\n"
        saved = f"Kept as {result.doc_id}." if result.recorded else "Not kept."
        return " ".join(part for part in (saved, make_printable(result.note)) if part) + "\n"
    if isinstance(result, PersonaNotes):
        lines = [f"Kept as {note.doc_id}." for note in result.notes] + [make_printable(result.note)]
        return " ".join(part for part in lines if part) + "\n"
    assert isinstance(result, Recorded)
    return f"{'Noted.' if result.recorded else f'Not noted: {make_printable(result.note)}'}\n"


JSON_MEDIA_TYPE = "application/json"
STATUS_URI = "scry://status"
_LOG_PREFIX = "scry://log/"
_MAX_ROWS = 100

_VIEW_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "queries": "The last questions",
        "usage": "The last results that were used",
        "ratings": "The last ratings",
        "query_analysis": "Questions, results, uses and ratings, joined",
        "modes": "How often each mode is asked and used",
        "reformulations": "Questions that were asked again within 60 s",
    }
)
"""Titles of the views of the log, by name."""


def available_resources() -> list[Resource]:
    """Return all resources."""
    views = [
        Resource(
            uri=_LOG_PREFIX + name,
            name=f"log-{name}",
            title=title,
            description=f"{title}, as a table.",
            mime_type=JSON_MEDIA_TYPE,
        )
        for name, title in _VIEW_TITLES.items()
    ]
    about = "How complete and fresh the project's index is."
    return [
        Resource(
            uri=STATUS_URI, name="status", title="State of the index", description=about, mime_type=JSON_MEDIA_TYPE
        ),
        *views,
    ]


def read_resource(uri: str, projects: ProjectRouter, home: Path | None) -> str:
    """Return a resource as JSON. Raises BadRequest for an unknown one, and ScryError as the router does."""
    if uri == STATUS_URI:
        return msgspec.json.encode(projects.status(StatusParams(languages=True))).decode()
    view = uri.removeprefix(_LOG_PREFIX)
    if not uri.startswith(_LOG_PREFIX) or view not in _VIEW_TITLES:
        raise BadRequest("uri", f"there is no {uri}; there are {', '.join(each.uri for each in available_resources())}")
    if home is None:
        raise BadRequest("uri", "no project is open here, so there is no log; start scry mcp in one, or with --root")
    with projects.pool.borrow(home.expanduser().resolve()) as engine:
        engine.recorder.write_queued()
        table = read_log_view(engine.project.data, view, _MAX_ROWS)
    return msgspec.json.encode({"columns": list(table.columns), "rows": [list(row) for row in table.rows]}).decode()
