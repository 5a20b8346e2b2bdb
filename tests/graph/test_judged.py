"""Precision and recall of call edges: the published tables follow from the judgements, and the graph gets no worse."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.graph import judged
from tests.graph.judged import LABELS, CallGraph, JudgedCall, JudgedEdge
from tests.sample.graph import GraphProject

QUALITY = Path(__file__).parents[2] / "docs" / "quality.md"

SHOP = {
    "cart.py": "class Cart:\n    def stack_up(self, thing): ...\n\n\ndef weigh(thing): ...\n",
    "till.py": (
        "from cart import Cart, weigh\n\n\ndef pay(cart: Cart):\n    cart.stack_up(weigh(1))\n\n\n"
        "def guess(x):\n    x.stack_up(2)\n    return [x]()\n"
    ),
}


def test_labels_of_judged_calls_and_edges_follow_the_graph(tmp_path: Path) -> None:
    project = GraphProject(tmp_path / "shop", SHOP)
    graph = CallGraph(project)
    project.store.close()

    def label(call: str, target: str) -> str:
        return graph.label_of_call(JudgedCall("gin", call, target))

    assert label("till.py:5", "cart.py::Cart.stack_up") == label("till.py:5", "cart.py::weigh") == "exact"
    assert label("till.py:9", "cart.py::Cart.stack_up") == "by name"
    assert label("till.py:10", "cart.py::weigh") == label("till.py:5", "cart.py::Basket.stack_up") == ""
    edge = JudgedEdge("gin", "till.py::pay", "cart.py::weigh", "till.py:5", right=True)
    assert graph.label_of_edge(edge) == "exact"
    assert graph.label_of_edge(JudgedEdge("gin", "till.py::guess", "cart.py::weigh", "till.py:9", right=True)) == ""


def test_published_tables_follow_from_the_recorded_judgements() -> None:
    calls, edges = judged.read_calls(), judged.read_edges()
    for each in (calls, edges):
        assert Counter(one.language for one in each) == dict.fromkeys(judged.LANGUAGES, 20)
        assert {one.edge for one in each} <= {*LABELS, ""}
    text = QUALITY.read_text(encoding="utf-8")
    for table in (judged.recall_table(calls), judged.precision_table(edges)):
        assert "\n".join(table) in text


@pytest.mark.slow
@pytest.mark.needs("judged-repositories")
@pytest.mark.timeout(900)
def test_graph_finds_no_fewer_judged_calls_and_no_wrong_edge_is_exact() -> None:
    calls, edges = judged.measure(Path(os.environ["JUDGED_REPOSITORIES"]))
    order = [*LABELS, ""]
    worse = [
        (was, now.edge)
        for was, now in zip(judged.read_calls(), calls, strict=True)
        if order.index(now.edge) > order.index(was.edge)
    ]
    assert worse == []
    assert [edge for edge in edges if edge.edge == LABELS[0] and not edge.right] == []
    lost = [was for was, now in zip(judged.read_edges(), edges, strict=True) if was.right and not now.edge]
    assert lost == []
