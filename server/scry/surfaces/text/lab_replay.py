"""Logged questions asked anew, as a page."""

from __future__ import annotations

from collections.abc import Iterator

from scry.lab.replay import ReplayReport, ReplayedQuery, UsedResult
from scry.surfaces.text.line import StyledLine, styled_line
from scry.surfaces.text.page import Block, Heading, BulletList, Paragraph

_MAX_REPLAYED_QUESTIONS = 20


def replay_blocks(replay: ReplayReport) -> Iterator[Block]:
    """What differs in all, then question by question."""
    yield Paragraph(
        styled_line(
            (f"{replay.questions} question{'' if replay.questions == 1 else 's'} asked anew", "strong"),
            f": {replay.same} answered just as then, {replay.same_first} with the same first result; "
            f"then and now have {replay.overlap:.0%} of their results in common.",
        )
    )
    if replay.recipe != "as it is":
        yield Paragraph(styled_line(("Weighed otherwise: ", "warning"), replay.recipe))
    if replay.used is not None:
        sure = "" if replay.used.is_significant else ", which chance could make"
        part = "quiet" if not replay.used.is_significant else "good" if replay.used.mean > 0 else "bad"
        yield Paragraph(
            styled_line(
                "Mean of 1 / rank of what was used: ",
                (f"{replay.used.mean:+.3f}", part),
                f" ({replay.used.low:+.3f} … {replay.used.high:+.3f}){sure}.",
            )
        )
    if replay.moved:
        yield Heading("Questions with another answer, the most different first")
    for each in replay.moved[:_MAX_REPLAYED_QUESTIONS]:
        yield Paragraph(styled_line((each.query, "strong"), f"  {each.overlap:.0%} in common"))
        yield BulletList(list(_answer_differences(each)))
    if len(replay.moved) > _MAX_REPLAYED_QUESTIONS:
        yield Paragraph(styled_line((f"… and {len(replay.moved) - _MAX_REPLAYED_QUESTIONS} more (--json has all)", "quiet")))


def _answer_differences(each: ReplayedQuery) -> Iterator[StyledLine]:
    for used in each.used:
        yield _used_line(used)
    for rank, doc_id in enumerate(each.before, 1):
        if doc_id not in each.after:
            yield styled_line(("gone ", "bad"), f"#{rank} ", (doc_id, "place"))
    for rank, doc_id in enumerate(each.after, 1):
        if doc_id not in each.before:
            yield styled_line(("new ", "good"), f"#{rank} ", (doc_id, "place"))
        elif each.before.index(doc_id) + 1 != rank and rank == 1:
            yield styled_line("first now, was ", f"#{each.before.index(doc_id) + 1} ", (doc_id, "place"))


def _used_line(used: UsedResult) -> StyledLine:
    return styled_line(("used ", "strong"), f"{_format_rank(used.before)} → {_format_rank(used.after)} ", (used.doc_id, "place"))


def _format_rank(rank: int | None) -> str:
    return "–" if rank is None else f"#{rank}"
