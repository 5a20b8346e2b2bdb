"""Convert results to tool results within a token budget, and read resources.

A tool result is a text within the budget and, by the protocol's schema, structured output. Resources are the index's
state, and the views of the log (docs/events.md) as tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

import msgspec
from mcp.types import CallToolResult, Resource, TextContent

from scry.core.errors import BadRequest
from scry.engine.federation.router import ProjectRouter
from scry.projects.project import open_project
from scry.store.events.log import EventReader
from scry.surfaces.render.budget import render_answer_within, truncate_to_budget
from scry.surfaces.render.explanation import render_detail
from scry.surfaces.render.index_state import render_index_state
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

    budget: of the text, in tokens. home: the project whose name is left out of the text.
    """
    structure = msgspec.to_builtins(result) if with_structure else None
    return CallToolResult(content=[TextContent(text=render_result(result, budget, home))], structured_content=structure)


def to_error_result(error: Exception) -> CallToolResult:
    """Return an error as a tool result that is marked as one, so that the model can read and correct it."""
    return CallToolResult(content=[TextContent(text=make_printable(str(error)))], is_error=True)


def render_result(result: msgspec.Struct, budget: int, home: str) -> str:
    """Return the text of a result within the budget of tokens."""
    if isinstance(result, Answer):
        return render_answer_within(result, budget, home=home)
    if isinstance(result, Explanation):
        return truncate_to_budget(f"Query id: {result.query_id}\n\n{result.text}", budget)
    if isinstance(result, Detail):
        return truncate_to_budget(to_plain_text(render_detail(result)), budget)
    if isinstance(result, IndexState):
        return truncate_to_budget(to_plain_text(render_index_state(result, home)), budget)
    if isinstance(result, Observed):
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

LOG_VIEWS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "queries": ("The last questions", "ORDER BY sequence DESC"),
        "usage": ("The last results that were used", "ORDER BY sequence DESC"),
        "ratings": ("The last ratings", "ORDER BY sequence DESC"),
        "query_analysis": ("Questions, results, uses and ratings, joined", "ORDER BY sequence DESC, rank"),
        "modes": ("How often each mode is asked and used", "ORDER BY queries DESC"),
        "reformulations": ("Questions that were asked again within 60 s", "ORDER BY query_id DESC"),
    }
)
"""By the view's name: its title, and its order."""


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
        for name, (title, _) in LOG_VIEWS.items()
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
        return msgspec.json.encode(projects.status(StatusParams())).decode()
    view = uri.removeprefix(_LOG_PREFIX)
    if not uri.startswith(_LOG_PREFIX) or view not in LOG_VIEWS:
        raise BadRequest("uri", f"there is no {uri}; there are {', '.join(each.uri for each in available_resources())}")
    if home is None:
        raise BadRequest("uri", "no project is open here, so there is no log; start scry mcp in one, or with --root")
    return _query_log(home, f"SELECT * FROM {view} {LOG_VIEWS[view][1]} LIMIT {_MAX_ROWS}")


def _query_log(home: Path, sql: str) -> str:
    reader = EventReader.open(open_project(home, force=True).data)
    if reader is None:
        return json.dumps({"columns": [], "rows": []})
    with closing(reader):
        table = reader.run_select(sql)
    return msgspec.json.encode({"columns": list(table.columns), "rows": [list(row) for row in table.rows]}).decode()
