"""Logged questions asked anew, as a page."""

from __future__ import annotations

from collections.abc import Iterator

from scry.lab.replay import Replay, Replayed, Used
from scry.surfaces.text.line import Line, line
from scry.surfaces.text.page import Block, Heading, Items, Paragraph

_SHOWN = 20


def replay_blocks(replay: Replay) -> Iterator[Block]:
    """What differs in all, then question by question."""
    yield Paragraph(
        line(
            (f"{replay.questions} question{'' if replay.questions == 1 else 's'} asked anew", "strong"),
            f": {replay.same} answered just as then, {replay.same_first} with the same first result; "
            f"then and now have {replay.overlap:.0%} of their results in common.",
        )
    )
    if replay.recipe != "as it is":
        yield Paragraph(line(("Weighed otherwise: ", "warning"), replay.recipe))
    if replay.used is not None:
        sure = "" if replay.used.is_sure else ", which chance could make"
        part = "quiet" if not replay.used.is_sure else "good" if replay.used.mean > 0 else "bad"
        yield Paragraph(
            line(
                "Mean of 1 / rank of what was used: ",
                (f"{replay.used.mean:+.3f}", part),
                f" ({replay.used.low:+.3f} … {replay.used.high:+.3f}){sure}.",
            )
        )
    if replay.moved:
        yield Heading("Questions with another answer, the most different first")
    for each in replay.moved[:_SHOWN]:
        yield Paragraph(line((each.query, "strong"), f"  {each.overlap:.0%} in common"))
        yield Items(list(_differences(each)))
    if len(replay.moved) > _SHOWN:
        yield Paragraph(line((f"… and {len(replay.moved) - _SHOWN} more (--json has all)", "quiet")))


def _differences(each: Replayed) -> Iterator[Line]:
    for used in each.used:
        yield _used(used)
    for rank, doc_id in enumerate(each.before, 1):
        if doc_id not in each.after:
            yield line(("gone ", "bad"), f"#{rank} ", (doc_id, "place"))
    for rank, doc_id in enumerate(each.after, 1):
        if doc_id not in each.before:
            yield line(("new ", "good"), f"#{rank} ", (doc_id, "place"))
        elif each.before.index(doc_id) + 1 != rank and rank == 1:
            yield line("first now, was ", f"#{each.before.index(doc_id) + 1} ", (doc_id, "place"))


def _used(used: Used) -> Line:
    return line(("used ", "strong"), f"{_place(used.before)} → {_place(used.after)} ", (used.doc_id, "place"))


def _place(rank: int | None) -> str:
    return "–" if rank is None else f"#{rank}"
