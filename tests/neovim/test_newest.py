"""The Neovim plugin in Neovim 0.12 with telescope: the real editor, the real sidecar, a real repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.neovim.cases_run import CASES_TIMEOUT_S, run_cases
from tests.neovim.prefixes import NEWEST

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim"), pytest.mark.timeout(CASES_TIMEOUT_S)]


@pytest.mark.acceptance("C2", "E2")
@pytest.mark.parametrize(
    "cases",
    [
        "select",
        "rows",
        "filters",
        "uses",
        "telescope",
        "quickfix",
        "places",
        "orient",
        "projects",
        "knowledge",
        "why",
        "modes",
        "commands",
        "lifecycle",
        "status",
        "encoding",
        "health",
    ],
)
def test_neovim_cases(cases: str, projects: tuple[Path, Path]) -> None:
    run_cases(cases, NEWEST, projects, "telescope", "plenary")
