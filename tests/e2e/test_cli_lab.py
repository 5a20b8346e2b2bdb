"""`scry lab` as a person runs it: real processes, a real index, a real log."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry.lab import EvaluationRun, ReplayReport, RunComparison
from scry.projects import open_project
from scry.store.events import EVENTS_FILE
from scry.store.events.learnt import WEIGHTS_FORMAT, HeldBackGain, LearntWeights, WeightsFile
from scry.store.events.log import WEIGHTS_FILE
from scry_protocol.messages import Answer
from tests.e2e.command_line import CommandLine, Done
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

CASES: list[dict[str, Any]] = [
    {"query": "compute_total", "targets": ["shop/cart.py"], "category": "symbol"},
    {
        "query": "who mails the receipt to a customer",
        "targets": [{"path": "shop/mail.py", "start_line": 1, "end_line": 3}],
        "category": "semantic",
    },
    {"query": "compute_total prices", "targets": ["shop/nowhere.py"], "category": "symbol"},
]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    return CommandLine(make_repository(tmp_path / "shop", SHOP))


def ran(done: Done) -> str:
    assert (done.status, done.err) == (0, ""), done
    return done.out


def evaluated(shop: CommandLine, name: str, *options: str) -> EvaluationRun:
    out = shop.folder.parent / name
    ran(shop.run("lab", "eval", "../cases.jsonl", "--out", str(out), *options))
    return msgspec.json.decode(out.read_bytes(), type=EvaluationRun)


@pytest.mark.acceptance("L1")
def test_evaluation_scores_find_results_by_category(shop: CommandLine) -> None:
    run = evaluated(shop, "run.json")
    assert [evaluated_query.ranks for evaluated_query in run.asked[:2]] == [[1], [1]]
    assert run.asked[2].ranks == [None]
    assert {name: of.ndcg for name, of in run.categories.items()} == {"semantic": 1.0, "symbol": 0.5}
    assert run.figures.ndcg == pytest.approx(2 / 3)
    assert run.ground.missing == []
    assert run.ground.absent == ["shop/nowhere.py"]
    assert "Targets that name no indexed file: shop/nowhere.py" in ran(shop.run("lab", "eval", "../cases.jsonl"))
    for evaluated_query in run.asked:
        found = shop.find(evaluated_query.query).results
        assert [(each.doc_id, each.score) for each in evaluated_query.found] == [
            (each.doc_id, each.fused_score) for each in found
        ]


@pytest.mark.acceptance("L1")
def test_ablation_shows_oracles_and_adjustments_and_writes_a_report(shop: CommandLine) -> None:
    report = shop.folder.parent / "report.html"
    text = ran(shop.run("lab", "eval", "../cases.jsonl", "--ablate", "--verbose", "--html", str(report)))
    for name in ("without semantic", "lexical alone", "vector search", "keyword search", "without definition"):
        assert re.search(rf"^ *{name} +\d\.\d{{3}} ", text, re.MULTILINE), name
    assert "right 1. ./shop/cart.py::Cart.compute_total" in text
    assert "1 question with a target that is not among the first ten" in text
    assert report.read_bytes().startswith(b"<!doctype html>")


@pytest.mark.acceptance("L1")
def test_evaluation_leaves_no_log_entries_or_answers(shop: CommandLine) -> None:
    evaluated(shop, "run.json", "--ablate")
    ran(shop.run("lab", "why", "../run.json", "1"))
    assert not (open_project(shop.folder).data / EVENTS_FILE).exists()
    assert "No answer has returned it lately" in ran(shop.run("why", "./shop/cart.py"))


@pytest.mark.acceptance("L1")
def test_miss_is_replayed_with_explanations(shop: CommandLine) -> None:
    printed = ran(shop.run("lab", "eval", "../cases.jsonl", "--out", "../run.json"))
    assert "scry lab why ../run.json 3" in printed
    found = json.loads(ran(shop.run("lab", "why", "../run.json", "3", "--json")))
    missed, instead = found["explanations"]
    assert (missed["doc_id"], missed["status"]) == ("./shop/nowhere.py", "missing")
    assert instead["result"]["rank"] == 1
    text = ran(shop.run("lab", "why", "../run.json", "2"))
    assert "./shop/mail.py" in text
    assert "In find: 1st" in text


@pytest.mark.acceptance("L2")
def test_lab_compare_names_moved_questions(shop: CommandLine) -> None:
    evaluated(shop, "a.json")
    other = evaluated(shop, "b.json", "--without", "lexical", "--without", "definition", "--weight", "repeat=2")
    assert other.ground.recipe == "repeat 2, lexical 0, definition 0"
    compared = msgspec.json.decode(
        ran(shop.run("lab", "compare", "../a.json", "../b.json", "--seed", "5", "--json")), type=RunComparison
    )
    assert compared.questions == 3
    assert compared.difference.seed == 5
    moved = {
        evaluated_query.query
        for evaluated_query, usual in zip(other.asked, evaluated(shop, "a.json").asked, strict=True)
        if evaluated_query.ndcg != usual.ndcg
    }
    assert {each.query for each in compared.moved} == moved
    assert "3 questions asked by both" in ran(shop.run("lab", "compare", "../a.json", "../b.json"))


@pytest.mark.acceptance("L3")
def test_use_becomes_a_gold_case_to_evaluate_and_replay(shop: CommandLine) -> None:
    answer: Answer = shop.find("where are prices summed")
    assert shop.run("copy", answer.query_id, "1").status == 0
    gold = shop.folder.parent / "gold.jsonl"
    done = shop.run("lab", "gold", "--out", str(gold))
    assert (done.status, done.err) == (0, f"1 question; now: scry lab eval {gold}\n")
    assert json.loads(gold.read_text())["targets"][0]["doc_id"] == answer.results[0].doc_id
    assert "where are prices summed" in ran(shop.run("lab", "eval", str(gold), "--verbose"))
    same = msgspec.json.decode(ran(shop.run("lab", "replay", "--json")), type=ReplayReport)
    assert (same.questions, same.same, same.overlap) == (1, 1, 1.0)


@pytest.mark.acceptance("L3")
def test_replay_shows_effects_of_index_and_weight_changes(shop: CommandLine) -> None:
    answer = shop.find("where are prices summed")
    first = answer.results[0].doc_id
    assert shop.run("copy", answer.query_id, "1").status == 0
    (shop.folder / "shop/cart.py").unlink()
    replay = msgspec.json.decode(ran(shop.run("lab", "replay", "--json")), type=ReplayReport)
    assert replay.moved[0].used[0].before == 1
    assert replay.moved[0].used[0].after is None
    assert replay.used is not None
    assert replay.used.mean == -1
    text = ran(shop.run("lab", "replay", "--without", "semantic"))
    assert "Weighed otherwise: semantic 0" in text
    assert f"used #1 → – {first}" in text


@pytest.mark.acceptance("L3")
def test_replay_does_not_blame_the_ranking_for_what_the_oracle_of_use_found_first(shop: CommandLine) -> None:
    """That oracle took part in the second answer, and takes no part in the replay."""
    question = "where are prices summed"
    last = shop.find(question).results[-1]
    for _ in range(2):
        answer = shop.find(question)
        rank = next(each.rank for each in answer.results if each.doc_id == last.doc_id)
        assert shop.run("copy", answer.query_id, str(rank)).status == 0
    assert any("use" in each.contributions for each in shop.find(question).results)
    replay = msgspec.json.decode(ran(shop.run("lab", "replay", "--json")), type=ReplayReport)
    assert (replay.questions, replay.with_use, replay.used) == (1, 1, None)
    text = ran(shop.run("lab", "replay"))
    assert "The oracle of use takes no part now. It did then in the answers to 1 question with a use" in text
    assert "Mean of 1 / rank" not in text


@pytest.mark.acceptance("L3")
def test_replay_leaves_out_questions_that_several_projects_answered(shop: CommandLine) -> None:
    other = CommandLine(
        make_repository(shop.folder.parent / "depot", {"depot.py": "def sum_prices():\n    return 1\n"})
    )
    assert other.run("project", "add", ".").status == 0
    together = shop.find("where are prices summed", "--all-projects")
    assert {each.project for each in together.results} == {"shop", "depot"}
    alone = shop.run("lab", "replay")
    assert "no logged question found anything in this project alone yet" in alone.err
    shop.find("where are prices summed")
    replay = msgspec.json.decode(ran(shop.run("lab", "replay", "--json")), type=ReplayReport)
    assert (replay.questions, replay.same, replay.merged) == (1, 1, 1)
    assert "1 question left out: several projects or a team answered." in ran(shop.run("lab", "replay"))


@pytest.mark.acceptance("L3")
def test_replay_ranks_by_the_learnt_weights_that_rank_now(shop: CommandLine) -> None:
    gain = HeldBackGain(0.5, 0.1, 0.05, 0.15)
    weights = LearntWeights(
        WEIGHTS_FORMAT, True, 0, 300, {"semantic": 0.5, "lexical": 2.0}, {"path_words": 0.5, "file_meaning": 0.5}, gain
    )
    usual = shop.find("mail the receipt of a cart").results
    file = WeightsFile(open_project(shop.folder).data / WEIGHTS_FILE)
    file.write(weights)
    weighed = shop.find("mail the receipt of a cart").results
    assert [each.doc_id for each in weighed] != [each.doc_id for each in usual]
    assert evaluated(shop, "run.json").ground.leaves_out_learnt
    told = "The weights learnt from jumps, which rank in this project, take no part here."
    assert told in ran(shop.run("lab", "eval", "../cases.jsonl"))
    replay = msgspec.json.decode(ran(shop.run("lab", "replay", "--json")), type=ReplayReport)
    assert (replay.questions, replay.same) == (1, 1)
    ran(shop.run("learn", "off"))
    assert told not in ran(shop.run("lab", "eval", "../cases.jsonl"))
    replay = msgspec.json.decode(ran(shop.run("lab", "replay", "--json")), type=ReplayReport)
    assert replay.moved[0].after == [each.doc_id for each in usual]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("eval", "../none.jsonl"), "can't be read"),
        (("eval", "../cases.jsonl", "--weight", "repeat"), "is not NAME=X"),
        (("eval", "../cases.jsonl", "--without", "reapet"), "'reapet' moves nothing here"),
        (("eval", "../cases.jsonl", "--out", "/none/run.json"), "can't be written"),
        (("why", "../cases.jsonl", "1"), "is no run"),
        (("compare", "../cases.jsonl", "../cases.jsonl"), "before: "),
        (("gold",), "nothing was logged"),
        (("replay",), "nothing was logged"),
        (("replay", "--last", "0"), "last: "),
    ],
)
def test_lab_errors_name_the_parameter(shop: CommandLine, words: tuple[str, ...], what: str) -> None:
    done = shop.run("lab", *words)
    assert done.status == 2
    assert done.err.startswith("scry: ")
    assert what in done.err
    assert done.err.count("\n") == 1
