"""Results as a model gets them: text within its budget, and the same as structured output by the protocol's schema."""

from __future__ import annotations

import msgspec
from mcp.types import CallToolResult, TextContent

from scry.surfaces.text.budget import answer_within, text_within
from scry.surfaces.text.detail import show_detail
from scry.surfaces.text.line import plain
from scry.surfaces.text.printable import printable
from scry.surfaces.text.state import show_state
from scry_protocol.messages import Answer, Detail, Explanation, IndexState, Observed, PersonaNotes, Recorded


def result_of(result: msgspec.Struct, budget: int, *, home: str, with_structure: bool) -> CallToolResult:
    """home: the project that is not named in the text. with_structure: give structured output, too."""
    structure = msgspec.to_builtins(result) if with_structure else None
    return CallToolResult(content=[TextContent(text=text_of(result, budget, home))], structured_content=structure)


def error_of(error: Exception) -> CallToolResult:
    """An error is one: the model reads what was wrong, and can mend it."""
    return CallToolResult(content=[TextContent(text=printable(str(error)))], is_error=True)


def text_of(result: msgspec.Struct, budget: int, home: str) -> str:
    """The text form."""
    if isinstance(result, Answer):
        return answer_within(result, budget, home=home)
    if isinstance(result, Explanation):
        return text_within(f"Query id: {result.query_id}\n\n{result.text}", budget)
    if isinstance(result, Detail):
        return text_within(plain(show_detail(result)), budget)
    if isinstance(result, IndexState):
        return text_within(plain(show_state(result, home)), budget)
    if isinstance(result, Observed):
        kept = f"Kept as {result.doc_id}." if result.recorded else "Not kept."
        return " ".join(part for part in (kept, printable(result.note)) if part) + "\n"
    if isinstance(result, PersonaNotes):
        lines = [f"Kept as {note.doc_id}." for note in result.notes] + [printable(result.note)]
        return " ".join(part for part in lines if part) + "\n"
    assert isinstance(result, Recorded)
    return f"{'Noted.' if result.recorded else f'Not noted: {printable(result.note)}'}\n"
