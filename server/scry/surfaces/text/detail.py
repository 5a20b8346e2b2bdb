"""One result in full, for a person: its text, what found it, and what it is tied to."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from scry.surfaces.text.explain import describe_structure
from scry.surfaces.text.line import Line, Part, line
from scry.surfaces.text.page import Block, Heading, Items, Listing, Paragraph
from scry.surfaces.text.page_lines import to_lines
from scry.surfaces.text.page_markdown import to_markdown
from scry.surfaces.text.prompt import code_reference
from scry_protocol.messages import Detail, Full, Graph, Link, ResultItem

_LISTS = (
    ("imports", "Imports"),
    ("imported_by", "Imported by"),
    ("callers", "Called by"),
    ("callees", "Calls"),
    ("inherits", "Inherits from"),
    ("inherited_by", "Inherited by"),
    ("co_changes", "Changes with"),
)
"""The lists of a graph in the order in which they are shown, each with its name."""

MOST = 8
"""Links of one list as far as a person is shown them; JSON has more."""


def with_text(detail: Detail) -> Detail:
    """The detail with its `text`, as it leaves on every surface."""
    return msgspec.structs.replace(detail, text=to_markdown(_blocks(detail)))


def show_detail(detail: Detail, width: int | None = None) -> list[Line]:
    """The detail as lines for a terminal."""
    return to_lines(_blocks(detail), width)


def _blocks(detail: Detail) -> Iterator[Block]:
    result = detail.result
    yield Paragraph(line((result.doc_id, "place")))
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


def full_blocks(result: ResultItem) -> Iterator[Block]:
    """What a result holds in full; nothing for one that is not given in full."""
    if result.full is UNSET:
        if result.snippet:
            yield Paragraph(line(result.snippet))
        return
    full = result.full
    if full.signature and not _is_told(full.signature, " ".join(full.body.split())):
        yield Paragraph(line((full.signature, "strong")))
    if not _is_told(full.doc, full.body):
        for paragraph in full.doc.split("\n\n"):
            if paragraph.strip():
                yield Paragraph(line(paragraph))
    if full.graph is not UNSET:
        yield from _graph(full.graph)
    yield from _body(full)


def _is_told(text: str, body: str) -> bool:
    """Whether a signature or a doc comment stands in the body anyway."""
    return text.strip().partition("\n")[0].strip() in body


def _body(full: Full) -> Iterator[Block]:
    if full.body:
        yield Listing(full.language, full.body)
    if full.truncated:
        count = full.body.count("\n") + 1
        yield Paragraph(line((f"Cut after {count:,} lines.", "quiet")))


def _graph(graph: Graph) -> Iterator[Block]:
    lines = [each for name, title in _LISTS for each in _links(title, getattr(graph, name), graph.totals.get(name))]
    if graph.note:
        lines.append(line((graph.note, "warning")))
    if lines:
        yield Heading("Graph")
        yield Items(lines)


def _links(title: str, links: list[Link], total: int | None) -> Iterator[Line]:
    if not links:
        return
    pieces: list[str | tuple[str, Part]] = []
    names: list[tuple[str, Part]] = [(link.doc_id, "place") for link in links[:MOST]]
    for name, link in zip(names, links, strict=False):
        pieces += [", " if pieces else "", name, _remark(title, link)]
    more = (total or len(links)) - min(MOST, len(links))
    yield line((title, "strong"), ": ", *pieces, f" and {more:,} more" if more > 0 else "")


def _remark(title: str, link: Link) -> str:
    if title == "Changes with":
        return f" ({link.count} commit{'' if link.count == 1 else 's'})"
    return f" ({link.confidence})" if link.confidence is not UNSET and link.confidence != "exact" else ""
