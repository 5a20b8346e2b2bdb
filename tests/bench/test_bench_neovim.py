"""Cost of the plugin at Neovim's start. Figures are reported; only the plugin's share of the start is asserted."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from tests.neovim.test_start import MAX_SHARE, WITH_SCRY, start

ROUNDS = 31

pytestmark = [pytest.mark.bench, pytest.mark.needs("neovim")]


def test_plugin_startup_cost_beside_bare_neovim(tmp_path: Path) -> None:
    """With and without it in turns, so that a busy machine slows both alike."""
    bare, with_scry = zip(*((start(tmp_path), start(tmp_path, *WITH_SCRY)) for _ in range(ROUNDS)), strict=True)
    own = [one.own for one in with_scry]
    print(
        f"\nNeovim's start, median of {ROUNDS}: {median(one.whole for one in bare):.1f} ms bare, "
        f"{median(one.whole for one in with_scry):.1f} ms with Scry; "
        f"its own file {median(own):.2f} ms, least {min(own):.2f}"
    )
    assert min(own) < MAX_SHARE * min(one.whole for one in bare)
