"""Pickers that come in no package: the installed ones, else stand-ins with the same contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gates.stand_ins import RAN
from tests.neovim.at_hand import LUALINE, PICKERS, Picker, find
from tests.neovim.cases_run import CASES_TIMEOUT_S, run_cases
from tests.neovim.prefixes import NEWEST

RecordProperty = Callable[[str, object], None]

pytestmark = [pytest.mark.slow, pytest.mark.needs("neovim"), pytest.mark.timeout(CASES_TIMEOUT_S)]


@pytest.mark.acceptance("C2", "E2")
@pytest.mark.parametrize("picker", PICKERS, ids=lambda picker: picker.name)
def test_neovim_cases(
    picker: Picker, projects: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, record_property: RecordProperty
) -> None:
    monkeypatch.setenv("TEST_PICKER", picker.name)
    folder = find(picker)
    record_property(RAN, f"the real {picker.name}" if folder else f"{picker.name} by contract, for it is not at hand")
    if folder:
        run_cases("real_pickers", NEWEST, projects, folder)
    else:
        run_cases("pickers", NEWEST, projects)


@pytest.mark.acceptance("C2")
def test_lualine_component_shows_the_state(
    projects: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, record_property: RecordProperty
) -> None:
    folder = find(LUALINE)
    record_property(RAN, "the real lualine" if folder else "lualine by contract, for it is not at hand")
    monkeypatch.setenv("TEST_LUALINE", "real" if folder else "stand-in")
    run_cases("lualine", NEWEST, projects, *([folder] if folder else []))
