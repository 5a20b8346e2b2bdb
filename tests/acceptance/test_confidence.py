"""The confidence of a result: recomputed from the answer, comparable across questions, shown on every surface."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from scry.surfaces.render import describe_result_figures
from scry_protocol.messages import Answer, OrientParams
from tests.sample.indexed import IndexedProject, recomputed_confidence

pytestmark = pytest.mark.acceptance("F15")

QUESTIONS = (
    "where are rankings fused",
    "payInvoice",
    "how does the retry policy decide to try again",
    "open the shop",
    "asdkjhasd qwoeiu",
    "shop type:commit",
)


@pytest.mark.parametrize("query", QUESTIONS)
def test_confidence_is_recomputed_from_the_answer_alone(shop: IndexedProject, query: str) -> None:
    answer = msgspec.json.decode(json.dumps(msgspec.to_builtins(shop.find(query, limit=50))), type=Answer)
    assert answer.results
    for result in answer.results:
        expected = recomputed_confidence(
            result, answer.scoring.term_weights, cosine_counts=answer.scoring.cosine_counts
        )
        assert result.confidence == pytest.approx(expected, abs=1e-4)
        assert isinstance(result.confidence, float)
        assert ("weak" in result.evidence.split(" | ")) == (result.confidence < 0.1)


def test_rare_words_weigh_more_and_unknown_words_most(shop: IndexedProject) -> None:
    weights = shop.find("return invoice qwoeiu").scoring.term_weights
    assert weights["return"] < weights["invoice"] < weights["qwoeiu"]


def test_words_that_ask_for_a_commit_weigh_nothing(shop: IndexedProject) -> None:
    answer = shop.find("which commit added the invoice")
    assert list(answer.scoring.term_weights) == ["invoice"]
    assert {"commit", "added"} <= set(shop.find("the commit was added").scoring.term_weights), "it asks for none"


def test_one_bound_tells_answers_from_nonsense_and_near_misses(shop: IndexedProject) -> None:
    for query in ("where are rankings fused", "payInvoice", "reciprocal rank fusion", "add to the cart"):
        best = shop.find(query).results[0]
        assert shop.find(query, min_score=0.2).results[0].doc_id == best.doc_id
    nonsense = (
        "asdkjhasd qwoeiu",
        "how do I bake sourdough bread",
        "how are websocket frames decoded",
        "parseKubernetesManifest",
        "the capital of mongolia",
    )
    assert sum(bool(shop.find(query).results) for query in nonsense) >= 3
    for query in nonsense:
        assert not shop.find(query, min_score=0.2).results, query


def test_score_does_not_tell_what_the_confidence_tells(shop: IndexedProject) -> None:
    right, wrong = shop.find("where are rankings fused").results[0], shop.find("asdkjhasd qwoeiu").results[0]
    assert isinstance(right.confidence, float)
    assert isinstance(wrong.confidence, float)
    assert right.confidence > 0.5 > 0.1 > wrong.confidence


def test_explanations_show_the_confidence(shop: IndexedProject) -> None:
    result = shop.find("where are rankings fused").results[0]
    assert isinstance(result.confidence, float)
    assert f"confidence {result.confidence:.2f}" in describe_result_figures(result)[-1]


def test_browsing_has_no_confidence(shop: IndexedProject) -> None:
    answer = shop.ask(lambda engine: engine.orient(OrientParams("shop")))
    assert answer.results
    assert all(result.confidence is msgspec.UNSET for result in answer.results)
    assert answer.scoring.term_weights == {}


def test_commit_whose_subject_is_the_question_is_confident(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "shop").init_repository()
    sample.write({"cart.py": "def add(item):\n    return [item]\n"})
    sample.commit("Cart")
    sample.write({"cart.py": "def add(item):\n    return [item, item]\n"})
    sample.commit("Count every parcel twice on Sundays")
    sample.update_index()
    (commit,) = sample.find("count every parcel twice on sundays type:commit", min_score=0.5).results
    assert commit.title == "Count every parcel twice on Sundays"
