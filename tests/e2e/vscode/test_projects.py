"""Projects beyond the open folder: added, chosen, searched, opened; in a real VS Code with the real sidecar."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

POST = {"src/post.py": 'def deliver_letter(to: str) -> str:\n    """Delivers a letter."""\n    return to\n'}


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that is not open."""
    return make_repository(tmp_path_factory.mktemp("other") / "post", POST)


@pytest.fixture(scope="module")
def registered(server: CodeServer, post: Path) -> Path:
    """Return the same, once it is known."""
    command = [sys.executable, "-m", "scry", "project", "add", str(post)]
    subprocess.run(command, env=server.environment, check=True, capture_output=True)
    return post


def add(window: Window, folder: Path) -> None:
    """Add a project by the picker's button and the editor's own dialog for folders."""
    window.page.get_by_role("button", name="Add Project…").click()
    expect(window.title).to_contain_text("Which project shall be searched from other ones?")
    _type_folder(window, folder)
    window.page.locator(".quick-input-widget").get_by_role("button", name="Add Project").click()
    expect(window.page.locator(".part.statusbar")).to_contain_text("post can be searched from other projects")


def _type_folder(window: Window, folder: Path) -> None:
    """Type a path once the dialog lists the folder that it begins with: its path would replace a path typed earlier."""
    expect(window.box).to_have_value(re.compile(r"/$"))
    expect(window.rows.filter(has=window.page.get_by_text("..", exact=True)).first).to_be_visible()
    window.box.fill(str(folder))
    expect(window.row(folder.name)).to_be_visible()
    expect(window.box).to_have_value(str(folder))


def find_everywhere(window: Window, words: str) -> None:
    """Ask, and press the button, whether or not the answer is there."""
    window.find(words)
    window.page.get_by_role("button", name="Search All Projects").click()


@pytest.mark.acceptance("C1", "P1", "E2")
def test_added_project_is_searched_by_button_and_opened(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path, post: Path
) -> None:
    with CodeServer(tmp_path / "server", extensions) as server:
        _add_and_jump(open_window(server, shop), server, post)


def _add_and_jump(window: Window, server: CodeServer, post: Path) -> None:
    find_everywhere(window, "deliver a letter")
    expect(window.title).to_contain_text("no other project is known yet")
    expect(window.row("deliver_letter")).to_have_count(0)
    add(window, post)
    find_everywhere(window, "deliver a letter")
    expect(window.title).to_contain_text("Scry: Find in all projects")
    found = window.row("deliver_letter")
    expect(found).to_contain_text("post: src/post.py:1")
    expect(window.title).to_have_text("Scry: Find in all projects")  # both are indexed
    before = len(events(server.home, "scry.use"))
    found.click()
    expect(window.title).to_be_hidden()
    expect(window.active_tab).to_contain_text("post.py")
    expect(window.page.locator(".view-lines").first).to_contain_text("def deliver_letter")
    used = eventually(lambda: events(server.home, "scry.use")[before:], "the use in the log")
    assert [(use["rank"], use["result_used"], use["how"]) for use in used] == [
        (1, "post:./src/post.py::deliver_letter", "jump")
    ]


@pytest.mark.acceptance("C1", "P1")
@pytest.mark.usefixtures("registered")
def test_projects_are_chosen_by_name_and_the_button_leads_back(window: Window) -> None:
    window.command("Scry: Find in Other Projects…")
    expect(window.title).to_contain_text("Scry: Projects")
    expect(window.row("shop")).to_contain_text("open here")
    expect(window.row("post").get_by_role("checkbox")).to_be_checked()
    window.press("Enter")
    expect(window.title).to_contain_text("Scry: Find in post")
    window.page.keyboard.insert_text("letter")
    expect(window.row("deliver_letter")).to_contain_text("post: src/post.py:1")
    expect(window.title).to_have_text("Scry: Find in post")
    window.page.get_by_role("button", name="Search the Open Folders").click()
    expect(window.row("deliver_letter")).to_have_count(0)
    expect(window.title).to_have_text("Scry: Find")


@pytest.mark.acceptance("C1", "P1")
@pytest.mark.usefixtures("registered")
def test_why_and_detail_explain_the_other_project(window: Window) -> None:
    find_everywhere(window, "deliver a letter")
    row = window.row("deliver_letter")
    row.hover()
    row.get_by_role("button", name="Why This Result?").click()
    why = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")
    expect(why.locator("h1")).to_contain_text("deliver_letter")
    expect(why.locator("pre")).to_contain_text("return to")
