"""Why, in a hover and in a panel, and a result in full: in a real VS Code."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hostile = {"shop/$(bug)/fix.py": "def squash_insects(x):\n    return x\n"}
    hostile |= {"shop/evil.py": 'def receipt_evil() -> None:\n    """Receipt <script>document.title="x"</script>."""\n'}
    return make_repository(tmp_path_factory.mktemp("explain") / "shop", {**SHOP, **hostile})


def panel(window: Window) -> FrameLocator:
    """Return what the visible webview holds."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")


@pytest.mark.acceptance("C1")
def test_hover_at_a_jump_target_and_panel_explain(window: Window) -> None:
    window.find("mail the receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    expect(window.title).to_be_hidden()
    expect(window.preview).to_have_count(0)  # the file itself is there
    expect(window.active_tab).to_contain_text("mail.py")
    line = window.page.locator(".view-line", has_text="def send_receipt")
    hover = window.hover(line.get_by_text("send_receipt", exact=True), "Why This Result?")
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


def log_size(server: CodeServer) -> int:
    """Return the number of questions and uses in the log."""
    return len(events(server.home, "scry.query")) + len(events(server.home, "scry.use"))


@pytest.mark.acceptance("C1", "E1", "E2")
def test_hover_explains_its_own_result_and_is_not_logged(window: Window, server: CodeServer) -> None:
    for words, name, file in (
        ("compute the total", "compute_total", "cart.py"),
        ("mail the receipt", "send_receipt", "mail.py"),
    ):
        window.find(words)
        expect(window.row(name)).to_be_visible()
        window.press("Enter")
        expect(window.active_tab).to_contain_text(file)
    window.open_file("cart.py")
    window.command("Scry: Copy Result")  # after it, nothing of the jumps is still to be logged
    eventually(lambda: "copy" in [use["how"] for use in events(server.home, "scry.use")], "the copy in the log")
    before = log_size(server)
    line = window.page.locator(".view-line", has_text="def compute_total")
    hover = window.hover(line.locator("span span").nth(1), "Why This Result?")
    expect(hover).to_contain_text("compute the total")
    assert len(hover.inner_text().splitlines()) <= 12
    assert log_size(server) == before
    hover.get_by_text("Why This Result?").click()
    expect(panel(window).locator("h1")).to_contain_text("compute_total")
    eventually(lambda: log_size(server) == before + 1, "the question that was asked")
    [asked] = events(server.home, "scry.query")[-1:]
    assert asked["mode"] == "why"


@pytest.mark.acceptance("C1")
@pytest.mark.parametrize("theme", ["Default Light Modern", "Default High Contrast"])
def test_panel_fits_beside_the_code_and_marks_words(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path, theme: str
) -> None:
    with CodeServer(tmp_path / "server", extensions, settings={"workbench.colorTheme": theme}) as server:
        _check_panel(open_window(server, shop), is_high_contrast="High Contrast" in theme)


def _check_panel(window: Window, *, is_high_contrast: bool) -> None:
    window.find("mail the receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("mail.py")
    window.command("Scry: Why This Result?")
    body = panel(window).locator("body")
    expect(body.locator("h1")).to_contain_text("send_receipt")
    assert ("vscode-high-contrast" in (body.get_attribute("class") or "")) == is_high_contrast
    assert body.evaluate("body => document.documentElement.scrollWidth <= window.innerWidth")
    mark = body.locator("pre mark").first
    style = mark.evaluate("mark => [getComputedStyle(mark).backgroundColor, getComputedStyle(mark).outlineStyle]")
    assert style[1] == "solid" if is_high_contrast else style[0] not in ("rgba(0, 0, 0, 0)", "transparent")


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
    window.choose_action(row, "Show Detail")
    expect(panel(window).locator("body")).to_contain_text("return sum(price for _, price in self.items)")
    eventually(lambda: "detail" in [use["how"] for use in events(server.home, "scry.use")], "the detail in the log")


@pytest.mark.acceptance("C1")
def test_icon_names_in_paths_stay_text(window: Window) -> None:
    window.find("squash insects")
    row = window.row("squash_insects")
    expect(row.locator(".codicon-bug")).to_have_count(0)
    assert "$(bug)" in row.inner_text().replace("\u200b", "")
