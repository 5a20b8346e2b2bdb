"""Workspaces of all kinds in a real VS Code: not trusted, several folders of which one is bad, and a large one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.log import events
from tests.e2e.vscode.processes import sidecars
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

LARGE = 20_000
"""Files of a workspace that takes a while to index."""


@pytest.mark.acceptance("C1")
def test_restricted_mode_runs_nothing_until_trusted(open_window: OpenWindow, tmp_path: Path, extensions: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    shop = make_repository(tmp_path / "shop", SHOP)
    (shop / ".vscode").mkdir()
    (shop / ".vscode" / "settings.json").write_text(json.dumps({"scry.path": str(trap), "scry.interpreter": str(trap)}))
    with CodeServer(tmp_path / "server", extensions, trust=False) as server:
        window = open_window(server, shop)
        window.find("receipt")
        eventually(lambda: "Restricted Mode" in " ".join(window.labels()), "the message")
        expect(window.focused_row).to_contain_text("Manage Trust")
        window.escape()
        assert sidecars(server) == []
        assert not list(server.home.glob("cache/scry/*"))
        window.page.locator("#status\\.workspaceTrust").click()
        window.page.get_by_role("button", name="Trust", exact=True).click()
        eventually(lambda: sidecars(server), "a sidecar, now that there is trust")
        window.find("receipt")
        expect(window.row("send_receipt")).to_be_visible()
    assert not (tmp_path / "sprung").exists()


@pytest.mark.acceptance("C1")
def test_invalid_folder_does_not_affect_others(open_window: OpenWindow, tmp_path: Path, extensions: Path) -> None:
    make_repository(tmp_path / "shop", SHOP)
    workspace = tmp_path / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": "gone"}, {"path": "shop"}]}))
    with CodeServer(tmp_path / "server", extensions) as server:
        window = open_window(server, workspace)
        window.find("receipt")
        expect(window.row("send_receipt")).to_contain_text("mail.py")
        expect(window.title).to_contain_text("gone")  # the answer says what it lacks
        window.escape()
        window.command("Scry: Show Status")
        expect(window.row("shop")).to_contain_text("4 files indexed")
        expect(window.row("gone")).to_contain_text("failed")
        window.escape()
        window.open_file("mail.py")
        eventually(lambda: "failed" in window.status(), "the worst folder in the status item")
        eventually(lambda: "there is no such folder" in window.status(), "what is wrong with it")
        window.status_action("Show Log").click()
        expect(window.page.locator(".part.panel .view-lines").first).to_contain_text("[")  # may be scrolled
        eventually(lambda: "scry lsp" in server.log(), "the command of the sidecar in the log")


@pytest.mark.acceptance("C1", "E1", "E2")
def test_second_folder_has_its_questions_and_jumps_in_its_own_log(
    open_window: OpenWindow, tmp_path: Path, extensions: Path
) -> None:
    make_repository(tmp_path / "shop", SHOP)
    make_repository(tmp_path / "post", {"post.py": 'def deliver_letter(to):\n    """Delivers a letter."""\n'})
    workspace = tmp_path / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": "shop"}, {"path": "post"}]}))
    with CodeServer(tmp_path / "server", extensions) as server:
        window = open_window(server, workspace)
        eventually(lambda: "1 file indexed" in status_of(window, "post"), "the index of the second folder")
        window.find("deliver a letter")
        expect(window.row("deliver_letter")).to_contain_text("post.py")
        window.press("Enter")
        expect(window.active_tab).to_contain_text("post.py")
        eventually(lambda: events(server.home, "scry.use"), "the use in the log")
        logs = [path.parent.name.rpartition("-")[0] for path in server.home.glob("data/**/events.sqlite")]
        assert logs == ["post"]  # nothing was asked of the first folder, which answers nothing


def status_of(window: Window, folder: str) -> str:
    """Return what the list of the status says of a folder now; the list itself does not change while it is open."""
    window.command("Scry: Show Status")
    said = window.row(folder).inner_text()
    window.escape()
    return said


@pytest.mark.acceptance("C1", "F11")
def test_a_large_workspace_is_usable_while_it_is_indexed(
    open_window: OpenWindow, tmp_path: Path, extensions: Path
) -> None:
    shop = make_repository(tmp_path / "shop", SHOP)
    for number in range(LARGE):
        file = shop / f"part_{number // 500}" / f"module_{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"def handle_{number}(value: int) -> int:\n    return value * {number}\n")
    with CodeServer(tmp_path / "server", extensions) as server:
        window = open_window(server, shop)
        state = window.state
        window.page.evaluate(_COUNT_ITEMS)
        eventually(lambda: _percent_is_true(state), "the progress in the status bar", interval_s=0.2)
        assert window.page.evaluate("window.mostItems") == 1  # no second one shows the same progress
        window.find("handle_1")
        expect(window.row("handle_1")).to_be_visible()
        expect(window.title).to_contain_text("20004 files")  # coverage: indexing n of m
        window.type("2")
        expect(window.row("handle_12")).to_be_visible()
        window.escape()
        window.command("Scry: Pause Indexing")
        expect(state).to_have_text(re.compile("Scry ⏸$"))  # the page shows the state of the moment when it opens
        window.command("Scry: Show Status")
        expect(window.row("shop")).to_contain_text("paused at")
        window.escape()
        window.find("handle_1")
        expect(window.title).to_contain_text("paused at")  # what the answer lacks, and a way to do something about it
        expect(window.title).to_contain_text("(Resume Indexing)")
        assert window.title.evaluate("title => title.scrollWidth <= title.clientWidth")  # nothing of it is cut off
        window.press_title_button("Show Status")
        expect(window.title).to_have_text("Scry: Status")
        window.escape()
        window.find("handle_1")
        window.press_title_button("Resume Indexing")
        expect(window.title).not_to_contain_text("paused")


_COUNT_ITEMS = """() => {
  const bar = document.querySelector(".part.statusbar");
  const isOurs = (item) => /scry/i.test(item.textContent);
  const count = () => [...bar.querySelectorAll(".statusbar-item")].filter(isOurs).length;
  const look = () => { window.mostItems = Math.max(window.mostItems ?? 0, count()); };
  look();
  new MutationObserver(look).observe(bar, { childList: true, subtree: true, characterData: true });
}"""
"""Counts the items of the status bar that say Scry, and keeps the largest number."""


def _percent_is_true(state: Locator) -> bool:
    """Return whether the item shows a percentage; fails where its spoken numbers say another one."""
    text, label = state.evaluate("item => [item.textContent, item.getAttribute('aria-label')]")
    shown = re.search(r"Scry (\d+) %$", text)
    spoken = re.search(r"(\d+) of (\d+) (files|vectors)", label)
    if not shown:
        return False
    assert spoken, label
    assert int(shown[1]) == 100 * int(spoken[1]) // int(spoken[2]), (text, label)
    return 0 < int(shown[1]) < 100
