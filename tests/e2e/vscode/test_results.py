"""The results view: what it keeps, shows and offers; in a real VS Code."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.vscode.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


def ask(window: Window, words: str, row: str) -> None:
    window.find(words)
    expect(window.row(row)).to_be_visible()


def lines(window: Window) -> Locator:
    return window.page.locator(".pane-body .monaco-list-row:not(.explorer-item)")


@pytest.mark.acceptance("C1", "E1")
def test_view_keeps_answers_that_were_looked_at_through_a_reload(window: Window) -> None:
    ask(window, "prices", "compute_total")
    window.press("Control+a")
    window.page.keyboard.insert_text("prices of a receipt")
    window.escape()  # abandoned before there is an answer, and the one before it was replaced
    ask(window, "mail the receipt", "send_receipt")
    window.look_at_answer()
    window.escape()
    window.command("Scry: Focus on Results View")
    expect(window.result("mail the receipt")).to_contain_text("results")
    expect(lines(window).filter(has_text="1. send_receipt")).to_contain_text("mail.py:1")
    expect(lines(window).filter(has_text="prices")).to_have_count(0)
    with window.page.expect_navigation():  # until then the lines of before can be clicked
        window.command("Developer: Reload Window")
    window.result("1. send_receipt").click()
    expect(window.active_tab).to_contain_text("mail.py")


@pytest.mark.acceptance("C1")
def test_next_result_moves_the_selection(window: Window) -> None:
    ask(window, "receipt", "send_receipt")
    window.look_at_answer()
    window.escape()
    window.command("Scry: Focus on Results View")
    window.result("1. send_receipt").click()
    selected = window.page.locator(".pane-body .monaco-list-row.selected:not(.explorer-item)")
    expect(selected).to_contain_text("1. send_receipt")
    window.command("Scry: Next Result")
    expect(selected).to_contain_text("2. ")
    window.command("Scry: Previous Result")
    expect(selected).to_contain_text("1. send_receipt")


@pytest.mark.acceptance("C1", "O1")
def test_questions_have_a_menu_and_a_heading(window: Window) -> None:
    window.command("Scry: Orient in Folder")
    expect(window.result("Orient in shop")).to_be_visible()
    ask(window, "receipt", "send_receipt")
    window.look_at_answer()
    window.escape()
    question = window.result("receipt")
    expect(question.locator(".label-name")).to_have_text("receipt")  # the view shows the newest question
    expect(window.result("1. send_receipt").first).to_be_visible()  # and its results: no line moves any more
    menu = window.open_menu(question, "Ask Again")
    for entry in ("Ask Again", "Copy Question", "Remove Question"):
        expect(menu.locator(f".action-label[aria-label='{entry}']")).to_be_visible()
    window.press("Escape")
    expect(menu).to_have_count(0)
    window.page.mouse.move(0, 0)  # away from the line: a mouse that stays where it was hovers over nothing
    question.hover()
    question.get_by_role("button", name="Ask Again").click()
    expect(window.box).to_have_value("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.escape()
    oriented = window.result("Orient in shop")
    oriented.hover()
    oriented.get_by_role("button", name="Ask Again").click()
    expect(lines(window).first).to_contain_text("Orient in shop")
    window.command("Scry: Next Result")  # the first one: it was not seen yet
    expect(window.page.locator(".pane-body .monaco-list-row.selected:not(.explorer-item)")).to_contain_text("1. ")
    answers = lines(window).filter(has_text="1. send_receipt")
    count = answers.count()  # the question that was asked again is a second one if its answer stood for a second
    question.hover()
    question.get_by_role("button", name="Remove Question").click()
    expect(answers).to_have_count(count - 1)
