"""Whatever changes the files, the index follows: an editor, a terminal, git."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.indexer.client.client import IndexerClient
from tests.e2e.indexer_scene import IndexerProject, open_indexer_project
from tests.polling import eventually

pytestmark = pytest.mark.slow

_TELLING = """
import sys
from pathlib import Path
from scry.embedding.static_model import StaticModel
from scry.index import project_parser as contents
from scry.indexer import process as worker

said = Path(sys.argv[sys.argv.index("--root") + 1]).with_suffix(".said")

def telling(what, does):
    def tells(*arguments):
        with said.open("a") as file:
            file.write(what + "\\n")
        return does(*arguments)
    return tells

contents.parse = telling("parsed", contents.parse)
StaticModel.encode_passages = telling("embedded", StaticModel.encode_passages)
sys.exit(worker.main())
"""
"""The indexer's process, which notes beside the project what it parses and embeds."""


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as scene:
        yield scene


def test_a_save_that_the_editor_reports_is_searchable_at_once(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    for number in range(8):
        scene.write_file("shop/cart.py", f"def saved_{number}():\n    pass\n")
        client.report_changed_paths(["shop/cart.py"])
        scene.wait_until_found(f"saved_{number}")
    assert scene.doc_ids_named("add_to_cart") == []


@pytest.mark.acceptance("F11")
def test_what_nobody_reports_is_seen_all_the_same(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    scene.write_file("shop/new.py", "def brand_new():\n    pass\n")
    scene.wait_until_found("brand_new")
    (scene.root / "shop/new.py").rename(scene.root / "shop/renamed.py")
    eventually(lambda: scene.doc_ids_named("brand_new") == ["./shop/renamed.py::brand_new"], "it has its new name")
    (scene.root / "shop/renamed.py").unlink()
    scene.wait_until_gone("brand_new")
    eventually(lambda: client.state().files_indexed == 3, "the count follows")


def test_new_folders_are_watched_and_removed_ones_forgotten(scene: IndexerProject) -> None:
    scene.connect_when_ready()
    scene.write_file("lib/deep/deeper/one.py", "def one_deep():\n    pass\n")
    scene.wait_until_found("one_deep")
    scene.connect_when_ready()
    time.sleep(0.3)
    scene.write_file("lib/deep/deeper/two.py", "def two_deep():\n    pass\n")
    scene.wait_until_found("two_deep")
    (scene.root / "lib/deep").rename(scene.root / "lib/moved")
    eventually(lambda: scene.doc_ids_named("one_deep") == ["./lib/moved/deeper/one.py::one_deep"], "the folder has moved")
    time.sleep(0.3)
    scene.write_file("lib/moved/deeper/two.py", "def two_changed():\n    pass\n")
    scene.wait_until_found("two_changed")
    scene.wait_until_gone("two_deep")


def test_a_folder_that_is_replaced_is_watched_under_its_old_name(scene: IndexerProject) -> None:
    scene.connect_when_ready()
    time.sleep(0.7)
    old = scene.root / "shop"
    old.rename(scene.root.parent / "aside")
    scene.write_file("shop/cart.py", "def other_cart():\n    pass\n")
    scene.wait_until_found("other_cart")
    scene.wait_until_gone("add_to_cart")
    time.sleep(0.7)
    scene.write_file("shop/cart.py", "def third_cart():\n    pass\n")
    scene.wait_until_found("third_cart")


def test_a_repository_made_later_is_followed(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    time.sleep(0.7)
    scene.git("init", "-q")
    time.sleep(1.0)
    commit = scene.commit()
    eventually(lambda: client.state().index_commit == commit, "the commit is noticed")


def test_a_folder_that_the_editor_reports_stands_for_what_is_in_it(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    scene.write_file("lib/a.py", "def in_folder():\n    pass\n")
    client.report_changed_paths(["lib", "shop", "no/such"])
    scene.wait_until_found("in_folder")
    assert scene.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


@pytest.mark.acceptance("F11")
def test_commits_and_branches_are_followed(scene: IndexerProject) -> None:
    scene.git("init", "-q", "-b", "main")
    first = scene.commit()
    client = scene.connect_when_ready()
    assert client.state().index_commit == first
    scene.git("checkout", "-q", "-b", "other")
    scene.write_file("shop/branch.py", "def only_here():\n    pass\n")
    second = scene.commit()
    eventually(lambda: client.state().index_commit == second, "the index has the new commit")
    scene.wait_until_found("only_here")
    scene.git("checkout", "-q", "main")
    eventually(lambda: client.state().index_commit == first, "the index is back at the first commit")
    scene.wait_until_gone("only_here")
    scene.git("commit", "-q", "--allow-empty", "-m", "nothing")
    empty = scene.git("rev-parse", "HEAD")
    eventually(lambda: client.state().index_commit == empty, "also a commit without changes is noticed")


@pytest.mark.acceptance("F11")
def test_a_branch_switched_back_to_is_neither_parsed_nor_embedded_again(scene: IndexerProject) -> None:
    scene.git("init", "-q", "-b", "one")
    scene.write_many_files(30)
    first = scene.commit()
    scene.git("checkout", "-q", "-b", "two")
    for path in sorted((scene.root / "many").rglob("*.py")):
        path.write_text(path.read_text().replace("step_", "pace_"))
    second = scene.commit()
    scene.address_of(scene.start_process(code=_TELLING))
    said = scene.root.with_suffix(".said")
    client = scene.connect(start=False)
    assert client.wait_until_current(60).state == "ready"
    scene.git("checkout", "-q", "one")
    eventually(lambda: _is_at(client, first), "the first branch is indexed")
    assert set(said.read_text().split()) == {"parsed", "embedded"}
    said.unlink()
    scene.git("checkout", "-q", "two")
    eventually(lambda: _is_at(client, second), "the second branch is indexed again")
    assert scene.doc_ids_named("pace_7_3") == ["./many/m7/f7.py::pace_7_3"]
    assert scene.doc_ids_named("step_7_3") == []
    assert not said.exists(), said.read_text()


def _is_at(client: IndexerClient, commit: str) -> bool:
    state = client.state()
    return (state.state, state.index_commit, state.vectors) == ("ready", commit, state.vectors_total)


def test_what_is_ignored_wakes_nobody(scene: IndexerProject) -> None:
    scene.write_file(".gitignore", "*.log\nbuild/\n")
    client = scene.connect_when_ready()
    time.sleep(0.7)
    heard: list[object] = []
    client.subscribe(heard.append)
    for number in range(20):
        scene.write_file("debug.log", f"{number}\n")
        scene.write_file(f"build/out{number}.py", "x = 1\n")
        scene.write_file(f"node_modules/m{number}/index.js", "x = 1\n")
        time.sleep(0.02)
    time.sleep(0.5)
    assert [state for state in heard if getattr(state, "state", "") == "indexing"] == []
    scene.write_file(".gitignore", "build/\n")
    eventually(lambda: client.state().files_indexed == 5, "debug.log is indexed now, and .gitignore was all along")


def test_waiting_sees_what_was_written_the_moment_before(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    for number in range(10):
        scene.write_file(f"shop/n{number}.py", f"def number_{number}():\n    pass\n")
        assert client.wait_until_current(60).state == "ready"
        assert scene.doc_ids_named(f"number_{number}") == [f"./shop/n{number}.py::number_{number}"]


def test_a_file_rewritten_within_a_tick_of_the_clock_is_seen(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    for number in range(30):
        scene.write_file("shop/cart.py", f"def tick_{number:03}a():\n    pass\n")
        client.report_changed_paths(["shop/cart.py"])
        time.sleep(0.001 * number)
        scene.write_file("shop/cart.py", f"def tick_{number:03}b():\n    pass\n")  # the same size
    assert client.wait_until_current(60).state == "ready"
    assert scene.doc_ids_named("tick_029b") == ["./shop/cart.py::tick_029b"]


def test_where_watching_is_not_possible_the_files_are_compared(scene: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    scene.git("init", "-q")
    client = scene.connect_when_ready()
    eventually(lambda: "every 3 s" in client.state().message, "it says so")
    assert client.state().state == "ready"
    scene.write_file("shop/new.py", "def brand_new():\n    pass\n")
    scene.wait_until_found("brand_new")
    commit = scene.commit()
    eventually(lambda: client.state().index_commit == commit, "the commit is noticed")


def test_a_save_during_a_long_pass_goes_first(scene: IndexerProject) -> None:
    scene.write_many_files(1300)
    client = scene.connect()
    eventually(lambda: client.state().files_indexed > 0, "the first batch is in")
    scene.write_file("shop/zz.py", "def saved_meanwhile():\n    pass\n")
    client.report_changed_paths(["shop/zz.py"])
    scene.wait_until_found("saved_meanwhile")
    state = client.state()
    assert (state.state, state.files_indexed < 1300) == ("indexing", True), "the pass is not yet over"
    state = client.wait_until_current(60)
    assert (state.state, state.files_indexed) == ("ready", 1304)


def test_paths_that_are_no_text_work_too(scene: IndexerProject) -> None:
    client = scene.connect_when_ready()
    name = os.fsdecode(b"shop/caf\xe9.py")
    scene.write_file(name, "def odd_name():\n    pass\n")
    client.report_changed_paths([name])
    scene.wait_until_found("odd_name")
    outside = scene.root.parent / "outside.py"
    outside.write_text("def outside():\n    pass\n")
    client.report_changed_paths(["../outside.py", "shop/../../outside.py", str(outside), "", ".", "a\0b"])
    assert client.wait_until_current(60).state == "ready"
    assert scene.doc_ids_named("add_to_cart") != []
    assert scene.doc_ids_named("outside") == []
