"""From the palette to the picker, the preview, the jump and the log, in a real VS Code with the real sidecar."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.log import events
from tests.e2e.vscode.processes import sidecars
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

PAUSED = re.compile("Scry ⏸$")
"""The item of the status bar while indexing is paused."""

CANCELLED = "$/cancelRequest"
"""The line of the message log for a cancelled query."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    many = {f"shop/order_{n}.py": f'def order_{n}() -> int:\n    """Places an order, kind {n}."""\n' for n in range(30)}
    parcels = "".join(f"def weigh_parcel_{n}(parcel):\n    return {n}\n\n\n" for n in range(40))
    files = {**SHOP, **many, "shop/parcels.py": parcels}
    return make_repository(tmp_path_factory.mktemp("picker") / "shop", files)


@pytest.mark.acceptance("C1", "E2", "X1")
def test_palette_find_jumps_and_is_logged(window: Window, server: CodeServer) -> None:
    before = len(events(server.home, "scry.use"))
    window.find("mail the receipt")
    first = window.row("send_receipt")
    expect(first).to_contain_text("shop/mail.py:1")
    expect(first).to_contain_text(re.compile(r"\((sem|lex) #1"))
    expect(first).to_contain_text("Mails the receipt")
    expect(window.tab("mail.py")).to_be_visible()  # the preview, with the focus still in the picker
    assert len(events(server.home, "scry.use")) == before
    window.press("Enter")
    expect(window.title).to_be_hidden()
    expect(window.active_tab).to_contain_text("mail.py")
    used = eventually(lambda: events(server.home, "scry.use")[before:], "the use in the log")
    assert [(use["rank"], use["result_used"], use["how"]) for use in used] == [
        (1, "./shop/mail.py::send_receipt", "jump")
    ]
    logged_queries = [query for query in events(server.home, "scry.query") if query["query_id"] == used[0]["query_id"]]
    assert [query["query"] for query in logged_queries] == ["mail the receipt"]
    assert window.outside() == []


@pytest.mark.acceptance("C1")
def test_escape_returns_to_the_previous_position(window: Window, server: CodeServer) -> None:
    before = len(events(server.home, "scry.use"))
    window.open_file("README.md")
    window.press("ArrowDown", "ArrowDown", "End")
    statusbar = window.page.locator(".part.statusbar")
    expect(statusbar).to_contain_text("Ln 3, Col 12")
    window.find("mail the receipt")
    expect(window.tab("mail.py")).to_be_visible()
    expect(statusbar).not_to_contain_text("Ln 3, Col 12")  # the preview's
    window.press("Escape")
    expect(window.tab("mail.py")).to_be_hidden()
    expect(window.active_tab).to_contain_text("README.md")
    expect(statusbar).to_contain_text("Ln 3, Col 12")
    assert len(events(server.home, "scry.use")) == before


@pytest.mark.acceptance("C1")
def test_picker_keeps_the_server_order(window: Window) -> None:
    """The editor would sort by where the words stand in a label: `Receipts` before `send_receipt`."""
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    expect(window.row("Receipts")).to_be_visible()
    assert [label for label in window.labels() if "eceipt" in label] == ["send_receipt", "Receipts"]


@pytest.mark.acceptance("C1")
def test_more_results_are_loaded_on_demand(window: Window) -> None:
    window.find("places an order")
    expect(window.rows.first).to_have_attribute("aria-setsize", "21")
    window.press("ArrowUp")  # from the first line to the last
    expect(window.focused_row).to_contain_text("More results")
    window.press("Enter")
    expect(window.focused_row).to_contain_text("order_")
    expect(window.focused_row).to_have_attribute("data-index", "20")


@pytest.mark.acceptance("C1")
def test_fast_typing_shows_the_answer_to_the_last_words_alone(window: Window) -> None:
    window.find()
    window.type("compute the sum of all prices", delay=5)
    expect(window.row("compute_total")).to_be_visible()
    window.press("Control+a")
    window.type("send the receipt by mail", delay=5)
    expect(window.rows.first).to_contain_text("send_receipt")
    expect(window.notifications).to_have_count(0)


@pytest.mark.acceptance("C1")
def test_typing_cancels_the_older_query(window: Window, server: CodeServer) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    eventually(lambda: len(sidecars(server)) == 1, "the end of earlier windows' sidecars")
    [sidecar] = sidecars(server)
    window.escape()
    window.log_messages()
    window.find("receipt")
    before = server.log().count(CANCELLED)
    os.kill(sidecar, signal.SIGSTOP)  # it answers nothing until it may go on
    try:
        window.type(" by mail", delay=200)  # longer than the picker waits for another key
        eventually(lambda: server.log().count(CANCELLED) > before, "the end of the older questions")
        window.press("Control+a")
        window.type("sum of all prices")
        expect(window.box).to_have_value("sum of all prices")
    finally:
        os.kill(sidecar, signal.SIGCONT)
    expect(window.rows.first).to_contain_text("compute_total")
    eventually(lambda: "sum of all prices" in logged_queries(server), "the question that stood")
    assert not [query for query in logged_queries(server) if query.startswith("receipt by")]


def logged_queries(server: CodeServer) -> list[str]:
    return [query["query"] for query in events(server.home, "scry.query")]


@pytest.mark.acceptance("C1", "E2")
def test_enter_waits_for_the_answer_to_what_is_typed(window: Window, server: CodeServer) -> None:
    """The list shows the answer to other words, or earlier questions, and the sidecar is slow."""
    window.find("compute the total")
    expect(window.row("compute_total")).to_be_visible()
    window.press("Enter")  # so that there is a history
    expect(window.active_tab).to_contain_text("cart.py")
    for shown, pasted, file, key in (
        ("compute the total", "mail the receipt", "mail.py", "Enter"),
        ("", "größe prüfen", "größe.py", "Enter"),
        ("compute the total", "where is the receipt mailed", "mail.py", "Control+Enter"),
    ):
        window.command("View: Close All Editors")
        before = len(events(server.home, "scry.use"))
        window.find(shown)
        expect(window.row("compute")).to_be_visible()
        [sidecar] = sidecars(server)
        os.kill(sidecar, signal.SIGSTOP)
        try:
            window.press("Control+a")
            window.page.keyboard.insert_text(pasted)
            window.press(key)
            expect(window.title).to_contain_text("opening the first result")
            expect(window.box).to_have_value(pasted)
        finally:
            os.kill(sidecar, signal.SIGCONT)
        expect(window.title).to_be_hidden()
        expect(window.page.locator(".editor-group-container.active .tab.active")).to_contain_text(file)
        uses = eventually(lambda before=before: events(server.home, "scry.use")[before:], "the use in the log")
        asked = {query["query_id"]: query["query"] for query in events(server.home, "scry.query")}
        assert [(asked[use["query_id"]], use["rank"]) for use in uses] == [(pasted, 1)]


@pytest.mark.acceptance("C1")
def test_enter_stops_waiting_after_a_while_and_for_a_key(window: Window, server: CodeServer) -> None:
    before = len(events(server.home, "scry.use"))
    window.find("compute the total")
    expect(window.row("compute_total")).to_be_visible()
    [sidecar] = sidecars(server)
    os.kill(sidecar, signal.SIGSTOP)
    try:
        window.type(" of")
        window.press("Enter")
        expect(window.title).to_contain_text("opening the first result")
        expect(window.title).to_contain_text("there is no answer yet")
        window.press("Enter")
        expect(window.title).to_contain_text("opening the first result")
        window.type(" prices")
    finally:
        os.kill(sidecar, signal.SIGCONT)
    expect(window.title).to_have_text("Scry: Find")
    expect(window.row("compute_total")).to_be_visible()
    assert len(events(server.home, "scry.use")) == before


@pytest.mark.acceptance("C1")
def test_nothing_found_is_advised_of_what_the_picker_has(window: Window) -> None:
    window.find("total lang:cobol")
    expect(window.row("Nothing found in")).to_be_visible()
    advice = " ".join(window.labels())
    assert "Try other words, or fewer filters if you set any." in advice


@pytest.mark.acceptance("C1", "E3")
def test_menu_rates_and_copies_without_closing(window: Window, server: CodeServer) -> None:
    window.find("compute the total")
    row = window.row("compute_total")
    window.choose_action(row, "Good Result")
    eventually(lambda: [each["signal"] for each in events(server.home, "scry.feedback")] == ["good"], "good in the log")
    window.choose_action(row, "Copy Result")
    eventually(lambda: "copy" in [use["how"] for use in events(server.home, "scry.use")], "the copy in the log")
    eventually(lambda: "cart.py" in window.clipboard(), "the result in the clipboard")
    expect(window.title).to_be_visible()
    window.choose_action(row, "Bad Result")
    eventually(lambda: len(events(server.home, "scry.feedback")) == 2, "bad in the log")
    expect(row).to_be_visible()


@pytest.mark.acceptance("C1")
def test_control_enter_opens_beside_and_history_is_offered(window: Window) -> None:
    window.open_file("README.md")
    window.find("größe prüfen")
    expect(window.row("größe_prüfen")).to_be_visible()
    expect(window.preview).to_have_count(1)
    window.press("Control+Enter")
    expect(window.page.locator(".editor-group-container")).to_have_count(2)
    expect(window.page.locator(".editor-group-container").first.locator(".tab.active")).to_contain_text("README.md")
    eventually(lambda: window.tabs() == ["README.md", "größe.py"], "the tabs without the preview")
    expect(window.page.locator(".editor-group-container.active .tab.active")).to_contain_text("größe.py")
    window.find()
    expect(window.rows.first).to_contain_text("größe prüfen")
    window.press("Enter")
    expect(window.row("größe_prüfen")).to_contain_text("größe.py")


@pytest.mark.acceptance("F14", "C1", "E2")
def test_further_places_are_one_key_away_and_their_use_is_logged(window: Window, server: CodeServer) -> None:
    before = len(events(server.home, "scry.use"))
    window.find("weigh parcel")
    expect(window.rows.first).to_contain_text(re.compile(r"\+\d+ more: weigh_parcel_\d+, "))
    expect(window.focused_row).to_have_attribute("data-index", "0")
    window.press("Alt+ArrowRight")
    expect(window.focused_row).to_contain_text("↳")
    expect(window.focused_row).to_have_attribute("data-index", "1")
    name = parcel_in(window.focused_row.inner_text())
    window.press("Alt+ArrowRight")
    expect(window.focused_row).to_have_attribute("data-index", "0")
    expect(window.row("↳")).to_have_count(0)
    window.rows.first.hover()
    window.rows.first.get_by_role("button", name="Further Places in This File").click()
    expect(window.focused_row).to_contain_text(name)
    window.press("Enter")
    expect(window.active_tab).to_contain_text("parcels.py")
    place = (1, f"./shop/parcels.py::{name}", "jump", True)
    assert used_since(server, before, 1) == [place]
    window.command("Scry: Focus on Results View")
    result = window.result("1. weigh_parcel_")
    result.click()
    assert used_since(server, before, 2)[1][3] is False
    window.press("ArrowRight")
    expect(result).to_have_attribute("aria-expanded", "true")
    children = window.page.locator(".pane-body .monaco-list-row[aria-level='3']")
    expect(children).to_have_count(5)
    expect(children.first).to_contain_text(re.compile(r"line \d+"))
    children.first.click()
    assert used_since(server, before, 3)[2] == place


def parcel_in(text: str) -> str:
    named = re.search(r"weigh_parcel_\d+", text)
    assert named
    return named.group()


def used_since(server: CodeServer, before: int, count: int) -> list[tuple[int, str, str, bool]]:
    """Return the uses after the first `before`, once there are `count` of them."""
    eventually(lambda: len(events(server.home, "scry.use")) == before + count, f"{count} uses in the log")
    uses = events(server.home, "scry.use")[before:]
    return [(use["rank"], use["result_used"], use["how"], use.get("further", False)) for use in uses]


def pause(window: Window) -> None:
    """Pause indexing, so that no file that is written from now on is found."""
    window.command("Scry: Pause Indexing")
    expect(window.state).to_have_text(PAUSED)


@pytest.mark.acceptance("C1", "F11")
def test_refresh_while_indexing_keeps_the_focus(window: Window, shop: Path) -> None:
    """Who has not moved stays at the first line, whatever is there then; who has moved stays at the result."""
    pause(window)
    (shop / "shop" / "courier.py").write_text("def book_courier(receipt):\n    return receipt\n")
    window.find("book courier for the receipt")
    expect(window.rows.first).to_contain_text("send_receipt")
    window.press_title_button("Resume Indexing")
    expect(window.rows.first).to_contain_text("book_courier")
    expect(window.focused_row).to_have_attribute("data-index", "0")
    window.escape()
    expect(window.state).not_to_have_text(PAUSED)
    pause(window)
    (shop / "shop" / "fetch.py").write_text("def fetch_courier_receipt(book):\n    return book\n")
    window.find("fetch courier receipt")
    expect(window.rows.first).to_contain_text("book_courier")
    window.press("ArrowDown")
    expect(window.focused_row).to_have_attribute("data-index", "1")
    name = window.focused_row.locator(".label-name").first.inner_text()
    window.press_title_button("Resume Indexing")
    expect(window.rows.first).to_contain_text("fetch_courier_receipt")
    expect(window.focused_row).to_contain_text(name)
    expect(window.focused_row).not_to_have_attribute("data-index", "0")
