"""Two runs of the lab beside each other, as a page."""

from __future__ import annotations

from collections.abc import Iterator

from scry.lab.bootstrap import Difference
from scry.lab.compare import Compared, Moved
from scry.surfaces.text.lab_run import ground_lines
from scry.surfaces.text.line import Line, Part, line
from scry.surfaces.text.page import Block, Heading, Items, Paragraph, Table

_SHOWN = 40


def compared_blocks(compared: Compared) -> Iterator[Block]:
    """The difference first, then what moved."""
    yield Paragraph(_verdict(compared))
    yield Items([*_side("before", compared.means[0], compared), *_side("after", compared.means[1], compared)])
    yield Table(
        ["", "#difference", "#95 %", "#p"],
        [_row("all", compared.difference), *(_row(name, each) for name, each in compared.categories.items())],
    )
    yield Paragraph(
        line(
            (
                f"Paired bootstrap, {compared.difference.draws} draws, seed {compared.difference.seed}. "
                f"{compared.better} better, {compared.worse} worse, {compared.same} the same.",
                "quiet",
            )
        )
    )
    if compared.moved:
        yield Heading("Questions that moved, the furthest first")
        yield Items([_moved_line(each) for each in compared.moved[:_SHOWN]])
        if len(compared.moved) > _SHOWN:
            yield Paragraph(line((f"… and {len(compared.moved) - _SHOWN} more (--json has all)", "quiet")))
    yield from _unmatched("before", compared.only_before)
    yield from _unmatched("after", compared.only_after)


def _verdict(compared: Compared) -> Line:
    sure = compared.difference
    if not sure.is_sure:
        words: tuple[str, Part] = ("No difference that chance could not make", "strong")
    elif sure.mean > 0:
        words = ("Better", "good")
    else:
        words = ("Worse", "bad")
    return line(words, f": NDCG@10 {sure.mean:+.3f} over {compared.questions} questions asked by both.")


def _side(name: str, mean: float, compared: Compared) -> list[Line]:
    ground = compared.before if name == "before" else compared.after
    first, *rest = ground_lines(ground)
    return [(*line((f"{name:6} {mean:.3f}  ", "strong")), *first), *rest]


def _row(name: str, of: Difference) -> list[Line]:
    part: Part = "plain" if not of.is_sure else "good" if of.mean > 0 else "bad"
    return [line(name), line((f"{of.mean:+.3f}", part)), line(f"{of.low:+.3f} … {of.high:+.3f}"), line(f"{of.p:.3f}")]


def _moved_line(moved: Moved) -> Line:
    better = moved.after > moved.before
    places = ", ".join(f"{_place(old)} → {_place(new)}" for old, new in moved.ranks)
    first = "" if moved.first[0] == moved.first[1] else f"  first was {moved.first[0]}, is {moved.first[1]}"
    return line(
        (f"{moved.after - moved.before:+.2f} ", "good" if better else "bad"),
        f"{moved.numbers[1]}. ",
        (moved.query, "strong"),
        f"  {places}",
        (first, "quiet"),
    )


def _place(rank: int | None) -> str:
    return "–" if rank is None else f"#{rank}"


def _unmatched(name: str, queries: list[str]) -> Iterator[Block]:
    if queries:
        yield Paragraph(
            line((f"{len(queries)} questions only in the run {name}, or with other targets there", "warning"))
        )
