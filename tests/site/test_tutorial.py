"""The outputs that the tutorial and the worked example show are those of today."""

from __future__ import annotations

import re

import pytest

from docs.site.tutorial import PAGE, commands, make_pages, shell

pytestmark = [pytest.mark.slow, pytest.mark.needs("posix")]


def test_outputs_of_the_tutorial_and_the_example_are_true() -> None:
    """Where this fails after a change of the ranking or of a text: `make tutorial`, read the difference, commit."""
    for path, text in make_pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale: make tutorial"


def test_every_command_of_the_tutorial_shows_its_output() -> None:
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    asked = [command for body in blocks for command in commands(body) if command.startswith("scry ")]
    assert len(asked) > 15
    assert "q_2" in page
    assert page.count("\n$ ") == sum(len(commands(body)) for body in blocks)


def test_failing_command_stops_the_tutorial() -> None:
    with shell() as opened, pytest.raises(SystemExit, match="ends with"):
        opened.run("scry detail q_20261123_090000_aaaaaaa2 1")


def test_texts_that_differ_between_runs_are_fixed() -> None:
    with shell() as opened:
        text = "q_20261123_070200_si63g4zh after 1.4 s in ~ memory:iv2dohaivc 131 kB q_20261123_070200_si63g4zh"
        shown = opened.normalise(text.replace("~", str(opened.home)))
    first, *_, last = shown.split()
    assert first == last == "q_20261123_090000_aaaaaaa2"
    assert "after 0.8 s in ~ memory:bbbbbbb002 64 kB" in shown
