"""The history of repositories that are not whole, or not simple: shallow, partial, damaged, one inside another."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.index.git import GitFailed, update_history
from scry.store.history import describe_commit
from tests.sample.history import HistoryProject
from tests.unit.index.git.history_states import same_as_fresh


@pytest.fixture
def sample(tmp_path: Path) -> HistoryProject:
    return HistoryProject(tmp_path / "shop").init_repository()


def test_no_history_without_git_or_before_the_first_commit(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert HistoryProject(tmp_path / "plain").update_history().state == "none"
    sample = HistoryProject(tmp_path / "unborn").init_repository()
    assert sample.update_history().state == "none"
    sample.commit("first", {"a": "1"})
    assert sample.update_history().state == "ready"
    sample.git("checkout", "-q", "--orphan", "empty")
    assert sample.update_history().state == "none"
    assert sample.subjects() == []


def test_folder_inside_a_repository_has_its_own_history(sample: HistoryProject, tmp_path: Path) -> None:
    sample.commit("both", {"lib/a.py": "1\n", "app/b.py": "1\n"})
    sample.commit("lib alone", {"lib/a.py": "2\n", "lib/deep/c.py": "1\n"})
    last = sample.commit("app alone", {"app/b.py": "2\n"})
    sample.opened = sample.root / "lib"
    assert sample.update_history().state == "ready"
    assert sorted(sample.stored_commits().values()) == [("both", ("a.py",)), ("lib alone", ("a.py", "deep/c.py"))]
    sample.git("checkout", "-q", "-b", "topic", "HEAD~1")
    sample.commit("lib again", {"lib/a.py": "3\n"})
    sample.git("checkout", "-q", "main")
    sample.git("merge", "-q", "-m", "merged", "topic")
    assert same_as_fresh(sample, tmp_path)
    assert sample.subjects() == ["both", "lib again", "lib alone"]
    assert last not in sample.stored_commits()


def test_a_work_tree_and_a_submodule_have_their_own_history(sample: HistoryProject, tmp_path: Path) -> None:
    sample.commit("base", {"a.py": "1\n"})
    sample.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = HistoryProject(tmp_path / "side", clock=sample.clock)
    side.commit("side", {"b.py": "1\n"})
    sample.commit("main", {"c.py": "1\n"})
    assert (sample.update_history().state, side.update_history().state) == ("ready", "ready")
    assert (sample.subjects(), side.subjects()) == (["base", "main"], ["base", "side"])
    outer = HistoryProject(tmp_path / "outer").init_repository()
    outer.commit("outer", {"x.py": "1\n"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(sample.root), "inner")
    added = outer.commit("add the inner")
    outer.update_history()
    assert outer.stored_commits()[added] == ("add the inner", (".gitmodules",))
    inner = HistoryProject(tmp_path / "outer" / "inner")
    assert inner.update_history().state == "ready"
    assert inner.subjects() == ["base", "main"]


def test_shallow_boundary_commit_did_not_add_all_files(sample: HistoryProject, tmp_path: Path) -> None:
    for number in range(4):
        sample.commit(f"c{number}", {"a.py": f"{number}\n", "b.py": f"{number}\n"})
    clone = HistoryProject(tmp_path / "clone")
    sample.git("clone", "-q", "--depth", "2", sample.root.as_uri(), str(clone.root))
    clone.update_history()
    end = clone.git("rev-parse", "HEAD~1")
    assert clone.stored_commits()[end] == ("c2", ())
    with clone.history() as store:
        commit = store.reader.commit_by_sha(end)
        assert commit is not None
        assert describe_commit(commit) == f'{end[:7]}: "c2"'
        assert store.reader.co_changed_files("a.py", 3) == [("b.py", 1)]
    clone.git("fetch", "-q", "--unshallow")
    assert same_as_fresh(clone, tmp_path)
    assert clone.stored_commits()[end] == ("c2", ("a.py", "b.py"))


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_nothing_is_fetched_into_a_partial_clone(sample: HistoryProject, tmp_path: Path, left_out: str) -> None:
    for number in range(4):
        sample.commit(f"c{number}", {"a.py": f"x = {number}\n", "b.py": f"{number}\n"})
    sample.git("config", "uploadpack.allowFilter", "true")
    clone = HistoryProject(tmp_path / "clone")
    sample.git("clone", "-q", "--no-checkout", f"--filter={left_out}", sample.root.as_uri(), str(clone.root))
    before = clone.git("rev-list", "--objects", "--all", "--missing=print")
    assert clone.update_history().state == "ready"
    assert clone.git("rev-list", "--objects", "--all", "--missing=print") == before
    assert clone.subjects() == ["c0", "c1", "c2", "c3"]
    with clone.history() as store:
        together = store.reader.co_changed_files("a.py", 3)
    assert together == ([("b.py", 4)] if left_out == "blob:none" else [])


def test_missing_git_object_loses_only_its_commit(sample: HistoryProject) -> None:
    for number in range(4):
        sample.commit(f"c{number}", {"a.py": f"x = {number}\n" * 3, f"b{number}.py": "1\n"})
    lost = sample.git("rev-parse", "HEAD~1:a.py")
    (sample.root / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    assert sample.update_history().state == "ready"
    assert sample.subjects() == ["c0", "c1", "c2", "c3"]
    with sample.history() as store:
        assert len(store.changed_lines("b0.py")) == 1
        assert store.reader.co_changed_files("a.py", 9)[-1] == ("b3.py", 1)


def test_commit_with_missing_objects_is_complete_once_they_are_back(sample: HistoryProject, tmp_path: Path) -> None:
    for number in range(4):
        sample.commit(f"c{number}", {"a.py": f"x = {number}\n" * 3, f"b{number}.py": "1\n"})
    blob = _object_file(sample, "HEAD~1:a.py")
    tree = _object_file(sample, "HEAD~2:")
    blob.rename(tmp_path / "blob")
    tree.rename(tmp_path / "tree")
    sample.update_history()
    sample.commit("c4", {"c.py": "1\n"})
    assert sample.update_history().state == "ready"
    with sample.history() as store:
        assert len(store.incomplete_commits()) == 3
        generation = store.reader.refresh()
    sample.update_history()
    with sample.history() as store:
        assert store.reader.refresh() == generation
    (tmp_path / "blob").rename(blob)
    (tmp_path / "tree").rename(tree)
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        assert store.incomplete_commits() == []


def test_left_out_commit_is_read_once_the_repository_is_repaired(sample: HistoryProject, tmp_path: Path) -> None:
    for number in range(4):
        sample.commit(f"c{number}", {"a.py": f"x = {number}\n"})
    sample.git("commit-graph", "write", "--reachable")  # git lists the commit without reading it
    commit = _object_file(sample, "HEAD~1")
    commit.rename(tmp_path / "commit")
    state = sample.update_history()
    assert sample.subjects() == ["c0", "c1", "c3"]
    assert state.extent == "1 item of it failed, see scry doctor"
    sample.commit("c4", {"a.py": "x = 4\n"})
    state = sample.update_history()
    assert sample.subjects() == ["c0", "c1", "c3", "c4"]
    assert state.extent == "1 item of it failed, see scry doctor"
    (tmp_path / "commit").rename(commit)
    state = sample.update_history()
    assert state.extent == ""
    assert same_as_fresh(sample, tmp_path)
    assert sample.subjects() == ["c0", "c1", "c2", "c3", "c4"]


def test_left_out_commit_is_forgotten_once_nothing_leads_to_it(sample: HistoryProject, tmp_path: Path) -> None:
    for number in range(3):
        sample.commit(f"c{number}", {"a.py": f"x = {number}\n"})
    sample.git("commit-graph", "write", "--reachable")
    _object_file(sample, "HEAD~1").rename(tmp_path / "commit")
    assert sample.update_history().extent
    sample.git("reset", "-q", "--hard", "HEAD~2")
    sample.commit("other", {"b.py": "1\n"})
    assert sample.update_history().extent == ""
    assert same_as_fresh(sample, tmp_path)


def _object_file(sample: HistoryProject, name: str) -> Path:
    sha = sample.git("rev-parse", name)
    return sample.root / ".git" / "objects" / sha[:2] / sha[2:]


def test_unreadable_history_is_reported_and_not_retried(sample: HistoryProject) -> None:
    sample.commit("one", {"a.py": "1\n"})
    head = sample.git("rev-parse", "HEAD")
    (sample.root / ".git" / "objects" / head[:2] / head[2:]).unlink()
    with sample.history() as store, pytest.raises(GitFailed):
        update_history(sample.folder, store, lambda: None)
    with sample.history() as store:
        assert store.reader.state_at(head).state != "pending"
        assert store.reader.state_at(head).note.startswith(f"The history of {head[:7]} can't be read: ")


# Derived values ------------------------------------------------------------------------------------------------------


def test_activity_counts_the_days_before_the_newest_commit(sample: HistoryProject) -> None:
    sample.commit("old", {f"{name}.py": "old\n" for name in ("high", "medium", "low", "old")})
    sample.commit("later", {"low.py": "1\n"}, days=200)
    for number in range(8):
        files = {"high.py": f"{number}\n"} | ({"medium.py": f"{number}\n"} if number < 3 else {})
        sample.commit(f"c{number}", files)
    sample.write({"new.py": "1\n"})
    sample.update_history()
    with sample.history() as store:
        levels = store.reader.activity_levels(["high.py", "medium.py", "low.py", "old.py", "new.py"])
    assert levels == {"high.py": "high", "medium.py": "medium", "low.py": "low", "old.py": "none"}


def test_very_large_commit_creates_no_co_changes(sample: HistoryProject) -> None:
    sample.commit("all", {f"f{number}.py": "1\n" for number in range(51)})
    sample.commit("few", {f"f{number}.py": "2\n" for number in range(50)})
    sample.update_history()
    with sample.history() as store:
        assert store.reader.co_changed_files("f0.py", 1) == [("f1.py", 1)]
        assert store.reader.co_changed_files("f50.py", 1) == []
        assert store.reader.cochange_commit_count() == 1


@pytest.mark.parametrize("folder", ["", "lib[1]"])
def test_attributes_in_the_work_tree_do_not_change_what_is_read(
    sample: HistoryProject, tmp_path: Path, folder: str
) -> None:
    sample.opened = sample.root / folder
    sample.commit("text", {"lib[1]/a.py": "one\n", "a.py": "two\n"})
    sample.update_history()
    sample.commit("attributes", {".gitattributes": "*.py binary\n", "lib[1]/a.py": "one\nmore\n", "a.py": "3\n"})
    assert same_as_fresh(sample, tmp_path)
    with sample.history() as store:
        assert [bool(hunks) for _, hunks in store.changed_lines("a.py")] == [True, True]


def test_replaced_commits_are_read_anew(sample: HistoryProject, tmp_path: Path) -> None:
    shas = [sample.commit(f"c{number}", {f"f{number}.py": "1\n"}) for number in range(5)]
    sample.update_history()
    sample.git("replace", "--graft", shas[3], shas[0])
    assert same_as_fresh(sample, tmp_path)
    assert sample.subjects() == ["c0", "c3", "c4"]
    sample.git("pack-refs", "--all")
    assert same_as_fresh(sample, tmp_path)
    sample.git("replace", "-d", shas[3])
    assert same_as_fresh(sample, tmp_path)
    assert sample.subjects() == ["c0", "c1", "c2", "c3", "c4"]
