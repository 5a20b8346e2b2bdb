"""The history as it is read of real repositories: what is there, after whatever was done to them."""

from __future__ import annotations

import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core.errors import Cancelled
from scry.index import history as history_module
from scry.index.git_log import LoggedCommit
from scry.index.git_stream import GitFailed
from scry.index.history import bring_history
from scry.index.project import open_project
from scry.store.history import HistoryStore
from scry.store.history_reader import describe_commit
from tests.unit.index.history_scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "shop").start()


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
def test_a_subject_is_text_whatever_it_holds(scene: Scene, subject: str) -> None:
    sha = scene.commit(f"{subject}\n\nthe body\n\nhas | lines\n:100644 000000 a b M\n", {"a.py": "x = 1\n"})
    scene.bring()
    assert scene.dump() == {sha: (subject, ("a.py",))}
    with scene.history() as store:
        commit = store.commit_named(sha)
    assert commit is not None
    assert commit.body == "the body\n\nhas | lines\n:100644 000000 a b M"


def test_a_commit_may_have_no_message(scene: Scene) -> None:
    sha = scene.commit("", {"a.py": "x = 1\n"})
    scene.bring()
    assert scene.dump() == {sha: ("", ("a.py",))}


def test_a_subject_of_several_lines_is_one_line(scene: Scene) -> None:
    scene.commit("first\nsecond\n\nbody", {"a": "1"})
    scene.bring()
    assert scene.subjects() == ["first second"]


def test_bytes_that_are_no_text_are_marked(scene: Scene) -> None:
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
    scene.bring()
    assert scene.subjects() == ["base", "broken \ufffd bytes"]


def test_paths_of_any_bytes_are_read(scene: Scene) -> None:
    scene.commit("all", dict.fromkeys(ODD_NAMES, "1\n2\n3\n"))
    scene.commit("again", dict.fromkeys(ODD_NAMES, "1\nnew\n3\n"))
    scene.bring()
    assert {files for _, files in scene.dump().values()} == {tuple(sorted(ODD_NAMES))}
    with scene.history() as store:
        assert [len(store.changed_lines(name)) for name in ODD_NAMES] == [2] * len(ODD_NAMES)
        assert store.changed_lines("new\nline")[0][1] == [(2, 1, 2, 1)]


def test_lines_that_look_like_git_are_only_lines(scene: Scene) -> None:
    tricky = "diff --git a/x b/x\n@@ -1 +1 @@\n\x00\x00deadbeef\n--- a\n+++ b\n\\ No newline at end of file\n"
    scene.commit("one", {"a.txt": "start\n" * 9000 + tricky, "b.txt": "1\n2\n"})
    scene.commit("two", {"a.txt": "start\n" * 9000 + tricky * 2, "b.txt": "1\n2\n3"})
    scene.commit("three", {"b.txt": "1\n2\n3 and no line end"})
    scene.bring()
    assert scene.subjects() == ["one", "three", "two"]
    with scene.history() as store:
        assert [hunks for _, hunks in store.changed_lines("b.txt")] == [[(3, 1, 3, 1)], [(2, 0, 3, 1)], [(0, 0, 1, 2)]]


def test_a_file_that_became_a_link_is_one_change(scene: Scene) -> None:
    scene.commit("file", {"a": "1\n", "z": "1\n"})
    (scene.root / "a").unlink()
    (scene.root / "a").symlink_to("z")
    last = scene.commit("link", {"z": "2\n"})
    scene.bring()
    assert scene.dump()[last] == ("link", ("a", "z"))


def test_the_settings_of_the_repository_change_nothing(scene: Scene, tmp_path: Path) -> None:
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
    scene.bring()
    assert not mark.exists()
    assert scene.subjects() == ["two", "é one"]
    with scene.history() as store:
        assert store.changed_lines("a.py")[0][1] == [(3, 1, 3, 1)]


# What is done to repositories -----------------------------------------------------------------------------------------


def same_as_fresh(scene: Scene, tmp_path: Path) -> bool:
    """Whether one more pass ends in what a history that is read at once says."""
    scene.bring()
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with closing(HistoryStore.open(folder, write=True)) as anew:
        bring_history(scene.folder, anew, lambda: None)
    return state_of(open_project(scene.folder).cache) == state_of(folder)


def state_of(folder: Path) -> dict[str, object]:
    """All that ranking and annotations read, by names instead of the store's own numbers."""
    with closing(HistoryStore.open(folder, write=False)) as store:
        said: dict[str, object] = {"words": store.words.size, "head": store.head, "ties": store.ties_in_all()}
    with closing(sqlite3.connect(folder / "history.sqlite")) as database:
        changes = (
            "SELECT hex(k.sha), a.path, b.path, c.hunks FROM changes c JOIN commits k USING (number) "
            "JOIN paths a ON a.id = c.path JOIN paths b ON b.id = c.now ORDER BY 1, 2"
        )
        for question in (
            "SELECT hex(sha), time, subject, body, merge, files, lines FROM commits ORDER BY 1",
            "SELECT path, ties, recent FROM paths WHERE ties OR recent ORDER BY 1",
            changes,
        ):
            said[question] = database.execute(question).fetchall()
    return said


def test_only_new_commits_are_read_when_head_moves_forward(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        scene.commit(f"c{number}", {f"f{number}.py": "x\n"})
    assert scene.bring().state == "ready"
    scene.commit("new", {"f1.py": "y\n"})
    read: list[str] = []
    original = history_module.read_commits

    def watched(folder: Path, shas: list[str], **options: bool) -> Iterator[LoggedCommit]:
        read.extend(shas)
        return original(folder, shas, **options)

    monkeypatch.setattr(history_module, "read_commits", watched)
    scene.bring()
    assert len(set(read)) == 1
    assert same_as_fresh(scene, tmp_path)


def test_a_rebase_and_a_force_push_remove_what_is_no_longer_reached(scene: Scene, tmp_path: Path) -> None:
    scene.commit("base", {"a.py": "1\n"})
    scene.git("checkout", "-q", "-b", "topic")
    scene.commit("topic one", {"b.py": "1\n"})
    scene.commit("topic two", {"c.py": "1\n"})
    scene.bring()
    scene.git("checkout", "-q", "main")
    scene.commit("main moved", {"a.py": "2\n"})
    scene.git("checkout", "-q", "topic")
    old = scene.git("rev-parse", "HEAD")
    scene.git("rebase", "-q", "main")
    scene.bring()
    assert scene.subjects() == ["base", "main moved", "topic one", "topic two"]
    assert old not in scene.dump()
    scene.git("reset", "-q", "--hard", "main~1")
    scene.git("reflog", "expire", "--expire=now", "--all")
    scene.git("gc", "-q", "--prune=now")
    assert same_as_fresh(scene, tmp_path)
    assert scene.subjects() == ["base"]
    with scene.history() as store:
        assert store.words.size == 1


def test_a_merge_is_a_commit_without_changes_of_its_own(scene: Scene, tmp_path: Path) -> None:
    scene.commit("base", {"a.py": "1\n"})
    scene.git("checkout", "-q", "-b", "topic")
    scene.commit("topic", {"b.py": "1\n", "c.py": "1\n"})
    scene.git("checkout", "-q", "main")
    scene.commit("main", {"a.py": "2\n"})
    scene.git("merge", "-q", "--no-ff", "-m", "Merge the topic", "topic")
    scene.bring()
    merge = scene.git("rev-parse", "HEAD")
    assert scene.dump()[merge] == ("Merge the topic", ())
    with scene.history() as store:
        commit = store.commit_named(merge)
        assert commit is not None
        assert describe_commit(commit) == f'{merge[:7]}: "Merge the topic" (2 files)'
        assert store.ties_in_all() == 3
    assert same_as_fresh(scene, tmp_path)


def test_an_exact_rename_carries_the_history_along(scene: Scene, tmp_path: Path) -> None:
    for number in range(3):
        scene.commit(f"old {number}", {"old.py": f"x = {number}\n", "other.py": f"y = {number}\n"})
    scene.bring()
    scene.git("mv", "old.py", "new.py")
    scene.commit("moved")
    scene.commit("later", {"new.py": "x = 9\n", "other.py": "y = 9\n"})
    scene.bring()
    with scene.history() as store:
        assert store.changed_together("new.py", 5) == [("other.py", 4)]
        assert store.changed_together("old.py", 5) == []
        assert store.activity(["new.py", "old.py"]) == {"new.py": "medium"}
    assert same_as_fresh(scene, tmp_path)
    scene.git("reset", "-q", "--hard", "HEAD~2")
    assert same_as_fresh(scene, tmp_path)
    with scene.history() as store:
        assert store.changed_together("old.py", 5) == [("other.py", 3)]


def test_step_by_step_equals_fresh(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "MOST_COMMITS", 12)
    monkeypatch.setattr(history_module, "MOST_WITH_LINES", 5)
    monkeypatch.setattr(history_module, "BATCH", 3)
    for number in range(20):
        scene.commit(f"c{number}", {f"f{number % 4}.py": "line\n" * number, "all.py": f"{number}\n"})
        if number % 3 == 0:
            scene.bring()
        if number == 11:
            scene.git("reset", "-q", "--hard", "HEAD~4")
            scene.bring()
    assert same_as_fresh(scene, tmp_path)
    with scene.history() as store:
        assert store.size == 12
        assert sum(commit.has_lines for commit in store.stored_commits().values()) == 5
        assert store.note == "The history is that of the newest 12 commits."


def test_a_pass_that_is_cut_short_is_gone_on_with(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "BATCH", 2)
    for number in range(7):
        scene.commit(f"c{number}", {"a.py": f"{number}\n"})
    left = [2]

    def stop() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Cancelled("enough")

    with scene.history() as store:
        with pytest.raises(Cancelled):
            bring_history(scene.folder, store, stop)
        assert 0 < store.size < 7
    assert same_as_fresh(scene, tmp_path)


# Where the history lies ----------------------------------------------------------------------------------------------


def test_without_git_and_before_the_first_commit_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert Scene(tmp_path / "plain").bring().state == "none"
    scene = Scene(tmp_path / "unborn").start()
    assert scene.bring().state == "none"
    scene.commit("first", {"a": "1"})
    assert scene.bring().state == "ready"
    scene.git("checkout", "-q", "--orphan", "empty")
    assert scene.bring().state == "none"
    assert scene.subjects() == []


def test_a_folder_inside_a_repository_has_its_own_paths_and_commits(scene: Scene, tmp_path: Path) -> None:
    scene.commit("both", {"lib/a.py": "1\n", "app/b.py": "1\n"})
    scene.commit("lib alone", {"lib/a.py": "2\n", "lib/deep/c.py": "1\n"})
    last = scene.commit("app alone", {"app/b.py": "2\n"})
    scene.opened = scene.root / "lib"
    assert scene.bring().state == "ready"
    assert sorted(scene.dump().values()) == [("both", ("a.py",)), ("lib alone", ("a.py", "deep/c.py"))]
    scene.git("checkout", "-q", "-b", "topic", "HEAD~1")
    scene.commit("lib again", {"lib/a.py": "3\n"})
    scene.git("checkout", "-q", "main")
    scene.git("merge", "-q", "-m", "merged", "topic")
    assert same_as_fresh(scene, tmp_path)
    assert scene.subjects() == ["both", "lib again", "lib alone"]
    assert last not in scene.dump()


def test_a_work_tree_and_a_submodule_have_their_own_history(scene: Scene, tmp_path: Path) -> None:
    scene.commit("base", {"a.py": "1\n"})
    scene.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Scene(tmp_path / "side", clock=scene.clock)
    side.commit("side", {"b.py": "1\n"})
    scene.commit("main", {"c.py": "1\n"})
    assert (scene.bring().state, side.bring().state) == ("ready", "ready")
    assert (scene.subjects(), side.subjects()) == (["base", "main"], ["base", "side"])
    outer = Scene(tmp_path / "outer").start()
    outer.commit("outer", {"x.py": "1\n"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(scene.root), "inner")
    added = outer.commit("add the inner")
    outer.bring()
    assert outer.dump()[added] == ("add the inner", (".gitmodules",))
    inner = Scene(tmp_path / "outer" / "inner")
    assert inner.bring().state == "ready"
    assert inner.subjects() == ["base", "main"]


def test_the_end_of_a_shallow_clone_did_not_add_all_files(scene: Scene, tmp_path: Path) -> None:
    for number in range(4):
        scene.commit(f"c{number}", {"a.py": f"{number}\n", "b.py": f"{number}\n"})
    clone = Scene(tmp_path / "clone")
    scene.git("clone", "-q", "--depth", "2", scene.root.as_uri(), str(clone.root))
    clone.bring()
    end = clone.git("rev-parse", "HEAD~1")
    assert clone.dump()[end] == ("c2", ())
    with clone.history() as store:
        commit = store.commit_named(end)
        assert commit is not None
        assert describe_commit(commit) == f'{end[:7]}: "c2"'
        assert store.changed_together("a.py", 3) == [("b.py", 1)]
    clone.git("fetch", "-q", "--unshallow")
    assert same_as_fresh(clone, tmp_path)
    assert clone.dump()[end] == ("c2", ("a.py", "b.py"))


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_nothing_is_fetched_into_a_partial_clone(scene: Scene, tmp_path: Path, left_out: str) -> None:
    for number in range(4):
        scene.commit(f"c{number}", {"a.py": f"x = {number}\n", "b.py": f"{number}\n"})
    scene.git("config", "uploadpack.allowFilter", "true")
    clone = Scene(tmp_path / "clone")
    scene.git("clone", "-q", "--no-checkout", f"--filter={left_out}", scene.root.as_uri(), str(clone.root))
    before = clone.git("rev-list", "--objects", "--all", "--missing=print")
    assert clone.bring().state == "ready"
    assert clone.git("rev-list", "--objects", "--all", "--missing=print") == before
    assert clone.subjects() == ["c0", "c1", "c2", "c3"]
    with clone.history() as store:
        together = store.changed_together("a.py", 3)
    assert together == ([("b.py", 4)] if left_out == "blob:none" else [])


def test_a_missing_object_costs_its_commit_alone(scene: Scene) -> None:
    for number in range(4):
        scene.commit(f"c{number}", {"a.py": f"x = {number}\n" * 3, f"b{number}.py": "1\n"})
    lost = scene.git("rev-parse", "HEAD~1:a.py")
    (scene.root / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    assert scene.bring().state == "ready"
    assert scene.subjects() == ["c0", "c1", "c2", "c3"]
    with scene.history() as store:
        assert len(store.changed_lines("b0.py")) == 1
        assert store.changed_together("a.py", 9)[-1] == ("b3.py", 1)


def test_a_history_that_git_cannot_tell_is_said_and_not_tried_again(scene: Scene) -> None:
    scene.commit("one", {"a.py": "1\n"})
    head = scene.git("rev-parse", "HEAD")
    (scene.root / ".git" / "objects" / head[:2] / head[2:]).unlink()
    with scene.history() as store, pytest.raises(GitFailed):
        bring_history(scene.folder, store, lambda: None)
    with scene.history() as store:
        assert store.tried == head
        assert store.note.startswith(f"The history of {head[:7]} can't be read: ")


# What is made of it --------------------------------------------------------------------------------------------------


def test_activity_counts_the_days_before_the_newest_commit(scene: Scene) -> None:
    scene.commit("old", {f"{name}.py": "old\n" for name in ("high", "medium", "low", "old")})
    scene.commit("later", {"low.py": "1\n"}, days=200)
    for number in range(8):
        files = {"high.py": f"{number}\n"} | ({"medium.py": f"{number}\n"} if number < 3 else {})
        scene.commit(f"c{number}", files)
    scene.write({"new.py": "1\n"})
    scene.bring()
    with scene.history() as store:
        levels = store.activity(["high.py", "medium.py", "low.py", "old.py", "new.py"])
    assert levels == {"high.py": "high", "medium.py": "medium", "low.py": "low", "old.py": "none"}


def test_a_commit_of_very_many_files_ties_nothing(scene: Scene) -> None:
    scene.commit("all", {f"f{number}.py": "1\n" for number in range(51)})
    scene.commit("few", {f"f{number}.py": "2\n" for number in range(50)})
    scene.bring()
    with scene.history() as store:
        assert store.changed_together("f0.py", 1) == [("f1.py", 1)]
        assert store.changed_together("f50.py", 1) == []
        assert store.ties_in_all() == 1
