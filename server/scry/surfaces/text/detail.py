"""One result in full, for a person: its text, what found it, and what it is tied to."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from scry.core.doc_id import display_doc_id
from scry.surfaces.text.explain import describe_structure
from scry.surfaces.text.full import full_result_blocks
from scry.surfaces.text.line import StyledLine, styled_line
from scry.surfaces.text.page import Block, BulletList, Paragraph
from scry.surfaces.text.page_lines import render_lines
from scry.surfaces.text.page_markdown import render_markdown
from scry.surfaces.text.prompt import code_reference
from scry_protocol.messages import Detail


def add_detail_text(detail: Detail) -> Detail:
    """The detail with its `text`, as it leaves on every surface."""
    return msgspec.structs.replace(detail, text=render_markdown(_detail_blocks(detail)))


def render_detail(detail: Detail, width: int | None = None) -> list[StyledLine]:
    """The detail as lines for a terminal."""
    return render_lines(_detail_blocks(detail), width)


def _detail_blocks(detail: Detail) -> Iterator[Block]:
    result = detail.result
    yield Paragraph(styled_line((display_doc_id(result.doc_id), "place")))
    facts = [styled_line((result.content_type, "tag"), f" {result.kind}" if result.kind != result.content_type else "")]
    place = code_reference(result)
    if place:
        facts.append(styled_line("at ", (place, "place")))
    if detail.note:
        facts.append(styled_line((detail.note[:1].upper() + detail.note[1:], "warning")))
    facts.append(
        styled_line(f"#{result.rank} for ", (detail.query, "strong"), f" ({result.evidence})" if result.evidence else "")
    )
    if result.annotations.structural is not UNSET:
        facts.append(styled_line(describe_structure(result.annotations.structural)))
    yield BulletList(facts)
    yield from full_result_blocks(result)
