"""The history as a running indexer keeps it, and as the command line finds it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scry.core import load_settings
from scry.engine import Engine, HistoryAccess
from scry_protocol.messages import RecentParams
from tests.polling import PATIENCE_S, eventually
from tests.sample.indexer import IndexerProject

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[IndexerProject]:
    sample = IndexerProject(tmp_path / "shop")
    sample.write_file("shop/cart.py", "def add_to_cart(item):\n    return item\n")
    sample.write_file("shop/till.py", "def open_till():\n    return 1\n")
    yield sample
    sample.end()


def start_git(sample: IndexerProject) -> None:
    sample.git("init", "-q", "-b", "main")
    sample.commit()


def commits(sample: IndexerProject) -> int:
    history = HistoryAccess(sample.project)
    try:
        store = history.read()
        return store.commit_count if store else 0
    finally:
        history.close()


@pytest.mark.acceptance("F11")
def test_history_follows_the_files_and_head(sample: IndexerProject) -> None:
    start_git(sample)
    indexer = sample.connect_when_ready()
    eventually(lambda: indexer.state().history == "ready", "the history")
    before = indexer.state().generation
    sample.write_file("shop/till.py", "def open_till():\n    return 2\n")
    head = sample.commit()
    eventually(lambda: commits(sample) == 2, "the new commit")
    eventually(
        lambda: indexer.state().history == "ready" and indexer.state().index_commit == head,
        "the state of the new commit",
    )
    assert indexer.state().generation > before
    sample.git("commit", "-q", "--amend", "-m", "said otherwise")  # no file changes
    eventually(lambda: HistoryAccess(sample.project).is_current(), "the amended commit")
    sample.git("reset", "-q", "--hard", "HEAD~1")
    eventually(lambda: commits(sample) == 1, "the commit's end")
    indexer.control("rebuild")
    state = indexer.wait_until_current(PATIENCE_S)
    eventually(lambda: indexer.state().history == "ready", "the history anew")
    assert (state.state, commits(sample)) == ("ready", 1)


@pytest.mark.acceptance("F11")
def test_history_is_none_until_there_is_a_commit(sample: IndexerProject) -> None:
    indexer = sample.connect_when_ready()
    assert indexer.state().history == "none"
    start_git(sample)
    assert indexer.wait_until_current(PATIENCE_S).state == "ready"
    sample.write_file("shop/new.py", "x = 1\n")
    indexer.report_changed_paths(["shop/new.py"])
    eventually(lambda: indexer.state().history == "ready", "the history")


@pytest.mark.acceptance("F1", "F11")
def test_command_line_indexes_a_commit_without_file_changes(sample: IndexerProject) -> None:
    start_git(sample)
    assert ask(sample.root, "empty-handed type:commit")["results"] == []
    sample.git("commit", "-q", "--allow-empty", "-m", "Came back empty-handed")
    answer = ask(sample.root, "empty-handed type:commit")
    assert [result["title"] for result in answer["results"]] == ["Came back empty-handed"]
    assert answer["index"]["history"] == "ready"


@pytest.mark.acceptance("R1", "F11")
def test_recent_changes_of_a_new_project_come_before_its_files_are_read(sample: IndexerProject) -> None:
    sample.write_many_files(3000)
    start_git(sample)
    sample.git("commit", "-q", "--allow-empty", "-m", "The newest of all")
    with closing(Engine.open(sample.root, load_settings(sample.root, os.environ))) as engine:

        def titles() -> list[str]:
            return [result.title for result in engine.recent(RecentParams()).results]

        eventually(lambda: "The newest of all" in titles(), "the newest commit")
        assert engine.status().state == "indexing"


def ask(root: Path, query: str) -> dict[str, Any]:
    command = [str(Path(sys.executable).parent / "scry"), "find", "--json", "--", query]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(run.stdout)
    assert run.returncode == (0 if found["results"] else 1), run.stderr
    return found
