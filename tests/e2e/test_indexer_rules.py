"""The index follows changes that show in no modification time, and those of ignore rules in unusual places."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.polling import eventually
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_indexer_project(tmp_path / "outer/shop") as sample:
        yield sample


def test_edit_that_keeps_size_and_time_is_followed(sample: IndexerProject) -> None:
    file = sample.write_file("shop/new.py", "def first_one():\n    pass\n")
    sample.connect_when_ready()
    eventually(lambda: sample.is_watched("shop"), "the folder is watched")
    before = file.stat()
    file.write_text("def other_one():\n    pass\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    sample.wait_until_found("other_one")
    sample.wait_until_gone("first_one")


def test_folder_that_becomes_a_virtual_environment_is_left_out_until_it_is_none(sample: IndexerProject) -> None:
    sample.write_file("env/lib.py", "def in_environment():\n    pass\n")
    sample.connect_when_ready()
    eventually(lambda: sample.is_watched("env"), "the folder is watched")
    marker = sample.write_file("env/pyvenv.cfg", "home = /usr\n")
    sample.wait_until_gone("in_environment")
    eventually(lambda: sample.is_watched("env/pyvenv.cfg"), "the file that makes it one is watched")
    marker.unlink()
    sample.wait_until_found("in_environment")


def test_folder_that_is_no_longer_ignored_is_watched(sample: IndexerProject) -> None:
    rules = sample.write_file(".gitignore", "lib/\n")
    sample.git("init", "-q")
    sample.write_file("lib/a.py", "def in_lib():\n    pass\n")
    sample.connect_when_ready()
    eventually(lambda: sample.is_watched(""), "the root is watched")
    rules.write_text("")
    sample.wait_until_found("in_lib")
    eventually(lambda: sample.is_watched("lib"), "the folder is watched")
    sample.write_file("lib/a.py", "def changed_in_lib():\n    pass\n")
    sample.wait_until_found("changed_in_lib")


def test_repository_inside_the_project_takes_its_files_out_of_the_rules_around_it(sample: IndexerProject) -> None:
    sample.git("init", "-q")
    sample.write({".gitignore": "*.gen.py\n", "inner/a.gen.py": "def generated():\n    pass\n", "inner/b.py": ""})
    sample.connect_when_ready()
    eventually(lambda: sample.is_watched("inner"), "the folder is watched")
    assert sample.doc_ids_named("generated") == []
    sample.git("init", "-q", "inner")
    sample.wait_until_found("generated")
    (sample.root / "inner/.git").rename(sample.root.parent / "aside")
    sample.wait_until_gone("generated")


def test_repository_that_is_moved_away_and_back_is_followed(sample: IndexerProject) -> None:
    sample.git("init", "-q")
    first = sample.commit()
    client = sample.connect_when_ready()
    eventually(lambda: client.state().index_commit == first, "the first commit is there")
    (sample.root / ".git").rename(sample.root.parent / "aside")
    eventually(lambda: client.state().history == "none", "there is no history")
    (sample.root.parent / "aside").rename(sample.root / ".git")
    eventually(lambda: client.state().index_commit == first, "the commit is there again")
    sample.git("commit", "-q", "--allow-empty", "-m", "nothing")
    second = sample.git("rev-parse", "HEAD")
    eventually(lambda: client.state().index_commit == second, "a later commit is noticed")


@pytest.mark.parametrize("path", [".git/info/exclude", "../.gitignore", "../../.config/git/ignore", ".scryignore"])
def test_rules_outside_the_indexed_files_are_followed(
    sample: IndexerProject, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(sample.root.parent.parent / ".config"))
    repository = sample.root.parent if path == "../.gitignore" else sample.root
    repository.joinpath(".git").mkdir()
    sample.git("init", "-q", str(repository))
    sample.write({".gitignore": ".scryignore\n", ".scryignore": "x\n", "shop/own.py": "def own_one():\n    pass\n"})
    sample.connect_when_ready()
    assert sample.doc_ids_named("own_one")
    sample.write_file(path, "own.*\n")
    sample.wait_until_gone("own_one")
    sample.write_file(path, "other.*\n")
    sample.wait_until_found("own_one")
