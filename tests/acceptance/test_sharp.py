"""The two sharp tests: one answer says what there is to know of a module (F12), and quiet truth beats noise (F13)."""

from __future__ import annotations

from contextlib import closing

import pytest
from msgspec import UNSET

from scry.oracles import ORACLES
from scry_protocol.messages import FindParams, ResultItem, WhyParams
from tests.acceptance.test_temporal import HOT, QUIET
from tests.sample.indexed import IndexedProject

RETRIEVAL = '''"""The retrieval module: finds what a query is about."""

from search.index import Index


class Retriever:
    """Retrieves the documents that match a query."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def retrieve(self, query: str) -> list[str]:
        """The best {number} documents for a query."""
        return self.index.look_up(query)[:{number}]
'''

INDEX = '''class Index:
    """Words and where they stand."""

    def look_up(self, query: str) -> list[str]:
        return [query] * {number}
'''


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Return a retrieval module that many files import and that changes with its index,
    beside a quiet fusion and noise.
    """
    sample = IndexedProject(tmp_path_factory.mktemp("sharp") / "search").init_repository()
    sample.write({"search/__init__.py": "", "search/fusion.py": QUIET})
    users = {
        f"search/use{number}.py": (
            "from search.engine import Engine\nfrom search.retrieval import Retriever\n\n\n"
            f"def answer_{number}(index, query):\n    return Retriever(index).retrieve(query), Engine\n"
        )
        for number in range(8)
    }
    sample.write(users)
    for number in range(1, 25):
        sample.write({"search/engine.py": HOT.format(number=number)})
        if number % 2:
            text = {"search/retrieval.py": RETRIEVAL, "search/index.py": INDEX}
            sample.write({path: body.replace("{number}", str(number)) for path, body in text.items()})
        sample.git("add", "-A")
        words = "Retrieval gives more documents" if number % 2 else f"Tune the engine {number}"
        sample.git("commit", "-q", "-m", words)
    sample.update_index()
    return sample


@pytest.mark.acceptance("F12")
def test_one_answer_has_purpose_use_activity_and_connections(
    search: IndexedProject,
) -> None:
    with closing(search.engine()) as engine:
        answer = engine.find(FindParams("What should I know about the retrieval module?", full=True))
    inside = [result for result in answer.results if result.doc_id.startswith("./search/retrieval.py")]
    assert answer.results[0] in inside
    best = answer.results[0]
    assert {"semantic", "lexical"} <= {name for result in inside for name in result.contributions}
    assert "retrieval" in (best.contributions["lexical"].matches or [])
    _is_used_alive_and_connected(best)
    for result in inside:
        for name, found in result.contributions.items():
            assert found.rank >= 1
            assert found.score_type == {"semantic": "cosine", "lexical": "bm25", "temporal": "co_change_count"}[name]
    assert set(answer.scoring.weights) == {oracle.name for oracle in ORACLES}


def _is_used_alive_and_connected(result: ResultItem) -> None:
    structural = result.annotations.structural
    assert structural is not UNSET
    assert (structural.importers, structural.centrality, structural.activity_level) == (8, "high", "high")
    assert "imp 8" in result.evidence
    assert result.full is not UNSET
    assert result.full.graph is not UNSET
    together = {link.doc_id: link.count for link in result.full.graph.co_changes}
    assert together["./search/index.py"] == 12


@pytest.mark.acceptance("F13", "W4")
def test_quiet_implementation_comes_first_by_meaning_or_words(search: IndexedProject) -> None:
    query = "Where is RRF fusion implemented?"
    with closing(search.engine()) as engine:
        answer = engine.find(FindParams(query))
        winner = answer.results[0]
        assert winner.doc_id == "./search/fusion.py::fuse"
        decoy = next(result for result in answer.results if result.doc_id.startswith("./search/engine.py"))
        noise = decoy.annotations.structural
        assert noise is not UNSET
        assert (noise.importers, noise.activity_level) == (8, "high")
        line = engine.why(WhyParams(winner.doc_id, query)).summary
    assert line.startswith("1st: ")
    assert "semantic" in line or "lexical" in line
