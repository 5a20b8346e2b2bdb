"""Commands of the palette beside those that ask: in a real VS Code with the real sidecar."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.log import events
from tests.e2e.vscode.processes import sidecars
from tests.e2e.vscode.window import Window
from tests.gates.translations import read_manifest
from tests.polling import eventually

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


@pytest.mark.acceptance("C1")
def test_selection_is_searched(window: Window) -> None:
    window.open_file("mail.py")
    window.press(*["ArrowRight"] * len("def "), "Control+d")  # the word under the caret
    window.command("Scry: Find Selection")
    expect(window.box).to_have_value("send_receipt")
    expect(window.rows.first).to_contain_text("send_receipt")


@pytest.mark.acceptance("C1", "E2", "E3")
def test_last_jump_is_rated_copied_and_shown_without_picker(window: Window, server: CodeServer) -> None:
    window.find("compute the total")
    expect(window.row("compute_total")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("cart.py")
    window.command("Scry: Good Result")
    eventually(lambda: rated(server)[-1:] == [("good", 1, "./shop/cart.py::Cart.compute_total")], "good in the log")
    window.command("Scry: Copy Result")
    eventually(lambda: "shop/cart.py:11" in window.clipboard(), "the code reference in the clipboard")
    eventually(lambda: used(server)[-1:] == [("copy", 1)], "the copy in the log")
    window.command("Scry: Show Detail")
    detail = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")
    expect(detail.locator("body")).to_contain_text("return sum(price for _, price in self.items)")
    eventually(lambda: used(server)[-1:] == [("detail", 1)], "the detail in the log")
    window.command("Scry: Next Result")
    eventually(lambda: used(server)[-1:] == [("jump", 2)], "the jump to the next one in the log")
    window.command("Scry: Bad Result")  # of the one that was gone on to
    eventually(lambda: [each[:2] for each in rated(server)[-1:]] == [("bad", 2)], "bad in the log")
    expect(window.title).to_be_hidden()


def rated(server: CodeServer) -> list[tuple[str, int, str]]:
    return [(each["signal"], each["rank"], each["doc_id"]) for each in events(server.home, "scry.feedback")]


def used(server: CodeServer) -> list[tuple[str, int]]:
    return [(each["how"], each["rank"]) for each in events(server.home, "scry.use")]


@pytest.mark.acceptance("C1")
def test_indexing_is_paused_resumed_and_rebuilt(window: Window, server: CodeServer) -> None:
    window.open_file("mail.py")
    eventually(lambda: "4 files indexed" in window.status(), "the end of indexing in the status")
    window.command("Scry: Pause Indexing")
    eventually(lambda: "paused" in window.status(), "the pause in the status")
    window.command("Scry: Resume Indexing")
    eventually(lambda: "4 files indexed" in window.status(), "the end of the pause in the status")
    window.command("Scry: Re-index")
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.escape()
    before = sidecars(server)
    window.command("Scry: Restart")
    eventually(lambda: set(sidecars(server)) - set(before), "another sidecar")
    expect(window.notifications).to_have_count(0)


@pytest.mark.acceptance("C1")
def test_the_debug_information_the_settings_and_the_log_are_shown(window: Window) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.escape()
    window.command("Scry: Show Debug Information")
    expect(window.active_tab).to_contain_text("Untitled")
    expect(window.page.locator(".view-lines").first).to_contain_text('"origin": "the PATH"')
    window.command("View: Revert and Close Editor")
    window.command("Scry: Open Settings")
    settings = window.page.locator(".settings-editor .setting-item-contents")
    expect(settings.filter(has_text="Hover").first).to_be_visible()
    window.press("Escape")
    window.command("Scry: Show Log")
    expect(window.page.locator(".part.panel .view-lines").first).to_contain_text("scry lsp (from the PATH)")


@pytest.mark.acceptance("C1")
def test_the_palette_has_every_command_of_the_manifest(window: Window) -> None:
    manifest = read_manifest()["contributes"]
    titles = {command["command"]: f"Scry: {command['title']}" for command in manifest["commands"]}
    elsewhere = {entry["command"] for entry in manifest["menus"]["commandPalette"]}  # these depend on what is open
    window.press("F1")
    expect(window.box).to_be_focused()
    for title in sorted(title for name, title in titles.items() if name not in elsewhere):
        window.box.fill(f">{title}")
        expect(window.page.locator(f".quick-input-list .monaco-list-row[aria-label^='{title}']").first).to_be_visible()
