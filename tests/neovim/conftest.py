"""Two indexed repositories for every run of cases."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.neovim.cases_run import COMMAND
from tests.neovim.project import FILES, OTHER_FILES
from tests.sample.project import make_repository


@pytest.fixture(scope="session")
def projects(own_world: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the repository that is searched, and another one. Cases change neither,
    and nothing remembers what they did.
    """
    with pytest.MonkeyPatch.context() as patch:
        for role in ("AUTHOR", "COMMITTER"):  # so that commits have the names that reference screens show
            patch.setenv(f"GIT_{role}_DATE", "2026-01-01T12:00:00Z")
        shop = make_repository(tmp_path_factory.mktemp("project") / "shop", FILES)
        ferry = make_repository(tmp_path_factory.mktemp("project") / "ferry", OTHER_FILES)
    for root in (shop, ferry):
        subprocess.run([*COMMAND, "index"], cwd=root, check=True, capture_output=True)
    return shop, ferry
