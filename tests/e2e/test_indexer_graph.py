"""The code graph follows the files by itself, and says while it does not yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = pytest.mark.slow

TWICE = "from shop.cart import add_to_cart\n\n\ndef twice(item):\n    add_to_cart(item)\n    add_to_cart(item)\n"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def _callers(sample: IndexerProject) -> list[str] | None:
    """Return the callers of add_to_cart; None while the graph lags behind."""
    with sample.store() as store:
        if store is None or not store.graph.is_current:
            return None
        numbers = list(store.documents.doc_keys_by_id(["./shop/cart.py::add_to_cart"]).values())
        return [item.doc_id for item in store.graph.callers(numbers, 10).items]


def test_saved_call_becomes_a_graph_edge(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    eventually(lambda: _callers(sample) == [], "nobody calls it yet")
    sample.write_file("shop/twice.py", TWICE)
    client.report_changed_paths(["shop/twice.py"])
    eventually(lambda: _callers(sample) == ["./shop/twice.py::twice"], "the caller is known")
    sample.write_file("shop/cart.py", "\n\ndef add_to_cart(item, count=1):\n    return item\n")
    client.report_changed_paths(["shop/cart.py"])
    sample.wait_until_found("add_to_cart")
    eventually(lambda: _callers(sample) == ["./shop/twice.py::twice"], "the caller of the moved function is known")
    (sample.root / "shop/twice.py").unlink()
    client.report_changed_paths(["shop/twice.py"])
    eventually(lambda: _callers(sample) == [], "nobody calls it any more")
