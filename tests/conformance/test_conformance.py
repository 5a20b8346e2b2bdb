"""Every acceptance query over every surface, on real processes: the same ids, order and JSON (F1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from scry.projects import open_project
from scry.store.events.learnt import WEIGHED_ADJUSTMENTS, WEIGHTS_FORMAT, HeldBackGain, LearntWeights, WeightsFile
from scry.store.events.log import WEIGHTS_FILE
from tests.conformance.cases import CASES, REFUSED, Case
from tests.conformance.ways import Json, Ways

pytestmark = pytest.mark.slow

TIMED_DIGITS = 3
"""So many digits of what decays with time are the same within a minute."""


def normal(value: Any, *, timed: bool) -> Any:  # noqa: ANN401 (JSON of any shape)
    """Return the answer without its own name and the index's generation, keys in their order."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {k: normal(v, timed=timed) for k, v in items if k not in ("query_id", "generation", "graph")}
    if isinstance(value, list):
        return [normal(each, timed=timed) for each in cast("list[Any]", value)]
    return round(value, TIMED_DIGITS) if timed and isinstance(value, float) else value


def as_text(answer: Json, case: Case) -> str:
    """As JSON: equal texts are equal to the byte. What `why` tells in words holds figures of the moment, too."""
    if case.timed and "text" in answer:
        answer = {key: value for key, value in answer.items() if key != "text"}
    return json.dumps(normal(answer, timed=case.timed), ensure_ascii=False, indent=1)


@pytest.mark.acceptance("F1", "P1")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_surface_gives_the_same_answer(ways: Ways, case: Case) -> None:
    answers = {name: as_text(answer, case) for name, answer in ways.ask(case.mode, case.params).items()}
    expected = answers.pop("cli")
    for name, answer in answers.items():
        assert answer == expected, name


@pytest.mark.acceptance("U1")
@pytest.mark.parametrize("params", [{}, {"all_projects": True}], ids=["one", "several"])
def test_what_was_used_votes_on_every_surface(ways: Ways, params: Json) -> None:
    for name, answer in ways.ask("find", {"query": "which totals of invoices are paid", **params}).items():
        assert answer["scoring"]["weights"]["use"], name
        [used] = [each for each in answer["results"] if "use" in each["contributions"]]
        assert used["doc_id"].endswith("./shop/pay.ts::payInvoice"), name
        assert "you opened this for 'which invoice totals are paid'" in used["contributions"]["use"]["snippet"], name


@pytest.mark.acceptance("U2")
def test_learnt_weights_rank_the_same_on_every_surface(ways: Ways, shop: Path) -> None:
    gain = HeldBackGain(0.5, 0.02, 0.01, 0.03)
    exponents = {**dict.fromkeys(WEIGHED_ADJUSTMENTS, 1.0), "path_words": 1.4}
    weights = LearntWeights(WEIGHTS_FORMAT, True, 0, 400, {"semantic": 0.5, "lexical": 2.0}, exponents, gain)
    file = WeightsFile(open_project(shop).data / WEIGHTS_FILE)
    file.write(weights)
    try:
        for case in (
            Case("learnt", "find", {"query": "how are ranks fused"}),
            Case("learnt-full", "find", {"query": "how are ranks fused", "full": True, "limit": 2}),
            Case("learnt-recent", "recent", {"query": "how are ranks fused"}, timed=True),
            Case("learnt-why", "why", {"doc_id": "./shop/fusion.py::fuse", "query": "how are ranks fused"}, timed=True),
            Case("learnt-status", "status"),
        ):
            answers = ways.ask(case.mode, case.params)
            assert len({as_text(answer, case) for answer in answers.values()}) == 1, case.name
            for name, answer in answers.items():
                if case.mode == "status":
                    assert answer["learning"].endswith("; weights of 400 jumps rank"), name
                else:
                    assert answer["scoring"]["exponents"] == exponents, name
        several = ways.ask("find", {"query": "how are ranks fused", "all_projects": True})
        assert {json.dumps(each["scoring"].get("exponents", {})) for each in several.values()} == {"{}"}
    finally:
        file.remove()


@pytest.mark.acceptance("F1", "F9")
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_every_surface_refuses_in_the_same_words(ways: Ways, case: Case) -> None:
    words = ways.refusals(case.mode, case.params)
    assert words["cli"]
    assert set(words.values()) == {words["cli"]}


@pytest.mark.acceptance("F1", "D1", "J2a")
@pytest.mark.parametrize("params", [{}, {"projects": ["shop", "post"]}], ids=["one", "several"])
def test_every_surface_explains_answers_of_every_other(ways: Ways, params: Json) -> None:
    for asked, asker in (
        (way.ask("find", {"query": "deliver a letter or fuse", **params}), way.name) for way in ways.all
    ):
        detail = {"query_id": asked["query_id"], "rank": 1}
        case = Case("detail", "detail", detail)
        shown = {name: as_text(answer, case) for name, answer in ways.ask("detail", detail).items()}
        assert len(set(shown.values())) == 1, asker
        assert json.loads(shown["lsp"])["state"] == "current"
        why = {"doc_id": asked["results"][0]["doc_id"], "query_id": asked["query_id"]}
        explained = ways.ask("why", why)
        assert {each["query"] for each in explained.values()} == {"deliver a letter or fuse"}, asker
