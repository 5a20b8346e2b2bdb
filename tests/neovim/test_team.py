"""A joined team in Neovim: the real editor, sidecar and PostgreSQL server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.neovim.cases_run import CASES_TIMEOUT_S, run_cases
from tests.neovim.prefixes import NEWEST
from tests.team.joined import JoinedTeam, clone_of_depot

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("neovim"),
    pytest.mark.needs("postgres"),
    pytest.mark.timeout(CASES_TIMEOUT_S),
]


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JoinedTeam]:
    team = JoinedTeam(tmp_path_factory.mktemp("team"))
    yield team
    team.remove()


@pytest.fixture
def joined(team: JoinedTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JoinedTeam:
    """Return the team that a person with a data folder of their own has joined."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    team.join(os.environ)
    return team


def describe(team: JoinedTeam, **more: str) -> str:
    return json.dumps({"commit": team.commit, "data": str(team.server.folder / "data"), **more})


@pytest.mark.acceptance("T1", "T3", "C2", "E2")
def test_neovim_cases(joined: JoinedTeam, projects: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_TEAM", describe(joined))
    run_cases("team", NEWEST, projects, "telescope", "plenary")


@pytest.mark.acceptance("T1", "C2")
def test_local_clone(
    joined: JoinedTeam, projects: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = clone_of_depot(joined, tmp_path / "clones" / "depot")
    monkeypatch.setenv("TEST_TEAM", describe(joined, clone=str(clone)))
    run_cases("team", NEWEST, projects, "telescope", "plenary")
