"""Orient, neighbours, recent changes, and what a commit and a belief open: in a real VS Code with git's extension."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


BELIEF = """---
statement: Gratitude is said in one place alone.
entrenchment: high
evidence: shop/mail.py:1
---
It was said in three places once.
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository whose second commit changes a file and renames another."""
    files = {**SHOP, ".scry/beliefs/gratitude.md": BELIEF}
    root = make_repository(tmp_path_factory.mktemp("modes") / "shop", files)
    (root / "README.md").write_text("# Shop\n\nThanks for every order.\n")
    for arguments in (["mv", "shop/cart.py", "shop/basket.py"], ["commit", "-q", "-a", "-m", "Say thanks"]):
        subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return root


@pytest.mark.acceptance("C1")
def test_orient_from_the_explorer_fills_the_results_view(window: Window) -> None:
    window.press("Control+Shift+e")
    folder = window.page.locator(".explorer-folders-view .monaco-list-row[aria-label^='shop']").first
    window.choose_in_menu(folder, "Orient in Folder")
    expect(window.result("basket.py")).to_be_visible()
    expect(window.notifications).to_have_count(0)


@pytest.mark.acceptance("C1")
def test_neighbours_fill_the_results_view(window: Window) -> None:
    window.open_file("basket.py")
    window.command("Scry: Neighbours of This File")
    expect(window.result("mail.py")).to_be_visible()


@pytest.mark.acceptance("C1", "N1")
def test_similar_code_fills_the_results_view(window: Window) -> None:
    window.open_file("basket.py")
    window.command("Scry: Similar Code")
    expect(window.result("Cart")).to_be_visible()
    expect(window.result("Similar to ")).to_be_visible()


@pytest.mark.acceptance("C1", "E2")
def test_recent_works_without_words_and_commits_open_as_diffs(window: Window, server: CodeServer) -> None:
    window.command("Scry: Recent Changes")
    expect(window.title).to_contain_text("Scry: Recent Changes")
    window.row("Say thanks").click()
    expect(window.active_tab).to_contain_text("Say thanks (2 files)")
    expect(differences(window).filter(has_text="README.md")).to_contain_text("Thanks for every order.")
    expect(differences(window).filter(has_text="basket.py")).to_contain_text("cart.py")  # as it was called before
    eventually(lambda: used(server), "the use in the log")
    assert [name.startswith("commit:") for name in used(server)] == [True]


@pytest.mark.acceptance("C1")
def test_first_commit_opens_as_a_diff(window: Window) -> None:
    window.command("Scry: Recent Changes")
    window.row("First").click()
    expect(window.active_tab).to_contain_text("First (5 files)")
    expect(differences(window).filter(has_text="README.md")).to_contain_text("Every order is answered")
    expect(window.notifications).to_have_count(0)


@pytest.mark.acceptance("C1", "K2", "E2")
def test_belief_result_opens_its_file(window: Window, server: CodeServer) -> None:
    before = len(used(server))
    window.find("where is gratitude said")
    row = window.row("Gratitude is said in one place alone.")
    expect(row).to_contain_text("bel #1")
    row.click()
    expect(window.title).to_be_hidden()
    expect(window.active_tab).to_contain_text("gratitude.md")
    expect(window.page.locator(".view-lines").first).to_contain_text("entrenchment: high")
    assert eventually(lambda: used(server)[before:], "the use in the log") == ["belief:gratitude"]


def differences(window: Window) -> Locator:
    """Return the files of the diff that is open."""
    return window.page.locator(".multiDiffEntry")


def used(server: CodeServer) -> list[str]:
    return [str(use["result_used"]) for use in events(server.home, "scry.use")]
