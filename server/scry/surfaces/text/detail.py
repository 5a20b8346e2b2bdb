"""One result in full, for a person: its text, what found it, and what it is tied to."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from scry.core.doc_id import readable_id
from scry.surfaces.text.explain import describe_structure
from scry.surfaces.text.full import full_blocks
from scry.surfaces.text.line import Line, line
from scry.surfaces.text.page import Block, Items, Paragraph
from scry.surfaces.text.page_lines import to_lines
from scry.surfaces.text.page_markdown import to_markdown
from scry.surfaces.text.prompt import code_reference
from scry_protocol.messages import Detail


def with_text(detail: Detail) -> Detail:
    """The detail with its `text`, as it leaves on every surface."""
    return msgspec.structs.replace(detail, text=to_markdown(_blocks(detail)))


def show_detail(detail: Detail, width: int | None = None) -> list[Line]:
    """The detail as lines for a terminal."""
    return to_lines(_blocks(detail), width)


def _blocks(detail: Detail) -> Iterator[Block]:
    result = detail.result
    yield Paragraph(line((readable_id(result.doc_id), "place")))
    facts = [line((result.content_type, "tag"), f" {result.kind}" if result.kind != result.content_type else "")]
    place = code_reference(result)
    if place:
        facts.append(line("at ", (place, "place")))
    if detail.note:
        facts.append(line((detail.note[:1].upper() + detail.note[1:], "warning")))
    facts.append(
        line(f"#{result.rank} for ", (detail.query, "strong"), f" ({result.evidence})" if result.evidence else "")
    )
    if result.annotations.structural is not UNSET:
        facts.append(line(describe_structure(result.annotations.structural)))
    yield Items(facts)
    yield from full_blocks(result)
