"""Describe the insights of a project's log as a page of blocks, for the terminal and for the HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from msgspec import Struct

from scry.core.text import format_count
from scry.store.events.insights import DayCount, Insights, ListedQuestion
from scry.surfaces.render.page import Block, BulletList, Heading, Paragraph, TableBlock
from scry.surfaces.render.styled_text import StyledLine, make_printable, shorten_question, styled_line

_SPARKS = "▁▂▃▄▅▆▇█"

MAX_BARS = 62
"""Bars of the plot of days; a longer period is shown by weeks."""


class InsightsReport(Struct, frozen=True):
    """What `scry insights` says of one project.

    root: the project's folder. made: when, in the local zone. days: length of the period. log_state: empty where
    questions are logged, otherwise why not. learning: what was learnt from use. weights: the learnt weights that
    rank, in words; empty where the defaults do. insights: None where nothing was logged.
    """

    root: str
    made: str
    days: int
    log_state: str
    learning: str
    weights: str
    insights: Insights | None


def insights_blocks(report: InsightsReport) -> list[Block]:
    """Describe the report as a page."""
    period = f"the last {format_count(report.days, 'day')}, as of {report.made}"
    blocks: list[Block] = [Paragraph(styled_line((make_printable(report.root), "place"), (f"  {period}", "quiet")))]
    if report.log_state:
        blocks.append(Paragraph(styled_line((report.log_state, "warning"))))
    insights = report.insights
    if insights is None or not insights.questions:
        empty = "Nothing was logged in this period." if insights else "Nothing was logged of this project yet."
        return [
            *blocks,
            Paragraph(styled_line(f"{empty} Ask something and jump to a result (scry find …).")),
            *_learning(report),
        ]
    return [*blocks, *_totals(insights), *insight_tables(insights), *_learning(report)]


def insight_tables(insights: Insights) -> Iterator[Block]:
    """Yield the tables, each below its heading."""
    yield from _modes(insights)
    yield from _oracles(insights)
    yield from _questions("Found nothing", insights.in_vain)
    yield from _questions("Asked again within a minute, without a jump between", insights.asked_again)
    yield from _questions("Asked on several days", insights.returning)
    if insights.files:
        rows = [[_place(each.path), _number(each.chosen), _number(each.questions)] for each in insights.files]
        yield Heading("Files that answer most")
        yield TableBlock(["file", "#chosen", "#different questions"], rows)


def key_figures(insights: Insights) -> list[tuple[str, str]]:
    """Return the figures of the head of the page, each with its name."""
    first = insights.ranks[0]
    return [
        ("questions", f"{insights.questions:,}"),
        ("results chosen", f"{insights.chosen:,}"),
        ("questions with a choice", _percent(insights.used, insights.questions)),
        ("choices at rank 1", _percent(first, insights.chosen)),
        ("found nothing", _percent(insights.empty, insights.questions)),
        ("asked again", _percent(insights.again, insights.questions)),
    ]


def days_to_plot(days: Sequence[DayCount]) -> list[tuple[str, int, int]]:
    """Return label, questions and choices of each day from the first to the last, or of each week of a long period."""
    if not days:
        return []
    counts = {date.fromisoformat(each.day): each for each in days}
    start, end = min(counts), max(counts)
    step = 1 if (end - start).days < MAX_BARS else 7
    step = max(step, -(-((end - start).days + 1) // MAX_BARS))
    sums: dict[int, list[int]] = {at: [0, 0] for at in range((end - start).days // step + 1)}
    for day, each in counts.items():
        of = sums[(day - start).days // step]
        of[0] += each.questions
        of[1] += each.chosen
    return [(str(start + timedelta(at * step)), asked, chosen) for at, (asked, chosen) in sums.items()]


def _totals(insights: Insights) -> Iterator[Block]:
    lines = [styled_line(f"{name}: ", (value, "strong")) for name, value in key_figures(insights)]
    if insights.good or insights.bad:
        lines.append(styled_line(f"rated good: {insights.good}, bad: {insights.bad}"))
    if insights.is_cut:
        lines.append(styled_line(("older questions of the period are left out: there are too many", "warning")))
    yield BulletList(lines)
    bars = days_to_plot(insights.days)
    most = max(asked for _, asked, _ in bars)
    yield Paragraph(
        styled_line(
            f"Questions from {bars[0][0]} on: ",
            "".join(_SPARKS[round(asked / most * 7)] if asked else " " for _, asked, _ in bars) if most else "",
            (f" at most {most}", "quiet"),
        )
    )
    ranks = ", ".join(f"{at}: {count}" for at, count in enumerate(insights.ranks[:-1], 1) if count)
    if insights.chosen:
        later = f", later: {insights.ranks[-1]}" if insights.ranks[-1] else ""
        yield Paragraph(styled_line(f"Ranks of the chosen results: {ranks}{later}"))


def _modes(insights: Insights) -> Iterator[Block]:
    yield Heading("By mode")
    rows = [
        [
            styled_line(make_printable(each.mode)),
            _number(each.questions),
            _number(each.chosen),
            *(styled_line(_percent(count, each.chosen)) for count in (each.first, each.first_three, each.first_ten)),
            styled_line(f"{each.mean_reciprocal:.2f}" if each.chosen else ""),
        ]
        for each in insights.modes
    ]
    columns = ["mode", "#questions", "#chosen", "#at rank 1", "#in 1 to 3", "#in 1 to 10", "#mean 1/rank"]
    yield TableBlock(columns, rows)


def _oracles(insights: Insights) -> Iterator[Block]:
    """Yield the table of oracles; empty shares of an oracle that found nothing that was chosen are shown too."""
    judged = insights.learning.judged
    if not judged:
        return
    yield Heading("Which oracle earns its weight")
    rows = [
        [
            styled_line(make_printable(each.oracle)),
            styled_line(_percent(each.found, judged)),
            styled_line(_percent(each.first_ten, judged)),
            _number(each.alone),
            styled_line(_percent(each.first_ten, each.shown)),
        ]
        for each in insights.oracles
    ]
    yield TableBlock(["oracle", "#found", "#in its first ten", "#found by it alone", "#chosen of its first ten"], rows)
    note = (
        f"Of {format_count(judged, 'chosen result')}; last column: of the shown results among the oracle's first ten."
    )
    yield Paragraph(styled_line((note, "quiet")))


def _questions(title: str, questions: Sequence[ListedQuestion]) -> Iterator[Block]:
    if not questions:
        return
    rows = [
        [_number(each.times), styled_line(shorten_question(each.query)), styled_line(shorten_question(each.then))]
        for each in questions
    ]
    yield Heading(title)
    yield TableBlock(["#times", "question", "then"], rows)


def _learning(report: InsightsReport) -> Iterator[Block]:
    yield Heading("Learning")
    lines = [styled_line("from your use: ", make_printable(report.learning))]
    if report.insights is not None and report.insights.learning.judged:
        of = report.insights.learning
        lines.append(
            styled_line(f"the oracle of use voted for {of.voted} of {format_count(of.judged, 'chosen result')}")
        )
        if of.mean_rank is not None and of.mean_rank_others is not None:
            ranks = f"mean rank of these: {of.mean_rank:.1f}; of the others: {of.mean_rank_others:.1f}"
            lines.append(styled_line(ranks))
    if report.weights:
        lines.append(styled_line("oracles by your jumps: ", make_printable(report.weights)))
    yield BulletList(lines)


def _place(path: str) -> StyledLine:
    return styled_line((make_printable(path), "place"))


def _number(value: int) -> StyledLine:
    return styled_line(f"{value:,}")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
