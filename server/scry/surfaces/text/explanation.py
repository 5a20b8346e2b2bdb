"""An explanation for a person: every figure behind a place, in tables where they help."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from scry.core.doc_id import readable_id
from scry.engine.notice import describe_incomplete
from scry.engine.why_line import ordinal
from scry.surfaces.text.explain import describe_score, describe_structure
from scry.surfaces.text.fault import describe_fault
from scry.surfaces.text.knowledge import impact_blocks
from scry.surfaces.text.line import Line, Part, line
from scry.surfaces.text.page import Block, Heading, Items, Paragraph, Table
from scry.surfaces.text.page_lines import to_lines
from scry.surfaces.text.page_markdown import to_markdown
from scry_protocol.messages import Explanation, Lived, OracleEvidence, ResultItem, Shares

_MODES = {"find": "find", "orient": "orient", "recent": "recent"}
_NONE = "–"
_REPEATS = "Without a factor it may fall behind others of its file, and each of them lowers it once more."


def with_text(explanation: Explanation) -> Explanation:
    """The explanation with its `text`, as it leaves on every surface."""
    return msgspec.structs.replace(explanation, text=to_markdown(_blocks(explanation)))


def show_explanation(explanation: Explanation, width: int | None = None) -> list[Line]:
    """The explanation as lines for a terminal."""
    return to_lines(_blocks(explanation), width)


def brief(explanation: Explanation) -> str:
    """The explanation as a few lines of Markdown, for a hover."""
    blocks: list[Block] = [Paragraph(line(("Scry", "strong"), f": {explanation.summary}"))]
    if explanation.query is not None:
        blocks.append(Paragraph(line("for ", (explanation.query, "strong"))))
    if explanation.oracles:
        blocks.append(_oracles(explanation))
    return to_markdown(blocks)


def _blocks(explanation: Explanation) -> Iterator[Block]:
    yield Paragraph(line((readable_id(explanation.doc_id), "place")))
    yield Paragraph(line((explanation.summary, "strong")))
    yield from _remarks(explanation)
    if explanation.oracles:
        yield _oracles(explanation)
    if explanation.result is not UNSET:
        yield from _score(explanation, explanation.result)
    for said in explanation.oracles:
        if said.shares is not UNSET:
            yield from _shares(said, said.shares)
    yield from _context(explanation)
    if explanation.impact is not UNSET:
        yield from impact_blocks(explanation.impact)


def _oracles(explanation: Explanation) -> Table:
    return Table(
        ("Oracle", "#Rank", "#Raw score", "#Share", "#Without it", "Words"),
        [_oracle_row(said, explanation) for said in explanation.oracles if said.state != "other_kind"],
    )


def _remarks(explanation: Explanation) -> Iterator[Block]:
    """The question, and what is to be said before any figure."""
    facts: list[Line] = []
    if explanation.query is not None:
        facts.append(line("Question: ", (explanation.query, "strong")))
    result = explanation.result
    if result is not UNSET and result.doc_id != explanation.doc_id:
        facts.append(line("The best of this file: ", (result.doc_id, "place")))
    if explanation.reason and explanation.reason not in explanation.summary:
        facts.append(line((_sentence(explanation.reason), "plain")))
    if explanation.near:
        facts.append(line("Similar names: ", *_joined(explanation.near)))
    lack = describe_incomplete(explanation.index)
    if lack:
        facts.append(line((_sentence(lack), "warning")))
    facts += [line((describe_fault(fault), "bad")) for fault in explanation.faults]
    if facts:
        yield Items(facts)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _joined(names: list[str]) -> Iterator[str | tuple[str, Part]]:
    for at, name in enumerate(names):
        if at:
            yield ", "
        yield (name, "place")


def _oracle_row(said: OracleEvidence, explanation: Explanation) -> list[Line]:
    rank = _NONE if said.rank is None else f"#{said.rank:,}"
    score = "" if said.raw_score is None else describe_score(said.score_type, said.raw_score)
    state = {"no_match": "no match", "failed": "failed", "beyond_depth": "too deep"}.get(said.state, "")
    words = [f"matched {', '.join(said.matches)}"] if said.matches else []
    words += [note for note in (said.note,) if note]
    return [
        line((said.title, "strong")),
        line((rank, "evidence")),
        line(score if said.state == "voted" else f"{score} {state}".strip()),
        line(f"{said.share:.0%}" if said.share else ""),
        line(_without(said.oracle, explanation) if said.state == "voted" else ""),
        line("; ".join(words)),
    ]


def _without(name: str, explanation: Explanation) -> str:
    for left in explanation.without:
        if left.name == name:
            return "not found" if left.rank is None else ordinal(left.rank)
    return ""


def _score(explanation: Explanation, result: ResultItem) -> Iterator[Block]:
    if result.adjustments:
        yield Table(
            ("Adjustment", "#Factor", "#Without it", "Because"),
            [
                [
                    line((adjustment.name.replace("_", " "), "strong")),
                    line(f"x{adjustment.factor:.3g}"),
                    line(_without(adjustment.name, explanation)),
                    line(adjustment.reason),
                ]
                for adjustment in result.adjustments
            ],
        )
    yield Paragraph(line(f"Score {result.fused_score:.4f} of 1: the ranks fused, times the factors."))
    if any(adjustment.name == "file_hits" for adjustment in result.adjustments):
        yield Paragraph(line((_REPEATS, "quiet")))


def _shares(said: OracleEvidence, shares: Shares) -> Iterator[Block]:
    yield Heading(f"{said.title}: which words met")
    rows = [
        [line(share.query_word), line(share.document_word), line(share.field), line(f"{share.value:+.3f}")]
        for share in shares.shares
    ]
    rows.append([line(("all others", "quiet")), line(""), line(""), line(f"{shares.remainder:+.3f}")])
    rows.append([line(("cosine", "strong")), line(""), line(""), line((f"{shares.total:.3f}", "strong"))])
    yield Table(("Question", "Document", "In its", "#Adds"), rows)


def _context(explanation: Explanation) -> Iterator[Block]:
    """Its places in the modes, the code around it, and its history."""
    facts: list[Line] = []
    for place in explanation.places:
        where = f"{ordinal(place.rank)} of {place.of:,}" if place.rank else f"no place among {place.of:,}"
        note = f" ({place.note})" if place.note else ""
        facts.append(line((f"In {_MODES.get(place.mode, place.mode)}", "strong"), f": {where}{note}"))
    if explanation.structural is not UNSET:
        facts.append(line(("Structure", "strong"), f": {describe_structure(explanation.structural)}"))
    if explanation.lived is not UNSET:
        facts += _lived(explanation.lived)
    if facts:
        yield Items(facts)


def _lived(lived: Lived) -> Iterator[Line]:
    parts = [f"{lived.commits:,} commit{'' if lived.commits == 1 else 's'}"]
    if lived.last_changed is not UNSET:
        parts.append(f"the newest on {lived.last_changed[:10]}, {lived.last_commit}")
    if lived.uncommitted:
        parts.append("changes not yet committed")
    yield line(("History", "strong"), f": {'; '.join(parts)}")
    if lived.co_changes:
        names = [part for link in lived.co_changes for part in _counted(link.doc_id, link.count)]
        yield line(("Changes with", "strong"), ": ", *names[:-1])


def _counted(doc_id: str, count: int) -> Iterator[str | tuple[str, Part]]:
    yield (doc_id, "place")
    yield f" ({count} commit{'' if count == 1 else 's'})"
    yield ", "
