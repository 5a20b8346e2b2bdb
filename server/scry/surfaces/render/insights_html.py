"""Render the insights of a project's log as one HTML file: plots and tables, no script, nothing from the network.

pygal lays the plots out as SVG. Its own styles, scripts and comments are removed, and the page's style colours the
plots: light or dark as the browser, or VS Code, prefers. Text from the log enters the page through pygal's tree, which
is serialized by ElementTree, and through `html.escape`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from html import escape
from itertools import pairwise
from typing import Protocol, cast
from xml.etree import ElementTree as ET

import pygal
from pygal.style import Style

from scry.store.events.insights import Insights, ModeRanks
from scry.surfaces.render.evaluation_html import block_html
from scry.surfaces.render.insights import InsightsReport, days_to_plot, insights_blocks, key_figures
from scry.surfaces.render.page import Block, Heading
from scry.surfaces.render.styled_text import make_printable

_LIGHT = "--back:#fff;--card:#f6f7f9;--text:#1f2328;--quiet:#636c76;--rule:#d5d9de;--a:#2f6fb3;--b:#c26a1a;--c:#6b7f2a"
_DARK = (
    "--back:#1b1d21;--card:#25282d;--text:#e3e6ea;--quiet:#9aa3ad;--rule:#3d4248;--a:#7ab0ea;--b:#eda35a;--c:#b3c76a"
)

_STYLE = f"""
:root {{ color-scheme: light dark; {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
body.vscode-light {{ {_LIGHT} }} body.vscode-dark, body.vscode-high-contrast {{ {_DARK} }}
* {{ box-sizing: border-box; }}
body {{ background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 76rem; padding: 1.2rem 1rem 3rem; }}
h1 {{ font-size: 1.5rem; margin: 0 0 .2rem; }} h2 {{ font-size: 1.05rem; margin: 2rem 0 .3rem; }}
p {{ margin: .3rem 0; overflow-wrap: anywhere; }} ul {{ margin: .2rem 0; padding-left: 1.2rem; }}
.quiet {{ color: var(--quiet); }} .warning {{ color: var(--b); }} .strong {{ font-weight: 600; }}
.place {{ font-family: ui-monospace, monospace; font-size: .9em; }}
.figures {{ display: grid; gap: .6rem; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); margin: 1rem 0; }}
.figures div {{ background: var(--card); border-radius: 6px; padding: .6rem .8rem; }}
.figures b {{ display: block; font-size: 1.5rem; font-weight: 600; }}
.plots {{ display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); }}
figure {{ background: var(--card); border-radius: 6px; margin: 0; padding: .8rem; }}
figcaption {{ font-weight: 600; }} figure .quiet {{ font-weight: 400; }}
.tables {{ column-gap: 2rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr)); }}
section {{ overflow-x: auto; }}
table {{ font-size: .93rem; border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ border-bottom: 1px solid var(--rule); padding: .2rem .7rem .2rem 0; text-align: left; }}
th {{ color: var(--quiet); font-weight: 400; white-space: nowrap; }} .right {{ text-align: right; }}
td:not(.right) {{ min-width: 6rem; overflow-wrap: anywhere; }}
svg {{ display: block; height: auto; width: 100%; }} .key {{ display: inline; margin-right: .3rem; width: .7em; }}
svg text {{ fill: var(--text); font: 12px system-ui, sans-serif; }} svg .background {{ fill: none; }}
svg .axis.x text {{ text-anchor: middle; }} svg .axis.x text[transform] {{ text-anchor: end; }}
svg .axis.y text {{ text-anchor: end; }} svg .axis path {{ stroke: var(--rule); fill: none; }}
svg .vertical .axis.x .guide, svg .horizontal .axis.y .guide {{ display: none; }}
svg .axis .line {{ stroke: var(--rule); }}
svg .color-0 {{ fill: var(--a); }} svg .color-1 {{ fill: var(--b); }} svg .color-2 {{ fill: var(--c); }}
svg .color-3 {{ fill: var(--quiet); }} svg .reactive:hover {{ opacity: .75; }}
"""

_WIDTH = 420
_MAX_LABEL = 26
_FONT = 12


def render_insights_html(report: InsightsReport) -> bytes:
    """Render the report as a page."""
    insights = report.insights
    blocks = insights_blocks(report)
    head = [block_html(block) for block in blocks[: 2 if report.log_state else 1]]
    rest = blocks[len(head) :]
    body = list(head)
    if insights is not None and insights.questions:
        rest = rest[next(at for at, block in enumerate(rest) if isinstance(block, Heading)) :]
        body += [_figures_html(insights), f'<div class="plots">{"".join(_plots(insights))}</div>']
    body.append(f'<div class="tables">{"".join(_sections(rest))}</div>')
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Scry: insights</title>'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><h1>Scry: insights</h1>{''.join(body)}</body></html>\n"
    ).encode("utf-8", "backslashreplace")


def _sections(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield a section for each heading, with the blocks up to the next one."""
    starts = [at for at, block in enumerate(blocks) if isinstance(block, Heading) or at == 0]
    for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
        yield f"<section>{''.join(map(block_html, blocks[start:end]))}</section>"


def _figures_html(insights: Insights) -> str:
    parts = [f"<div><b>{escape(value) or '–'}</b>{escape(name)}</div>" for name, value in key_figures(insights)]
    return f'<div class="figures">{"".join(parts)}</div>'


class _Chart(Protocol):
    """The part of a chart of pygal that is used here."""

    x_labels: Sequence[str]

    def add(self, title: str, values: Sequence[float]) -> object: ...

    def render_tree(self) -> ET.Element: ...


_Row = tuple[str, Sequence[float]]
"""Label and values of a row of bars."""


def _plots(insights: Insights) -> Iterator[str]:
    """Yield the plots, as figures."""
    yield _day_plot(insights)
    if not insights.chosen:
        return
    chart = _chart(pygal.Bar, [*map(str, range(1, len(insights.ranks))), "later"])
    chart.add("results chosen", insights.ranks)
    yield _figure("Where the chosen result stood", chart, ["results chosen"])
    rows = [(each.mode, _rank_shares(each)) for each in insights.modes if each.chosen]
    legend = ["rank 1", "2 and 3", "4 to 10", "later"]
    yield _rows_plot("Ranks of the chosen results by mode, %", legend, rows, pygal.HorizontalStackedBar)
    judged = max(1, insights.learning.judged)
    rows = [(of.oracle, (100 * of.first_ten / judged, 100 * of.alone / judged)) for of in insights.oracles]
    if rows:
        legend = ["in its first ten, % of the chosen", "found by it alone, %"]
        yield _rows_plot("Which oracle found the chosen results", legend, rows, pygal.HorizontalBar)
    rows = [(each.path, (each.chosen,)) for each in insights.files]
    if rows:
        yield _rows_plot("Files that answer most", ["results chosen"], rows, pygal.HorizontalBar)


def _day_plot(insights: Insights) -> str:
    """Draw questions and choices of each day, or of some days each where the period is long."""
    bars = days_to_plot(insights.days)
    labels = [label[len("2026-") :] for label, _, _ in bars]
    chart = _chart(pygal.Bar, labels, x_labels_major=labels[:: 1 + len(labels) // 6], show_minor_x_labels=False)
    chart.add("questions", [asked for _, asked, _ in bars])
    chart.add("results chosen", [chosen for _, _, chosen in bars])
    step = (date.fromisoformat(bars[1][0]) - date.fromisoformat(bars[0][0])).days if len(bars) > 1 else 1
    return _figure(
        f"Questions and jumps {'a day' if step == 1 else f'in {step} days'}", chart, ["questions", "results chosen"]
    )


def _rank_shares(of: ModeRanks) -> list[float]:
    ends = (0, of.first, of.first_three, of.first_ten, of.chosen)
    return [100 * (end - start) / of.chosen for start, end in pairwise(ends)]


def _rows_plot(title: str, legend: Sequence[str], rows: Sequence[_Row], kind: Callable[..., object]) -> str:
    """Draw a horizontal bar chart. legend: the names of the values of each row."""
    upwards = rows[::-1]  # pygal begins at the bottom
    chart = _chart(kind, [_shorten(make_printable(label)) for label, _ in upwards], height=70 + 30 * len(rows))
    for at, name in enumerate(legend):
        chart.add(name, [round(values[at], 1) for _, values in upwards])
    return _figure(title, chart, legend)


def _shorten(label: str) -> str:
    return label if len(label) <= _MAX_LABEL else "…" + label[1 - _MAX_LABEL :]


def _chart(kind: Callable[..., object], labels: Sequence[str], **options: object) -> _Chart:
    sizes = {f"{part}_font_size": _FONT for part in ("label", "major_label", "value", "legend", "no_data")}
    settings = {"width": _WIDTH, "height": 260, "margin": 8, "js": (), "show_legend": False, "truncate_label": -1}
    chart = kind(style=Style(**sizes), min_scale=2, max_scale=6, include_x_axis=True, **(settings | options))
    drawn = cast("_Chart", chart)
    drawn.x_labels = labels
    return drawn


def _figure(title: str, chart: _Chart, legend: Sequence[str]) -> str:
    """Serialize a chart below its title and the names of its colours."""
    root = chart.render_tree()
    root.attrib = {"viewBox": root.get("viewBox", ""), "role": "img", "aria-label": title}
    for parent in list(root.iter()):
        _clean(parent)
    keys = "".join(
        f'<svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="color-{at}" width="10" height="10"/>'
        f"</svg>{escape(name)}&ensp;"
        for at, name in enumerate(legend)
    )
    drawn = ET.tostring(root, encoding="unicode", method="html")
    return f'<figure><figcaption>{escape(title)}</figcaption><span class="quiet">{keys}</span>{drawn}</figure>'


def _clean(parent: ET.Element) -> None:
    """Remove what pygal adds for its script and its own style; a value becomes the title of its bar."""
    for child in list(parent):
        if child.tag == "desc" and child.get("class") == "value" and parent.find("rect") is not None:
            ET.SubElement(parent, "title").text = child.text
        if child.tag not in _DRAWN:
            parent.remove(child)


_DRAWN = ("g", "rect", "path", "line", "circle", "text", "tspan")
"""Elements that are kept. pygal's comments have functions for tags, and are removed like all others."""
