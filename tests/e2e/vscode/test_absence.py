"""Why a file was not found: explained for the last question, in a real VS Code with the real sidecar."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

COMMAND = "Scry: Why Was a File Not Found…"
CLIENT = {
    "src/net.py": 'def open_socket(port: int) -> int:\n    """Opens a socket to the server."""\n    return port\n'
}
POST = {"src/häfen/letters 1.py": 'def deliver_letter(to: str) -> str:\n    """Delivers a letter."""\n    return to\n'}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace with two folders; one has a file that is ignored."""
    root = tmp_path_factory.mktemp("absence")
    make_repository(root / "shop", {**SHOP, ".gitignore": "built/\n", "built/receipt.py": "RECEIPT = 'receipt'\n"})
    make_repository(root / "client", CLIENT)
    workspace = root / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": "shop"}, {"path": "client"}]}))
    return workspace


@pytest.fixture(scope="module")
def registered(server: CodeServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that is not open, but registered."""
    post = make_repository(tmp_path_factory.mktemp("other") / "post", POST)
    command = [sys.executable, "-m", "scry", "project", "add", str(post)]
    subprocess.run(command, env=server.environment, check=True, capture_output=True)
    return post


def panel(window: Window) -> FrameLocator:
    """Return what the visible webview holds."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")


def ask(window: Window, words: str, row: str) -> None:
    window.find(words)
    expect(window.row(row)).to_be_visible()
    window.look_at_answer()
    window.escape()


def choose_file(window: Window, typed: str, row: str) -> None:
    window.box.fill(typed)
    expect(window.row(row)).to_be_visible()
    window.press("Enter")
    expect(window.title).to_be_hidden()


def explorer_line(window: Window, name: str) -> Locator:
    return window.page.locator(".explorer-folders-view .monaco-list-row", has_text=name).first


def explained(server: CodeServer) -> list[str]:
    """Return the questions of the explanations in the log."""
    return [each["query"] for each in events(server.home, "scry.query") if each["mode"] == "why"]


@pytest.mark.acceptance("C1", "W2")
def test_active_file_is_explained_for_the_last_question(window: Window, server: CodeServer) -> None:
    ask(window, "send_receipt lang:python", "send_receipt")
    window.open_file("README.md")
    window.command(COMMAND)
    expect(window.title).to_contain_text("“send_receipt lang:python”")
    expect(window.focused_row).to_contain_text("README.md")
    window.press("Enter")
    why = panel(window)
    expect(why.locator(".name")).to_have_text("./README.md")
    expect(why.locator(".asked")).to_have_text("send_receipt lang:python")
    expect(why.locator("header")).to_contain_text("the question's filters leave it out (lang:python)")
    eventually(lambda: explained(server)[-1:] == ["send_receipt lang:python"], "the explanation in the log")


@pytest.mark.acceptance("C1", "W2")
def test_ignored_file_is_chosen_by_a_part_of_its_path(window: Window) -> None:
    window.find("sum of all prices")
    expect(window.row("compute_total")).to_be_visible()
    window.command(COMMAND)  # from the open picker
    expect(window.title).to_contain_text("“sum of all prices”")
    choose_file(window, "Built/REC", "receipt.py")
    expect(panel(window).locator(".summary")).to_contain_text("ignored by .gitignore")


@pytest.mark.acceptance("C1", "W2")
def test_file_among_the_results_has_its_ordinary_explanation(window: Window) -> None:
    ask(window, "mail the receipt", "send_receipt")
    window.command(COMMAND)
    choose_file(window, "mail.py", "mail.py")
    why = panel(window)
    expect(why.locator("h1")).to_contain_text("send_receipt")
    expect(why.locator("pre")).to_contain_text("print(address)")


@pytest.mark.acceptance("C1", "W2")
def test_place_at_the_cursor_is_explained(window: Window) -> None:
    ask(window, "mail the receipt", "send_receipt")
    window.open_file("cart.py")
    window.press("Control+g")
    window.box.fill(":7")
    window.press("Enter")
    window.command(COMMAND)
    window.row("cart.py:7").click()
    expect(panel(window).locator(".name")).to_contain_text("./shop/cart.py::Cart.add_item")


@pytest.mark.acceptance("C1", "W2", "P1")
def test_explorer_and_tab_explain_a_file_of_the_folder_that_it_is_in(window: Window) -> None:
    ask(window, "mail the receipt", "send_receipt")
    window.open_file("net.py")
    window.command("File: Reveal Active File in Explorer View")
    window.choose_in_menu(explorer_line(window, "net.py"), "Why Was a File Not Found…")
    why = panel(window)
    expect(why.locator(".name")).to_contain_text("./src/net.py")
    expect(why.locator(".asked")).to_have_text("mail the receipt")
    expect(why.locator("section", has_text="What each oracle says")).to_contain_text("Lexical")
    window.open_file("cart.py")
    window.choose_in_menu(window.tab("cart.py"), "Why Was a File Not Found…")
    expect(why.locator(".name")).to_contain_text("./shop/cart.py")


@pytest.mark.acceptance("C1", "W2", "P1")
def test_folder_that_was_not_asked_is_named(window: Window) -> None:
    window.open_file("mail.py")
    window.find("mail the receipt")
    window.press_title_button("Filters and Scopes")
    window.row("This Folder").click()
    expect(window.title).to_contain_text("Scry: Find in shop: shop/")
    expect(window.row("send_receipt")).to_be_visible()
    window.press_title_button("Why Was a File Not Found…")
    expect(window.title).to_contain_text("“mail the receipt” in shop: shop/?")
    choose_file(window, "net.py", "net.py")
    expect(panel(window).locator("header")).to_contain_text(
        "The question was asked in shop: shop/, and not in client, which has this file."
    )


@pytest.mark.acceptance("C1", "W2", "P1")
def test_file_of_a_registered_project_and_one_of_none(
    window: Window, server: CodeServer, registered: Path, tmp_path: Path
) -> None:
    ask(window, "mail the receipt", "send_receipt")
    window.open_file(str(registered / "src/häfen/letters 1.py"))
    window.command(COMMAND)
    expect(window.focused_row).to_contain_text("letters 1.py")
    window.press("Enter")
    expect(panel(window).locator(".name")).to_have_text(re.compile(r"^post:./src/h.*/letters.*1\.py$"))
    expect(panel(window).locator(".summary")).not_to_contain_text("there is no such file")
    expect(panel(window).locator("header")).to_contain_text("asked in the open folders, and not in post")
    stray = tmp_path / "stray.py"
    stray.write_text("def send_receipt(): ...\n", encoding="utf-8")
    window.open_file(str(stray))
    before = explained(server)
    window.command(COMMAND)
    expect(window.focused_row).to_contain_text("stray.py")
    window.press("Enter")
    expect(window.notifications.first).to_contain_text("stray.py is in no open folder and in no registered project")
    assert explained(server) == before


@pytest.mark.acceptance("C1", "W2")
def test_question_without_results_and_the_menu_of_an_answer_lead_there(window: Window) -> None:
    ask(window, "mail the receipt", "send_receipt")
    window.find("größe lang:go")
    window.row("Why Was a File Not Found…").click()
    expect(window.title).to_contain_text("“größe lang:go”")
    choose_file(window, "größe", "größe.py")
    expect(panel(window).locator("header")).to_contain_text("filters leave it out (lang:go)")
    window.command(COMMAND)
    expect(window.title).to_contain_text("“größe lang:go”")  # the last question, also without results
    window.escape()
    window.command("Scry: Focus on Results View")
    window.choose_in_menu(window.result("mail the receipt"), "Why Was a File Not Found…")
    expect(window.title).to_contain_text("“mail the receipt”")
    choose_file(window, "größe", "größe.py")
    expect(panel(window).locator(".asked")).to_have_text("mail the receipt")


@pytest.fixture
def fresh_server(tmp_path: Path, extensions: Path) -> Iterator[CodeServer]:
    with CodeServer(tmp_path / "server", extensions, settings={"scry.picker.limit": 1}) as server:
        yield server


@pytest.mark.acceptance("C1", "W2")
def test_question_is_asked_for_and_low_rank_is_told(
    open_window: OpenWindow, fresh_server: CodeServer, shop: Path
) -> None:
    window = open_window(fresh_server, shop.parent / "shop")
    window.open_file("cart.py")
    eventually(lambda: re.search(r"\d files indexed", window.status()), "the end of indexing in the status")
    window.command(COMMAND)
    expect(window.page.locator(".quick-input-message")).to_contain_text("For which question?")
    window.page.keyboard.insert_text("sum of all prices")
    window.press("Enter")
    expect(window.title).to_contain_text("“sum of all prices”")
    window.row("Another Question…").click()
    expect(window.page.locator(".quick-input-message")).to_contain_text("For which question?")
    window.page.keyboard.insert_text("mail the receipt")
    window.press("Enter")
    expect(window.title).to_contain_text("“mail the receipt”")
    window.press("Enter")
    why = panel(window)
    expect(why.locator(".asked")).to_have_text("mail the receipt")
    expect(why.locator(".name")).to_have_text("./shop/cart.py")
    ask(window, "receipt", "send_receipt")
    window.open_file("README.md")
    window.command(COMMAND)
    expect(window.focused_row).to_contain_text("README.md")
    window.press("Enter")
    expect(panel(window).locator("header")).to_contain_text("The answer shows the ranks up to 1.")
