"""What most tests of the sidecar open. Those that need it otherwise have a fixture of that name themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sample.files import SHOP
from tests.sample.project import make_repository


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)
