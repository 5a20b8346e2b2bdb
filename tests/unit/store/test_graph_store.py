"""Packed definitions of the graph round-trip and take only the bytes of their hashes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.core import IndexDamaged
from scry.store import DEFINITION_DTYPE, IDENTITY_HASH_BYTES, pack_definitions, unpack_definitions
from scry.store.index import compress_frame

_ROWS = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2 ** (8 * IDENTITY_HASH_BYTES) - 1)
)


@given(st.lists(_ROWS))
def test_definitions_round_trip(rows: list[tuple[int, int, int]]) -> None:
    defined = np.array(rows, DEFINITION_DTYPE)
    assert unpack_definitions(pack_definitions(defined)).tolist() == defined.tolist()


def test_consecutive_doc_keys_are_stored_compactly() -> None:
    random = np.random.default_rng(1)
    defined = np.zeros(1000, DEFINITION_DTYPE)
    defined["number"] = np.arange(70_000, 71_000)
    defined["name"] = random.integers(0, 2**32, 1000)
    defined["identity"] = random.integers(0, 2 ** (8 * IDENTITY_HASH_BYTES), 1000)
    assert len(pack_definitions(defined)) < 1000 * (4 + IDENTITY_HASH_BYTES) + 100


@pytest.mark.parametrize("value", [b"\0", b"nothing like it", compress_frame(b"too short")])
def test_damaged_definitions_raise_an_error(value: bytes) -> None:
    with pytest.raises(IndexDamaged):
        unpack_definitions(value)
