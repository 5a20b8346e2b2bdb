"""Notes of the person and beliefs of a project, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from scry.core.notes import describe_entrenchment
from scry.surfaces.text.line import StyledLine, TextStyle, styled_line
from scry.surfaces.text.page import Block, Heading, BulletList
from scry_protocol.messages import Bearing, Belief, BeliefImpact, Beliefs, PersonaNotes

MAX_ENTRIES_SHOWN = 8
"""Entries of one list as far as a person is shown them; JSON has more."""


def render_persona_notes(notes: PersonaNotes) -> list[StyledLine]:
    """Notes, each with its name and what it is about."""
    lines = [styled_line((notes.note, "quiet"))] if notes.note else []
    for note in notes.notes:
        about = f"  [{', '.join(note.domains)}]" if note.domains else ""
        lines.append(styled_line((note.doc_id, "place"), (about, "tag")))
        if note.text:
            lines.append(styled_line("     ", note.text))
    return lines


def render_beliefs(beliefs: Beliefs) -> list[StyledLine]:
    """Beliefs, what they reach and what speaks against them; then what is wrong with files."""
    lines = [styled_line((beliefs.note, "quiet"))] if beliefs.note else []
    for belief in beliefs.beliefs:
        lines += _belief_lines(belief)
    lines += [styled_line((problem.path, "place"), ": ", (problem.problem, "bad")) for problem in beliefs.problems]
    return lines


def belief_impact_blocks(impact: BeliefImpact) -> Iterator[Block]:
    """What beliefs have to do with a result (D1)."""
    lines = [styled_line((f"! {said}", "warning")) for said in impact.warnings]
    lines += [_bearing_line(bearing) for bearing in (*impact.beliefs[:MAX_ENTRIES_SHOWN], *impact.reaches[:MAX_ENTRIES_SHOWN])]
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
    """A file by its path, a commit by as much of its name as people use."""
    kind, _, name = doc_id.partition(":")
    return f"commit {name[:7]}" if kind == "commit" else doc_id.removeprefix("./")


def _belief_lines(belief: Belief) -> Iterator[StyledLine]:
    held = "" if belief.entrenchment is UNSET else f"entrenchment {describe_entrenchment(belief.entrenchment)}"
    facts = ", ".join(part for part in (held, "" if belief.status == "active" else belief.status) if part)
    yield styled_line((belief.doc_id, "place"), (f"  ({facts})" if facts else "", "evidence"))
    yield styled_line("     ", belief.statement)
    named: tuple[tuple[str, list[str]], ...] = (
        ("evidence", belief.evidence),
        ("supports", belief.supports),
        ("contradicts", belief.attacks),
        ("about", belief.domains),
        ("reaches", [_short_name(reached.doc_id) for reached in belief.impact.reaches][:MAX_ENTRIES_SHOWN]),
    )
    for name, values in named:
        if values:
            yield styled_line("     ", (f"{name}: ", "quiet"), ", ".join(values))
    for said in belief.impact.warnings:
        part: TextStyle = "warning"
        yield styled_line("     ", (f"! {said}", part))
