"""The growth plots and their table are those of the measured figures."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from docs import make_growth_plots as growth

SVG = "{http://www.w3.org/2000/svg}"


def a_size(documents: int, **changed: float) -> dict[str, float]:
    return {**dict.fromkeys(growth.REQUIRED, documents / 10), "documents": documents, "load": 1.0, **changed}


@pytest.mark.parametrize("plot", growth.PLOTS, ids=lambda plot: plot.name)
def test_picture_is_drawn_from_the_file(plot: growth.Plot) -> None:
    _, sizes = growth.read_sizes(growth.FIGURES)
    picture = growth.IMAGES / f"growth-{plot.name}.svg"
    assert picture.read_text(encoding="utf-8") == growth.draw(plot, sizes), "run python -m docs.make_growth_plots"
    assert f"images/{picture.name})" in growth.PAGE.read_text(encoding="utf-8")


def test_table_is_made_from_the_file() -> None:
    page = growth.PAGE.read_text(encoding="utf-8")
    assert page == growth.with_table(page, *growth.read_sizes(growth.FIGURES)), "run python -m docs.make_growth_plots"


@pytest.mark.parametrize("missing", growth.REQUIRED)
def test_missing_figure_is_named(missing: str, tmp_path: Path) -> None:
    incomplete = a_size(1000)
    del incomplete[missing]
    file = tmp_path / "growth.json"
    file.write_text(json.dumps({"cores": 2, "sizes": [a_size(100), incomplete]}))
    with pytest.raises(SystemExit, match=rf"growth.json: {missing} is missing"):
        growth.read_sizes(file)


def test_no_size_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    file.write_text(json.dumps({"cores": 2, "sizes": []}))
    with pytest.raises(SystemExit, match="sizes are missing"):
        growth.read_sizes(file)


@pytest.mark.parametrize("counts", [[700], [900, 12_000, 130_000, 1_400_000]])
def test_any_number_of_sizes_is_drawn_inside_the_frame(counts: list[int]) -> None:
    sizes = [a_size(count) for count in counts]
    for plot in growth.PLOTS:
        picture = ET.fromstring(growth.draw(plot, sizes))
        circles = picture.findall(f"{SVG}circle")
        assert len(circles) == len(counts) * len(plot.lines)
        assert all(growth.LEFT <= float(circle.attrib["cx"]) <= growth.WIDTH - growth.RIGHT for circle in circles)
        assert all(growth.TOP <= float(circle.attrib["cy"]) <= growth.HEIGHT - growth.BOTTOM for circle in circles)
        targets = [line for line in plot.lines if line.target]
        assert len(picture.findall(f"{SVG}polygon")) == len(targets)


def test_growth_is_that_of_the_two_largest_sizes() -> None:
    sizes = [a_size(10, cold_s=99.0), a_size(1000, cold_s=2.0), a_size(100_000, cold_s=200.0)]
    rows = [line.split("|") for line in growth.table(2, sizes).splitlines() if "words and vectors" in line]
    assert [cell.strip() for cell in rows[0][2:6]] == ["99.0 s", "2.00 s", "200 s", "× 10.0"]
