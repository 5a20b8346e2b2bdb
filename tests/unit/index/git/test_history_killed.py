"""A history update that is killed after any of its writes: the next one ends with the history of a fresh reading."""

from __future__ import annotations

import gc
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from scry.index.git import history as history_module
from scry.projects import head_commit, open_project
from scry.store.history import read_history_state
from scry.store.history.database import HistoryDatabase
from tests.sample.history import HistoryProject
from tests.unit.index.git.history_states import state_of


class KilledError(BaseException):
    """The end of the process, where it is simulated."""


def write(sample: HistoryProject) -> None:
    for number in range(4):
        sample.commit(f"c{number}", {"a.py": f"def first():\n    return {number}\n", f"f{number}.py": f"{number}\n"})


def edit_and_rename(sample: HistoryProject) -> None:
    sample.commit("edited", {"a.py": "def first():\n    return 'edited'\n", "f0.py": "def other():\n    pass\n"})
    sample.git("mv", "a.py", "b.py")
    sample.commit("renamed")
    sample.commit("edited again", {"b.py": "def first():\n    return 'again'\n"})


def take_rename_back(sample: HistoryProject) -> None:
    sample.git("reset", "-q", "--hard", "HEAD~2")
    sample.commit("another", {"f1.py": "def first():\n    pass\n"})


@contextmanager
def killed_after(writes: int) -> Generator[None]:
    """Raise KilledError after so many transactions."""
    transaction, left = HistoryDatabase.transaction, writes

    @contextmanager
    def counted(self: HistoryDatabase) -> Generator[None]:
        nonlocal left
        with transaction(self):
            yield
        left -= 1
        if left == 0:
            raise KilledError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HistoryDatabase, "transaction", counted)
        yield


def is_killed(sample: HistoryProject, writes: int) -> bool:
    """Update until so many writes were made; return whether that many were made."""
    try:
        with killed_after(writes):
            sample.update_all()
    except KilledError:
        return True
    finally:
        gc.collect()  # what the killed update had open
    return False


def history_state(sample: HistoryProject) -> str:
    with sample.history() as store:
        return read_history_state(head_commit(sample.folder), store.reader).state


def changed_documents(cache: Path) -> list[tuple[str, str]]:
    """Return each document with each commit that changed it."""
    with closing(sqlite3.connect(cache / "history.sqlite")) as database:
        joined = "touched t JOIN symbols s ON s.id = t.symbol JOIN commits k USING (number)"
        return sorted(database.execute(f"SELECT s.doc_id, hex(k.sha) FROM {joined}"))


def state(sample: HistoryProject) -> object:
    cache = open_project(sample.folder).cache
    return state_of(cache), changed_documents(cache)


@pytest.mark.slow
def test_update_killed_after_any_write_is_completed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "BATCH_COMMITS", 2)
    monkeypatch.setattr(history_module, "NEWEST_COMMITS", 1)
    sample = HistoryProject(tmp_path / "shop").init_repository()
    write(sample)
    before = sample.git("rev-parse", "HEAD")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / before))
    sample.update_all()
    for change in (edit_and_rename, take_rename_back):
        change(sample)
        after = sample.git("rev-parse", "HEAD")
        fresh = tmp_path / after
        monkeypatch.setenv("XDG_CACHE_HOME", str(fresh))
        sample.update_all()
        expected = state(sample)
        writes = 0
        for writes in range(1, 100):
            monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / f"{writes}"))
            shutil.copytree(tmp_path / before / "scry", fresh / f"{writes}" / "scry")
            if not is_killed(sample, writes):
                break
            sample.update_all()
            assert state(sample) == expected, f"killed after {writes} writes of {change.__name__}"
            assert history_state(sample) == "ready"
        assert writes > 3
        before = after


def test_history_that_lacks_commits_of_its_head_is_pending(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "shop").init_repository()
    write(sample)
    sample.update_all()
    head = sample.git("rev-parse", "HEAD")
    sample.git("reset", "-q", "--hard", "HEAD~1")
    assert is_killed(sample, 2)
    sample.git("reset", "-q", "--hard", head)
    with sample.history() as store:
        assert store.reader.commit_count == 3
    assert history_state(sample) == "pending"
    sample.update_all()
    assert history_state(sample) == "ready"
