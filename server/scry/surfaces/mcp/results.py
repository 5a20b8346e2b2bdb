"""Results as a model gets them: text within its budget, and the same as structured output by the protocol's schema."""

from __future__ import annotations

import msgspec
from mcp.types import CallToolResult, TextContent

from scry.surfaces.text.budget import render_answer_within, truncate_to_budget
from scry.surfaces.text.detail import render_detail
from scry.surfaces.text.line import to_plain_text
from scry.surfaces.text.printable import make_printable
from scry.surfaces.text.state import render_index_state
from scry_protocol.messages import Answer, Detail, Explanation, IndexState, Observed, PersonaNotes, Recorded


def to_tool_result(result: msgspec.Struct, budget: int, *, home: str, with_structure: bool) -> CallToolResult:
    """home: the project that is not named in the text. with_structure: give structured output, too."""
    structure = msgspec.to_builtins(result) if with_structure else None
    return CallToolResult(content=[TextContent(text=render_result(result, budget, home))], structured_content=structure)


def to_error_result(error: Exception) -> CallToolResult:
    """An error is one: the model reads what was wrong, and can mend it."""
    return CallToolResult(content=[TextContent(text=make_printable(str(error)))], is_error=True)


def render_result(result: msgspec.Struct, budget: int, home: str) -> str:
    """The text form."""
    if isinstance(result, Answer):
        return render_answer_within(result, budget, home=home)
    if isinstance(result, Explanation):
        return truncate_to_budget(f"Query id: {result.query_id}\n\n{result.text}", budget)
    if isinstance(result, Detail):
        return truncate_to_budget(to_plain_text(render_detail(result)), budget)
    if isinstance(result, IndexState):
        return truncate_to_budget(to_plain_text(render_index_state(result, home)), budget)
    if isinstance(result, Observed):
        kept = f"Kept as {result.doc_id}." if result.recorded else "Not kept."
        return " ".join(part for part in (kept, make_printable(result.note)) if part) + "\n"
    if isinstance(result, PersonaNotes):
        lines = [f"Kept as {note.doc_id}." for note in result.notes] + [make_printable(result.note)]
        return " ".join(part for part in lines if part) + "\n"
    assert isinstance(result, Recorded)
    return f"{'Noted.' if result.recorded else f'Not noted: {make_printable(result.note)}'}\n"
