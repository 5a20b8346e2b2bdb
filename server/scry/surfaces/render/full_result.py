"""Render the full content of a result, beliefs and personal notes as page blocks."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from scry.surfaces.render.page import Block, BulletList, CodeBlock, Heading, Paragraph
from scry.surfaces.render.styled_text import StyledLine, TextStyle, styled_line
from scry_protocol.messages import Bearing, Belief, BeliefImpact, Beliefs, Full, Graph, Link, PersonaNotes, ResultItem

MAX_ENTRIES_SHOWN = 8
"""Entries shown of one list; JSON has them all."""


def render_persona_notes(notes: PersonaNotes) -> list[StyledLine]:
    """Render personal notes, each with its id, its domains and its text."""
    lines = [styled_line((notes.note, "quiet"))] if notes.note else []
    for note in notes.notes:
        about = f"  [{', '.join(note.domains)}]" if note.domains else ""
        lines.append(styled_line((note.doc_id, "place"), (about, "tag")))
        if note.text:
            lines.append(styled_line("     ", note.text))
    return lines


def render_beliefs(beliefs: Beliefs) -> list[StyledLine]:
    """Render beliefs with their coverage and the warnings against them, then the problems of their files."""
    lines = [styled_line((beliefs.note, "quiet"))] if beliefs.note else []
    for belief in beliefs.beliefs:
        lines += _belief_lines(belief)
    lines += [styled_line((problem.path, "place"), ": ", (problem.problem, "bad")) for problem in beliefs.problems]
    return lines


def belief_impact_blocks(impact: BeliefImpact) -> Iterator[Block]:
    """Yield the relations between beliefs and a result (D1)."""
    lines = [styled_line((f"! {warning}", "warning")) for warning in impact.warnings]
    lines += [
        _bearing_line(bearing) for bearing in (*impact.beliefs[:MAX_ENTRIES_SHOWN], *impact.reaches[:MAX_ENTRIES_SHOWN])
    ]
    more = max(0, len(impact.beliefs) - MAX_ENTRIES_SHOWN) + max(0, len(impact.reaches) - MAX_ENTRIES_SHOWN)
    if more:
        lines.append(styled_line((f"and {more} more", "quiet")))
    if lines:
        yield Heading("Belief impact")
        yield BulletList(lines)


def _bearing_line(bearing: Bearing) -> StyledLine:
    words = f"{bearing.statement} ({bearing.reason})" if bearing.statement else bearing.reason
    return styled_line((bearing.doc_id, "place"), (f" {bearing.score:.2f}", "evidence"), f" {words}")


def _short_name(doc_id: str) -> str:
    """Return the name that people use: a file's path, or the short hash of a commit."""
    kind, _, name = doc_id.partition(":")
    return f"commit {name[:7]}" if kind == "commit" else doc_id.removeprefix("./")


def _belief_lines(belief: Belief) -> Iterator[StyledLine]:
    entrenchment = "" if belief.entrenchment is UNSET else f"entrenchment {belief.entrenchment:g}"
    facts = ", ".join(part for part in (entrenchment, "" if belief.status == "active" else belief.status) if part)
    yield styled_line((belief.doc_id, "place"), (f"  ({facts})" if facts else "", "evidence"))
    yield styled_line("     ", belief.statement)
    lists: tuple[tuple[str, list[str]], ...] = (
        ("evidence", belief.evidence),
        ("supports", belief.supports),
        ("contradicts", belief.attacks),
        ("about", belief.domains),
        ("reaches", [_short_name(reached.doc_id) for reached in belief.impact.reaches][:MAX_ENTRIES_SHOWN]),
    )
    for name, values in lists:
        if values:
            yield styled_line("     ", (f"{name}: ", "quiet"), ", ".join(values))
    for warning in belief.impact.warnings:
        yield styled_line("     ", (f"! {warning}", "warning"))


_GRAPH_LISTS = (
    ("imports", "Imports"),
    ("imported_by", "Imported by"),
    ("callers", "Called by"),
    ("callees", "Calls"),
    ("inherits", "Inherits from"),
    ("inherited_by", "Inherited by"),
    ("co_changes", "Changes with"),
)
"""The lists of a result's graph in the order of the page, each with its title."""


def full_result_blocks(result: ResultItem) -> Iterator[Block]:
    """Yield the full content of a result; for one that has none, its snippet."""
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
    """Tell whether the body contains the first line of a signature or a doc comment."""
    return text.strip().partition("\n")[0].strip() in body


def _body_blocks(full: Full) -> Iterator[Block]:
    if full.body:
        yield CodeBlock(full.language, full.body)
    if full.truncated:
        count = full.body.count("\n") + 1
        yield Paragraph(styled_line((f"Cut after {count:,} lines.", "quiet")))


def _graph_blocks(graph: Graph) -> Iterator[Block]:
    lines = [
        each
        for name, title in _GRAPH_LISTS
        for each in _link_lines(title, getattr(graph, name), graph.totals.get(name))
    ]
    if graph.note:
        lines.append(styled_line((graph.note, "warning")))
    if lines:
        yield Heading("Graph")
        yield BulletList(lines)


def _link_lines(title: str, links: list[Link], total: int | None) -> Iterator[StyledLine]:
    if not links:
        return
    texts: list[str | tuple[str, TextStyle]] = []
    names: list[tuple[str, TextStyle]] = [(link.doc_id, "place") for link in links[:MAX_ENTRIES_SHOWN]]
    for name, link in zip(names, links, strict=False):
        texts += [", " if texts else "", name, _link_remark(title, link)]
    more = (total or len(links)) - min(MAX_ENTRIES_SHOWN, len(links))
    yield styled_line((title, "strong"), ": ", *texts, f" and {more:,} more" if more > 0 else "")


def _link_remark(title: str, link: Link) -> str:
    if title == "Changes with":
        return f" ({link.count} commit{'' if link.count == 1 else 's'})"
    return f" ({link.confidence})" if link.confidence is not UNSET and link.confidence != "exact" else ""
