"""The folder that the command line takes as the project, and its messages for nearly empty ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import SCRY, CommandLine, doc_ids
from tests.sample.indexer import IndexerProject, open_indexer_project

pytestmark = pytest.mark.slow


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[IndexerProject]:
    with open_indexer_project(tmp_path / "shop") as sample:
        yield sample


def test_a_folder_without_git_is_a_project(sample: IndexerProject) -> None:
    answer = CommandLine(sample.root).find("add to cart")
    assert doc_ids(answer)[0] == "./shop/cart.py::add_to_cart"
    assert (answer.index.state, answer.index.head_commit) == ("ready", None)


def test_a_repository_without_commits_is_a_project(sample: IndexerProject) -> None:
    sample.git("init", "-q")
    answer = CommandLine(sample.root / "shop").find("add to cart")
    assert doc_ids(answer)[0] == "./shop/cart.py::add_to_cart"
    assert answer.index.head_commit is None


def test_subfolder_query_searches_the_whole_work_tree(sample: IndexerProject) -> None:
    sample.git("init", "-q")
    head = sample.commit()
    answer = CommandLine(sample.root / "shop").find("sells things")
    assert doc_ids(answer)[0] == "./README.md::Shop"
    assert (answer.index.index_commit, answer.index.head_commit) == (head, head)


def test_root_option_is_used_unchanged_from_any_folder(sample: IndexerProject, tmp_path: Path) -> None:
    sample.git("init", "-q")
    inner = sample.root / "shop"
    answer = CommandLine(tmp_path).find("--root", str(inner), "add to cart")
    assert doc_ids(answer)[0] == "./cart.py::add_to_cart"


def test_answer_includes_every_earlier_change(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    assert doc_ids(scry.find("add_to_cart"))[0] == "./shop/cart.py::add_to_cart"
    sample.write_file("shop/cart.py", "def put_into_trolley(item):\n    return item\n")
    sample.write_file("shop/refund.py", "def refund(order):\n    return order\n")
    (sample.root / "README.md").unlink()
    assert doc_ids(scry.find("put_into_trolley"))[0] == "./shop/cart.py::put_into_trolley"
    assert doc_ids(scry.find("refund"))[0] == "./shop/refund.py::refund"
    assert not [
        each for each in doc_ids(scry.find("returns send it back add_to_cart", "--limit", "100")) if "README" in each
    ]


@pytest.mark.acceptance("F11")
def test_empty_folder_reports_nothing_to_search(tmp_path: Path) -> None:
    with open_indexer_project(tmp_path / "empty") as sample:
        for path in ("shop/cart.py", "shop/checkout.py", "README.md"):
            (sample.root / path).unlink()
        (sample.root / "shop").rmdir()
        done = CommandLine(sample.root).run("anything")
        assert (done.status, done.err) == (1, "")
        assert "There is nothing to search: this folder holds no file that can be indexed." in done.out
        assert CommandLine(sample.root).find("anything").results == []


@pytest.mark.acceptance("F11")
def test_no_wait_reports_a_missing_index(sample: IndexerProject) -> None:
    done = CommandLine(sample.root).run("--no-wait", "cart")
    assert done.status == 1
    assert "the index is still to be made" in done.out
    assert "Nothing could be searched yet" in done.out
    assert not sample.project.cache.exists()


@pytest.mark.acceptance("F11")
def test_empty_answer_reports_how_much_was_searched(sample: IndexerProject) -> None:
    done = CommandLine(sample.root).run("path:nowhere cart")
    assert "Nothing found in 3 files. Try other words" in done.out


@pytest.mark.parametrize("folder", ["home", "above", "/"])
def test_home_folder_and_its_parents_are_refused_unless_forced(tmp_path: Path, folder: str) -> None:
    home = tmp_path / "above" / "home"
    home.mkdir(parents=True)
    place = {"home": home, "above": home.parent, "/": Path("/")}[folder]
    done = CommandLine(tmp_path, {"HOME": str(home)}).run("--root", str(place), "cart", "--json")
    assert done.status == 1
    error = json.loads(done.out)["error"]
    assert error["code"] == "project_refused"
    assert "--force" in error["message"]
    assert done.err == f"scry: {error['message']}\n"


def test_a_forced_home_folder_is_searched(tmp_path: Path) -> None:
    with open_indexer_project(tmp_path / "home") as sample:
        answer = CommandLine(sample.root, {"HOME": str(sample.root)}).find("--force", "add to cart")
        assert doc_ids(answer)[0] == "./shop/cart.py::add_to_cart"


@pytest.mark.parametrize("place", ["nowhere", "file"])
def test_root_that_is_no_folder_prints_one_error_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    done = CommandLine(tmp_path).run("cart", "--root", place)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"scry: {place}: ")
    assert done.err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder can't be removed there")
def test_removed_current_folder_prints_one_error_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *SCRY, "cart"], cwd=gone, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("scry: the current folder can't be read")


def test_file_in_place_of_the_cache_prints_one_error_line(sample: IndexerProject, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    done = CommandLine(sample.root, {"XDG_CACHE_HOME": str(tmp_path / "cache")}).run("cart", "--json")
    assert done.status == 1
    assert json.loads(done.out)["error"]["code"] == "index_unavailable"
    assert str(tmp_path / "cache") in done.err


def test_undecodable_file_name_is_found(sample: IndexerProject) -> None:
    (sample.root / os.fsdecode(b"caf\xe9.py")).write_text("def brew_espresso():\n    pass\n")
    scry = CommandLine(sample.root)
    answer = scry.find("brew_espresso")
    assert doc_ids(answer)[0] == "./caf%E9.py::brew_espresso"
    assert "./caf%E9.py::brew_espresso" in scry.run("brew_espresso").out
    assert " at caf\\udce9.py:1-2" in scry.run("brew_espresso", "--format", "llm").out


def test_spellings_of_other_tools_are_taken(sample: IndexerProject) -> None:
    sample.write_file(
        ".scry/beliefs/cart.md",
        "---\nid: small-carts\nentrenchment: 0.8\nevidence: [shop/cart.py]\n---\n\nCarts are small.\n",
    )
    scry = CommandLine(sample.root)
    found = scry.find("add_to_cart")
    detail = scry.run("--detail", found.query_id, "1")
    assert detail.out.splitlines()[:4] == scry.run("detail", found.query_id, "1").out.splitlines()[:4]
    assert (detail.status, "def add_to_cart" in detail.out) == (0, True)

    def browsed(*words: str) -> list[str]:
        return [result["doc_id"] for result in json.loads(scry.run(*words, "--json").out)["results"]]

    for words in (("--belief", "small-carts"), ("neighbors", "--belief", "small-carts")):
        assert browsed(*words, "--content-type", "code") == ["./shop/cart.py"]
        assert browsed(*words, "--content-type", "persona") == []
    assert browsed("neighbors", "shop/cart.py") == browsed("neighbors", "--file", "shop/cart.py")
    assert scry.run("persona", "add", "I like small carts", "--domain", "shops").status == 0
    mine = doc_ids(scry.find("small carts", "--persona"))
    assert [doc_id.partition(":")[0] for doc_id in mine] == ["persona"]
    assert doc_ids(scry.find("small carts", "--source", "persona")) == mine
    assert doc_ids(scry.find("small carts", "--persona", "--dimension", "shops")) == mine
    assert doc_ids(scry.find("small carts", "--persona", "--dimension", "ships")) == []
    name = sample.root.name
    scry.run("project", "add", ".")
    assert doc_ids(scry.find("add_to_cart", "--project", name)) == doc_ids(scry.find("add_to_cart", "--projects", name))
    for words in (
        ("--detail", found.query_id, "1", "cart"),
        ("--belief", "small-carts", "cart"),
        ("cart", "--persona", "--source", "project"),
    ):
        assert scry.run(*words).status == 2
