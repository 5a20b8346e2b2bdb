"""Notes of the person and beliefs of a project, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from scry.core.notes import describe_entrenchment
from scry.surfaces.text.line import Line, Part, line
from scry.surfaces.text.page import Block, Heading, Items
from scry_protocol.messages import Bearing, Belief, BeliefImpact, Beliefs, PersonaNotes

MOST = 8
"""Entries of one list as far as a person is shown them; JSON has more."""


def show_persona(notes: PersonaNotes) -> list[Line]:
    """Notes, each with its name and what it is about."""
    lines = [line((notes.note, "quiet"))] if notes.note else []
    for note in notes.notes:
        about = f"  [{', '.join(note.domains)}]" if note.domains else ""
        lines.append(line((note.doc_id, "place"), (about, "tag")))
        if note.text:
            lines.append(line("     ", note.text))
    return lines


def show_beliefs(beliefs: Beliefs) -> list[Line]:
    """Beliefs, what they reach and what speaks against them; then what is wrong with files."""
    lines = [line((beliefs.note, "quiet"))] if beliefs.note else []
    for belief in beliefs.beliefs:
        lines += _belief(belief)
    lines += [line((problem.path, "place"), ": ", (problem.problem, "bad")) for problem in beliefs.problems]
    return lines


def impact_blocks(impact: BeliefImpact) -> Iterator[Block]:
    """What beliefs have to do with a result (D1)."""
    lines = [line((f"! {said}", "warning")) for said in impact.warnings]
    lines += [_bearing(bearing) for bearing in (*impact.beliefs[:MOST], *impact.reaches[:MOST])]
    more = max(0, len(impact.beliefs) - MOST) + max(0, len(impact.reaches) - MOST)
    if more:
        lines.append(line((f"and {more} more", "quiet")))
    if lines:
        yield Heading("Belief impact")
        yield Items(lines)


def _bearing(bearing: Bearing) -> Line:
    words = f"{bearing.statement} ({bearing.reason})" if bearing.statement else bearing.reason
    return line((bearing.doc_id, "place"), (f" {bearing.score:.2f}", "evidence"), f" {words}")


def _short(doc_id: str) -> str:
    """A file by its path, a commit by as much of its name as people use."""
    kind, _, name = doc_id.partition(":")
    return f"commit {name[:7]}" if kind == "commit" else doc_id.removeprefix("./")


def _belief(belief: Belief) -> Iterator[Line]:
    held = "" if belief.entrenchment is UNSET else f"entrenchment {describe_entrenchment(belief.entrenchment)}"
    facts = ", ".join(part for part in (held, "" if belief.status == "active" else belief.status) if part)
    yield line((belief.doc_id, "place"), (f"  ({facts})" if facts else "", "evidence"))
    yield line("     ", belief.statement)
    named: tuple[tuple[str, list[str]], ...] = (
        ("evidence", belief.evidence),
        ("supports", belief.supports),
        ("contradicts", belief.attacks),
        ("about", belief.domains),
        ("reaches", [_short(reached.doc_id) for reached in belief.impact.reaches][:MOST]),
    )
    for name, values in named:
        if values:
            yield line("     ", (f"{name}: ", "quiet"), ", ".join(values))
    for said in belief.impact.warnings:
        part: Part = "warning"
        yield line("     ", (f"! {said}", part))
