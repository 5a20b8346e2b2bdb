"""The history as it is read of real repositories: what is there, after whatever was done to them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.core import Cancelled
from scry.index.git import LoggedCommit, update_history
from scry.index.git import history as history_module
from scry.store.history import HistoryStore, describe_commit
from scry.store.lexical import LexicalEntry
from tests.sample.history import HistoryProject
from tests.unit.index.git.history_states import same_as_fresh


@pytest.fixture
def sample(tmp_path: Path) -> HistoryProject:
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
def test_commit_subject_is_literal_text(sample: HistoryProject, subject: str) -> None:
    sha = sample.commit(f"{subject}\n\nthe body\n\nhas | lines\n:100644 000000 a b M\n", {"a.py": "x = 1\n"})
    sample.update_history()
    assert sample.stored_commits() == {sha: (subject, ("a.py",))}
    with sample.history() as store:
        commit = store.reader.commit_by_sha(sha)
    assert commit is not None
    assert commit.body == "the body\n\nhas | lines\n:100644 000000 a b M"


def test_a_commit_may_have_no_message(sample: HistoryProject) -> None:
    sha = sample.commit("", {"a.py": "x = 1\n"})
    sample.update_history()
    assert sample.stored_commits() == {sha: ("", ("a.py",))}


def test_a_subject_of_several_lines_is_one_line(sample: HistoryProject) -> None:
    sample.commit("first\nsecond\n\nbody", {"a": "1"})
    sample.update_history()
    assert sample.subjects() == ["first second"]


def test_undecodable_bytes_are_replaced(sample: HistoryProject) -> None:
    head = sample.commit("base", {"a": "1"})
    tree = sample.git("rev-parse", "HEAD^{tree}")
    person = b"N\xe9 <n@example.invalid> 1700009000 +0000"
    raw = b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\nbroken \xff bytes\n" % (
        tree.encode(),
        head.encode(),
        person,
        person,
    )
    write = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    made = subprocess.run(write, cwd=sample.root, input=raw, check=True, capture_output=True).stdout.decode().strip()
    sample.git("reset", "-q", "--hard", made)
    sample.update_history()
    assert sample.subjects() == ["base", "broken \ufffd bytes"]


def test_paths_of_any_bytes_are_read(sample: HistoryProject) -> None:
    sample.commit("all", dict.fromkeys(ODD_NAMES, "1\n2\n3\n"))
    sample.commit("again", dict.fromkeys(ODD_NAMES, "1\nnew\n3\n"))
    sample.update_history()
    assert {files for _, files in sample.stored_commits().values()} == {tuple(sorted(ODD_NAMES))}
    with sample.history() as store:
        assert [len(store.changed_lines(name)) for name in ODD_NAMES] == [2] * len(ODD_NAMES)
        assert store.changed_lines("new\nline")[0][1] == [(2, 1, 2, 1)]


def test_patch_lines_resembling_git_headers_are_content(sample: HistoryProject) -> None:
    tricky = "diff --git a/x b/x\n@@ -1 +1 @@\n\x00\x00deadbeef\n--- a\n+++ b\n\\ No newline at end of file\n"
    sample.commit("one", {"a.txt": "start\n" * 9000 + tricky, "b.txt": "1\n2\n"})
    sample.commit("two", {"a.txt": "start\n" * 9000 + tricky * 2, "b.txt": "1\n2\n3"})
    sample.commit("three", {"b.txt": "1\n2\n3 and no line end"})
    sample.update_history()
    assert sample.subjects() == ["one", "three", "two"]
    with sample.history() as store:
        assert [hunks for _, hunks in store.changed_lines("b.txt")] == [[(3, 1, 3, 1)], [(2, 0, 3, 1)], [(0, 0, 1, 2)]]


def test_a_file_that_became_a_link_is_one_change(sample: HistoryProject) -> None:
    sample.commit("file", {"a": "1\n", "z": "1\n"})
    (sample.root / "a").unlink()
    (sample.root / "a").symlink_to("z")
    last = sample.commit("link", {"z": "2\n"})
    sample.update_history()
    assert sample.stored_commits()[last] == ("link", ("a", "z"))


def test_repository_git_settings_do_not_affect_history(sample: HistoryProject, tmp_path: Path) -> None:
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
        sample.git("config", name, value)
    sample.commit("é one", {"a.py": "1\n2\n3\n4\n"})
    sample.commit("two", {"a.py": "1\n2\nx\n4\n"})
    sample.write({".git/info/attributes": "*.py diff=odd filter=odd\n"})
    sample.git("config", "core.fsmonitor", str(program))
    mark.unlink(missing_ok=True)
    sample.update_history()
    assert not mark.exists()
    assert sample.subjects() == ["two", "é one"]
    with sample.history() as store:
        assert store.changed_lines("a.py")[0][1] == [(3, 1, 3, 1)]


# Changes of repositories ----------------------------------------------------------------------------------------------


def test_only_new_commits_are_read_when_head_moves_forward(
    sample: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        sample.commit(f"c{number}", {f"f{number}.py": "x\n"})
    assert sample.update_history().state == "ready"
    sample.commit("new", {"f1.py": "y\n"})
    read: list[str] = []
    original = history_module.read_commits

    def watched(folder: Path, shas: list[str], **options: bool) -> Iterator[LoggedCommit]:
        read.extend(shas)
        return original(folder, shas, **options)

    monkeypatch.setattr(history_module, "read_commits", watched)
    sample.update_history()
    assert len(set(read)) == 1
    assert same_as_fresh(sample, tmp_path)


def test_rebase_and_force_push_remove_unreachable_commits(sample: HistoryProject, tmp_path: Path) -> None:
    sample.commit("base", {"a.py": "1\n"})
    sample.git("checkout", "-q", "-b", "topic")
    sample.commit("topic one", {"b.py": "1\n"})
    sample.commit("topic two", {"c.py": "1\n"})
    sample.update_history()
    sample.git("checkout", "-q", "main")
    sample.commit("main moved", {"a.py": "2\n"})
    sample.git("checkout", "-q", "topic")
    old = sample.git("rev-parse", "HEAD")
    sample.git("rebase", "-q", "main")
    sample.update_history()
    assert sample.subjects() == ["base", "main moved", "topic one", "topic two"]
    assert old not in sample.stored_commits()
    sample.git("reset", "-q", "--hard", "main~1")
    sample.git("reflog", "expire", "--expire=now", "--all")
    sample.git("gc", "-q", "--prune=now")
    assert same_as_fresh(sample, tmp_path)
    assert sample.subjects() == ["base"]
    with sample.history() as store:
        assert store.reader.lexical.document_count == 1


def test_killed_update_leaves_no_commit_that_head_does_not_reach_and_none_without_words(
    sample: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.commit("base", {"a.py": "1\n"})
    sample.commit("later", {"a.py": "2\n"})
    sample.update_history()

    class KilledError(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise KilledError

    for name in ("_transaction", "_remove_words"):
        sample.git("reset", "-q", "--hard", "HEAD~1")
        with monkeypatch.context() as patch, sample.history() as store:
            patch.setattr(store, name, kill)
            with pytest.raises(KilledError):
                store.remove_commits([sample.git("rev-parse", "HEAD@{1}")])
        sample.git("reset", "-q", "--hard", "HEAD@{1}")
        assert same_as_fresh(sample, tmp_path)
        with sample.history() as store:
            assert (store.reader.commit_count, store.reader.lexical.document_count) == (2, 2)
    sample.commit("newest", {"a.py": "3\n"})
    with monkeypatch.context() as patch:
        patch.setattr(HistoryStore, "mark_complete", kill)
        with pytest.raises(KilledError):
            sample.update_history()
    sample.git("reset", "-q", "--hard", "HEAD~1")
    assert same_as_fresh(sample, tmp_path)


def test_a_merge_is_a_commit_without_changes_of_its_own(sample: HistoryProject, tmp_path: Path) -> None:
    sample.commit("base", {"a.py": "1\n"})
    sample.git("checkout", "-q", "-b", "topic")
    sample.commit("topic", {"b.py": "1\n", "c.py": "1\n"})
    sample.git("checkout", "-q", "main")
    sample.commit("main", {"a.py": "2\n"})
    sample.git("merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
    sample.update_history()
    merge = sample.git("rev-parse", "HEAD")
    assert sample.stored_commits()[merge] == ("Merge the topic", ())
    with sample.history() as store:
        commit = store.reader.commit_by_sha(merge)
        assert commit is not None
        assert describe_commit(commit) == f'{merge[:7]}: "Merge the topic" (2 files)'
        assert store.reader.cochange_commit_count() == 3
    assert same_as_fresh(sample, tmp_path)


def test_an_exact_rename_carries_the_history_along(sample: HistoryProject, tmp_path: Path) -> None:
    for number in range(3):
        sample.commit(f"old {number}", {"old.py": f"x = {number}\n", "other.py": f"y = {number}\n"})
    sample.update_history()
    sample.git("mv", "old.py", "new.py")
    sample.commit("moved")
    sample.commit("later", {"new.py": "x = 9\n", "other.py": "y = 9\n"})
    sample.update_history()
    with sample.history() as store:
        assert store.reader.co_changed_files("new.py", 5) == [("other.py", 4)]
        assert store.reader.co_changed_files("old.py", 5) == []
        assert store.reader.activity_levels(["new.py", "old.py"]) == {"new.py": "medium"}
    assert same_as_fresh(sample, tmp_path)
    sample.git("reset", "-q", "--hard", "HEAD~2")
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        assert store.reader.co_changed_files("old.py", 5) == [("other.py", 3)]


def test_incremental_history_equals_fresh_history(
    sample: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "MAX_COMMITS", 12)
    monkeypatch.setattr(history_module, "MAX_COMMITS_WITH_LINES", 5)
    monkeypatch.setattr(history_module, "BATCH_COMMITS", 3)
    monkeypatch.setattr(history_module, "NEWEST_COMMITS", 2)
    for number in range(20):
        sample.commit(f"c{number}", {f"f{number % 4}.py": "line\n" * number, "all.py": f"{number}\n"})
        if number % 3 == 0:
            sample.update_history()
        if number == 11:
            sample.git("reset", "-q", "--hard", "HEAD~4")
            sample.update_history()
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        assert store.reader.commit_count == 12
        assert sum(commit.has_lines for commit in store.stored_commits().values()) == 5
        assert store.reader.state_at(sample.git("rev-parse", "HEAD")).extent == "of the newest 12 commits"


def test_changes_since_a_time_are_counted_by_the_times_of_commits(sample: HistoryProject, tmp_path: Path) -> None:
    """Commits of a branch that is merged later are read later, and may be older."""
    sample.commit("base", {"a.py": "0\n", "b.py": "0\n"})
    sample.git("checkout", "-q", "-b", "older")
    sample.commit("older", {"b.py": "1\n"})
    used = sample.clock + 1
    sample.git("checkout", "-q", "-")
    sample.commit("newer", {"a.py": "1\n"})
    sample.update_history()
    sample.git("merge", "-q", "-m", "merged", "older")
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        counts = store.reader.count_changes_since([("a.py", used), ("b.py", used)])
    assert counts == {("a.py", used): 1, ("b.py", used): 0}


def commit_at_once(sample: HistoryProject, *messages: str) -> None:
    """Commit several times within one second, as a rebase does. Each changes a file of its own and `all.py`."""
    for message in messages:
        sample.clock -= 3600
        sample.commit(message, {f"lib/{message}.py": "1\n", "lib/all.py": f"{message}\n"})


def newest_subjects(sample: HistoryProject) -> list[str]:
    with sample.history() as store:
        return [commit.subject for commit in store.reader.newest_commits(0, 0, 100)]


@pytest.mark.parametrize("folder", ["", "lib"])
def test_commits_of_one_second_follow_their_parents(sample: HistoryProject, tmp_path: Path, folder: str) -> None:
    sample.opened = sample.root / folder
    expected = ["c9", "c8", "c7", "c6", "c5", "c4", "c3", "c2", "c1", "c0"]
    commit_at_once(sample, "c0", "c1", "c2")
    sample.update_history()
    commit_at_once(sample, "c3")
    sample.update_history()
    commit_at_once(sample, "c4", "c5", "c6", "c7", "c8", "c9")
    sample.update_history()
    assert newest_subjects(sample) == expected
    with sample.history() as store:
        path = str(Path("lib/all.py").relative_to(folder or "."))
        assert store.reader.last_commits([path])[path].subject == "c9"
        last = store.reader.change_count_and_last_commit(path)[1]
        assert last is not None
        assert last.subject == "c9"
    assert same_as_fresh(sample, tmp_path)


@pytest.mark.parametrize("folder", ["", "lib"])
def test_places_within_a_second_do_not_depend_on_what_was_read_before(
    sample: HistoryProject, tmp_path: Path, folder: str
) -> None:
    """Check this where commits of another branch, and some that change nothing in the folder, have the same time."""
    (sample.root / "lib").mkdir()
    sample.opened = sample.root / folder
    commit_at_once(sample, "c0")
    sample.git("checkout", "-q", "-b", "side")
    commit_at_once(sample, "s1", "s2", "s3")
    sample.git("checkout", "-q", "main")
    commit_at_once(sample, "m1")
    sample.update_history()
    sample.clock -= 3600
    sample.commit("outside", {"outside.py": "1\n"})
    commit_at_once(sample, "m2")
    sample.update_history()
    date = f"{sample.clock} +0000"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", date)
        sample.git("merge", "-q", "-X", "ours", "-m", "merged", "side")
    commit_at_once(sample, "last")
    assert same_as_fresh(sample, tmp_path)
    found = newest_subjects(sample)
    assert found[0] == "last"
    for branch in (["c0", "s1", "s2", "s3"], ["c0", "m1", "m2"]):
        assert [subject for subject in reversed(found) if subject in branch] == branch


def test_rename_within_a_second_is_followed(sample: HistoryProject, tmp_path: Path) -> None:
    commit_at_once(sample, "c0", "c1")
    (sample.root / "lib" / "all.py").rename(sample.root / "lib" / "every.py")
    sample.clock -= 3600
    sample.commit("renamed")
    sample.clock -= 3600
    sample.commit("changed", {"lib/every.py": "2\n"})
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        assert store.reader.change_count_and_last_commit("lib/every.py")[0] == 4


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "BATCH_COMMITS", 2)
    monkeypatch.setattr(history_module, "NEWEST_COMMITS", 2)


def interrupt(sample: HistoryProject, batches: int) -> set[str]:
    """Update the history until so many batches are published; return the subjects of the stored commits."""
    left = [batches]

    def stop() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Cancelled("enough")

    with sample.history() as store:
        with pytest.raises(Cancelled):
            update_history(sample.folder, store, stop)
        return {commit.subject for commit in store.read_rows().commits}


@pytest.mark.usefixtures("small_batches")
def test_the_newest_commits_are_read_first(sample: HistoryProject, tmp_path: Path) -> None:
    for number in range(7):
        sample.commit(f"c{number}", {"a.py": f"{number}\n"})
    assert [interrupt(sample, 1), interrupt(sample, 2)] == [{"c5", "c6"}, {"c0", "c3", "c4", "c5", "c6", "c1"}]
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        assert [commit.subject for commit in store.read_rows().commits] == [f"c{number}" for number in range(7)]
    sample.commit("c7", {"a.py": "7\n"})
    sample.update_history()
    with sample.history() as store:
        assert [commit.subject for commit in store.read_rows().commits] == [f"c{number}" for number in range(8)]


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("batches", [1, 2, 3])
@pytest.mark.parametrize("meanwhile", ["nothing", "a commit", "a rewind", "another root", "an older branch merged"])
def test_interrupted_history_update_is_resumed(
    sample: HistoryProject, tmp_path: Path, batches: int, meanwhile: str
) -> None:
    sample.commit("c0", {"a.py": "0\n"})
    sample.git("checkout", "-q", "-b", "older")
    sample.commit("o1", {"b.py": "1\n"})
    sample.commit("o2", {"b.py": "2\n"})
    sample.git("checkout", "-q", "-")
    for number in range(1, 8):
        sample.commit(f"c{number}", {"a.py": f"{number}\n"})
    assert 0 < len(interrupt(sample, batches)) < 8
    if meanwhile == "a commit":
        sample.commit("one more", {"a.py": "more\n"})
    elif meanwhile == "a rewind":
        sample.git("reset", "-q", "--hard", "HEAD~3")
    elif meanwhile == "another root":
        sample.git("checkout", "-q", "--orphan", "anew")
        sample.commit("all at once")
    elif meanwhile == "an older branch merged":
        sample.git("merge", "-q", "-m", "merged", "older")
    assert same_as_fresh(sample, tmp_path)


@pytest.mark.usefixtures("small_batches")
def test_words_of_a_reading_that_was_killed_are_removed(
    sample: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words of a batch are written before its commits, which may be too old at the next update."""
    monkeypatch.setattr(history_module, "MAX_COMMITS", 7)
    for number in range(7):
        sample.commit(f"c{number}", {"a.py": f"{number}\n"})
    interrupt(sample, 1)
    with sample.history() as store:
        oldest = store.next_doc_key - 7
        store.reader.lexical.write([], [LexicalEntry(oldest, oldest, "c0")])
    sample.commit("one more", {"a.py": "more\n"})
    assert same_as_fresh(sample, tmp_path)


# Where the history lies ----------------------------------------------------------------------------------------------
