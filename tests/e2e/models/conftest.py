"""A project whose person may choose a model, and a model that is quick."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.models.model_shop import Shop, opened_shop
from tests.small_model import make_model


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with opened_shop(tmp_path, monkeypatch) as shop:
        yield shop


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "small-e5")
