"""The root of a project, its folders, and its commit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scry.core import ProjectMissing, ProjectRefused, cache_home, data_home
from scry.core.projects import describe_place, may_be_named
from scry.projects import (
    add_project,
    find_project_root,
    head_commit,
    open_project,
    project_key,
    read_owner_file,
    write_owner_file,
)
from tests.sample.project import git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one commit."""
    root = tmp_path / "My Project!"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "a.py").write_text("a = 1\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message=first")
    return root


def test_project_key_is_readable_and_unique(tmp_path: Path) -> None:
    keys: set[str] = set()
    for name in ("a/My Project!", "b/My Project!", "c/語", "d/..x"):
        (tmp_path / name).mkdir(parents=True)
        project = open_project(tmp_path / name)
        assert project.root == (tmp_path / name).resolve()
        assert project.name == Path(name).name
        assert project.cache == cache_home() / project.key
        assert not project.cache.exists(), "opening writes nothing"
        keys.add(project.key)
    assert sorted(key.rpartition("-")[0] for key in keys) == ["My-Project", "My-Project", "project", "x"]
    assert len(keys) == 4


def test_unregistered_project_never_has_the_name_of_a_registered_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("a/shop", "b/shop", "b/a/shop", "c/Shop", "old/code"):
        (tmp_path / name).mkdir(parents=True)
    add_project(tmp_path / "a" / "shop", None, ())
    add_project(tmp_path / "old" / "code", "docs", ())
    (tmp_path / "old" / "docs").mkdir()
    names = [open_project(tmp_path / each).name for each in ("a/shop", "b/shop", "b/a/shop", "c/Shop", "old/docs")]
    assert names == ["shop", "shop (b)", "shop (b-a)", "Shop (c)", "docs (old)"]
    assert open_project(tmp_path / "old" / "code").name == "docs"


@pytest.mark.parametrize(
    ("folder", "others", "place"),
    [
        ("/x/shop", [], ""),
        ("/x/shop", ["/x/shop", "/y/cart"], ""),
        ("/x/shop", ["/y/shop"], "x"),
        ("/x/shop", ["/x/shop/shop"], "x"),
        ("/x/shop/shop", ["/x/shop"], "shop"),
        ("/x/a/shop", ["/y/a/SHOP", "/z/shop"], "x-a"),
        ("/shop", ["/y/shop"], ""),
        ("/c: #1/shop", ["/y/shop"], "c- -1"),
    ],
)
def test_place_of_a_folder_tells_it_from_others_of_its_name(folder: str, others: list[str], place: str) -> None:
    assert describe_place(Path(folder), map(Path, others)) == place


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("app (server)", True),
        ("app (code-server)", True),
        ("app", False),
        ("app ()", False),
        ("app (erver)", False),
        ("app (client)", False),
        ("shop (server)", False),
    ],
)
def test_a_project_may_have_a_name_by_its_place(name: str, expected: bool) -> None:
    assert may_be_named(Path("/work/code/server/app"), name) is expected


def test_symlink_to_a_project_is_the_same_project(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert open_project(tmp_path / "link") == open_project(tmp_path / "real")


@pytest.mark.parametrize("name", ["gone", "file", "loop", "nul\0"])
def test_invalid_project_root_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ProjectMissing, match=name.strip("\0")):
        open_project(tmp_path / name)


def test_home_and_its_parents_are_refused_unless_forced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home" / "me"
    (home / "code").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for folder in (home, tmp_path / "home", Path("/")):
        with pytest.raises(ProjectRefused, match="--force"):
            open_project(folder)
        assert open_project(folder, force=True).root == folder.resolve()
    assert open_project(home / "code").root == home / "code"


@pytest.mark.slow
def test_work_trees_share_their_data_and_have_an_index_each(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
    (repository / "sub").mkdir()
    main, tree, sub = (open_project(folder) for folder in (repository, tmp_path / "tree", repository / "sub"))
    assert main.data == tree.data == sub.data == data_home() / project_key(repository)
    assert len({main.cache, tree.cache, sub.cache}) == 3


@pytest.mark.slow
def test_home_repository_does_not_own_its_subfolders(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(repository))
    inside = repository / "code" / "app"
    inside.mkdir(parents=True)
    assert find_project_root(inside) == inside
    assert open_project(inside).data == data_home() / project_key(inside)


@pytest.mark.slow
def test_project_root_is_the_top_of_the_work_tree(repository: Path, tmp_path: Path) -> None:
    deep = repository / "x" / "y"
    deep.mkdir(parents=True)
    assert find_project_root(deep) == repository
    assert find_project_root(repository / "a.py") == repository
    assert find_project_root(tmp_path) == tmp_path


@pytest.mark.slow
def test_head_commit_equals_git(repository: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "--quiet", str(tree), "-b", "feature/x")
    (tree / "b.py").write_text("b = 1\n")
    git(tree, "add", ".")
    git(tree, "commit", "--quiet", "--message=second")
    first, second = git(repository, "rev-parse", "HEAD"), git(tree, "rev-parse", "HEAD")
    assert first != second
    assert (head_commit(repository), head_commit(tree), head_commit(repository / "x")) == (first, second, first)
    git(repository, "pack-refs", "--all")
    assert (head_commit(repository), head_commit(tree)) == (first, second)
    git(repository, "checkout", "--quiet", second)
    assert head_commit(repository) == second
    git(repository, "checkout", "--quiet", "--orphan", "empty")
    assert head_commit(repository) is None


@pytest.mark.slow
def test_head_of_a_submodule_is_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "lib")
    assert head_commit(outer / "lib") == git(repository, "rev-parse", "HEAD")
    assert head_commit(outer) is None


@pytest.mark.slow
def test_unresolved_references_are_read_with_git(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "v1")
    (repository / ".git" / "HEAD").write_text("ref: refs/tags/v1\n")
    assert head_commit(repository) == git(repository, "rev-parse", "HEAD") == first


def test_head_commit_is_none_without_git(tmp_path: Path) -> None:
    assert head_commit(tmp_path) is None
    assert head_commit(tmp_path / "gone") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir: /nowhere\n",
        b"gitdir: .git\n",
        b"\xff\xfe\x00",
        b"gitdir: \0\n",
        b"gitdir:" + b"x" * 5_000,
        b"x" * 99_999,
    ],
)
def test_malformed_git_file_is_no_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert head_commit(tmp_path) is None
    assert find_project_root(tmp_path) == tmp_path
    assert open_project(tmp_path).root == tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"ref: ../../secret\n",
        b"ref: refs/heads/../../x\n",
        b"ref: refs/heads/\n",
        b"\0" * 40,
        b"zz" * 20,
        b"ref: " * 9_999,
    ],
)
def test_malformed_head_is_no_error(tmp_path: Path, head: bytes) -> None:
    for folder in ("objects", "refs/heads"):
        (tmp_path / ".git" / folder).mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_bytes(head)
    (tmp_path / "secret").write_text("0" * 40)
    assert head_commit(tmp_path) is None


@pytest.mark.slow
def test_repository_git_settings_run_no_program(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    git(repository, "config", "core.fsmonitor", f"touch {trap}")
    git(repository, "config", "alias.rev-parse", f"!touch {trap}")
    git(repository, "tag", "v1")
    (repository / ".git" / "HEAD").write_text("ref: refs/tags/v1\n")
    assert head_commit(repository) is not None
    assert not trap.exists()


def test_folder_owner_is_known(tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"odd \xff name")
    assert read_owner_file(tmp_path / "key") is None
    write_owner_file(tmp_path / "key", root)
    assert read_owner_file(tmp_path / "key") == root
