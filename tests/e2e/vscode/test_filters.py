"""Filters and scopes of the picker, by buttons and completions; in a real VS Code with the real sidecar."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.window import Window
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

ASIDE = "workshop/mail.py"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    aside = 'def post_receipt(receipt):\n    """Mails the receipt."""\n    return receipt\n'
    script = "export function printReceipt(receipt) {\n  return receipt;\n}\n"
    files = {**SHOP, ASIDE: aside, "web/print.js": script, ".ci/run.sh": "echo done\n"}
    return make_repository(tmp_path_factory.mktemp("filters") / "shop", files)


@pytest.mark.acceptance("C1", "F8")
def test_languages_of_the_index_are_completed(window: Window) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.type(" lang:")
    expect(window.rows.first).to_contain_text("lang:python")
    expect(window.row("lang:javascript")).to_be_visible()
    expect(window.focused_row).to_contain_text("receipt")  # a result: Enter opens it
    window.type("java")
    expect(window.rows.first).to_contain_text("lang:javascript")
    window.press("Tab")
    expect(window.box).to_have_value("receipt lang:javascript ")
    expect(window.box).to_be_focused()
    expect(window.row("printReceipt")).to_be_visible()
    expect(window.row("send_receipt")).to_be_hidden()
    expect(window.row("lang:")).to_be_hidden()


@pytest.mark.acceptance("C1", "F8")
def test_paths_types_and_sources_are_completed(window: Window) -> None:
    window.find("receipt path:")
    expect(window.rows.first).to_contain_text("path:shop/")  # before .ci/
    expect(window.row("path:.ci/")).to_be_visible()
    window.type("wo")
    expect(window.rows.first).to_contain_text("path:workshop/")
    window.press("Tab")
    expect(window.box).to_have_value("receipt path:workshop/")
    expect(window.rows.first).to_contain_text("path:workshop/mail.py")
    window.press("Tab")
    expect(window.box).to_have_value("receipt path:workshop/mail.py ")
    expect(window.rows).to_have_count(1)
    expect(window.row("post_receipt")).to_be_visible()
    window.box.fill("receipt -type:co")
    expect(window.row("type:code")).to_be_visible()
    expect(window.row("type:commit")).to_be_visible()
    window.box.fill("receipt source:pe")
    expect(window.row("source:persona")).to_be_visible()


@pytest.mark.acceptance("C1", "F8")
def test_filters_are_buttons_too(window: Window) -> None:
    window.find("receipt")
    window.press_title_button("Filters and Scopes")
    expect(window.title).to_have_text("Scry: Find › Filters")
    window.row("type:").click()
    expect(window.box).to_have_value("receipt type:")
    expect(window.rows.first).to_contain_text("type:belief")


@pytest.mark.acceptance("C1", "F8")
def test_this_folder_and_the_neighbours_of_the_file_are_scopes(window: Window) -> None:
    window.open_file("größe.py")
    window.find("receipt")
    expect(window.row("post_receipt")).to_be_visible()
    window.press_title_button("Filters and Scopes")
    window.row("This Folder").click()
    expect(window.title).to_have_text("Scry: Find in shop/")
    expect(window.row("send_receipt")).to_be_visible()
    expect(window.row("post_receipt")).to_be_hidden()
    expect(window.box).to_have_value("receipt")
    window.press_title_button("Filters and Scopes")
    window.row("This File’s Neighbours").click()
    expect(window.title).to_have_text("Scry: Find in the neighbours of shop/größe.py")
    expect(window.row("send_receipt")).to_be_visible()  # of the same commit
    window.press_title_button("Search the Open Folders")
    expect(window.title).to_have_text("Scry: Find")
    expect(window.row("post_receipt")).to_be_visible()
