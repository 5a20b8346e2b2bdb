"""Automatically captured memory appears in answers to memory queries only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core.memory import CAPTURED_KINDS
from scry.engine import Engine
from scry_protocol.messages import Answer, FindParams, ObserveParams, UseParams
from tests.acceptance.conftest import make_shop
from tests.polling import eventually

QUESTION = "fuse rankings by reciprocal rank"


@pytest.fixture
def jumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Return a shop in which the first result of a question was opened, and a command failed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    shop = make_shop(tmp_path / "shop")
    shop.update_index()
    with closing(shop.engine()) as engine:
        engine.observe(ObserveParams(kind="command", text="pytest -k fuse_rankings_by_reciprocal_rank", status=1))
        asked = engine.find(FindParams(QUESTION))
        engine.use(UseParams(asked.query_id, 1, "jump", "act-1"))
        noted = FindParams(QUESTION, types=["memory"])
        eventually(lambda: "jump" in kinds(engine.find(noted)), "the jump is noted")
        yield engine


def kinds(answer: Answer) -> set[str]:
    return {result.kind for result in answer.results if result.content_type == "memory"}


@pytest.mark.acceptance("M1", "F3")
def test_observed_memory_is_found_by_meaning_at_once(jumped: Engine) -> None:
    """This engine has no indexer."""
    jumped.observe(ObserveParams(kind="decision", text="Invoices are paid in euros alone"))
    answer = jumped.find(FindParams("invoices in euros", types=["memory"]))
    found = next(result for result in answer.results if result.kind == "decision")
    assert "semantic" in found.contributions


@pytest.mark.acceptance("F3", "M5")
def test_remembered_jumps_do_not_answer_where_questions(jumped: Engine) -> None:
    found = kinds(jumped.find(FindParams(QUESTION, limit=200)))
    assert "command" in found
    assert not found & CAPTURED_KINDS
    assert "jump" in kinds(jumped.find(FindParams(f"{QUESTION} type:memory", limit=200)))


@pytest.mark.acceptance("F3", "F15")
def test_word_that_a_command_alone_holds_is_found_first(jumped: Engine) -> None:
    """Commands, tests and edits are no documents with words and vectors of their own."""
    for number in range(12):
        jumped.observe(ObserveParams(kind="decision", text=f"kubectl frobnik{number} uses svc-{number}"))
    jumped.observe(ObserveParams(kind="command", text="kubectl frobnik77 apply", status=2))
    for query in ("type:memory frobnik77", "frobnik77"):
        answer = jumped.find(FindParams(query, limit=5))
        assert "frobnik77 occurs nowhere" not in answer.notice, query
    assert jumped.find(FindParams("type:memory frobnik77")).results[0].kind == "command"
    assert jumped.find(FindParams("frobnik77", types=["memory"])).results[0].kind == "command"
    assert "frobnik78" in jumped.find(FindParams("type:memory frobnik78")).notice


@pytest.mark.acceptance("M5")
def test_memory_questions_return_captured_events(jumped: Engine) -> None:
    asked = jumped.find(FindParams("what did I do about fuse rankings by reciprocal rank", limit=200))
    assert "jump" in kinds(asked)


@pytest.mark.acceptance("M5")
def test_memory_only_query_returns_memory_before_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    shop = make_shop(tmp_path / "shop")
    names = "why_did_tests_fail", "tests_fail", "fail", "test_fail", "why_tests_fail"
    shop.write(
        {f"shop/why_tests_fail_{n}.py": "".join(f"def {name}():\n    pass\n" for name in names) for n in range(9)}
    )
    shop.update_index()
    with closing(shop.engine()) as engine:
        for number in range(10):
            engine.observe(ObserveParams(kind="error", text=f"AssertionError: receipt {number} was sent twice"))
        found = engine.find(FindParams("why did tests fail")).results
    assert {result.content_type for result in found} == {"memory"}
