"""The history as it is read of real repositories: what is there, after whatever was done to them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core.errors import Cancelled
from scry.index.git import history as history_module
from scry.index.git.history import update_history
from scry.index.git.log import LoggedCommit
from scry.store.history.commits import describe_commit
from tests.sample_history import HistoryProject
from tests.unit.index.git.history_states import same_as_fresh


@pytest.fixture
def scene(tmp_path: Path) -> HistoryProject:
    return HistoryProject(tmp_path / "shop").init_repository()


ODD_NAMES = [
    "a b",
    "é",
    "語",
    "tab\there",
    "new\nline",
    'quo"te',
    "back\\slash",
    ":100644 x",
    "\udcff.py",
    "diff --git a",
    "-p",
]


@pytest.mark.parametrize(
    "subject", ["one|two", "a\x01b\x1fc", '"quoted" \\ \\n', "%H%x00%s", "commit abc", "語 🙂", "-p"]
)
def test_a_subject_is_text_whatever_it_holds(scene: HistoryProject, subject: str) -> None:
    sha = scene.commit(f"{subject}\n\nthe body\n\nhas | lines\n:100644 000000 a b M\n", {"a.py": "x = 1\n"})
    scene.update_history()
    assert scene.stored_commits() == {sha: (subject, ("a.py",))}
    with scene.history() as store:
        commit = store.commit_by_sha(sha)
    assert commit is not None
    assert commit.body == "the body\n\nhas | lines\n:100644 000000 a b M"


def test_a_commit_may_have_no_message(scene: HistoryProject) -> None:
    sha = scene.commit("", {"a.py": "x = 1\n"})
    scene.update_history()
    assert scene.stored_commits() == {sha: ("", ("a.py",))}


def test_a_subject_of_several_lines_is_one_line(scene: HistoryProject) -> None:
    scene.commit("first\nsecond\n\nbody", {"a": "1"})
    scene.update_history()
    assert scene.subjects() == ["first second"]


def test_bytes_that_are_no_text_are_marked(scene: HistoryProject) -> None:
    head = scene.commit("base", {"a": "1"})
    tree = scene.git("rev-parse", "HEAD^{tree}")
    person = b"N\xe9 <n@example.invalid> 1700009000 +0000"
    raw = b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\nbroken \xff bytes\n" % (
        tree.encode(),
        head.encode(),
        person,
        person,
    )
    write = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    made = subprocess.run(write, cwd=scene.root, input=raw, check=True, capture_output=True).stdout.decode().strip()
    scene.git("reset", "-q", "--hard", made)
    scene.update_history()
    assert scene.subjects() == ["base", "broken \ufffd bytes"]


def test_paths_of_any_bytes_are_read(scene: HistoryProject) -> None:
    scene.commit("all", dict.fromkeys(ODD_NAMES, "1\n2\n3\n"))
    scene.commit("again", dict.fromkeys(ODD_NAMES, "1\nnew\n3\n"))
    scene.update_history()
    assert {files for _, files in scene.stored_commits().values()} == {tuple(sorted(ODD_NAMES))}
    with scene.history() as store:
        assert [len(store.changed_lines(name)) for name in ODD_NAMES] == [2] * len(ODD_NAMES)
        assert store.changed_lines("new\nline")[0][1] == [(2, 1, 2, 1)]


def test_lines_that_look_like_git_are_only_lines(scene: HistoryProject) -> None:
    tricky = "diff --git a/x b/x\n@@ -1 +1 @@\n\x00\x00deadbeef\n--- a\n+++ b\n\\ No newline at end of file\n"
    scene.commit("one", {"a.txt": "start\n" * 9000 + tricky, "b.txt": "1\n2\n"})
    scene.commit("two", {"a.txt": "start\n" * 9000 + tricky * 2, "b.txt": "1\n2\n3"})
    scene.commit("three", {"b.txt": "1\n2\n3 and no line end"})
    scene.update_history()
    assert scene.subjects() == ["one", "three", "two"]
    with scene.history() as store:
        assert [hunks for _, hunks in store.changed_lines("b.txt")] == [[(3, 1, 3, 1)], [(2, 0, 3, 1)], [(0, 0, 1, 2)]]


def test_a_file_that_became_a_link_is_one_change(scene: HistoryProject) -> None:
    scene.commit("file", {"a": "1\n", "z": "1\n"})
    (scene.root / "a").unlink()
    (scene.root / "a").symlink_to("z")
    last = scene.commit("link", {"z": "2\n"})
    scene.update_history()
    assert scene.stored_commits()[last] == ("link", ("a", "z"))


def test_the_settings_of_the_repository_change_nothing(scene: HistoryProject, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for name, value in {
        "log.showSignature": "true",
        "diff.noprefix": "true",
        "diff.renames": "copies",
        "diff.external": str(program),
        "diff.odd.textconv": str(program),
        "core.pager": str(program),
        "core.hooksPath": str(tmp_path),
        "log.date": "relative",
        "color.ui": "always",
        "log.diffMerges": "combined",
        "diff.context": "20",
        "filter.odd.clean": str(program),
        "i18n.logOutputEncoding": "latin1",
        "format.pretty": "oneline",
    }.items():
        scene.git("config", name, value)
    scene.commit("é one", {"a.py": "1\n2\n3\n4\n"})
    scene.commit("two", {"a.py": "1\n2\nx\n4\n"})
    scene.write({".git/info/attributes": "*.py diff=odd filter=odd\n"})
    scene.git("config", "core.fsmonitor", str(program))
    mark.unlink(missing_ok=True)
    scene.update_history()
    assert not mark.exists()
    assert scene.subjects() == ["two", "é one"]
    with scene.history() as store:
        assert store.changed_lines("a.py")[0][1] == [(3, 1, 3, 1)]


# What is done to repositories -----------------------------------------------------------------------------------------


def test_only_new_commits_are_read_when_head_moves_forward(
    scene: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        scene.commit(f"c{number}", {f"f{number}.py": "x\n"})
    assert scene.update_history().state == "ready"
    scene.commit("new", {"f1.py": "y\n"})
    read: list[str] = []
    original = history_module.read_commits

    def watched(folder: Path, shas: list[str], **options: bool) -> Iterator[LoggedCommit]:
        read.extend(shas)
        return original(folder, shas, **options)

    monkeypatch.setattr(history_module, "read_commits", watched)
    scene.update_history()
    assert len(set(read)) == 1
    assert same_as_fresh(scene, tmp_path)


def test_a_rebase_and_a_force_push_remove_what_is_no_longer_reached(scene: HistoryProject, tmp_path: Path) -> None:
    scene.commit("base", {"a.py": "1\n"})
    scene.git("checkout", "-q", "-b", "topic")
    scene.commit("topic one", {"b.py": "1\n"})
    scene.commit("topic two", {"c.py": "1\n"})
    scene.update_history()
    scene.git("checkout", "-q", "main")
    scene.commit("main moved", {"a.py": "2\n"})
    scene.git("checkout", "-q", "topic")
    old = scene.git("rev-parse", "HEAD")
    scene.git("rebase", "-q", "main")
    scene.update_history()
    assert scene.subjects() == ["base", "main moved", "topic one", "topic two"]
    assert old not in scene.stored_commits()
    scene.git("reset", "-q", "--hard", "main~1")
    scene.git("reflog", "expire", "--expire=now", "--all")
    scene.git("gc", "-q", "--prune=now")
    assert same_as_fresh(scene, tmp_path)
    assert scene.subjects() == ["base"]
    with scene.history() as store:
        assert store.lexical.document_count == 1


def test_a_merge_is_a_commit_without_changes_of_its_own(scene: HistoryProject, tmp_path: Path) -> None:
    scene.commit("base", {"a.py": "1\n"})
    scene.git("checkout", "-q", "-b", "topic")
    scene.commit("topic", {"b.py": "1\n", "c.py": "1\n"})
    scene.git("checkout", "-q", "main")
    scene.commit("main", {"a.py": "2\n"})
    scene.git("merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
    scene.update_history()
    merge = scene.git("rev-parse", "HEAD")
    assert scene.stored_commits()[merge] == ("Merge the topic", ())
    with scene.history() as store:
        commit = store.commit_by_sha(merge)
        assert commit is not None
        assert describe_commit(commit) == f'{merge[:7]}: "Merge the topic" (2 files)'
        assert store.cochange_commit_count() == 3
    assert same_as_fresh(scene, tmp_path)


def test_an_exact_rename_carries_the_history_along(scene: HistoryProject, tmp_path: Path) -> None:
    for number in range(3):
        scene.commit(f"old {number}", {"old.py": f"x = {number}\n", "other.py": f"y = {number}\n"})
    scene.update_history()
    scene.git("mv", "old.py", "new.py")
    scene.commit("moved")
    scene.commit("later", {"new.py": "x = 9\n", "other.py": "y = 9\n"})
    scene.update_history()
    with scene.history() as store:
        assert store.co_changed_files("new.py", 5) == [("other.py", 4)]
        assert store.co_changed_files("old.py", 5) == []
        assert store.activity_levels(["new.py", "old.py"]) == {"new.py": "medium"}
    assert same_as_fresh(scene, tmp_path)
    scene.git("reset", "-q", "--hard", "HEAD~2")
    assert same_as_fresh(scene, tmp_path)
    with scene.history() as store:
        assert store.co_changed_files("old.py", 5) == [("other.py", 3)]


def test_step_by_step_equals_fresh(scene: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "MAX_COMMITS", 12)
    monkeypatch.setattr(history_module, "MAX_COMMITS_WITH_LINES", 5)
    monkeypatch.setattr(history_module, "BATCH_COMMITS", 3)
    for number in range(20):
        scene.commit(f"c{number}", {f"f{number % 4}.py": "line\n" * number, "all.py": f"{number}\n"})
        if number % 3 == 0:
            scene.update_history()
        if number == 11:
            scene.git("reset", "-q", "--hard", "HEAD~4")
            scene.update_history()
    assert same_as_fresh(scene, tmp_path)
    with scene.history() as store:
        assert store.commit_count == 12
        assert sum(commit.has_lines for commit in store.stored_commits().values()) == 5
        assert store.warning == "of the newest 12 commits"


def test_a_pass_that_is_cut_short_is_gone_on_with(
    scene: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "BATCH_COMMITS", 2)
    for number in range(7):
        scene.commit(f"c{number}", {"a.py": f"{number}\n"})
    left = [2]

    def stop() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Cancelled("enough")

    with scene.history() as store:
        with pytest.raises(Cancelled):
            update_history(scene.folder, store, stop)
        assert 0 < store.commit_count < 7
    assert same_as_fresh(scene, tmp_path)


# Where the history lies ----------------------------------------------------------------------------------------------
