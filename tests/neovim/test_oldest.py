"""The Neovim plugin in Neovim 0.10, which current telescope refuses: all that needs no other plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.neovim.cases_run import CASES_TIMEOUT_S, run_cases
from tests.neovim.prefixes import OLDEST

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim", "neovim-0.10"), pytest.mark.timeout(CASES_TIMEOUT_S)]


@pytest.mark.acceptance("C2")
@pytest.mark.parametrize(
    "cases",
    [
        "select",
        "rows",
        "filters",
        "uses",
        "places",
        "orient",
        "projects",
        "knowledge",
        "quickfix",
        "modes",
        "commands",
        "lifecycle",
        "status",
        "encoding",
        "health",
    ],
)
def test_neovim_cases(cases: str, projects: tuple[Path, Path]) -> None:
    run_cases(cases, OLDEST, projects)
