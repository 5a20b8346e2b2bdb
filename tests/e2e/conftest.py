"""Fixtures of most tests of the sidecar. Files that need others define fixtures of the same names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sample.files import SHOP
from tests.sample.project import make_repository


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)
