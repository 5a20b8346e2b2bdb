"""Pages in terminals of any width."""

from __future__ import annotations

import pytest

from scry.surfaces.render.page import BulletList, Heading, Paragraph, TableBlock, render_lines
from scry.surfaces.render.styled_text import display_width, styled_line, to_plain_text

ROWS = [
    [
        styled_line(("Semantic", "strong")),
        styled_line("#1"),
        styled_line("0.91 cosine"),
        styled_line("matched 順位 retry"),
    ],
    [styled_line(("Lexical", "strong")), styled_line("#178"), styled_line("12.4 BM25 too deep"), styled_line("")],
]
PAGE = [
    Heading("Why"),
    Paragraph(styled_line(("a sentence that is in bold ", "strong"), "and goes on in plain words " * 4)),
    BulletList([styled_line(("In find", "strong"), ": 3rd of 178, ", ("./src/click/_compat.py::strip_ansi", "place"))]),
    TableBlock(("Oracle", "#Rank", "#Raw score", "Words"), ROWS),
]


@pytest.mark.acceptance("W1")
@pytest.mark.parametrize("width", [*range(12, 100), None])
def test_page_fits_the_terminal_and_loses_no_word(width: int | None) -> None:
    text = to_plain_text(render_lines(PAGE, width))
    assert width is None or all(display_width(line) <= width for line in text.splitlines())
    squeezed = "".join(text.split())
    for words in (
        "asentencethatisinboldandgoeson",
        "./src/click/_compat.py::strip_ansi",
        "12.4BM25toodeep",
        "matched順位retry",
    ):
        assert words.replace(" ", "") in squeezed.replace("-", "")


def test_wrapped_text_keeps_its_styles() -> None:
    lines = render_lines([PAGE[1]], 20)
    assert [span.style for span in lines[0]] == ["strong"]
    assert {span.style for line in lines[2:] for span in line} == {"plain"}
    assert [span.style for line in render_lines(PAGE[1:2], None) for span in line] == ["strong", "plain"]
