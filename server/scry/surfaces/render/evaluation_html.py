"""Render evaluation runs and comparisons as a self-contained HTML file: without scripts, nothing from the network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from scry.lab.compare import RunComparison
from scry.lab.metrics import PairedDifference
from scry.lab.run import EvaluationRun
from scry.surfaces.render.evaluation import comparison_blocks, run_blocks
from scry.surfaces.render.page import Block, BulletList, CodeBlock, Heading, Paragraph, TableBlock
from scry.surfaces.render.plots import BarRow, IntervalRow, bar_chart, interval_chart
from scry.surfaces.render.styled_text import StyledLine, make_printable

_STYLE = """
:root { color-scheme: light dark; --good: #2a7f3e; --bad: #b3261e; --quiet: #767676; --bar: #4878a8; }
@media (prefers-color-scheme: dark) { :root { --good: #7bc98a; --bad: #f28b82; --quiet: #9a9a9a; --bar: #7aa7d4; } }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; text-align: left; border-bottom: 1px solid #8884; }
.right { text-align: right; } ul { margin: .2rem 0 1rem; padding-left: 1.2rem; } p { margin: .4rem 0; }
.place, pre { font-family: ui-monospace, monospace; font-size: .92em; } .strong { font-weight: 600; }
.quiet, .evidence { color: var(--quiet); } .good { color: var(--good); } .bad, .warning { color: var(--bad); }
svg { max-width: 100%; height: auto; margin: .5rem 0; font-size: 11px; } svg text { fill: currentColor; }
svg .name { text-anchor: end; } svg .tick { text-anchor: middle; fill: var(--quiet); }
svg .grid { stroke: #8884; } svg .bar { fill: var(--bar); } svg .mark { stroke: currentColor; stroke-width: 2; }
svg .up { stroke: var(--good); fill: var(--good); } svg .down { stroke: var(--bad); fill: var(--bad); }
svg .unsure { stroke: var(--quiet); fill: var(--quiet); } svg g line { stroke-width: 3; }
"""


def render_run_html(run: EvaluationRun) -> bytes:
    """Render a run: its metrics as plots and tables, and every question with the results that it retrieved."""
    rows = [BarRow("all", run.figures.ndcg, run.figures.file_ndcg)]
    rows += [
        BarRow(make_printable(name), of.ndcg, of.file_ndcg)
        for name, of in run.categories.items()
        if len(run.categories) > 1
    ]
    drawn = [("NDCG@10 by category; the line is once per file", bar_chart("NDCG@10 by category", rows))]
    if run.variants:
        intervals = [IntervalRow(each.name, *_interval_bounds(each.difference)) for each in run.variants]
        drawn.append(("What NDCG@10 loses or gains, with 95 % intervals", interval_chart("Ablation", intervals)))
    return _page_html("Scry: an evaluation", run.made, drawn, run_blocks(run, verbose=True))


def render_comparison_html(compared: RunComparison) -> bytes:
    """Render two runs: plots of their differences, then the questions whose ranks moved."""
    rows = [IntervalRow("all", *_interval_bounds(compared.difference))]
    rows += [IntervalRow(make_printable(name), *_interval_bounds(each)) for name, each in compared.categories.items()]
    moved = [IntervalRow(make_printable(each.query), *(each.after - each.before,) * 3) for each in compared.moved[:40]]
    drawn = [("Differences of NDCG@10 with 95 % intervals", interval_chart("Differences", rows))]
    if moved:
        drawn.append(("The questions that moved furthest", interval_chart("Questions that moved", moved)))
    return _page_html("Scry: two runs compared", "", drawn, comparison_blocks(compared))


def _interval_bounds(difference: PairedDifference) -> tuple[float, float, float]:
    return difference.mean, difference.low, difference.high


def _page_html(title: str, note: str, drawn: Iterable[tuple[str, str]], blocks: Iterable[Block]) -> bytes:
    plots = "".join(f"<h2>{escape(name)}</h2>{svg}" for name, svg in drawn)
    body = "".join(block_html(block) for block in blocks)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1><p class=quiet>{escape(note)}</p>{plots}{body}</html>\n"
    ).encode("utf-8", "backslashreplace")


def block_html(block: Block) -> str:
    """Render a block; all text is escaped."""
    if isinstance(block, Heading):
        return f"<h2>{escape(block.text)}</h2>"
    if isinstance(block, Paragraph):
        return f"<p>{_line_html(block.line)}</p>"
    if isinstance(block, BulletList):
        return f"<ul>{''.join(f'<li>{_line_html(each)}</li>' for each in block.lines)}</ul>"
    return _table_html(block) if isinstance(block, TableBlock) else _code_html(block)


def _code_html(listing: CodeBlock) -> str:
    return f"<pre>{escape(listing.text)}</pre>"


def _table_html(table: TableBlock) -> str:
    head = "".join(
        _cell_html("th", table, at, escape(table.columns[at].removeprefix("#"))) for at in table.visible_columns
    )
    rows = [
        "".join(_cell_html("td", table, at, _line_html(row[at])) for at in table.visible_columns) for row in table.rows
    ]
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _cell_html(tag: str, table: TableBlock, at: int, content: str) -> str:
    side = ' class="right"' if table.columns[at].startswith("#") else ""
    return f"<{tag}{side}>{content}</{tag}>"


def _line_html(line: StyledLine) -> str:
    return "".join(
        escape(span.text) if span.style == "plain" else f'<span class="{span.style}">{escape(span.text)}</span>'
        for span in line
    )
