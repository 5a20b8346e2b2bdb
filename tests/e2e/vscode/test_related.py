"""What a result is related to: as a tree, as links in its detail, in Ctrl+T and above the code; in a real VS Code."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
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

STATEMENT = "Receipts are never mailed twice"
BELIEF = f"---\nstatement: {STATEMENT}\nentrenchment: 0.8\nevidence:\n  - shop/mail.py:2\n---\n\nBecause of it.\n"
CALLER = "from shop.mail import send_receipt\n\n\ndef pay():\n    send_receipt('a')\n"
MOST_LINKS = 20
"""Links of a relation that the sidecar sends at most."""

LOOK_MS = 10_000
"""Milliseconds that a panel and a tree may take to show an answer."""

PENDING = "the code graph is still being made"
SCRIPT = "export function printReceipt(receipt) {\n  return receipt;\n}\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {".scry/beliefs/one-mail.md": BELIEF, "shop/pay.py": CALLER, "web/print.js": SCRIPT, "jsconfig.json": "{}"}
    return make_repository(tmp_path_factory.mktemp("related") / "shop", {**SHOP, **files})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> Iterator[CodeServer]:
    """Return the server of this file's window, with what is off by default."""
    settings = {"scry.codeLens": True, "scry.workspaceSymbols": True}
    with CodeServer(tmp_path_factory.mktemp("server"), extensions, settings=settings) as server:
        yield server


def used(server: CodeServer) -> list[tuple[str, str]]:
    return [(use["how"], use["result_used"]) for use in events(server.home, "scry.use")]


@pytest.mark.acceptance("C1", "D1", "E2")
def test_related_documents_are_links_in_the_detail_and_a_tree(window: Window, server: CodeServer) -> None:
    window.find("send_receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("mail.py")
    receipt = "./shop/mail.py::send_receipt"
    eventually(lambda: used(server) == [("jump", receipt)], "the jump in the log")
    window.command("Scry: Focus on Related View")
    expect(window.result("Called By")).to_be_visible()
    window.result("shop/pay.py").click()
    expect(window.active_tab).to_contain_text("pay.py")
    eventually(lambda: used(server)[1:] == [("open", receipt)], "the link of the tree in the log")
    window.command("Scry: Show Detail")
    detail = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")
    expect(detail.locator("main")).to_contain_text("print(address)")
    expect(detail.locator("nav")).to_contain_text(STATEMENT)
    detail.locator("nav a", has_text="shop/pay.py").first.click()
    expect(window.active_tab).to_contain_text("pay.py")
    both = [("detail", receipt), ("open", receipt)]
    eventually(lambda: used(server)[2:] == both, "the link of the detail in the log")


@pytest.mark.acceptance("C1", "C3")
def test_go_to_symbol_has_our_answers_without_duplicates(window: Window) -> None:
    window.open_file("print.js")
    expect(window.page.locator(".codelens-decoration").first).to_be_visible()
    window.press("Control+t")
    expect(window.box).to_be_focused()
    window.box.fill("#größe_prüfen")  # no other extension knows Python
    expect(window.row("größe_prüfen")).to_contain_text("größe.py")
    window.box.fill("#printReceipt")
    expect(window.row("printReceipt")).to_be_visible()
    names = window.page.locator(".quick-input-list .monaco-list-row .label-name", has_text="printReceipt")
    eventually(lambda: names.count() == 1, "one line for the function of both")


@pytest.mark.acceptance("C1", "K3")
def test_lenses_name_what_changes_together_and_beliefs(window: Window) -> None:
    window.open_file("mail.py")
    lenses = window.page.locator(".codelens-decoration")
    expect(lenses.filter(has_text="changes with").first).to_be_visible()
    belief = lenses.filter(has_text=STATEMENT)
    expect(belief).to_be_visible()
    belief.locator("a").click()
    expect(window.active_tab).to_contain_text("one-mail.md")


@contextmanager
def files_keep_changing(folder: Path) -> Generator[list[Path]]:
    """Write new callers of `send_receipt`, one after another: the code graph is made only once no more follow.

    The list is that of all files that were written.
    """
    folder.mkdir(exist_ok=True)
    has_ended, written = threading.Event(), list[Path]()

    def write() -> None:
        while not has_ended.wait(0.2):
            file = folder / f"caller_{len(written)}.py"
            file.write_text(CALLER.replace("pay", f"pay_{len(written)}"), encoding="utf-8")
            written.append(file)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield written
    finally:
        has_ended.set()
        thread.join()


@pytest.mark.acceptance("C1", "D1")
def test_detail_and_tree_are_completed_when_the_code_graph_is(window: Window, shop: Path) -> None:
    detail = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")
    remark = window.page.locator(".pane .message", has_text=PENDING)

    def jump() -> None:
        window.find("send_receipt")
        expect(window.row("send_receipt")).to_be_visible()
        window.press("Enter")
        expect(window.active_tab).to_contain_text("mail.py")

    def shows_what_is_pending() -> bool:
        jump()  # the tree asks for the relations of a new answer
        window.command("Scry: Show Detail")
        try:
            expect(detail.get_by_text(PENDING)).to_be_visible(timeout=LOOK_MS)
            expect(remark).to_be_visible(timeout=LOOK_MS)
        except AssertionError:  # the graph was complete for a moment
            return False
        return True

    jump()
    window.command("Scry: Focus on Related View")
    with files_keep_changing(shop / "shop") as written:
        eventually(lambda: len(written) > MOST_LINKS, "more callers than a list of the answer holds")
        eventually(shows_what_is_pending, "a detail and a tree that name what is not known yet")
    expect(detail.get_by_text(PENDING)).to_have_count(0)
    callers = detail.locator("nav p", has_text="Called By")
    expect(callers).to_contain_text("caller_0.py")
    left_out = re.search(r"and (\d+) more", callers.inner_text())
    assert left_out is not None
    assert callers.locator("a").count() + int(left_out[1]) > MOST_LINKS  # all are counted, also those that are not sent
    expect(remark).to_have_count(0)
    expect(window.result("Called By")).to_contain_text(f"the first {MOST_LINKS} of ")
    expect(window.result("shop/caller_0.py")).to_be_visible()


def orientations(server: CodeServer) -> list[str]:
    """Return the ids of the questions in the log for what matters in a folder."""
    return [each["query_id"] for each in events(server.home, "scry.query") if each["mode"] == "orient"]


@pytest.mark.acceptance("C1", "D1", "E1", "E2")
def test_orientation_is_completed_when_the_code_graph_is(window: Window, server: CodeServer, shop: Path) -> None:
    asked: list[str] = []
    remark = window.page.locator(".pane .message", has_text="Orient in shop: ")
    line = window.result("Orient in shop")
    selected = window.page.locator(".pane-body .monaco-list-row.selected:not(.explorer-item)")

    def shows_what_is_pending() -> bool:
        window.press_line_button(line, "Ask Again")
        asked.append("again")
        try:
            expect(remark).to_contain_text(PENDING, timeout=LOOK_MS)
            expect(line).to_contain_text("incomplete", timeout=LOOK_MS)
        except AssertionError:  # the graph was complete for a moment
            return False
        return True

    window.command("Scry: Orient in Folder")
    asked.append("first")
    expect(line).to_contain_text("results")
    with files_keep_changing(shop / "later") as written:
        eventually(lambda: len(written) > MOST_LINKS, "more callers than the answer has results")
        eventually(shows_what_is_pending, "an orientation that says what is not known yet")
        window.result("1. ").click()
        expect(selected).to_contain_text("1. ")
        name = selected.inner_text().split("1. ")[1].split()[0]
    expect(remark).to_have_count(0)
    expect(line).to_contain_text("results")
    expect(line).not_to_contain_text("incomplete")
    expect(selected).to_contain_text(name)
    window.find("send_receipt")
    window.look_at_answer()
    window.press("Enter")
    eventually(lambda: used(server)[-1:] == [("jump", "./shop/mail.py::send_receipt")], "the jump in the log")
    assert len(orientations(server)) == len(asked)  # that it was asked again by itself is not logged
    before = len(events(server.home, "scry.use"))
    window.command("Scry: Focus on Results View")
    window.result(f". {name}").click()
    use = eventually(lambda: events(server.home, "scry.use")[before:], "the use of the completed answer in the log")[0]
    assert orientations(server)[len(asked) :] == [use["query_id"]]
