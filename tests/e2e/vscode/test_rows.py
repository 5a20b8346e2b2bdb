"""The rows of the picker: what they show, say and offer; in a real VS Code with the real sidecar."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

KEY_MS = 300
"""Milliseconds after which the editor knows where the caret is."""

DEEP = "packages/application/services/delivery/internal/parcels.py"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {**SHOP, DEEP: "def dispatch_parcel(parcel):\n    return parcel\n"}
    return make_repository(tmp_path_factory.mktemp("rows") / "shop", files)


@pytest.mark.acceptance("C1", "X1")
def test_row_has_name_then_place_then_evidence(window: Window) -> None:
    window.find("dispatch parcel")
    row = window.row("dispatch_parcel")
    expect(row.locator(".label-name").first).to_have_text("dispatch_parcel")
    shown = row.locator(".label-description").first
    expect(shown).to_contain_text(re.compile(r"^…/delivery/internal/parcels\.py:1  \((sem|lex) #1"))
    label = row.get_attribute("aria-label") or ""
    assert re.match(r"dispatch_parcel, …/delivery/internal/parcels\.py:1 ", label), label
    assert "q_20" not in label


@pytest.mark.acceptance("C1", "F15")
def test_weak_matches_have_a_sign(window: Window) -> None:
    window.find("volcano eruption satellite receipt")
    expect(window.rows.filter(has_text="(weak | ").first).to_be_visible()


@pytest.mark.acceptance("C1")
def test_what_is_typed_is_marked_in_the_row_and_in_the_preview(window: Window) -> None:
    window.find("receipt")
    marked = window.row("send_receipt").locator(".label-name .highlight")
    expect(marked.first).to_have_text("receipt")
    detail = window.row("send_receipt").locator(".quick-input-list-label-meta .highlight")
    expect(detail.first).to_have_text("receipt")
    expect(window.preview).to_have_count(1)
    expect(window.page.locator(".editor-instance .view-overlays [class*='ced-']").first).to_be_attached()


@pytest.mark.acceptance("C1")
def test_legend_is_one_key_away(window: Window) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("ArrowDown")
    expect(window.focused_row).not_to_contain_text("send_receipt")
    left = window.focused_row.locator(".label-name").first.inner_text()
    window.press("Control+/")
    expect(window.title).to_have_text("Scry: Find › Legend")
    expect(window.row("weak")).to_contain_text("it may be no answer")
    window.press("Control+/")
    expect(window.title).to_have_text("Scry: Find")
    expect(window.row("send_receipt")).to_be_visible()
    expect(window.focused_row.locator(".label-name").first).to_have_text(left)
    window.press_title_button("Legend")
    expect(window.row("weak")).to_be_visible()
    window.press("x")  # typing goes on with the question
    expect(window.title).not_to_contain_text("Legend")
    expect(window.box).to_have_value("receiptx")


@pytest.mark.acceptance("C1", "E2")
def test_right_arrow_opens_several_in_background(window: Window, server: CodeServer) -> None:
    window.open_file("README.md")
    before = len(events(server.home, "scry.use"))
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Home")  # in the words: the arrow is theirs
    window.page.wait_for_timeout(KEY_MS)
    window.press("ArrowRight")
    window.page.wait_for_timeout(KEY_MS)
    expect(window.preview).to_have_count(1)
    window.press("End")
    window.page.wait_for_timeout(KEY_MS)
    assert len(events(server.home, "scry.use")) == before
    window.press("ArrowRight")
    expect(window.tab("mail.py")).to_be_visible()
    eventually(lambda: len(events(server.home, "scry.use")) == before + 1, "the use in the log")
    expect(window.box).to_be_focused()
    window.press("ArrowDown", "ArrowRight")
    eventually(lambda: len(events(server.home, "scry.use")) == before + 2, "the second use in the log")
    uses = events(server.home, "scry.use")[before:]
    assert [(use["rank"], use["how"]) for use in uses] == [(1, "jump"), (2, "jump")]
    window.escape()
    assert "mail.py" in window.tabs()
    assert not window.page.locator(".tabs-container .tab .tab-label[aria-label^='/Preview/']").count()
    expect(window.page.locator(".tabs-container .tab.active")).not_to_contain_text("Preview")


@pytest.mark.acceptance("C1", "E2")
def test_all_results_are_shown_in_the_view_and_several_are_opened(window: Window, server: CodeServer) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press_title_button("Show All in Results View")
    expect(window.title).to_be_hidden()
    expect(window.result("receipt")).to_contain_text("results")
    first = window.result("1. send_receipt")
    expect(first.locator(".label-name .highlight").first).to_have_text("receipt")
    label = first.get_attribute("aria-label") or ""
    assert label.startswith("send_receipt, shop/mail.py, line 1, rank 1"), label
    before = len(events(server.home, "scry.use"))
    first.click()
    expect(window.active_tab).to_contain_text("mail.py")
    eventually(lambda: len(events(server.home, "scry.use")) == before + 1, "the first use in the log")
    window.result("2. ").click(modifiers=["Control"])
    window.choose_in_menu(window.result("2. "), "Open")
    eventually(lambda: len(events(server.home, "scry.use")) == before + 3, "two more uses in the log")
    assert [use["rank"] for use in events(server.home, "scry.use")[before:]] == [1, 1, 2]
