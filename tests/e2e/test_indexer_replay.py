"""An idle indexer learns from a long log, and replays past questions after an upgrade, once."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from scry.core import load_settings
from scry.engine import Engine
from scry.store.events.learner import read_progress
from scry.store.events.learnt import WeightsFile
from scry.store.events.log import WEIGHTS_FILE
from scry.store.events.replays import (
    MIN_CASES,
    AnsweringVersion,
    ReplayRecord,
    add_replay,
    read_replays,
)
from tests.polling import eventually
from tests.sample.choices import log_choices, log_jumps
from tests.sample.files import SHOP
from tests.sample.indexed import IndexedProject
from tests.sample.indexer import IndexerProject

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("L3")]

OLDER = AnsweringVersion("0.0.1+1", "an older model", "")


@contextmanager
def ended(sample: IndexerProject) -> Generator[IndexerProject]:
    """End what was started for the project."""
    try:
        yield sample
    finally:
        sample.end()


def test_an_idle_indexer_replays_past_questions_once_a_version(tmp_path: Path) -> None:
    project = IndexedProject(tmp_path / "shop").init_repository()
    project.write(SHOP)
    project.commit("The shop")
    project.update_index()
    asked = log_choices(project, MIN_CASES, last=True)
    data = project.project.data
    add_replay(data, ReplayRecord(OLDER, 0, dict.fromkeys(asked, 1)))  # as if that version had found all of it first
    with ended(IndexerProject(project.root)) as sample:
        client = sample.connect_when_ready()
        eventually(lambda: len(read_replays(data)) == 2, "past questions are replayed")
        record = read_replays(data)[-1]
        assert record.version.model == client.state().model
        assert record.outcome is not None
        assert record.outcome.is_worse
        with closing(Engine.open(project.root, load_settings(project.root, os.environ), start_indexer=False)) as engine:
            told = engine.status().replay
        assert told.startswith(f"your own questions got worse: of {MIN_CASES} past questions")
        log = project.project.cache / "indexer.log"
        eventually(lambda: "past questions were replayed: status 0" in log.read_text(), "the replay has ended")
        assert log.read_text().count("replaying past questions") == 1


@pytest.mark.acceptance("U2")
def test_an_idle_indexer_learns_from_a_long_log_and_fits_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRY_LEARN_WEIGHTS", "auto")
    with ended(IndexerProject(tmp_path / "shop")) as sample:
        sample.write_file("shop/cart.py", SHOP["shop/cart.py"])
        data = sample.project.data
        log_jumps(data, 500)
        assert read_progress(data).has_work(fits_weights=True)
        sample.connect_when_ready()
        eventually(lambda: not read_progress(data).has_work(fits_weights=True), "the log is learnt from")
        weights = WeightsFile(data / WEIGHTS_FILE).read()
        assert weights is not None
        assert weights.is_on
        assert weights.oracles["lexical"] > 1 > weights.oracles["semantic"]
