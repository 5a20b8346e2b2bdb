"""What a result holds in full, for a person: its text, and what it is tied to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from scry.surfaces.text.knowledge import belief_impact_blocks
from scry.surfaces.text.line import StyledLine, TextStyle, styled_line
from scry.surfaces.text.page import Block, Heading, BulletList, CodeBlock, Paragraph
from scry_protocol.messages import Full, Graph, Link, ResultItem

_GRAPH_LISTS = (
    ("imports", "Imports"),
    ("imported_by", "Imported by"),
    ("callers", "Called by"),
    ("callees", "Calls"),
    ("inherits", "Inherits from"),
    ("inherited_by", "Inherited by"),
    ("co_changes", "Changes with"),
)
"""The lists of a graph in the order in which they are shown, each with its name."""

MAX_LINKS_SHOWN = 8
"""Links of one list as far as a person is shown them; JSON has more."""


def full_result_blocks(result: ResultItem) -> Iterator[Block]:
    """What a result holds in full; nothing for one that is not given in full."""
    if result.full is UNSET:
        if result.snippet:
            yield Paragraph(styled_line(result.snippet))
        return
    full = result.full
    if full.signature and not _is_in_body(full.signature, " ".join(full.body.split())):
        yield Paragraph(styled_line((full.signature, "strong")))
    if not _is_in_body(full.doc, full.body):
        for paragraph in full.doc.split("\n\n"):
            if paragraph.strip():
                yield Paragraph(styled_line(paragraph))
    if full.impact is not UNSET:
        yield from belief_impact_blocks(full.impact)
    if full.graph is not UNSET:
        yield from _graph_blocks(full.graph)
    yield from _body_blocks(full)


def _is_in_body(text: str, body: str) -> bool:
    """Whether a signature or a doc comment stands in the body anyway."""
    return text.strip().partition("\n")[0].strip() in body


def _body_blocks(full: Full) -> Iterator[Block]:
    if full.body:
        yield CodeBlock(full.language, full.body)
    if full.truncated:
        count = full.body.count("\n") + 1
        yield Paragraph(styled_line((f"Cut after {count:,} lines.", "quiet")))


def _graph_blocks(graph: Graph) -> Iterator[Block]:
    lines = [each for name, title in _GRAPH_LISTS for each in _link_lines(title, getattr(graph, name), graph.totals.get(name))]
    if graph.note:
        lines.append(styled_line((graph.note, "warning")))
    if lines:
        yield Heading("Graph")
        yield BulletList(lines)


def _link_lines(title: str, links: list[Link], total: int | None) -> Iterator[StyledLine]:
    if not links:
        return
    pieces: list[str | tuple[str, TextStyle]] = []
    names: list[tuple[str, TextStyle]] = [(link.doc_id, "place") for link in links[:MAX_LINKS_SHOWN]]
    for name, link in zip(names, links, strict=False):
        pieces += [", " if pieces else "", name, _link_remark(title, link)]
    more = (total or len(links)) - min(MAX_LINKS_SHOWN, len(links))
    yield styled_line((title, "strong"), ": ", *pieces, f" and {more:,} more" if more > 0 else "")


def _link_remark(title: str, link: Link) -> str:
    if title == "Changes with":
        return f" ({link.count} commit{'' if link.count == 1 else 's'})"
    return f" ({link.confidence})" if link.confidence is not UNSET and link.confidence != "exact" else ""
