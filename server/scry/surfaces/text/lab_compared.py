"""Two runs of the lab beside each other, as a page."""

from __future__ import annotations

from collections.abc import Iterator

from scry.lab.bootstrap import PairedDifference
from scry.lab.compare import RunComparison, QueryChange
from scry.surfaces.text.lab_run import evaluation_setup_lines
from scry.surfaces.text.line import StyledLine, TextStyle, styled_line
from scry.surfaces.text.page import Block, Heading, BulletList, Paragraph, TableBlock

_MAX_MOVED_QUESTIONS = 40


def comparison_blocks(compared: RunComparison) -> Iterator[Block]:
    """The difference first, then what moved."""
    yield Paragraph(_verdict_line(compared))
    yield BulletList([*_run_lines("before", compared.means[0], compared), *_run_lines("after", compared.means[1], compared)])
    yield TableBlock(
        ["", "#difference", "#95 %", "#p"],
        [_difference_row("all", compared.difference), *(_difference_row(name, each) for name, each in compared.categories.items())],
    )
    yield Paragraph(
        styled_line(
            (
                f"Paired bootstrap, {compared.difference.draws} draws, seed {compared.difference.seed}. "
                f"{compared.better} better, {compared.worse} worse, {compared.same} the same.",
                "quiet",
            )
        )
    )
    if compared.moved:
        yield Heading("Questions that moved, the furthest first")
        yield BulletList([_moved_question_line(each) for each in compared.moved[:_MAX_MOVED_QUESTIONS]])
        if len(compared.moved) > _MAX_MOVED_QUESTIONS:
            yield Paragraph(styled_line((f"… and {len(compared.moved) - _MAX_MOVED_QUESTIONS} more (--json has all)", "quiet")))
    yield from _unmatched_blocks("before", compared.only_before)
    yield from _unmatched_blocks("after", compared.only_after)


def _verdict_line(compared: RunComparison) -> StyledLine:
    sure = compared.difference
    if not sure.is_significant:
        words: tuple[str, TextStyle] = ("No difference that chance could not make", "strong")
    elif sure.mean > 0:
        words = ("Better", "good")
    else:
        words = ("Worse", "bad")
    return styled_line(words, f": NDCG@10 {sure.mean:+.3f} over {compared.questions} questions asked by both.")


def _run_lines(name: str, mean: float, compared: RunComparison) -> list[StyledLine]:
    ground = compared.before if name == "before" else compared.after
    first, *rest = evaluation_setup_lines(ground)
    return [(*styled_line((f"{name:6} {mean:.3f}  ", "strong")), *first), *rest]


def _difference_row(name: str, of: PairedDifference) -> list[StyledLine]:
    part: TextStyle = "plain" if not of.is_significant else "good" if of.mean > 0 else "bad"
    return [styled_line(name), styled_line((f"{of.mean:+.3f}", part)), styled_line(f"{of.low:+.3f} … {of.high:+.3f}"), styled_line(f"{of.p:.3f}")]


def _moved_question_line(moved: QueryChange) -> StyledLine:
    better = moved.after > moved.before
    places = ", ".join(f"{_format_rank(old)} → {_format_rank(new)}" for old, new in moved.ranks)
    first = "" if moved.first[0] == moved.first[1] else f"  first was {moved.first[0]}, is {moved.first[1]}"
    return styled_line(
        (f"{moved.after - moved.before:+.2f} ", "good" if better else "bad"),
        f"{moved.numbers[1]}. ",
        (moved.query, "strong"),
        f"  {places}",
        (first, "quiet"),
    )


def _format_rank(rank: int | None) -> str:
    return "–" if rank is None else f"#{rank}"


def _unmatched_blocks(name: str, queries: list[str]) -> Iterator[Block]:
    if queries:
        yield Paragraph(
            styled_line((f"{len(queries)} questions only in the run {name}, or with other targets there", "warning"))
        )
