"""The mode recent, on a generated repository with commits at known times."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from scry.engine import RequestContext
from scry.engine.browse import recent as recent_mode
from scry.store.index import FileTable
from scry.surfaces.render import render_answer, render_for_model, to_plain_text
from scry_protocol import messages
from tests.sample.indexed import IndexedProject, doc_ids

DAY = 86_400
RETRY = 'def retry_{name}(attempt):\n    """Tries to deliver the letter again after a failure."""\n    return attempt\n'


def commit(sample: IndexedProject, message: str, days_ago: float) -> str:
    """Commit everything as if so many days ago; returns the commit's name."""
    at = f"{int(time.time() - days_ago * DAY)} +0000"
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    sample.git("add", "-A")
    subprocess.run(["git", "commit", "-q", "-m", message], cwd=sample.root, check=True, env={**os.environ, **dates})
    return sample.git("rev-parse", "HEAD")


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Three files about retries of different ages, and newer ones about something else."""
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "post").init_repository()
    sample.write({"post/old.py": RETRY.format(name="old"), "post/stamps.py": "def glue():\n    pass\n"})
    commit(sample, "Deliver letters again after a failure", 300)
    sample.write({"post/middle.py": RETRY.format(name="middle")})
    commit(sample, "Try the middle way", 40)
    sample.write({"post/young.py": RETRY.format(name="young"), "post/horse.py": "def trot():\n    return 'oats'\n"})
    commit(sample, "Buy a horse", 3)
    sample.write({"post/saddle.py": "def mount():\n    return 'stirrup'\n"})
    commit(sample, "A saddle for it", 1)
    sample.update_index()
    return sample


def recent(sample: IndexedProject, query: str = "", **params: object) -> messages.Answer:
    request = messages.RecentParams(query=query, **params)  # type: ignore[arg-type]
    return sample.ask(lambda engine: engine.recent(request))


@pytest.mark.acceptance("R1", "J1")
def test_recent_ranks_matches_by_change_time(post: IndexedProject) -> None:
    answer = recent(post, "deliver the letter again after a failure", types=["code"])
    assert (answer.mode, answer.intent) == ("recent", "temporal")
    assert doc_ids(answer) == [
        "./post/young.py::retry_young",
        "./post/middle.py::retry_middle",
        "./post/old.py::retry_old",
    ]


@pytest.mark.acceptance("R1", "F5")
def test_recent_score_is_reproducible_from_the_json(post: IndexedProject) -> None:
    answer = recent(post, "deliver the letter again after a failure")
    scoring = answer.scoring
    assert any(result.content_type == "commit" for result in answer.results)
    for result in answer.results:
        ranks = sum(
            w / (scoring.k + result.contributions[o].rank)
            for o, w in scoring.weights.items()
            if o in result.contributions
        )
        factor = 1.0
        for adjustment in result.adjustments:
            factor *= adjustment.factor
        assert result.fused_score == ranks * factor / scoring.ceiling
        recency = result.adjustments[-1]
        assert recency.name == "recency"
        assert 0 < recency.factor <= 1
        assert "ago" in recency.reason
        assert result.metadata


@pytest.mark.acceptance("R1")
def test_days_option_limits_matches(post: IndexedProject) -> None:
    words = "deliver the letter again after a failure"
    assert doc_ids(recent(post, words, types=["code"], days=60)) == doc_ids(recent(post, words, types=["code"]))[:2]
    none = recent(post, words, types=["code"], days=2)
    assert none.results == []
    assert none.notice == (
        "nothing of what was found changed in the last 2 days; the newest of it is ./post/young.py::retry_young, "
        "3 days ago"
    )


@pytest.mark.acceptance("R1", "J6")
def test_recent_without_a_query_lists_seven_days(post: IndexedProject) -> None:
    answer = recent(post)
    saddle, horse = post.git("log", "-2", "--format=%H").split()
    assert doc_ids(answer) == [
        f"commit:{saddle}",
        "./post/saddle.py",
        f"commit:{horse}",
        "./post/horse.py",
        "./post/young.py",
    ]
    assert answer.notice == ""
    file = answer.results[1]
    assert (file.kind, file.content_type) == ("file", "code")
    assert file.snippet == f'{saddle[:7]}: "A saddle for it" (1 file)'
    assert file.metadata
    assert file.metadata.timestamp == post.git(
        "show", "-s", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", saddle
    )
    assert file.location
    for result in answer.results:
        parts = result.annotations.composite
        assert parts
        assert [part.name for part in parts] == ["recency"]
        assert result.fused_score == parts[0].weight * parts[0].value


@pytest.mark.acceptance("R1", "F9")
def test_days_limit_and_types_bound_the_list(post: IndexedProject) -> None:
    assert doc_ids(recent(post, days=2)) == doc_ids(recent(post))[:2]
    assert doc_ids(recent(post, limit=3)) == doc_ids(recent(post))[:3]
    assert {result.content_type for result in recent(post, types=["commit"], days=400).results} == {"commit"}
    assert doc_ids(recent(post, types=["code"], days=60))[-1] == "./post/middle.py"


@pytest.mark.acceptance("R1")
def test_uncommitted_edits_count_as_now(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "post").init_repository()
    sample.write({"a.py": "def a():\n    pass\n", "b.py": "def b():\n    pass\n", "c.py": "def c():\n    pass\n"})
    first = commit(sample, "Begin", 100)
    sample.write({"b.py": "def b():\n    return 1\n", "new.py": "def new():\n    pass\n"})
    sample.update_index()
    answer = recent(sample)
    assert set(doc_ids(answer)) == {"./b.py", "./new.py"}
    words = {result.doc_id: result.snippet for result in answer.results}
    assert words["./b.py"] == f'edited and not committed; before that {first[:7]}: "Begin" (3 files)'
    assert words["./new.py"] == "edited and not committed"
    assert [result.fused_score for result in answer.results] == [1.0, 1.0]
    found = recent(sample, "def b")
    assert found.results[0].doc_id == "./b.py::b"
    assert found.results[0].adjustments[-1].factor == 1.0
    engine = sample.engine()
    unsaved = engine.recent(messages.RecentParams(), RequestContext(unsaved_paths=["c.py"]))
    engine.close()
    assert "./c.py" in doc_ids(unsaved)


@pytest.mark.acceptance("R1")
def test_recent_names_the_newest_change_when_none_is_recent(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "post").init_repository()
    sample.write({"a.py": "def a():\n    pass\n"})
    first = commit(sample, "Begin", 400)
    sample.write({"b.py": "def b():\n    pass\n"})
    second = commit(sample, "Go on", 45)
    sample.update_index()
    answer = recent(sample)
    assert doc_ids(answer) == [f"commit:{second}", "./b.py", f"commit:{first}", "./a.py"]
    newest = f'the newest change is {second[:7]}: "Go on" (1 file), 45 days ago'
    assert answer.notice == f"nothing changed in the last 7 days; {newest}; the newest changes are shown instead"
    bound = recent(sample, days=30)
    assert (bound.results, bound.notice) == ([], f"nothing changed in the last 30 days; {newest}")


@pytest.mark.acceptance("F11")
def test_recent_is_silent_about_history_still_being_read(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "post").init_repository()
    sample.write({"a.py": "def a():\n    pass\n"})
    first = commit(sample, "Begin", 400)
    sample.update_index()
    sample.write({"b.py": "def b():\n    pass\n"})
    commit(sample, "Go on", 1)
    answer = recent(sample)
    assert (doc_ids(answer)[0], answer.notice) == (f"commit:{first}", "the history is still being read")


@pytest.mark.acceptance("R1")
def test_recent_without_git_uses_file_times_with_a_notice(tmp_path: Path) -> None:
    folder = IndexedProject(tmp_path / "plain")
    folder.write({"old.py": "def pay():\n    pass\n", "new.py": "def pay_later():\n    pass\n"})
    then = time.time() - 20 * DAY
    os.utime(folder.root / "old.py", (then, then))
    folder.update_index()
    answer = recent(folder)
    assert doc_ids(answer) == ["./new.py"]
    assert answer.notice == "there is no git history here: ordered by the files' own times"
    assert doc_ids(recent(folder, days=30)) == ["./new.py", "./old.py"]
    assert doc_ids(recent(folder, "pay"))[-1] == "./old.py::pay"


def test_recent_lists_a_few_files_of_a_large_commit(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "post").init_repository()
    sample.write({f"f{n:02}.py": f"def f{n}():\n    pass\n" for n in range(30)})
    first = commit(sample, "All at once", 2)
    sample.update_index()
    assert doc_ids(recent(sample, limit=20)) == [f"commit:{first}", *(f"./f{n:02}.py" for n in range(5))]
    assert len(recent(sample, limit=100, types=["code"]).results) == 30


def test_symbol_age_is_that_of_its_own_last_change(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "post").init_repository()
    body = "def seal_letter():\n    return {0}\n\n\ndef seal_envelope():\n    return {1}\n"
    sample.write({"a.py": body.format(1, 1)})
    commit(sample, "Begin", 200)
    sample.write({"a.py": body.format(1, 2)})
    commit(sample, "Another envelope", 2)
    sample.update_index()
    ages = {r.doc_id: r.adjustments[-1].reason for r in recent(sample, "seal letter envelope", types=["code"]).results}
    assert ages["./a.py::seal_envelope"].endswith("2 days ago")
    assert ages["./a.py::seal_letter"].endswith("6 months ago")


def test_recent_reads_no_list_of_all_files(post: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileTable, "files_in_folder", None)
    monkeypatch.setattr(recent_mode, "_BATCH_SIZE", 1)
    assert len(doc_ids(recent(post))) == 5
    assert doc_ids(recent(post, types=["code"], days=60))[-1] == "./post/middle.py"


def test_commit_name_is_printed_once(post: IndexedProject) -> None:
    answer = recent(post, days=2)
    shown = to_plain_text(render_answer(answer))
    sha = post.git("rev-parse", "HEAD")
    assert answer.results[0].snippet == f'{sha[:7]}: "A saddle for it" (1 file)'  # JSON and editors have no line for it
    assert f"1. [commit] commit:{sha[:10]}  (" in shown.splitlines()[1]
    assert shown.splitlines()[2] == '     "A saddle for it" (1 file)'
    assert '   - "A saddle for it" (1 file)\n' in render_for_model(answer)


@pytest.mark.acceptance("F11")
def test_recent_reports_a_missing_index(tmp_path: Path) -> None:
    folder = IndexedProject(tmp_path / "plain")
    folder.write({"a.py": "x = 1\n"})
    assert recent(folder).notice.startswith("Nothing could be searched yet: the index is still to be made")
    assert recent(folder, "x").mode == "recent"


@pytest.mark.acceptance("R1")
def test_recent_finds_nothing_for_made_up_words(post: IndexedProject) -> None:
    for query in ("zzzqqq", "blorptang xyzzy"):
        answer = post.ask(lambda engine, query=query: engine.recent(messages.RecentParams(query)))
        assert doc_ids(answer) == []
        assert "Nothing found" in answer.notice


@pytest.mark.acceptance("R1")
def test_filters_alone_narrow_the_list_of_changes(post: IndexedProject) -> None:
    assert doc_ids(recent(post, "path:post/ -path:horse", days=30)) == ["./post/saddle.py", "./post/young.py"]
    assert doc_ids(recent(post, "lang:go", days=30)) == []
    assert {each.content_type for each in recent(post, "-type:code", days=30).results} == {"commit"}
