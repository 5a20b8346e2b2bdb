"""Render explanations and details as terminal lines and as Markdown.

An explanation has every figure behind a rank, a detail has one result in full.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from scry.core.doc_id import display_doc_id
from scry.engine.explain.explanation import format_ordinal
from scry.engine.response.answer import describe_incomplete
from scry.surfaces.render.full_result import belief_impact_blocks, full_result_blocks
from scry.surfaces.render.markdown import render_markdown
from scry.surfaces.render.page import Block, BulletList, Heading, Paragraph, TableBlock, render_lines
from scry.surfaces.render.prompt import code_reference
from scry.surfaces.render.results import (
    describe_fault,
    describe_learnt_weights,
    describe_score,
    describe_structure,
    format_score,
)
from scry.surfaces.render.styled_text import StyledLine, TextStyle, shorten_question, styled_line
from scry_protocol.messages import Detail, Explanation, Lived, OracleEvidence, ResultItem, Shares


def add_detail_text(detail: Detail) -> Detail:
    """Return the detail with its `text` in Markdown, as every surface sends it."""
    return msgspec.structs.replace(detail, text=render_markdown(_detail_blocks(detail)))


def render_detail(detail: Detail, width: int | None = None) -> list[StyledLine]:
    """Render a detail as terminal lines. width: cells at which tables wrap; None for no wrapping."""
    return render_lines(_detail_blocks(detail), width)


def _detail_blocks(detail: Detail) -> Iterator[Block]:
    result = detail.result
    yield Paragraph(styled_line((display_doc_id(result.doc_id), "place")))
    facts = [styled_line((result.content_type, "tag"), f" {result.kind}" if result.kind != result.content_type else "")]
    reference = code_reference(result)
    if reference:
        facts.append(styled_line("at ", (reference, "place")))
    if detail.note:
        facts.append(styled_line((detail.note[:1].upper() + detail.note[1:], "warning")))
    facts.append(
        styled_line(
            f"#{result.rank} for ",
            (shorten_question(detail.query), "strong"),
            f" ({result.evidence})" if result.evidence else "",
        )
    )
    if result.annotations.structural is not UNSET:
        facts.append(styled_line(describe_structure(result.annotations.structural)))
    facts += _copy_lines(result)
    yield BulletList(facts)
    yield from full_result_blocks(result)


def _copy_lines(result: ResultItem) -> list[StyledLine]:
    """Return a line with the other repositories of the team that hold the content of a result; none without any."""
    if not result.copies:
        return []
    count = "1 other repository" if result.copies == 1 else f"{result.copies:,} other repositories"
    more = result.copies - len(result.also_in)
    names = _join_names([copy.doc_id for copy in result.also_in])
    return [styled_line(f"The same content is in {count}: ", *names, f" and {more:,} more" if more > 0 else "")]


_NO_RANK = "–"
_SAME_FILE_NOTE = "Without a factor it may fall behind others of its file, and each of them lowers it once more."


def add_explanation_text(explanation: Explanation, *, is_brief: bool = False) -> Explanation:
    """Return the explanation with its `text` in Markdown, as every surface sends it. is_brief: as for a hover."""
    if is_brief:
        return msgspec.structs.replace(explanation, text=render_brief_explanation(explanation))
    return msgspec.structs.replace(explanation, text=render_markdown(_explanation_blocks(explanation)))


def render_explanation(explanation: Explanation, width: int | None = None) -> list[StyledLine]:
    """Render an explanation as terminal lines. width: cells at which tables wrap; None for no wrapping."""
    return render_lines(_explanation_blocks(explanation), width)


_HOVER_WIDTH = 100
"""Cells at which the tables of a hover in plain text wrap."""


def render_brief_explanation(explanation: Explanation, *, as_markdown: bool = True) -> str:
    """Render the summary and the ranks in a few lines, for a hover: Markdown, or a table in aligned plain text."""
    blocks: list[Block] = [Paragraph(styled_line(("Scry", "strong"), f": {explanation.summary}"))]
    if explanation.query is not None:
        blocks.append(Paragraph(styled_line("for ", (shorten_question(explanation.query), "strong"))))
    if as_markdown:
        ranked = [each for each in explanation.oracles if each.rank is not None]
        return render_markdown([*blocks, BulletList([_brief_oracle(each) for each in ranked])])
    if explanation.oracles:
        blocks.append(_oracle_table(explanation))
    return "\n".join("".join(span.text for span in line).rstrip() for line in render_lines(blocks, _HOVER_WIDTH))


def _brief_oracle(evidence: OracleEvidence) -> StyledLine:
    """Return an oracle's rank and share, and the words that it met; a hover is too narrow for a table."""
    words = ", ".join(evidence.matches)
    return styled_line((evidence.title, "strong"), f" #{evidence.rank}, {evidence.share:.0%}{words and ': '}{words}")


def _explanation_blocks(explanation: Explanation) -> Iterator[Block]:
    yield Paragraph(styled_line((display_doc_id(explanation.doc_id), "place")))
    yield Paragraph(styled_line((explanation.summary, "strong")))
    yield from _remark_blocks(explanation)
    if explanation.oracles:
        yield _oracle_table(explanation)
    if explanation.result is not UNSET:
        yield from _score_blocks(explanation, explanation.result)
    for evidence in explanation.oracles:
        if evidence.shares is not UNSET:
            yield from _share_blocks(evidence, evidence.shares)
    yield from _context_blocks(explanation)
    if explanation.impact is not UNSET:
        yield from belief_impact_blocks(explanation.impact)


def _oracle_table(explanation: Explanation) -> TableBlock:
    return TableBlock(
        ("Oracle", "#Rank", "#Raw score", "#Share", "#Without it", "Words"),
        [_oracle_row(evidence, explanation) for evidence in explanation.oracles if evidence.state != "other_kind"],
    )


def _remark_blocks(explanation: Explanation) -> Iterator[Block]:
    """Yield the question, and the remarks that come before any figure."""
    facts: list[StyledLine] = []
    if explanation.query is not None:
        facts.append(styled_line("Question: ", (shorten_question(explanation.query), "strong")))
    result = explanation.result
    if result is not UNSET and result.doc_id != explanation.doc_id:
        facts.append(styled_line("The best of this file: ", (result.doc_id, "place")))
    if explanation.reason and explanation.reason not in explanation.summary:
        facts.append(styled_line((_capitalize_first(explanation.reason), "plain")))
    facts += _copy_lines(result) if result is not UNSET else []
    if explanation.near:
        facts.append(styled_line("Similar names: ", *_join_names(explanation.near)))
    incomplete = describe_incomplete(explanation.index)
    if incomplete:
        facts.append(styled_line((_capitalize_first(incomplete), "warning")))
    facts += [styled_line((describe_fault(fault), "bad")) for fault in explanation.faults]
    if facts:
        yield BulletList(facts)


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join_names(names: list[str]) -> Iterator[str | tuple[str, TextStyle]]:
    for at, name in enumerate(names):
        if at:
            yield ", "
        yield (name, "place")


def _oracle_row(evidence: OracleEvidence, explanation: Explanation) -> list[StyledLine]:
    rank = _NO_RANK if evidence.rank is None else f"#{evidence.rank:,}"
    score = "" if evidence.raw_score is None else describe_score(evidence.score_type, evidence.raw_score)
    depth = explanation.scoring.depth if explanation.scoring is not UNSET else 0
    within_depth = evidence.rank is not None and evidence.rank <= depth
    beyond = "not counted" if within_depth else "too deep"
    state = {"no_match": "no match", "failed": "failed", "beyond_depth": beyond}.get(evidence.state, "")
    words = [f"matched {', '.join(evidence.matches)}"] if evidence.matches else []
    words += [note for note in (evidence.note,) if note]
    return [
        styled_line((evidence.title, "strong")),
        styled_line((rank, "evidence")),
        styled_line(score if evidence.state == "voted" else f"{score} {state}".strip()),
        styled_line(f"{evidence.share:.0%}" if evidence.share else ""),
        styled_line(_rank_without(evidence.oracle, explanation) if evidence.state == "voted" else ""),
        styled_line("; ".join(words)),
    ]


def _rank_without(name: str, explanation: Explanation) -> str:
    for left in explanation.without:
        if left.name == name:
            return "not found" if left.rank is None else format_ordinal(left.rank)
    return ""


def _score_blocks(explanation: Explanation, result: ResultItem) -> Iterator[Block]:
    if result.adjustments:
        yield TableBlock(
            ("Adjustment", "#Factor", "#Without it", "Because"),
            [
                [
                    styled_line((adjustment.name.replace("_", " "), "strong")),
                    styled_line(f"x{adjustment.factor:.3g}"),
                    styled_line(_rank_without(adjustment.name, explanation)),
                    styled_line(adjustment.reason),
                ]
                for adjustment in result.adjustments
            ],
        )
    yield Paragraph(styled_line(f"Score {format_score(result.fused_score)} of 1: the ranks fused, times the factors."))
    if explanation.scoring is not UNSET and explanation.scoring.exponents:
        weights = ", ".join([f"{name} {weight:.3g}" for name, weight in explanation.scoring.weights.items()])
        learnt = describe_learnt_weights(explanation.scoring)
        yield Paragraph(styled_line(f"The oracles' weights ({weights}) are {learnt}."))
    if result.confidence is not UNSET:
        words = "by the share of the words and the cosine alone"
        yield Paragraph(styled_line(f"Confidence {result.confidence:.2f} that it answers the question, {words}."))
    if any(adjustment.name in ("place", "repeat") for adjustment in result.adjustments):
        yield Paragraph(styled_line((_SAME_FILE_NOTE, "quiet")))


def _share_blocks(evidence: OracleEvidence, shares: Shares) -> Iterator[Block]:
    yield Heading(f"{evidence.title}: which words met")
    rows = [
        [
            styled_line(share.query_word),
            styled_line(share.document_word),
            styled_line(share.field),
            styled_line(f"{share.value:+.3f}"),
        ]
        for share in shares.shares
    ]
    rows.append(
        [
            styled_line(("all others", "quiet")),
            styled_line(""),
            styled_line(""),
            styled_line(f"{shares.remainder:+.3f}"),
        ]
    )
    rows.append(
        [
            styled_line(("cosine", "strong")),
            styled_line(""),
            styled_line(""),
            styled_line((f"{shares.total:.3f}", "strong")),
        ]
    )
    yield TableBlock(("Question", "Document", "In its", "#Adds"), rows)


def _context_blocks(explanation: Explanation) -> Iterator[Block]:
    """Yield the document's ranks in other modes, the code around it, and its history."""
    facts: list[StyledLine] = []
    for mode_rank in explanation.places:
        where = (
            f"{format_ordinal(mode_rank.rank)} of {mode_rank.of:,}"
            if mode_rank.rank
            else f"no place among {mode_rank.of:,}"
        )
        note = f" ({mode_rank.note})" if mode_rank.note else ""
        facts.append(styled_line((f"In {mode_rank.mode}", "strong"), f": {where}{note}"))
    if explanation.structural is not UNSET:
        facts.append(styled_line(("Structure", "strong"), f": {describe_structure(explanation.structural)}"))
    if explanation.lived is not UNSET:
        facts += _history_lines(explanation.lived)
    if facts:
        yield BulletList(facts)


def _history_lines(history: Lived) -> Iterator[StyledLine]:
    parts = [f"{history.commits:,} commit{'' if history.commits == 1 else 's'}"]
    if history.last_changed is not UNSET:
        parts.append(f"the newest on {history.last_changed[:10]}, {history.last_commit}")
    if history.uncommitted:
        parts.append("changes not yet committed")
    yield styled_line(("History", "strong"), f": {'; '.join(parts)}")
    if history.co_changes:
        names = [part for link in history.co_changes for part in _co_change_spans(link.doc_id, link.count)]
        yield styled_line(("Changes with", "strong"), ": ", *names[:-1])


def _co_change_spans(doc_id: str, count: int) -> Iterator[str | tuple[str, TextStyle]]:
    yield (doc_id, "place")
    yield f" ({count} commit{'' if count == 1 else 's'})"
    yield ", "
