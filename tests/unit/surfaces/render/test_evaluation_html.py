"""The report in HTML: whole, by itself, and safe whatever stands in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import msgspec
import pytest

from scry.lab import VariantResult, paired_bootstrap
from scry.lab.compare import compare
from scry.surfaces.render import render_comparison_html, render_run_html
from tests.unit.lab.sample_runs import outcome, run

_VOID = frozenset({"meta", "line", "rect", "circle", "br"})


class _Balanced(HTMLParser):
    """Fails where a tag is closed that is not open; collects what is drawn and what would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.svgs = 0
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.svgs += tag == "svg"
        self.fetched += [name for name, _ in attrs if name in ("src", "href", "srcset")]
        self.fetched += [tag] if tag in ("script", "link", "img", "iframe") else []
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.open.pop() == tag


def _checked(page: bytes) -> _Balanced:
    parser = _Balanced()
    parser.feed(page.decode())
    assert not parser.open
    assert not parser.fetched
    assert not re.search(r"https?:|@import|url\(", page.decode())
    return parser


HOSTILE = outcome(1, "<script>alert(1)</script> & \x1b[31m", "a&b.py", ["<b>.py", "a&b.py"])


@pytest.mark.acceptance("L1")
def test_evaluation_page_has_plots_and_no_external_resources() -> None:
    plain = run(HOSTILE, outcome(2, "two", "a", ["a"], "semantic"))
    figures = plain.figures
    variant = VariantResult(
        "without <x>", "t", figures, plain.categories, paired_bootstrap([1.0, 0.5], [0.5, 0.5]), [0.5, 0.5]
    )
    page = render_run_html(msgspec.structs.replace(plain, variants=[variant]))
    assert _checked(page).svgs == 2
    assert b"<script>" not in page
    assert b"\x1b" not in page
    assert b"without &lt;x&gt;" in page


@pytest.mark.acceptance("L2")
def test_comparison_page_has_plots_and_no_external_resources() -> None:
    before, after = run(HOSTILE), run(outcome(1, HOSTILE.query, "a&b.py", ["a&b.py"]))
    page = render_comparison_html(compare(before, after))
    assert _checked(page).svgs == 2
    assert b"\x1b" not in page
    assert _checked(render_comparison_html(compare(before, before))).svgs == 1
