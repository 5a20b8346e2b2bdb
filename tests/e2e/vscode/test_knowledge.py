"""Beliefs, notes, memories and sessions by commands of the palette: in a real VS Code with the real sidecar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.window import Window
from tests.polling import eventually

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> Iterator[CodeServer]:
    """Return the server of this file's window, with memory on."""
    with CodeServer(tmp_path_factory.mktemp("server"), extensions, environ={"SCRY_MEMORY": "true"}) as server:
        yield server


def answer(window: Window, prompt: str, text: str) -> None:
    """Type into the box that a command opens, once it has taken the place of a list before it."""
    expect(window.page.locator(".quick-input-widget .quick-input-message")).to_contain_text(prompt)
    expect(window.box).to_be_focused()
    window.box.fill(text)
    window.press("Enter")


def choose(window: Window, text: str) -> None:
    """Choose a row of the list that a command opens."""
    expect(window.row(text)).to_be_visible()
    window.box.fill(text)
    window.press("Enter")


@pytest.mark.acceptance("C1", "K2")
def test_belief_is_added_opened_and_listed(window: Window) -> None:
    window.command("Scry: New Belief…")
    expect(window.title).to_have_text("Scry: New Belief")
    answer(window, "What does the team believe", "Receipts are never mailed twice")
    expect(window.active_tab).to_contain_text("receipts-never-mailed-twice.md")
    window.open_file("mail.py")
    window.command("Scry: Show Beliefs")
    choose(window, "Receipts are never mailed twice")
    expect(window.active_tab).to_contain_text("receipts-never-mailed-twice.md")
    window.command("Scry: Rename Belief…")
    choose(window, "Receipts are never mailed twice")
    answer(window, "What is its new id", "one-mail")
    expect(window.active_tab).to_contain_text("one-mail.md")


@pytest.mark.acceptance("C1", "K1", "M1")
def test_note_and_memory_are_kept_copied_and_forgotten(window: Window) -> None:
    window.command("Scry: Remember…")
    answer(window, "What do you want to be known", "I like small functions")
    expect(window.page.locator(".part.statusbar")).to_contain_text("Remembered")
    window.command("Scry: My Notes")
    choose(window, "I like small functions")
    choose(window, "Copy")
    eventually(lambda: window.clipboard() == "I like small functions", "the note in the clipboard")
    window.command("Scry: Observe…")
    choose(window, "decision")
    answer(window, "The decision, in a sentence", "Totals are kept in cents")
    expect(window.page.locator(".part.statusbar")).to_contain_text("remembered as memory:")
    window.command("Scry: Memory")
    choose(window, "Totals are kept in cents")
    choose(window, "Forget")
    window.command("Scry: My Notes")
    choose(window, "I like small functions")
    choose(window, "Forget")
    expect(window.page.locator(".part.statusbar")).to_contain_text("Forgotten")


@pytest.mark.acceptance("C1", "M1")
def test_session_is_begun_and_ended(window: Window) -> None:
    window.command("Scry: Sessions")
    choose(window, "Begin a Session…")
    answer(window, "What is the work about", "make login work")
    expect(window.page.locator(".part.statusbar")).to_contain_text("Begun")
    window.command("Scry: Sessions")
    expect(window.row("make login work")).to_contain_text("open")
    choose(window, "End the Session")
    expect(window.page.locator(".part.statusbar")).to_contain_text("Ended")


@pytest.mark.acceptance("C1", "K2", "K3")
def test_belief_has_the_selection_as_evidence_and_reaches_its_file(window: Window, shop: Path) -> None:
    window.open_file("cart.py")
    window.press("Control+Home", *["ArrowDown"] * 3, *["ArrowRight"] * len("class "), "Control+d")
    window.command("Scry: New Belief…")
    answer(window, "Its evidence: shop/cart.py:4", "A cart holds prices in cents")
    expect(window.active_tab).to_contain_text("cart-holds-prices-cents.md")
    assert "shop/cart.py:4" in (shop / ".scry/beliefs/cart-holds-prices-cents.md").read_text(encoding="utf-8")
    window.open_file("cart.py")

    def reaches() -> bool:
        window.command("Scry: Show Beliefs That Reach This File")
        try:
            expect(window.row("A cart holds prices in cents")).to_be_visible(timeout=5000)
        except AssertionError:
            window.press("Escape")
            return False
        return True

    eventually(reaches, "the belief that reaches the file")
    window.press("Escape")


@pytest.mark.acceptance("C1", "E4")
def test_log_is_switched_off_shown_and_exported(window: Window, tmp_path: Path) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    statusbar = window.page.locator(".part.statusbar")
    for now, change in (("Off", "off"), ("On", "on")):
        window.command("Scry: Log of Questions…")
        choose(window, f"Switch the Log {now}")
        expect(statusbar).to_contain_text(change)
    window.command("Scry: Log of Questions…")
    choose(window, "Show the Log")
    expect(window.active_tab).to_contain_text("scry log")  # the editor before holds the same word
    expect(window.page.locator(".view-lines").first).to_contain_text("receipt")
    window.command("Scry: Log of Questions…")
    choose(window, "Export the Log…")
    file = tmp_path / "log.jsonl"
    (tmp_path / "earlier").mkdir()
    # The dialog puts its own folder into the box once it has listed it, over what was typed until then.
    expect(window.title).to_have_text("Export the Log")
    expect(window.row("..")).to_be_visible()
    window.box.fill(f"{tmp_path}/")
    expect(window.row("earlier")).to_be_visible()
    window.box.fill(str(file))
    window.page.get_by_role("button", name="OK").click()
    eventually(lambda: file.exists() and '"scry.query"' in file.read_text(encoding="utf-8"), "the exported log")


@pytest.mark.acceptance("C1")
def test_doctor_reports_in_an_editor(window: Window) -> None:
    window.command("Scry: Run Doctor")
    expect(window.active_tab).to_contain_text("scry doctor")
    expect(window.page.locator(".view-lines").first).to_contain_text("packages")


@pytest.mark.acceptance("C1", "U3")
def test_insights_open_as_a_page(window: Window) -> None:
    window.command("Scry: Insights")
    page = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")
    expect(page.locator("h1")).to_have_text("Scry: insights")
