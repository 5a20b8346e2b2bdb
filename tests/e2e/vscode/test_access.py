"""What a person needs who does not use the mouse, or not the usual colours and motion: in a real VS Code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.window import Window
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

MOST_STOPS = 20
"""More than the picker and a panel have places for the focus."""

_FOCUSED = """() => {
  let element = document.activeElement;
  return element.getAttribute("aria-label") || element.textContent.trim();
}"""

_MOVING = """() => [...document.querySelectorAll("body, body *")].filter((element) => {
  const style = getComputedStyle(element);
  return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
}).length + document.getAnimations().length"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cart = "from shop.cart import Cart\n\n\ndef checkout(cart: Cart) -> int:\n    return cart.compute_total()\n"
    return make_repository(tmp_path_factory.mktemp("access") / "shop", {**SHOP, "shop/checkout.py": cart})


def panel(window: Window) -> FrameLocator:
    """Return what the visible webview holds."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")


@pytest.mark.acceptance("C1")
def test_tab_goes_round_the_picker_and_each_stop_has_a_name(window: Window) -> None:
    window.find("compute the total")
    expect(window.row("compute_total")).to_be_visible()
    stops: list[str] = []
    for _ in range(MOST_STOPS):
        window.press("Tab")
        assert window.page.evaluate("document.activeElement.closest('.quick-input-widget') !== null"), stops
        if window.box.evaluate("box => box === document.activeElement"):
            break
        stops.append(str(window.page.evaluate(_FOCUSED)))
    print(stops)
    expect(window.box).to_be_focused()
    assert all(stops), stops


@pytest.mark.acceptance("C1")
def test_links_of_the_detail_are_reached_by_tab_in_their_order(window: Window) -> None:
    window.find("compute the total")
    window.choose_action(window.row("compute_total"), "Show Detail")
    detail = panel(window)
    links = detail.locator("nav a")
    expect(links.first).to_be_visible()
    wanted = links.all_inner_texts()
    detail.locator("body").click(position={"x": 5, "y": 5})
    seen: list[str] = []
    for _ in range(MOST_STOPS):
        window.press("Tab")
        focused = detail.locator(":focus")
        if focused.count():
            seen.append(focused.inner_text())
    print(seen, wanted)
    assert [text for text in seen if text in wanted][: len(wanted)] == wanted


@pytest.mark.acceptance("C1")
def test_nothing_of_ours_moves(window: Window) -> None:
    state = window.page.locator(".part.statusbar .statusbar-item [aria-label^='Scry: ']")
    expect(state).to_be_visible()
    expect(state.locator("[class*='codicon-modifier-spin']")).to_have_count(0)
    window.find("compute the total")
    window.choose_action(window.row("compute_total"), "Show Detail")
    expect(panel(window).locator("nav a").first).to_be_visible()
    assert panel(window).locator("body").evaluate(_MOVING) == 0
    window.command("Scry: Why This Result?")
    expect(panel(window).locator("svg.bar").first).to_be_visible()
    assert panel(window).locator("body").evaluate(_MOVING) == 0


@pytest.mark.acceptance("C1")
def test_detail_has_frames_and_underlines_in_high_contrast(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    settings = {"workbench.colorTheme": "Default High Contrast"}
    with CodeServer(tmp_path / "server", extensions, settings=settings) as server:
        window = open_window(server, shop)
        window.find("compute the total")
        window.choose_action(window.row("compute_total"), "Show Detail")
        body = panel(window).locator("body")
        expect(body).to_have_class(re.compile("vscode-high-contrast"))
        frame = body.locator("pre").first.evaluate("code => getComputedStyle(code).borderTopStyle")
        link = body.locator("nav a").first.evaluate("link => getComputedStyle(link).textDecorationLine")
        assert (frame, link) == ("solid", "underline")


@pytest.mark.acceptance("C1")
def test_row_leaves_room_for_its_place_in_a_narrow_window(
    open_window: OpenWindow, server: CodeServer, shop: Path
) -> None:
    window = open_window(server, shop)
    window.page.set_viewport_size({"width": 420, "height": 800})
    window.find("compute the total")
    row = window.row("compute_total")
    expect(row).to_have_class(re.compile("focused"))
    place = row.locator(".label-description").first
    shown = place.evaluate("""place => {
      const range = document.createRange();
      const text = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      let left = "shop/cart.py:11".length, node;
      while ((node = text.nextNode()) && left > node.length) left -= node.length;
      range.setStart(place, 0);
      range.setEnd(node, left);
      const clip = place.closest(".monaco-icon-label-container").getBoundingClientRect();
      return [range.getBoundingClientRect().right, clip.right];
    }""")
    assert shown[0] <= shown[1], shown
