"""Which of two indexers keeps an index."""

from __future__ import annotations

import pytest

import scry
from scry.indexer.freshness import describe_other_version, index_format_version, is_newer_format


def test_an_edition_is_the_version_with_the_shapes_that_it_writes() -> None:
    version, _, shapes = index_format_version().partition("+")
    assert version == scry.__version__
    assert all(number.isdecimal() for number in shapes.split("."))


def test_numbers_are_compared_not_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scry, "__version__", "0.9.0")
    shapes = index_format_version().partition("+")[2]
    later = f"{int(shapes.split('.')[0]) + 100}.{shapes.partition('.')[2]}"
    assert is_newer_format(f"0.10.0+{shapes}")
    assert is_newer_format(f"0.9.0+{later}")
    assert not is_newer_format(index_format_version())
    assert not is_newer_format("0.9.0")  # of before there were editions


def test_a_person_is_told_both() -> None:
    assert describe_other_version("9.9+1.2.3.4") == (
        f"This project is indexed by Scry 9.9+1.2.3.4, and this is Scry {index_format_version()}: restart to update it."
    )
