"""Draws docs/images/growth-*.svg and the table of docs/figures.md: what an index costs as it grows.

    .venv/bin/python -m docs.make_growth_plots        or `make images`

They are drawn from docs/images/growth.json, which tests/bench/test_bench_scale.py writes (`SCRY_BENCH_OUT`) for any
number of sizes. Both axes are logarithmic, so that growth in proportion to the documents is a line of the same slope
everywhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "figures.md"
FIGURES = IMAGES / "growth.json"
BEGIN, END = "<!-- growth: begin -->\n", "<!-- growth: end -->\n"

Size = Mapping[str, float]
"""The figures of one size, by name."""


class Line(NamedTuple):
    """A line of a plot, and a row of the table. factor: of the figure, to the unit of the plot."""

    figure: str
    name: str
    unit: str
    target: float | None = None
    factor: float = 1.0


class Plot(NamedTuple):
    """A picture. disk_target: most times the source that an index may take."""

    name: str
    title: str
    unit: str
    lines: Sequence[Line]
    disk_target: float | None = None


PLOTS = [
    Plot("cold", "Index built from nothing", "s", [Line("cold_s", "words and vectors of all are found", "s")]),
    Plot(
        "find",
        "A question",
        "ms",
        [
            Line("find_p50_ms", "find over LSP, p50", "ms", 20),
            Line("find_p95_ms", "find over LSP, p95", "ms", 50),
            Line("command_s", "`scry find`, whole process, wall time", "s", 400, 1000),
            Line("command_processor_s", "`scry find`, CPU", "s", None, 1000),
        ],
    ),
    Plot(
        "save",
        "A saved file",
        "ms",
        [
            Line("saved_p50_ms", "saved until found, p50", "ms"),
            Line("saved_p95_ms", "saved until found, p95", "ms", 200),
            Line("save_processor_ms", "CPU of a save, in all processes", "ms"),
        ],
    ),
    Plot(
        "size",
        "Memory and disk",
        "MB",
        [
            Line("memory_mb", "memory of the sidecar after 720 questions", "MB", 400),
            Line("source_mb", "source", "MB"),
            Line("disk_mb", "index on disk", "MB"),
        ],
        1.5,
    ),
]

REQUIRED = ("documents", "load", *(line.figure for plot in PLOTS for line in plot.lines))
"""Names of the figures that each size has in the file."""

AT = 1_000_000
"""Documents for which the targets are."""

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 64, 16, 34, 128
COLOURS = [("#0969da", "#6cb6ff"), ("#bc4c00", "#f0883e"), ("#1a7f37", "#57c46b"), ("#8250df", "#c297ff")]
_LIGHT, _DARK = ("#ffffff", "#1f2328", "#d5d9de"), ("#1b1d21", "#e3e6ea", "#3d4248")


def read_sizes(path: Path) -> tuple[int, list[Size]]:
    """Return the number of cores, and the figures of all sizes, the smallest first.

    Raises SystemExit that names a missing figure.
    """
    found = json.loads(path.read_text(encoding="utf-8"))
    sizes: list[Size] = sorted(found["sizes"], key=lambda size: size.get("documents", 0))
    for size in sizes:
        for name in REQUIRED:
            if not size.get(name, 0) > 0:
                raise SystemExit(f"{path.name}: {name} is missing for the size of {size.get('documents', 0)} documents")
    if not sizes:
        raise SystemExit(f"{path.name}: sizes are missing")
    return found["cores"], sizes


# The pictures --------------------------------------------------------------------------------------------------------


class Axes(NamedTuple):
    """The logarithmic axes of a plot: their first and last powers of ten."""

    x: tuple[int, int]
    y: tuple[int, int]

    def across(self, value: float) -> float:
        """Return the horizontal place of a number of documents."""
        return LEFT + _share(value, self.x) * (WIDTH - LEFT - RIGHT)

    def up(self, value: float) -> float:
        """Return the vertical place of a value."""
        return HEIGHT - BOTTOM - _share(value, self.y) * (HEIGHT - TOP - BOTTOM)


def _share(value: float, powers: tuple[int, int]) -> float:
    return (math.log10(value) - powers[0]) / (powers[1] - powers[0])


def _powers(values: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten that enclose all values, of which there are at least two."""
    first = math.floor(math.log10(min(values)))
    return first, max(first + 1, math.ceil(math.log10(max(values))))


def draw(plot: Plot, sizes: Sequence[Size]) -> str:
    """Return a plot as SVG."""
    documents = [size["documents"] for size in sizes]
    targets = [line.target for line in plot.lines if line.target]
    values = [line.factor * size[line.figure] for line in plot.lines for size in sizes]
    if plot.disk_target:
        values += [plot.disk_target * size["source_mb"] for size in sizes]
    axes = Axes(_powers([*documents, AT]), _powers([*values, *targets]))
    picture = ET.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img"}
        | {"aria-label": f"{plot.title}, in {plot.unit}, by number of documents"},
    )
    ET.SubElement(picture, "style").text = _style()
    ET.SubElement(picture, "rect", {"class": "back", "width": str(WIDTH), "height": str(HEIGHT), "rx": "6"})
    _text(picture, LEFT, 20, f"{plot.title} ({plot.unit})", "title")
    _draw_grid(picture, axes)
    for number, line in enumerate(plot.lines):
        places = [(axes.across(size["documents"]), axes.up(line.factor * size[line.figure])) for size in sizes]
        _draw_line(picture, f"c{number}", places)
        if line.target:
            _draw_target(picture, axes, line.target, f"c{number}")
        target = f"; target {line.target:g} {plot.unit} at 10⁶ ◇" if line.target else ""
        _draw_key(picture, number, line.name.replace("`", "") + target)
    if plot.disk_target:
        places = [(axes.across(size["documents"]), axes.up(plot.disk_target * size["source_mb"])) for size in sizes]
        _draw_line(picture, "limit", places)
        _draw_key(picture, len(plot.lines), f"target of the index: {plot.disk_target:g} times the source", "limit")
    ET.indent(picture, "")
    return ET.tostring(picture, encoding="unicode") + "\n"


def _style() -> str:
    """Return the style of a picture: colours of dark pages where the reader's system is dark."""

    def rules(at: int, back: str, text: str, rule: str) -> str:
        lines = "".join(f" .c{n} {{ color: {pair[at]}; }}" for n, pair in enumerate(COLOURS))
        frame = f".back {{ fill: {back}; }} text {{ fill: {text}; }} .rule {{ stroke: {rule}; }}"
        return f"{frame} .limit {{ color: {text}; }}{lines}"

    return (
        "text { font: 13px system-ui, sans-serif; } .title { font-weight: 600; } .up { text-anchor: end; } "
        ".mid { text-anchor: middle; } polyline, .mark { fill: none; stroke: currentColor; stroke-width: 2; } "
        "circle { fill: currentColor; } polyline.limit { stroke-dasharray: 5 4; stroke-width: 1; } "
        f"{rules(0, *_LIGHT)} @media (prefers-color-scheme: dark) {{ {rules(1, *_DARK)} }}"
    )


def _draw_grid(picture: ET.Element, axes: Axes) -> None:
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
    for power in range(axes.x[0], axes.x[1] + 1):
        x = f"{axes.across(10**power):.1f}"
        ET.SubElement(picture, "line", {"class": "rule", "x1": x, "x2": x, "y1": str(top), "y2": str(bottom)})
        _text(picture, float(x), bottom + 18, f"{10**power:,}", "mid" if power < axes.x[1] else "up")
    for power in range(axes.y[0], axes.y[1] + 1):
        y = f"{axes.up(10.0**power):.1f}"
        ET.SubElement(picture, "line", {"class": "rule", "x1": str(left), "x2": str(right), "y1": y, "y2": y})
        _text(picture, left - 8, float(y) + 4, f"{10.0**power:,g}", "up")
    _text(picture, (left + right) / 2, bottom + 36, "documents", "mid")


def _draw_line(picture: ET.Element, kind: str, places: Sequence[tuple[float, float]]) -> None:
    ET.SubElement(picture, "polyline", {"class": kind, "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in places)})
    for x, y in places if kind != "limit" else ():
        ET.SubElement(picture, "circle", {"class": kind, "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "4"})


def _draw_target(picture: ET.Element, axes: Axes, value: float, kind: str) -> None:
    x, y = axes.across(AT), axes.up(value)
    corners = [(x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6)]
    points = " ".join(f"{across:.1f},{up:.1f}" for across, up in corners)
    ET.SubElement(picture, "polygon", {"class": f"mark {kind}", "points": points})


def _draw_key(picture: ET.Element, number: int, words: str, kind: str = "") -> None:
    y = HEIGHT - BOTTOM + 58 + 18 * number
    points = f"{LEFT},{y - 4} {LEFT + 22},{y - 4}"
    ET.SubElement(picture, "polyline", {"class": kind or f"c{number}", "points": points})
    _text(picture, LEFT + 30, y, words, "key")


def _text(picture: ET.Element, x: float, y: float, words: str, kind: str) -> None:
    ET.SubElement(picture, "text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}"}).text = words


# The table -----------------------------------------------------------------------------------------------------------


def table(cores: int, sizes: Sequence[Size]) -> str:
    """Return the table of all figures, with the growth between the two largest sizes."""
    head = ["documents", *(f"{size['documents']:,.0f}" for size in sizes), "10 times the documents", "target at 10⁶"]
    rows = [head, ["---"] * len(head)]
    for plot in PLOTS:
        for line in plot.lines:
            target = f"{line.target / line.factor:g} {line.unit}" if line.target else ""
            if line.figure == "disk_mb" and plot.disk_target:
                target = f"{plot.disk_target:g} times the source"
            cells = [f"{_rounded(size[line.figure])} {line.unit}" for size in sizes]
            rows.append([line.name, *cells, _growth(line.figure, sizes), target])
    times = [f"{size['disk_mb'] / size['source_mb']:.2f} times" for size in sizes]
    rows.append(["… as a multiple of the source", *times, "", ""])
    rows.append([f"load, {cores} cores", *(f"{size['load']:.1f}" for size in sizes), "", ""])
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows) + "\n"


def _rounded(value: float) -> str:
    """Return a value with three digits, or all before the point."""
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}"


def _growth(figure: str, sizes: Sequence[Size]) -> str:
    """Return the factor of a figure for ten times as many documents, by the two largest sizes."""
    if len(sizes) < 2 or sizes[-2]["documents"] == sizes[-1]["documents"]:
        return ""
    less, more = sizes[-2:]
    slope = math.log(more[figure] / less[figure]) / math.log(more["documents"] / less["documents"])
    return f"× {_rounded(10**slope)}"


def with_table(page: str, cores: int, sizes: Sequence[Size]) -> str:
    """Return the page with the table between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.name} has no marks for the table")
    return f"{before}{begin}{table(cores, sizes)}{end}{after}"


def main() -> None:
    """Write the pictures and the table."""
    cores, sizes = read_sizes(FIGURES)
    for plot in PLOTS:
        (IMAGES / f"growth-{plot.name}.svg").write_text(draw(plot, sizes), encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), cores, sizes), encoding="utf-8")


if __name__ == "__main__":
    main()
