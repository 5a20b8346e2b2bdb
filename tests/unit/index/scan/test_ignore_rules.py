"""The ignore rule that decides, and its name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scry.core import Settings, SkipReason
from scry.index.scan import byte_text, compile_glob, explain_ignored
from scry.index.scan.walk import walk


def fill(root: Path, files: dict[str, str]) -> Path:
    """Write files by their relative paths."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def details(root: Path, settings: Settings | None = None) -> dict[str, str]:
    """Return every ignored path with its rule."""
    found = walk(root, settings or Settings())
    return {entry.path: entry.skip.detail for entry in found if entry.skip and entry.skip.reason == SkipReason.IGNORED}


def repository(root: Path) -> Path:
    """Return a folder made a git repository without running git."""
    for folder in ("objects", "refs", "info"):
        (root / ".git" / folder).mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return root


@pytest.mark.acceptance("W2")
def test_each_source_is_named_with_its_line(tmp_path: Path) -> None:
    root = fill(
        repository(tmp_path),
        {
            ".gitignore": "# build products\n\n*.o\n/out/\n",
            "src/.gitignore": "generated.py\n",
            "src/.scryignore": "fixtures/\n",
            ".git/info/exclude": "\nnotes.txt\n",
            "a.o": "",
            "out/x": "",
            "src/generated.py": "",
            "src/fixtures/big.json": "",
            "notes.txt": "",
            "node_modules/a.js": "",
            "secret.key": "",
        },
    )
    assert details(root, Settings(ignore=("*.key",))) == {
        ".git": "built-in rule",
        "a.o": ".gitignore line 3",
        "out": ".gitignore line 4",
        "src/generated.py": "src/.gitignore line 1",
        "src/fixtures": "src/.scryignore line 1",
        "notes.txt": ".git/info/exclude line 2",
        "node_modules": "built-in rule",
        "secret.key": "settings: ignore",
    }


def test_an_ignored_folder_is_one_row_and_is_not_entered(tmp_path: Path) -> None:
    fill(tmp_path, {".gitignore": "vendor/\n!vendor/keep.py\n", "vendor/keep.py": "", "vendor/deep/x.py": ""})
    found = list(walk(tmp_path, Settings()))
    assert [entry.path for entry in found] == [".gitignore", "vendor"]
    skip = explain_ignored(tmp_path, "vendor/deep/x.py", Settings())
    assert skip is not None
    assert skip.detail == ".gitignore line 1"


def test_scryignore_overrides_gitignore_at_any_depth(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {".scryignore": "!vendor/\n!*.gen.py\n", ".gitignore": "vendor/\n", "src/.gitignore": "*.py\n"}
        | {"vendor/a.py": "", "src/b.py": "", "src/c.gen.py": ""},
    )
    assert details(tmp_path) == {"src/b.py": "src/.gitignore line 1"}


def test_ignore_setting_ranks_between_scryignore_and_gitignore(tmp_path: Path) -> None:
    fill(tmp_path, {".scryignore": "a.txt\n", ".gitignore": "b.txt\n", "a.txt": "", "b.txt": "", "d/c.txt": ""})
    settings = Settings(ignore=("!a.txt", "!b.txt", "/d/c.txt"))
    assert details(tmp_path, settings) == {"a.txt": ".scryignore line 1", "d/c.txt": "settings: ignore"}


def test_enclosing_repository_rules_apply_to_a_folder(tmp_path: Path) -> None:
    top = fill(
        repository(tmp_path / "top"),
        {".gitignore": "*.log\n/server/tmp\n", "server/api/.gitignore": "!keep.log\n", ".git/info/exclude": "*.bak\n"}
        | {"server/api/keep.log": "", "server/x.log": "", "server/x.bak": "", "server/tmp": "", "server/main.py": ""},
    )
    assert details(top / "server") == {
        "x.log": "../.gitignore line 1",
        "tmp": "../.gitignore line 2",
        "x.bak": "../.git/info/exclude line 1",
    }


def test_opened_folder_is_indexed_though_ignored(tmp_path: Path) -> None:
    top = fill(
        repository(tmp_path / "top"), {".gitignore": "build/\n*.log\n", "build/docs/a.md": "", "build/x.log": ""}
    )
    assert details(top / "build") == {}
    assert [entry.path for entry in walk(top / "build", Settings())] == ["docs/a.md", "x.log"]


def test_gitignore_that_leaves_no_entry_of_an_opened_folder_does_not_apply(tmp_path: Path) -> None:
    files = {
        ".gitignore": "*.o\n/*\n!/debian/\n",
        ".scryignore": "/mm/\n",
        "fs/ext4.c": "",
        "fs/a.o": "",
        "mm/slab.c": "",
    }
    root = fill(tmp_path / "kernel", files)
    assert [entry.path for entry in walk(root, Settings()) if entry.skip is None] == [
        ".gitignore",
        ".scryignore",
        "fs/a.o",
        "fs/ext4.c",
    ]
    assert details(root) == {"mm": ".scryignore line 1"}
    assert explain_ignored(root, "fs/ext4.c", Settings()) is None
    fill(root, {"debian/control": "", "fs/.gitignore": "*.o\n"})
    assert set(details(root)) == {".gitignore", ".scryignore", "fs", "mm"}
    (root / "debian" / "control").unlink()
    (root / "debian").rmdir()
    assert details(root) == {"fs/a.o": "fs/.gitignore line 1", "mm": ".scryignore line 1"}


def test_gitignore_of_a_repository_may_leave_no_entry(tmp_path: Path) -> None:
    root = fill(repository(tmp_path), {".gitignore": "/*\n", "a.c": "", "src/b.c": ""})
    assert set(details(root)) == {".git", ".gitignore", "a.c", "src"}


def test_a_repository_inside_starts_with_git_rules_of_its_own(tmp_path: Path) -> None:
    repository(tmp_path)
    repository(tmp_path / "lib")
    fill(tmp_path, {".gitignore": "*.log\n", ".scryignore": "*.tmp\n", "lib/.git/info/exclude": "*.bak\n"})
    fill(tmp_path, {"lib/a.log": "", "lib/a.tmp": "", "lib/a.bak": ""})
    ignored = details(tmp_path)
    assert ignored == {
        ".git": "built-in rule",
        "lib/.git": "built-in rule",
        "lib/a.tmp": ".scryignore line 1",
        "lib/a.bak": "lib/.git/info/exclude line 1",
    }


@pytest.mark.slow
def test_global_git_excludes_apply_and_can_be_negated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = fill(tmp_path / "me", {"excludes": "*.swp\n.idea/\n"})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine / "gitconfig"))
    subprocess.run(["git", "config", "--global", "core.excludesFile", str(mine / "excludes")], check=True)
    root = fill(repository(tmp_path / "p"), {".gitignore": "!.idea/\n", "a.swp": "", ".idea/x.xml": ""})
    assert details(root) == {".git": "built-in rule", "a.swp": f"{mine}/excludes line 1"}


@pytest.mark.slow
def test_project_cannot_set_the_person_excludes(tmp_path: Path) -> None:
    root = fill(tmp_path / "p", {"a.py": "", "rules": "*.py\n"})
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "config", "core.excludesFile", str(root / "rules")], check=True)
    assert details(root) == {".git": "built-in rule"}


def test_folders_marked_by_tools_are_skipped(tmp_path: Path) -> None:
    tag = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n"
    fill(
        tmp_path, {"target/CACHEDIR.TAG": tag, "target/debug/a.rs": "", "other/CACHEDIR.TAG": "not one", "other/a": ""}
    )
    fill(tmp_path, {"env/pyvenv.cfg": "", "env/lib/a.py": "", "pkg/__pycache__/a.pyc": "", "venv/a.py": ""})
    assert details(tmp_path) == {
        "env": "built-in rule: pyvenv.cfg",
        "pkg/__pycache__": "built-in rule",
        "target": "built-in rule: CACHEDIR.TAG",
    }
    fill(tmp_path, {".scryignore": "!target/\n!__pycache__/\n"})
    assert details(tmp_path) == {"env": "built-in rule: pyvenv.cfg"}


def test_lock_files_are_skipped_unless_included(tmp_path: Path) -> None:
    fill(
        tmp_path, {"package.json": "{}", "app/yarn.lock": "", "Cargo.lock": "", "locks/yarn.lock.md": "", "a.lock": ""}
    )
    assert details(tmp_path) == {
        "Cargo.lock": "built-in rule: lock files",
        "app/yarn.lock": "built-in rule: lock files",
    }
    fill(tmp_path, {".scryignore": "!Cargo.lock\n"})
    assert details(tmp_path) == {"app/yarn.lock": "built-in rule: lock files"}


def test_version_control_folders_are_always_skipped(tmp_path: Path) -> None:
    fill(repository(tmp_path), {".scryignore": "!.git/\n!.hg\n!*\n", ".hg/store": "", "a.py": ""})
    assert details(tmp_path) == {".git": "built-in rule", ".hg": "built-in rule"}


def test_missing_and_outside_paths_are_classified(tmp_path: Path) -> None:
    fill(tmp_path, {".gitignore": "*.log\n", "a.py": ""})
    gone = explain_ignored(tmp_path, "deep/gone.log", Settings())
    assert gone is not None
    assert gone.detail == ".gitignore line 1"
    assert explain_ignored(tmp_path, "deep/gone.py", Settings()) is None
    assert explain_ignored(tmp_path, "./a.py", Settings()) is None
    for path in ("../a.py", "/etc/passwd", "a/../../b"):
        outside = explain_ignored(tmp_path, path, Settings())
        assert outside is not None
        assert outside.reason == SkipReason.OUTSIDE
        assert list(walk(tmp_path, Settings(), under=path)) == []


def test_unreadable_ignore_files_are_skipped(tmp_path: Path) -> None:
    fill(tmp_path, {"a/x.py": "", "b/x.py": "", "c/x.py": "", "d/.gitignore": "\ufeffx.py\r\n", "d/x.py": ""})
    (tmp_path / "a" / ".gitignore").mkdir()
    (tmp_path / "b" / ".gitignore").symlink_to(tmp_path / "d" / ".gitignore")
    (tmp_path / "c" / ".gitignore").write_bytes(b"\xff\xfe\x00[\n!\n\\\n" + b"*" * 5000 + b"q\n")
    assert details(tmp_path) == {"d/x.py": "d/.gitignore line 1"}


def test_hostile_pattern_is_matched_without_backtracking() -> None:
    """Backtracking would not end within the limit of a test."""
    name = "a" * 250
    assert not compile_glob("*a" * 60 + "*b").match(name)
    assert compile_glob("*a" * 60 + "*").match(name)


def test_names_are_matched_by_their_bytes() -> None:
    assert byte_text("é\udcff") == "Ã©ÿ"
    assert compile_glob("??").match(byte_text("é"))
    assert not compile_glob("?").match(byte_text("é"))
