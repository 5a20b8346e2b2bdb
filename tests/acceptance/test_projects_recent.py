"""Recent changes of several projects in one answer (P1, R1)."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.projects import add_project
from scry_protocol.messages import Answer, RecentParams
from tests.acceptance.test_recent import commit
from tests.sample.indexed import IndexedProject, doc_ids, recomputed_score

RETRY = {
    "retry.py": """def retry_delivery(letter):
    '''Tries to deliver a letter again after a failure.'''
    return letter
"""
}
STAMPS = {"stamps.py": "def glue_stamp(letter):\n    return letter\n"}
HORSES = {"horses.py": "def trot(horse):\n    return horse\n"}


def repository(root: Path, *commits: tuple[Mapping[str, str], float]) -> IndexedProject:
    """Return a registered repository with a commit for each of these: its files, and how many days ago."""
    sample = IndexedProject(root).init_repository()
    for files, days_ago in commits:
        sample.write(files)
        commit(sample, f"Write {', '.join(files)}", days_ago)
    sample.update_index()
    add_project(root, None, ())
    return sample


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return tmp_path / "code"


@pytest.fixture
def projects() -> Generator[ProjectRouter]:
    pool = EnginePool(make_engine_opener("python", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool))) as projects:
        yield projects


def named(answer: Answer) -> list[str]:
    return [each for each in doc_ids(answer) if "commit:" not in each]


@pytest.mark.acceptance("P1", "R1")
def test_changes_of_all_projects_are_sorted_by_time(place: Path, projects: ProjectRouter) -> None:
    repository(place / "app", (STAMPS, 5), (RETRY, 1))
    repository(place / "lib", (HORSES, 3))
    answer = projects.recent(RecentParams(all_projects=True))
    assert named(answer) == ["app:./retry.py", "lib:./horses.py", "app:./stamps.py"]
    times = [result.metadata.timestamp for result in answer.results if result.metadata]
    assert times == sorted(times, reverse=True)  # type: ignore[type-var]
    assert answer.notice == ""


@pytest.mark.acceptance("P1", "R1")
def test_quiet_project_adds_nothing_to_recent_with_a_notice(place: Path, projects: ProjectRouter) -> None:
    repository(place / "app", (RETRY, 2))
    old = repository(place / "old", (HORSES, 400))
    answer = projects.recent(RecentParams(all_projects=True))
    assert {result.project for result in answer.results} == {"app"}
    assert answer.notice.startswith("old: nothing changed in the last 7 days; the newest change is ")
    assert "shown instead" not in answer.notice
    alone = projects.recent(RecentParams(projects=["old"]))
    assert doc_ids(alone) == [f"old:commit:{old.git('rev-parse', 'HEAD')}", "old:./horses.py"]
    assert alone.notice == "old: nothing changed in the last 7 days; the newest changes are shown instead"


@pytest.mark.acceptance("P1", "R1")
def test_uncommitted_edits_of_projects_take_turns(place: Path, projects: ProjectRouter) -> None:
    for name in ("app", "lib"):
        sample = repository(place / name, (STAMPS, 90))
        sample.write({f"{name}{number}.py": "pass\n" for number in range(8)})
        for number in range(8):
            written = time.time() - number
            os.utime(place / name / f"{name}{number}.py", (written, written))
        sample.update_index()
    answer = projects.recent(RecentParams(all_projects=True, limit=6))
    assert doc_ids(answer) == [f"{name}:./{name}{number}.py" for number in range(3) for name in ("app", "lib")]


@pytest.mark.acceptance("P1", "R1")
def test_best_new_file_of_an_unrelated_project_is_absent(place: Path, projects: ProjectRouter) -> None:
    repository(place / "app", (RETRY, 60))
    repository(place / "stable", ({"again.py": "def again():\n    return 'oats'\n", **HORSES}, 0.1))
    words = "deliver a letter again after a failure"
    answer = projects.recent(RecentParams(words, all_projects=True, types=["code"]))
    assert named(answer) == ["app:./retry.py::retry_delivery"]
    alone = projects.recent(RecentParams(words, projects=["stable"], types=["code"]))
    assert named(alone) == ["stable:./again.py::again"]


@pytest.mark.acceptance("P1", "R1", "F5")
def test_recent_with_words_sorts_by_time_with_reproducible_scores(place: Path, projects: ProjectRouter) -> None:
    repository(place / "app", (RETRY, 60))
    repository(place / "lib", (RETRY, 3))
    answer = projects.recent(RecentParams("tries to deliver a letter again", all_projects=True, types=["code"]))
    assert named(answer)[:2] == ["lib:./retry.py::retry_delivery", "app:./retry.py::retry_delivery"]
    for result in answer.results:
        assert result.fused_score == pytest.approx(recomputed_score(answer, result), rel=1e-12)
    lexical = [result.contributions["lexical"].rank for result in answer.results if "lexical" in result.contributions]
    assert len(set(lexical)) == len(lexical), "ranks are among the votes of all projects"


@pytest.mark.acceptance("P1")
def test_missing_project_loses_only_its_own_changes(place: Path, projects: ProjectRouter) -> None:
    repository(place / "app", (RETRY, 1))
    repository(place / "lib", (RETRY, 1))
    (place / "lib").rename(place / "elsewhere")
    for query in ("", "deliver a letter"):
        answer = projects.recent(RecentParams(query, all_projects=True))
        assert {result.project for result in answer.results} == {"app"}
        assert [fault.project for fault in answer.faults] == ["lib"]
