"""Which files are not committed as they are, without anything of the repository being run."""

from __future__ import annotations

from pathlib import Path

from scry.index.git.work_tree import uncommitted_paths
from tests.unit.index.history_scene import Scene


def test_changed_staged_new_and_gone_files_are_uncommitted(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "shop").start()
    names = ["same", "changed", "staged", "gone", "old name", "odd\nname"]
    scene.commit("base", {f"lib/{name}": "1\n" for name in names} | {"outside": "1\n", ".gitignore": "*.log\n"})
    assert uncommitted_paths(scene.root) == ()
    scene.write({"lib/changed": "2\n", "lib/staged": "2\n", "lib/odd\nname": "2\n", "outside": "2\n", "lib/a.log": "x"})
    scene.git("add", "lib/staged")
    scene.git("mv", "lib/old name", "lib/new name")
    (scene.root / "lib/gone").unlink()
    scene.write({"lib/deep/er/new": "1\n"})
    inside = ("changed", "deep/er/new", "gone", "new name", "odd\nname", "old name", "staged")
    assert uncommitted_paths(scene.root / "lib") == inside
    assert uncommitted_paths(scene.root) == (*(f"lib/{name}" for name in inside), "outside")


def test_a_work_tree_elsewhere_is_taken_from_gits_settings(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "top" / "inner").start()
    scene.commit("base", {"a.py": "1\n"})
    scene.git("config", "core.worktree", str(tmp_path / "top"))
    scene.write({"a.py": "2\n"})
    assert uncommitted_paths(scene.root) == ("a.py",)


def test_without_git_it_is_not_known(tmp_path: Path) -> None:
    assert uncommitted_paths(tmp_path) is None


def test_no_filter_and_no_monitor_is_run(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "shop").start()
    scene.commit("base", {"a.py": "1\n", ".gitattributes": "*.py filter=odd\n"})
    mark, program = tmp_path / "ran", tmp_path / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for name in ("filter.odd.clean", "filter.odd.process", "core.fsmonitor"):
        scene.git("config", name, str(program))
    scene.git("config", "filter.odd.required", "true")
    scene.write({"a.py": "2\n"})
    assert uncommitted_paths(scene.root) == ("a.py",)
    assert not mark.exists()
