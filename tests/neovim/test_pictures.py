"""The pictures of Neovim in docs/images are drawn by a script, from the screen of the real editor."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from docs.make_neovim_images import STATES, THEMES, take, write
from tests.neovim.prefixes import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim", "tmux")]

WORDS = {
    "": "send_receipt",
    "legend": "a weak match",
    "why": "Question",
    "related": "Scry relations of",
    "detail": "def send_receipt",
    "quickfix": "shop/mail.py",
}


@pytest.mark.acceptance("C2")
@pytest.mark.parametrize("state", STATES)
def test_script_draws_each_state(state: str, projects: tuple[Path, Path], tmp_path: Path) -> None:
    background = "dark" if state in ("", "why") else "light"
    picture = write(state, background, take(state, background, projects[0], "mail the receipt"), tmp_path)
    drawn = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    text = "".join(drawn.itertext()).replace("\xa0", " ")
    assert WORDS[state] in text


def test_docs_have_a_picture_of_each_state() -> None:
    names = {
        f"{'-'.join(part for part in ('neovim', state, theme) if part)}.svg" for state in STATES for theme in THEMES
    }
    there = {path.name for path in (ROOT / "docs" / "images").glob("neovim-*.svg")}
    assert there == names
