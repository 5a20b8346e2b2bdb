"""Why, in a hover and in a panel, and a result in full: in a real VS Code."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hostile = {"shop/evil.py": 'def receipt_evil() -> None:\n    """Receipt <script>document.title="x"</script>."""\n'}
    return make_repository(tmp_path_factory.mktemp("explain") / "shop", {**SHOP, **hostile})


def panel(window: Window) -> FrameLocator:
    """Return what the visible webview holds."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")


@pytest.mark.acceptance("C1")
def test_hover_at_a_jump_target_and_panel_explain(window: Window) -> None:
    window.find("mail the receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("mail.py")
    window.page.locator(".view-line", has_text="def send_receipt").locator("span span").first.hover()
    hover = window.page.locator(".monaco-hover:visible", has_text="Why This Result?")
    expect(hover).to_contain_text("1st")
    hover.get_by_text("Why This Result?").click()
    why = panel(window)
    expect(why.locator("h1")).to_contain_text("send_receipt")
    expect(why.locator("section", has_text="What each oracle says")).to_contain_text("Lexical")
    assert why.locator("svg.bar").count() >= 2
    expect(why.locator("mark").first).to_be_visible()
    expect(why.locator("section", has_text="Semantic: which words met")).to_contain_text("receipt")
    expect(why.locator("section", has_text="Structure")).to_contain_text("importers")
    expect(why.locator("section", has_text="History")).to_contain_text("First")
    expect(why.locator("section", has_text="Its place in each mode")).to_contain_text("find")


@pytest.mark.acceptance("C1")
def test_repository_text_is_escaped_in_the_panel(window: Window) -> None:
    window.find("receipt_evil")
    row = window.row("receipt_evil")
    row.hover()
    row.get_by_role("button", name="Why This Result?").click()
    why = panel(window)
    expect(why.locator("pre")).to_contain_text("<script>")
    assert why.locator("script").count() == 0
    policy = why.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content") or ""
    assert policy.startswith("default-src 'none'; style-src 'nonce-")
    assert "unsafe" not in policy
    assert window.outside() == []


@pytest.mark.acceptance("C1", "E2")
def test_detail_shows_the_result_in_full(window: Window, server: CodeServer) -> None:
    window.find("compute the total")
    row = window.row("compute_total")
    row.hover()
    row.get_by_role("button", name="Show Detail").click()
    expect(panel(window).locator("body")).to_contain_text("return sum(price for _, price in self.items)")
    eventually(lambda: "detail" in [use["how"] for use in events(server.home, "scry.use")], "the detail in the log")
