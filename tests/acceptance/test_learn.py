"""Weights that fit: learnt from jumps, judged on held-back ones, applied by consent, told, and taken back (U2)."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from scry.core import load_settings
from scry.core.events import QUERY, USE, EventFilter, LogEvent, StoredEvent
from scry.engine import Engine
from scry.engine.activity.weights import MIN_JUMPS, MIN_QUESTIONS, fit_if_due, fit_weights
from scry.store.events import EventLog, EventReader
from scry.store.events.learner import note_fit, read_progress
from scry.store.events.learnt import (
    EXPONENT_BOUNDS,
    ORACLE_BOUNDS,
    WEIGHED_ADJUSTMENTS,
    WEIGHTS_FORMAT,
    HeldBackGain,
    LearntWeights,
    WeightsFile,
)
from scry.store.events.log import WEIGHTS_FILE
from scry_protocol import messages
from tests.sample.choices import log_jumps
from tests.sample.files import SHOP
from tests.sample.indexed import IndexedProject, doc_ids, recomputed_score

pytestmark = pytest.mark.acceptance("U2")

QUESTION = "how is the receipt of a cart printed"

EXPONENTS = {**dict.fromkeys(WEIGHED_ADJUSTMENTS, 1.0), "path_words": 1.4, "test_path": 0.6, "file_words": 0.5}
ORACLES = {"semantic": 0.5, "lexical": 2.0, "temporal": 1.5, "use": 1.2}
WEIGHTS = LearntWeights(
    WEIGHTS_FORMAT, True, 1_767_225_600_000, 400, ORACLES, EXPONENTS, HeldBackGain(0.5, 0.02, 0.01, 0.03)
)


@pytest.fixture
def shop(tmp_path: Path) -> IndexedProject:
    project = IndexedProject(tmp_path / "shop").init_repository()
    project.write(SHOP)
    project.commit("The shop")
    project.update_index()
    return project


def weights_file(project: IndexedProject) -> WeightsFile:
    project.project.data.mkdir(parents=True, exist_ok=True)
    return WeightsFile(project.project.data / WEIGHTS_FILE)


def test_weights_fit_what_is_jumped_to_and_gain_on_held_back_jumps(tmp_path: Path) -> None:
    log_jumps(tmp_path, 400)
    fit = fit_weights(tmp_path)
    weights = fit.weights
    assert weights is not None
    assert fit.jumps == 400
    assert weights.oracles["lexical"] > 1.1 > 0.9 > weights.oracles["semantic"]
    assert weights.held_back.low > 0
    assert fit.excludes_a_loss
    assert weights.oracles["persona"] == 1.0  # nothing was said of it
    assert set(weights.adjustments.values()) == {1.0}
    assert all(ORACLE_BOUNDS[0] <= each <= ORACLE_BOUNDS[1] for each in weights.oracles.values())
    assert all(EXPONENT_BOUNDS[0] <= each <= EXPONENT_BOUNDS[1] for each in weights.adjustments.values())
    assert not (tmp_path / WEIGHTS_FILE).exists()  # nothing is applied unasked


def test_too_few_jumps_fit_nothing(tmp_path: Path) -> None:
    assert fit_weights(tmp_path).jumps == 0
    log_jumps(tmp_path, MIN_JUMPS - 1)
    fit = fit_weights(tmp_path)
    assert (fit.jumps, fit.weights) == (MIN_JUMPS - 1, None)


def test_jumps_to_what_comes_first_move_hardly_anything(tmp_path: Path) -> None:
    log_jumps(tmp_path, 400, "semantic")
    weights = fit_weights(tmp_path).weights
    assert weights is not None
    assert weights.oracles["semantic"] > weights.oracles["lexical"]
    assert weights.held_back.low >= 0


def test_a_damaged_log_costs_what_is_damaged_of_it(tmp_path: Path) -> None:
    log_jumps(tmp_path, 350)
    broken = ["{", "[]", '{"rank": "x"}', '{"rank": -1, "result_used": "./f1.py::f", "how": "jump"}', ""]
    with closing(EventLog.open(tmp_path, lambda: None)) as log:
        for number, body in enumerate(broken):
            log.append([LogEvent(QUERY, 0, '{"mode": "find", "query": 7}', f"x{number}")])
            log.append([LogEvent(USE, int(time.time() * 1000), body, f"x{number}", f"x{number}")])
            log.append([LogEvent(USE, int(time.time() * 1000), body, "q1", f"y{number}")])
    assert fit_weights(tmp_path).jumps == 350


def test_learnt_weights_rank_and_stand_in_the_answer(shop: IndexedProject) -> None:
    before = shop.find(QUESTION)
    assert before.scoring.exponents == {}
    weights_file(shop).write(WEIGHTS)
    after = shop.find(QUESTION)
    assert after.scoring.exponents == EXPONENTS
    for name, weight in before.scoring.weights.items():
        assert after.scoring.weights[name] == weight * ORACLES.get(name, 1.0)
    factors = {each.doc_id: {one.name: one.factor for one in each.adjustments} for each in before.results}
    compared = 0
    for result in after.results:
        assert recomputed_score(after, result) == pytest.approx(result.fused_score, abs=1e-12)
        assert result.fused_score <= 1
        for one in result.adjustments:
            if one.name == "path_words" and result.doc_id in factors:
                assert one.factor == pytest.approx(factors[result.doc_id]["path_words"] ** 1.4)
                compared += 1
    assert compared
    with closing(shop.engine()) as engine:
        asked = engine.find(messages.FindParams(QUESTION))
        explained = engine.why(messages.WhyParams(asked.results[-1].doc_id, query_id=asked.query_id))
        assert engine.status().learning.endswith("; weights of 400 jumps rank")
    assert isinstance(explained.scoring, messages.Scoring)
    assert explained.scoring.exponents == EXPONENTS
    assert isinstance(explained.result, messages.ResultItem)
    assert explained.result.rank == len(asked.results)
    assert explained.result.fused_score == asked.results[-1].fused_score


def test_the_log_has_the_weights_that_ranked(shop: IndexedProject) -> None:
    weights_file(shop).write(WEIGHTS)
    with closing(shop.engine()) as engine:
        asked = engine.find(messages.FindParams(QUESTION))
        assert engine.use(messages.UseParams(asked.query_id, 1, "jump", "one")).recorded
        [body] = [
            json.loads(each.event.body)
            for each in _events(shop.project.data)
            if each.event.query_id == asked.query_id and each.event.kind == QUERY
        ]
    assert body["scoring"] == {"weights": asked.scoring.weights, "exponents": EXPONENTS}


def _events(data: Path) -> list[StoredEvent]:
    reader = EventReader.open(data)
    assert reader is not None
    with closing(reader):
        return reader.select_events(EventFilter())


@pytest.mark.acceptance("F8", "M5")
@pytest.mark.parametrize("query", ["compute_total", "resume work", "which commit added the shop"])
def test_promised_orders_keep_the_defaults(shop: IndexedProject, query: str) -> None:
    before = shop.find(query)
    weights_file(shop).write(WEIGHTS)
    after = shop.find(query)
    assert after.scoring == before.scoring
    assert [(each.doc_id, each.fused_score) for each in after.results] == [
        (each.doc_id, each.fused_score) for each in before.results
    ]


def test_weights_are_switched_off_by_file_and_by_setting(shop: IndexedProject) -> None:
    before = shop.find(QUESTION)
    weights_file(shop).write(replace(WEIGHTS, is_on=False))
    with closing(shop.engine()) as engine:
        assert engine.find(messages.FindParams(QUESTION)).scoring == before.scoring
        assert engine.status().learning.endswith("; weights of 400 jumps are off")
        weights_file(shop).write(WEIGHTS)
        assert engine.find(messages.FindParams(QUESTION)).scoring.exponents == EXPONENTS  # heeded at once
    for name in ("SCRY_LOG", "SCRY_LEARN"):
        settings = load_settings(shop.root, {name: "false"})
        with closing(Engine.open(shop.root, settings, start_indexer=False)) as engine:
            assert engine.find(messages.FindParams(QUESTION)).scoring == before.scoring
            assert engine.status().learning.startswith("off")


def _text(**changes: object) -> str:
    value = {"format": 1, "is_on": True, "fitted_ms": 1, "jumps": 300, "oracles": ORACLES, "adjustments": EXPONENTS}
    held_back = {"before": 0.5, "gain": 0.01, "low": 0.0, "high": 0.02}
    return json.dumps({**value, "held_back": held_back, **changes})


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "null",
        _text(format=99),
        _text(oracles={"lexical": 1e300}),
        _text(oracles={"lexical": -1}),
        _text(adjustments={"definition": 0.5}),
        _text(adjustments={"unheard_of": 1.0}),
        _text(adjustments={}),
        _text(jumps="many"),
    ],
)
def test_a_damaged_file_is_the_defaults_and_a_notice(shop: IndexedProject, content: str) -> None:
    before = shop.find(QUESTION)
    weights_file(shop)
    (shop.project.data / WEIGHTS_FILE).write_text(content)
    after = shop.find(QUESTION)
    assert after.scoring == before.scoring
    assert doc_ids(after) == doc_ids(before)
    assert after.faults == []
    assert "the learnt weights can't be read" in after.notice
    assert "scry learn reset" in after.notice
    with closing(shop.engine()) as engine:
        assert "can't be read" in engine.status().learning


def test_weights_of_another_user_do_not_rank(shop: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    weights_file(shop).write(WEIGHTS)
    monkeypatch.setattr("os.getuid", lambda: 4321)
    answer = shop.find(QUESTION)
    assert answer.scoring.exponents == {}
    assert "belongs to another user" in answer.notice


def test_by_itself_only_where_held_back_jumps_exclude_a_loss(tmp_path: Path) -> None:
    data, file = tmp_path / "a", WeightsFile(tmp_path / "a" / WEIGHTS_FILE)
    log_jumps(data, 500)
    assert read_progress(data).has_work(fits_weights=True)
    fit_if_due(data)
    weights = file.read()
    assert weights is not None
    assert weights.is_on
    assert read_progress(data).fitted == read_progress(data).last
    file.remove()
    fit_if_due(data)  # not due: nothing new was written
    assert file.read() is None
    note_fit(data, 0)
    file.write(replace(weights, is_on=False, jumps=7))
    fit_if_due(data)
    assert file.read() == replace(weights, is_on=False, jumps=7)  # what was switched off stays off
    few, nothing = tmp_path / "b", WeightsFile(tmp_path / "b" / WEIGHTS_FILE)
    log_jumps(few, 250)
    fit_if_due(few)
    assert nothing.read() is None


def test_weights_of_few_different_questions_are_not_trusted(tmp_path: Path) -> None:
    log_jumps(tmp_path, 400, different=MIN_QUESTIONS - 1)
    fit = fit_weights(tmp_path)
    assert fit.weights is not None
    assert fit.weights.held_back.low > 0
    assert fit.questions == MIN_QUESTIONS - 1  # the same words in another order are the same question
    assert not fit.excludes_a_loss
    fit_if_due(tmp_path)
    assert not (tmp_path / WEIGHTS_FILE).exists()


def test_the_pruned_ranking_is_the_whole_one_by_learnt_weights(shop: IndexedProject) -> None:
    shop.write({f"pkg/part{number}.py": f"def print_cart_{number}():\n    '''Prints.'''\n" for number in range(60)})
    shop.update_index()
    weights_file(shop).write(WEIGHTS)
    some, every = shop.find(QUESTION, 3), shop.find(QUESTION, 100)
    assert [(each.doc_id, each.fused_score) for each in some.results] == [
        (each.doc_id, each.fused_score) for each in every.results[:3]
    ]
