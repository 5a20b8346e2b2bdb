"""The index follows changes by an editor, a terminal and git."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.indexer.client import IndexerClient
from tests.polling import PATIENCE_S, eventually
from tests.sample.indexer import IndexerProject, open_indexer_project, wait_until_state

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
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexerProject]:
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "20")
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def test_reported_save_is_searchable(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    for number in range(8):
        sample.write_file("shop/cart.py", f"def saved_{number}():\n    pass\n")
        client.report_changed_paths(["shop/cart.py"])
        sample.wait_until_found(f"saved_{number}")
    assert sample.doc_ids_named("add_to_cart") == []


@pytest.mark.acceptance("F11")
def test_unreported_changes_are_detected(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    sample.write_file("shop/new.py", "def brand_new():\n    pass\n")
    sample.wait_until_found("brand_new")
    (sample.root / "shop/new.py").rename(sample.root / "shop/renamed.py")
    eventually(
        lambda: sample.doc_ids_named("brand_new") == ["./shop/renamed.py::brand_new"], "the file has its new name"
    )
    (sample.root / "shop/renamed.py").unlink()
    sample.wait_until_gone("brand_new")
    eventually(lambda: client.state().files_indexed == 3, "the count follows")


def test_new_and_moved_folders_are_watched(sample: IndexerProject) -> None:
    sample.connect_when_ready()
    sample.write_file("lib/deep/deeper/one.py", "def one_deep():\n    pass\n")
    sample.wait_until_found("one_deep")
    eventually(lambda: sample.is_watched("lib/deep/deeper"), "the new folder is watched")
    sample.write_file("lib/deep/deeper/two.py", "def two_deep():\n    pass\n")
    sample.wait_until_found("two_deep")
    (sample.root / "lib/deep").rename(sample.root / "lib/moved")
    eventually(
        lambda: sample.doc_ids_named("one_deep") == ["./lib/moved/deeper/one.py::one_deep"], "the folder has moved"
    )
    time.sleep(0.3)
    sample.write_file("lib/moved/deeper/two.py", "def two_changed():\n    pass\n")
    sample.wait_until_found("two_changed")
    sample.wait_until_gone("two_deep")


def test_replaced_folder_is_watched_under_its_old_name(sample: IndexerProject) -> None:
    sample.connect_when_ready()
    eventually(lambda: sample.is_watched("shop"), "the folder is watched")
    old = sample.root / "shop"
    old.rename(sample.root.parent / "aside")
    sample.write_file("shop/cart.py", "def other_cart():\n    pass\n")
    sample.wait_until_found("other_cart")
    sample.wait_until_gone("add_to_cart")
    eventually(lambda: sample.is_watched("shop"), "the new folder of the same name is watched")
    sample.write_file("shop/cart.py", "def third_cart():\n    pass\n")
    sample.wait_until_found("third_cart")


def test_repository_created_later_is_followed(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    eventually(lambda: sample.is_watched(""), "the root is watched")
    sample.git("init", "-q")
    first = sample.commit()
    eventually(lambda: client.state().index_commit == first, "a commit right after `git init` is noticed")
    sample.git("commit", "-q", "--allow-empty", "-m", "nothing")
    second = sample.git("rev-parse", "HEAD")
    eventually(lambda: client.state().index_commit == second, "a later commit is noticed")


def test_reported_folder_indexes_its_files(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    sample.write_file("lib/a.py", "def in_folder():\n    pass\n")
    client.report_changed_paths(["lib", "shop", "no/such"])
    sample.wait_until_found("in_folder")
    assert sample.doc_ids_named("add_to_cart") == ["./shop/cart.py::add_to_cart"]


@pytest.mark.acceptance("F11")
def test_commits_and_branches_are_followed(sample: IndexerProject) -> None:
    sample.git("init", "-q", "-b", "main")
    first = sample.commit()
    client = sample.connect_when_ready()
    eventually(lambda: client.state().index_commit == first, "the index has the first commit")
    sample.git("checkout", "-q", "-b", "other")
    sample.write_file("shop/branch.py", "def only_here():\n    pass\n")
    second = sample.commit()
    eventually(lambda: client.state().index_commit == second, "the index has the new commit")
    sample.wait_until_found("only_here")
    sample.git("checkout", "-q", "main")
    eventually(lambda: client.state().index_commit == first, "the index is back at the first commit")
    sample.wait_until_gone("only_here")
    sample.git("commit", "-q", "--allow-empty", "-m", "nothing")
    empty = sample.git("rev-parse", "HEAD")
    eventually(lambda: client.state().index_commit == empty, "also a commit without changes is noticed")


@pytest.mark.acceptance("F11")
def test_switching_back_a_branch_parses_and_embeds_nothing(sample: IndexerProject) -> None:
    sample.git("init", "-q", "-b", "one")
    sample.write_many_files(30)
    first = sample.commit()
    sample.git("checkout", "-q", "-b", "two")
    for path in sorted((sample.root / "many").rglob("*.py")):
        path.write_text(path.read_text().replace("step_", "pace_"))
    second = sample.commit()
    sample.address_of(sample.start_process(code=_TELLING))
    work_log = sample.root.with_suffix(".said")
    client = sample.connect(start=False)
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    sample.git("checkout", "-q", "one")
    eventually(lambda: _is_at(client, first), "the first branch is indexed")
    assert set(work_log.read_text().split()) == {"parsed", "embedded"}
    work_log.unlink()
    sample.git("checkout", "-q", "two")
    eventually(lambda: _is_at(client, second), "the second branch is indexed again")
    assert sample.doc_ids_named("pace_7_3") == ["./many/m7/f7.py::pace_7_3"]
    assert sample.doc_ids_named("step_7_3") == []
    assert not work_log.exists(), work_log.read_text()


def _is_at(client: IndexerClient, commit: str) -> bool:
    state = client.state()
    return (state.state, state.index_commit, state.vectors) == ("ready", commit, state.vectors_total)


def test_ignored_changes_start_no_indexing(sample: IndexerProject) -> None:
    sample.write_file(".gitignore", "*.log\nbuild/\n")
    client = sample.connect_when_ready()
    eventually(lambda: sample.is_watched("shop"), "the project is watched")
    pushed: list[object] = []
    client.subscribe(pushed.append)

    def is_settled() -> bool:
        """Return whether the check that follows the start of watching, half a second after the last event, is over."""
        count = len(pushed)
        time.sleep(1.5)
        return client.wait_until_current(PATIENCE_S).state == client.state().state == "ready" and len(pushed) == count

    eventually(is_settled, "the state changes no more")
    pushed.clear()
    for number in range(20):
        sample.write_file("debug.log", f"{number}\n")
        sample.write_file(f"build/out{number}.py", "x = 1\n")
        sample.write_file(f"node_modules/m{number}/index.js", "x = 1\n")
        time.sleep(0.02)
    time.sleep(0.5)
    assert [state for state in pushed if getattr(state, "state", "") == "indexing"] == []
    sample.write_file(".gitignore", "build/\n")
    eventually(lambda: client.state().files_indexed == 5, "debug.log is indexed now, and .gitignore was all along")


def test_waiting_includes_files_written_just_before(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    for number in range(10):
        sample.write_file(f"shop/n{number}.py", f"def number_{number}():\n    pass\n")
        assert client.wait_until_current(PATIENCE_S).state == "ready"
        assert sample.doc_ids_named(f"number_{number}") == [f"./shop/n{number}.py::number_{number}"]


def test_file_rewritten_within_a_clock_tick_is_seen(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    for number in range(30):
        sample.write_file("shop/cart.py", f"def tick_{number:03}a():\n    pass\n")
        client.report_changed_paths(["shop/cart.py"])
        time.sleep(0.001 * number)
        sample.write_file("shop/cart.py", f"def tick_{number:03}b():\n    pass\n")  # the same size
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    assert sample.doc_ids_named("tick_029b") == ["./shop/cart.py::tick_029b"]


def test_files_are_polled_where_watching_is_impossible(sample: IndexerProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    sample.git("init", "-q")
    client = sample.connect_when_ready()
    eventually(lambda: "every 3 s" in client.state().message, "the message says so")
    wait_until_state(client, "ready")
    sample.write_file("shop/new.py", "def brand_new():\n    pass\n")
    sample.wait_until_found("brand_new")
    commit = sample.commit()
    eventually(lambda: client.state().index_commit == commit, "the commit is noticed")


def test_save_during_a_long_pass_is_indexed_first(sample: IndexerProject) -> None:
    sample.write_many_files(1300)
    client = sample.connect()
    eventually(lambda: client.state().files_indexed > 0, "the first batch is in")
    sample.write_file("shop/zz.py", "def saved_meanwhile():\n    pass\n")
    client.report_changed_paths(["shop/zz.py"])
    sample.wait_until_found("saved_meanwhile")
    state = client.state()
    assert (state.state, state.files_indexed < 1300) == ("indexing", True), "the pass is not yet over"
    state = client.wait_until_current(PATIENCE_S)
    assert (state.state, state.files_indexed) == ("ready", 1304)


def test_undecodable_and_outside_paths_are_handled(sample: IndexerProject) -> None:
    client = sample.connect_when_ready()
    name = os.fsdecode(b"shop/caf\xe9.py")
    sample.write_file(name, "def odd_name():\n    pass\n")
    client.report_changed_paths([name])
    sample.wait_until_found("odd_name")
    outside = sample.root.parent / "outside.py"
    outside.write_text("def outside():\n    pass\n")
    client.report_changed_paths(["../outside.py", "shop/../../outside.py", str(outside), "", ".", "a\0b"])
    assert client.wait_until_current(PATIENCE_S).state == "ready"
    assert sample.doc_ids_named("add_to_cart") != []
    assert sample.doc_ids_named("outside") == []
