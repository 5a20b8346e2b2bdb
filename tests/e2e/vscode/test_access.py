"""What a person needs who does not use the mouse, or not the usual colours and motion: in a real VS Code."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

MOST_STOPS = 20
"""More than a panel has links."""

_FOCUSED = """() => {
  const element = document.activeElement;
  return element.getAttribute("aria-label") || element.textContent.trim();
}"""

_MOVING = """() => [...document.querySelectorAll("body, body *")].filter((element) => {
  const style = getComputedStyle(element);
  return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
}).length + document.getAnimations().length"""


HIGH_CONTRAST = ("Dark High Contrast", "Light High Contrast")

LEAST_CONTRAST = 4.5
"""Of a text and what is behind it: level AA of WCAG 2, criterion 1.4.3."""

_UNREADABLE = """(body, least) => {
  const channels = (colour) => [...colour.matchAll(/[\\d.]+/g)].map(([number]) => Number(number));
  const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((value, i) => value * alpha + below[i] * (1 - alpha));
  const probe = body.appendChild(document.createElement("span"));
  probe.style.color = "var(--vscode-editor-background)";
  const editor = channels(getComputedStyle(probe).color);
  const behind = (element) => {
    if (element === null) return editor;
    const colour = channels(getComputedStyle(element).backgroundColor);
    return colour[3] === undefined ? colour : over(colour, behind(element.parentElement));
  };
  const luminance = (colour) => {
    const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...body.querySelectorAll("*")].filter((element) => hasText(element)).map((element) => {
    const ground = behind(element);
    const ratio = contrast(over(channels(getComputedStyle(element).color), ground), ground);
    return [element.tagName, element.textContent.trim().slice(0, 40), ratio];
  }).filter(([tag, text, ratio]) => tag !== "STYLE" && tag !== "SCRIPT" && ratio < least);
}"""
"""The texts of less contrast than the least."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cart = "from shop.cart import Cart\n\n\ndef checkout(cart: Cart) -> int:\n    return cart.compute_total()\n"
    return make_repository(tmp_path_factory.mktemp("access") / "shop", {**SHOP, "shop/checkout.py": cart})


def panel(window: Window) -> FrameLocator:
    """Return what the visible webview holds."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")


def focused_name(window: Window) -> str:
    return str(window.page.evaluate(_FOCUSED))


@pytest.mark.acceptance("C1")
def test_tab_leads_from_the_words_to_the_list_and_its_buttons(window: Window) -> None:
    window.find("compute the total")
    expect(window.row("compute_total")).to_be_visible()
    expect(window.title).to_have_text("Scry: Find")  # no refresh is due, which would draw the row anew
    window.press("Tab")
    eventually(lambda: focused_name(window).endswith("Scry: Find"), "the list has the picker's name, and the focus")
    window.press("Tab")
    eventually(lambda: focused_name(window) == "Why This Result?", "the first button has the focus")
    window.press("ArrowRight")
    eventually(lambda: focused_name(window).startswith("More Actions"), "the next button has the focus")
    window.press("Escape")
    expect(window.title).to_be_hidden()


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
def test_detail_and_why_are_readable_in_both_themes_of_high_contrast(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    with CodeServer(tmp_path / "server", extensions) as server:
        window = open_window(server, shop)
        window.find("compute the total")
        window.choose_action(window.row("compute_total"), "Show Detail")
        expect(panel(window).locator("nav a").first).to_be_visible()  # links follow once the code graph is made
        for theme in HIGH_CONTRAST:
            choose_theme(window, theme)
            body = panel(window).locator("body")
            frame = body.locator("pre").first.evaluate("code => getComputedStyle(code).borderTopStyle")
            link = body.locator("nav a").first.evaluate("link => getComputedStyle(link).textDecorationLine")
            assert (frame, link) == ("solid", "underline")
            assert body.evaluate(_UNREADABLE, LEAST_CONTRAST) == [], theme
        window.command("View: Close All Editors")
        window.command("Scry: Why This Result?")
        expect(panel(window).locator("svg.bar").first).to_be_visible()
        for theme in reversed(HIGH_CONTRAST):
            choose_theme(window, theme)
            assert panel(window).locator("body").evaluate(_UNREADABLE, LEAST_CONTRAST) == [], theme


def choose_theme(window: Window, theme: str) -> None:
    window.command("Preferences: Color Theme")
    expect(window.box).to_be_focused()
    window.page.keyboard.insert_text(theme)
    window.row(theme).click()
    kind = "vscode-high-contrast-light" if "Light" in theme else "vscode-high-contrast"
    expect(panel(window).locator("body")).to_have_attribute("data-vscode-theme-kind", kind)


@pytest.mark.acceptance("C1")
def test_buttons_take_less_than_a_quarter_of_a_row_in_a_narrow_window(
    open_window: OpenWindow, server: CodeServer, shop: Path
) -> None:
    window = open_window(server, shop)
    window.page.set_viewport_size({"width": 420, "height": 800})
    window.find("compute the total")
    row = window.row("compute_total")
    expect(row).to_have_class(re.compile("focused"))
    buttons = row.locator(".quick-input-list-entry-action-bar .action-item")
    widths = [button.evaluate("button => button.getBoundingClientRect().width") for button in buttons.all()]
    whole = row.evaluate("row => row.getBoundingClientRect().width")
    assert 0 < sum(widths) < whole / 4, (widths, whole)


NARROW = 420
"""Pixels: half a screen of 840, or a window that is made small."""

_CUT = """rows => rows.filter((row) => [...row.querySelectorAll(".label-name, .label-description")].some((label) => {
  const text = document.createRange();
  text.selectNodeContents(label);
  return text.getBoundingClientRect().right > row.getBoundingClientRect().right;
})).map((row) => row.getAttribute("aria-label"))"""
"""The lines of the picker of which a part does not fit."""


@pytest.mark.acceptance("C1")
def test_legend_fits_into_a_narrow_window(open_window: OpenWindow, server: CodeServer, shop: Path) -> None:
    window = open_window(server, shop)
    window.page.set_viewport_size({"width": NARROW, "height": 800})
    window.find("compute the total")
    expect(window.row("compute_total")).to_be_visible()
    assert window.rows.evaluate_all(_CUT) != []  # a result's line has more than there is room for
    window.press("Control+/")
    expect(window.row("persona #1")).to_be_visible()
    expect(window.row("compute_total")).to_be_hidden()
    seen: set[str] = set()
    for _ in range(MOST_STOPS):
        assert window.rows.evaluate_all(_CUT) == []
        seen.add(window.focused_row.locator(".label-name").first.inner_text())
        at = window.focused_row.get_attribute("data-index")
        window.press("ArrowDown")
        expect(window.focused_row).not_to_have_attribute("data-index", at or "")
    assert {"sem #1", "weak", "Tab"} <= seen


def is_within(window: Window, width: int) -> bool:
    """Return whether the panel ends within the window, as soon as it is laid out."""
    frame = window.page.locator("iframe.webview.ready").last.bounding_box()
    return frame is not None and frame["x"] + frame["width"] <= width


@pytest.mark.acceptance("C1")
def test_why_takes_the_whole_width_of_a_narrow_window_and_stands_beside_the_code_in_a_wide_one(
    open_window: OpenWindow, server: CodeServer, shop: Path
) -> None:
    for width, groups in ((NARROW, 1), (1280, 2)):
        window = open_window(server, shop)
        window.press("Control+b")
        window.page.set_viewport_size({"width": width, "height": 800})
        window.find("compute the total")
        expect(window.row("compute_total")).to_be_visible()
        window.press("Enter")
        expect(window.active_tab).to_contain_text("cart.py")
        window.command("Scry: Why This Result?")
        body = panel(window).locator("body")
        expect(panel(window).locator("svg.bar").first).to_be_visible()
        expect(window.page.locator(".editor-group-container")).to_have_count(groups)
        fits = "body => document.scrollingElement.scrollWidth <= innerWidth"
        eventually(partial(body.evaluate, fits), "the text fits into the panel")
        eventually(partial(is_within, window, width), "the panel fits into the window")
        window.command("View: Close All Editors")
        window.close()
