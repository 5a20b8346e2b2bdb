"""Past questions are replayed once a version, compared with the version before, and told in the status (L3)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from scry.core import EventFilter, load_settings
from scry.engine import Engine
from scry.lab import upgrade_check
from scry.lab.upgrade_check import check_upgrade, compare_with
from scry.store.events import forget_events
from scry.store.events.learnt import WEIGHTS_FORMAT, HeldBackGain, LearntWeights, WeightsFile
from scry.store.events.replays import (
    MIN_CASES,
    REPLAY_FILE,
    AnsweringVersion,
    ReplayRecord,
    add_replay,
    digest_weights,
    read_replays,
)
from scry_protocol import messages
from tests.sample.choices import log_choices
from tests.sample.files import SHOP
from tests.sample.indexed import IndexedProject

pytestmark = pytest.mark.acceptance("L3")

CASES = 10
"""Least number of cases in these tests, which ask each of them; the product's is 30."""

OLD = AnsweringVersion("0.0.1+1", "old", "")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexedProject:
    monkeypatch.setattr(upgrade_check, "MIN_CASES", CASES)
    project = IndexedProject(tmp_path / "shop").init_repository()
    project.write(SHOP)
    project.commit("The shop")
    project.update_index()
    return project


def replay(project: IndexedProject) -> ReplayRecord | None:
    return check_upgrade(project.project, load_settings(project.root, {}))


def status(project: IndexedProject) -> str:
    with closing(project.engine()) as engine:
        return engine.status().replay


def pretend_older(project: IndexedProject, record: ReplayRecord, rank: int | None = None) -> None:
    """Store a record as if an older version had made it. rank: of every choice; None for as it was."""
    ranks = record.ranks if rank is None else dict.fromkeys(record.ranks, rank)
    (project.project.data / REPLAY_FILE).unlink(missing_ok=True)
    add_replay(project.project.data, ReplayRecord(OLD, 0, ranks))


def test_a_version_is_replayed_once_and_becomes_the_baseline(shop: IndexedProject) -> None:
    log_choices(shop, CASES)
    first = replay(shop)
    assert first is not None
    assert (len(first.ranks), first.outcome) == (CASES, None)
    assert replay(shop) is None
    assert status(shop) == f"{CASES} past questions kept, to compare the next version with"


def test_an_upgrade_that_finds_choices_as_before_is_no_worse(shop: IndexedProject) -> None:
    log_choices(shop, CASES)
    first = replay(shop)
    assert first is not None
    pretend_older(shop, first)
    second = replay(shop)
    assert second is not None
    assert second.outcome is not None
    assert (second.ranks, second.outcome.is_worse, second.outcome.later) == (first.ranks, False, 0)
    assert status(shop).startswith(f"{CASES} past questions answered no worse than with Scry 0.0.1+1")


def test_an_upgrade_that_finds_choices_later_is_told_with_the_way_back(shop: IndexedProject) -> None:
    log_choices(shop, CASES, last=True)
    first = replay(shop)
    assert first is not None
    assert max(first.ranks.values()) > 1
    pretend_older(shop, first, rank=1)
    assert replay(shop) is not None
    told = status(shop)
    assert told.startswith(f"your own questions got worse: of {CASES} past questions, ")
    assert "scry lab replay" in told
    assert "pip install scry-sidecar==0.0.1" in told
    assert "the setting model" in told


def test_learnt_weights_are_a_version_and_rank(shop: IndexedProject) -> None:
    log_choices(shop, CASES, last=True)
    first = replay(shop)
    assert first is not None
    gain = HeldBackGain(0.5, 0.1, 0.05, 0.15)
    weights = LearntWeights(
        WEIGHTS_FORMAT, True, 0, 300, {"lexical": 0.5, "semantic": 2.0}, {"path_words": 0.5, "file_meaning": 0.5}, gain
    )
    file = WeightsFile(shop.project.data / "weights.json")
    file.write(weights)
    assert status(shop) == ""
    second = replay(shop)
    assert second is not None
    assert second.version.weights
    assert second.ranks != first.ranks
    assert "with the default weights" in status(shop)
    file.write(msgspec.structs.replace(weights, is_on=False))
    assert digest_weights(shop.project.data / "weights.json") == ""
    (shop.project.data / "weights.json").write_text("[")
    assert digest_weights(shop.project.data / "weights.json") == ""


def test_nothing_is_replayed_of_few_choices_or_of_documents_that_are_gone(shop: IndexedProject) -> None:
    log_choices(shop, CASES - 1)
    assert replay(shop) is None
    log_choices(shop, 1, begin=CASES)
    for path in ("shop/cart.py", "shop/mail.py"):
        (shop.root / path).unlink()
    shop.update_index()
    assert replay(shop) is None
    assert status(shop) == ""


def test_answers_rated_bad_are_no_cases(shop: IndexedProject) -> None:
    ids = log_choices(shop, CASES)
    with closing(shop.engine()) as engine:
        engine.feedback(messages.FeedbackParams(query_id=ids[0], signal="bad"))
    assert replay(shop) is None


def test_no_word_of_a_question_is_kept_and_forgotten_questions_go(shop: IndexedProject) -> None:
    ids = log_choices(shop, CASES + 1)
    first = replay(shop)
    assert first is not None
    assert b"cart" not in (shop.project.data / REPLAY_FILE).read_bytes()
    forget_events(shop.project.data, EventFilter(query_id=ids[0]), 0)
    assert ids[0] not in (shop.project.data / REPLAY_FILE).read_text()
    pretend_older(shop, first)
    second = replay(shop)
    assert second is not None
    assert set(second.ranks) == set(first.ranks) - {ids[0]}


def test_the_status_is_silent_while_the_log_is_off(shop: IndexedProject) -> None:
    log_choices(shop, CASES)
    assert replay(shop) is not None
    assert status(shop)
    settings = load_settings(shop.root, {"SCRY_LOG": "false"})
    with closing(Engine.open(shop.root, settings, start_indexer=False)) as engine:
        assert engine.status().replay == ""


def test_time_bounds_a_replay(shop: IndexedProject) -> None:
    log_choices(shop, CASES)
    asked = iter([True] * 3 + [False] * 3)
    assert check_upgrade(shop.project, load_settings(shop.root, {}), lambda: next(asked)) is None
    assert next(asked) is False


def test_a_damaged_file_of_replays_is_as_none(shop: IndexedProject) -> None:
    (shop.project.data).mkdir(parents=True, exist_ok=True)
    (shop.project.data / REPLAY_FILE).write_text("{")
    assert read_replays(shop.project.data) == []
    assert status(shop) == ""


def test_few_common_questions_are_not_compared() -> None:
    before = ReplayRecord(OLD, 0, {f"q{at}": 1 for at in range(MIN_CASES - 1)})
    assert compare_with(before, {f"q{at}": 0 for at in range(MIN_CASES * 2)}) is None


def test_cases_of_the_version_before_come_first_and_are_bounded(
    shop: IndexedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade_check, "MAX_CASES", CASES + 5)
    monkeypatch.setattr(upgrade_check, "MAX_OLD_CASES", CASES)
    old = log_choices(shop, CASES)
    first = replay(shop)
    assert first is not None
    log_choices(shop, 12, begin=CASES)
    pretend_older(shop, first)
    second = replay(shop)
    assert second is not None
    assert set(old) <= set(second.ranks)
    assert len(second.ranks) == CASES + 5
