"""Fixtures of benchmarks that query an engine in this process."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from scry.surfaces.lsp import GC_THRESHOLD


@pytest.fixture
def collected_as_in_a_sidecar() -> Iterator[None]:
    """Garbage is looked for as the sidecar has it: not in what was there at the start, and seldom."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    yield
    gc.set_threshold(*before)
    gc.unfreeze()
