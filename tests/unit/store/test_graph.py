"""Reading the code graph: what is given out, in which order, and by which way it was reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.store import Confidence, EdgeKind
from tests.sample.graph import GraphProject

FILES = {
    "core.py": (
        "def low():\n    pass\n\n\ndef mid():\n    low()\n\n\ndef high():\n    mid()\n\n\n"
        "def loop():\n    loop_back()\n"
    ),
    "back.py": "from core import loop, high\n\n\ndef other():\n    loop()\n    high()\n",
    "kept.py": "class Kept:\n    def unusual(self): ...\n\n\nclass Sub(Kept): ...\n\n\nclass Deep(Sub): ...\n",
    "use.py": "def guess(thing):\n    thing.unusual()\n\n\ndef top():\n    guess(1)\n",
}


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[GraphProject]:
    sample = GraphProject(tmp_path / "project", FILES)
    yield sample
    sample.store.close()


def test_both_directions_return_the_same_edge(sample: GraphProject) -> None:
    graph = sample.store.graph
    low, mid = sample.doc_key("core.py::low"), sample.doc_key("core.py::mid")
    callers, callees = graph.callers([low], 10), graph.callees([mid], 10)
    assert [item.doc_id for item in callers.items] == ["./core.py::mid"]
    assert callers.items[0].edge == callees.items[0].edge
    assert (callers.items[0].edge.line, callers.items[0].edge.confidence) == (5, Confidence.EXACT)


def test_total_includes_edges_beyond_the_limit(sample: GraphProject) -> None:
    numbers = [sample.doc_key(f"core.py::{name}") for name in ("low", "mid", "high", "loop")]
    found = sample.store.graph.callers(numbers, 1)
    assert (len(found.items), found.total) == (1, 3)
    assert sample.store.graph.callers([], 5).total == 0


def test_graph_walk_returns_the_shortest_path_in_order(sample: GraphProject) -> None:
    low = sample.doc_key("core.py::low")
    found = sample.store.graph.reachable_documents([low], EdgeKind.CALLS, max_depth=5, limit=10, backward=True)
    assert [each.doc_id for each in found] == ["./core.py::mid", "./core.py::high", "./back.py::other"]
    ids = {number: doc_id for doc_id, number in sample.doc_keys().items()}
    assert [(ids[edge.source_key], ids[edge.target_key]) for edge in found[2].edge_path] == [
        ("./core.py::mid", "./core.py::low"),
        ("./core.py::high", "./core.py::mid"),
        ("./back.py::other", "./core.py::high"),
    ]
    near = sample.store.graph.reachable_documents([low], EdgeKind.CALLS, max_depth=1, limit=10, backward=True)
    assert [each.doc_id for each in near] == ["./core.py::mid"]


def test_graph_walk_can_be_limited_to_certain_edges(sample: GraphProject) -> None:
    graph, top = sample.store.graph, sample.doc_key("use.py::top")
    every = graph.reachable_documents([top], EdgeKind.CALLS, max_depth=3, limit=10)
    assert [each.doc_id for each in every] == ["./use.py::guess", "./kept.py::Kept.unusual"]
    assert every[1].edge_path[1].confidence.label == "by name"
    sure = graph.reachable_documents([top], EdgeKind.CALLS, max_depth=3, limit=10, min_confidence=Confidence.EXACT)
    assert [each.doc_id for each in sure] == ["./use.py::guess"]


def test_bases_and_derived_classes_are_read(sample: GraphProject) -> None:
    kept, deep = sample.doc_key("kept.py::Kept"), sample.doc_key("kept.py::Deep")
    assert [item.doc_id for item in sample.store.graph.derived_types([kept], 5).items] == ["./kept.py::Sub"]
    assert [item.doc_id for item in sample.store.graph.base_types([deep], 5).items] == ["./kept.py::Sub"]


def test_imports_are_read_in_both_directions(sample: GraphProject) -> None:
    assert sample.store.graph.imported_files("back.py", 5).paths == ("core.py",)
    assert sample.store.graph.importing_files("core.py", 5).paths == ("back.py",)
    assert sample.store.graph.imported_files("missing.py", 5).total == 0


def test_graph_reports_lag_between_change_and_linking(sample: GraphProject) -> None:
    assert sample.store.graph.is_current
    sample.write_file("core.py", "def low(): ...\n")
    sample.index("core.py")
    assert not sample.store.graph.is_current
    low = sample.doc_key("core.py::low")
    assert sample.store.graph.callers([low], 5).items == ()  # mid, which called it, is no more
    sample.update()
    assert sample.store.graph.is_current
