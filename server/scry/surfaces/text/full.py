"""What a result holds in full, for a person: its text, and what it is tied to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from scry.surfaces.text.knowledge import impact_blocks
from scry.surfaces.text.line import Line, Part, line
from scry.surfaces.text.page import Block, Heading, Items, Listing, Paragraph
from scry_protocol.messages import Full, Graph, Link, ResultItem

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
    if full.impact is not UNSET:
        yield from impact_blocks(full.impact)
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
