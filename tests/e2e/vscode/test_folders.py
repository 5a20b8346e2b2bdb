"""Two open folders of the same name: none is taken for the other, in a real VS Code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.test_knowledge import answer, choose
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

MAIN = 'def main() -> int:\n    """Starts the {0} and waits for its end."""\n    return run_{0}()\n'
RUN = 'def run_{0}() -> int:\n    """Runs the {0} until its end."""\n    return 1\n'
BELIEF = "---\nstatement: The {0} waits for its end before it reports\nentrenchment: high\n---\n\nBecause of it.\n"
README = "# The {0}\n\nThe {0} waits for its end.\n"


def files_of(kind: str) -> dict[str, str]:
    files = {
        "src/main.py": MAIN,
        "src/run.py": RUN,
        ".scry/beliefs/end.md": BELIEF,
        "README.md": README,
    }
    return {path: text.format(kind) for path, text in files.items()}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace with two folders of the same name."""
    root = tmp_path_factory.mktemp("folders")
    for kind in ("client", "server"):
        make_repository(root / kind / "app", files_of(kind))
    workspace = root / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": "client/app"}, {"path": "server/app"}]}))
    return workspace


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> Iterator[CodeServer]:
    """Return the server of this file's window, with memory on."""
    with CodeServer(tmp_path_factory.mktemp("server"), extensions, environ={"SCRY_MEMORY": "true"}) as server:
        yield server


def lines(window: Window, text: str) -> Locator:
    return window.page.locator(".pane-body .monaco-list-row:not(.explorer-item)", has_text=text)


def open_main(window: Window, kind: str) -> None:
    window.open_file(str(window.folder.parent / kind / "app/src/main.py"))
    expect(window.page.locator(".view-lines").first).to_contain_text(f"run_{kind}")


def choose_folder(window: Window, kind: str) -> None:
    """Choose a folder in the editor's own list, which shows the path of the folder around it.

    By keys: the pointer opens a hover over the list, which takes the click.
    """
    expect(window.row(f"/{kind}")).to_be_visible()
    focused = window.page.locator(f".quick-input-list .monaco-list-row.focused[aria-label*='/{kind}']")

    def is_focused() -> bool:
        if focused.count():
            return True
        window.press("ArrowDown")
        return False

    eventually(is_focused, f"the folder in {kind}")
    window.press("Enter")


def orient(window: Window, kind: str) -> None:
    window.command("Scry: Orient in Folder")
    choose_folder(window, kind)
    expect(lines(window, f"Orient in app ({kind})")).to_have_count(1)


def first_line(window: Window) -> Locator:
    return window.page.locator(".pane-body .monaco-list-row:not(.explorer-item)").first


def first_line_is(window: Window, text: str) -> None:
    window.command("Scry: Focus on Results View")
    expect(first_line(window)).to_contain_text(text)


def ask_again(window: Window, line: Locator, where: str) -> None:
    """Ask the question of a line again until its answer is the first. A list that is drawn anew under the pointer, as
    when an answer is completed, loses the click.
    """

    def press() -> bool:
        window.press_line_button(line.first, "Ask Again")
        try:
            expect(first_line(window)).to_contain_text(where, timeout=5_000)
        except AssertionError:
            return False
        return True

    eventually(press, f"the answer of {where} asked again")


@pytest.mark.acceptance("C1")
def test_ask_again_asks_the_folder_of_the_answer(window: Window) -> None:
    orient(window, "server")
    orient(window, "client")
    ask_again(window, lines(window, "Orient in app (server)"), "Orient in app (server)")
    expect(lines(window, "Orient in app (client)")).to_have_count(1)
    for command, title in (("Neighbours of This File", "Neighbours of "), ("Similar Code", "Similar to ")):
        for kind in ("server", "client"):
            open_main(window, kind)
            window.command(f"Scry: {command}")
            first_line_is(window, title)
            expect(lines(window, title).filter(has_text=f"in app ({kind})")).to_have_count(1)
        ask_again(window, lines(window, title).filter(has_text="in app (server)"), "in app (server)")
        expect(lines(window, title).filter(has_text="in app (client)")).to_have_count(1)


@pytest.mark.acceptance("C1")
def test_ask_again_keeps_the_scope(window: Window) -> None:
    open_main(window, "server")
    window.find("wait for the end")
    expect(window.row("main")).to_be_visible()
    window.look_at_answer()
    window.press_title_button("Filters and Scopes")
    window.row("This Folder").click()
    expect(window.title).to_contain_text("Scry: Find in app (server): src/")
    expect(window.row("main")).to_contain_text("app (server): src/main.py:1")
    window.look_at_answer()
    window.escape()
    window.command("Scry: Focus on Results View")
    line = lines(window, "wait for the end").filter(has_text="in app (server): src/").first
    window.press_line_button(line, "Ask Again")
    expect(window.title).to_contain_text("Scry: Find in app (server): src/")
    expect(window.box).to_have_value("wait for the end")
    expect(window.row("main")).to_contain_text("app (server): src/main.py:1")
    window.look_at_answer()
    window.escape()
    with window.page.expect_navigation():
        window.command("Developer: Reload Window")
    window.press_line_button(
        lines(window, "wait for the end").filter(has_text="in app (server): src/").first, "Ask Again"
    )
    expect(window.title).to_contain_text("Scry: Find in app (server): src/")
    window.page.get_by_role("button", name="Search the Open Folders").click()
    expect(window.row("run_client")).to_be_visible()


@pytest.mark.acceptance("C1", "P1")
def test_folders_are_told_apart_by_the_names_of_their_projects(window: Window) -> None:
    orient(window, "server")
    expect(window.result("main.py")).to_contain_text("app (server): src")
    window.command("Scry: Show Status")
    for kind in ("client", "server"):
        expect(window.row(f"app ({kind})")).to_be_visible()
    window.escape()


@pytest.mark.acceptance("C1", "K2", "P1")
def test_place_of_a_belief_and_of_a_file_at_the_root(window: Window) -> None:
    window.find("the server waits for its end before it reports")
    belief = window.row("The server waits for its end before it reports")
    expect(belief).to_contain_text("app (server): .scry/beliefs/end.md:2")
    expect(window.rows.filter(has_text="app (server): README.md:1")).to_be_visible()
    window.press_title_button("Show All in Results View")
    expect(window.title).to_be_hidden()
    expect(window.result(". The server waits for its end")).to_contain_text("end.md:2  app (server): .scry/beliefs")
    readme = lines(window, "README.md:1").filter(has_text="app (server)").first
    expect(readme.locator(".label-description")).to_have_text(re.compile(r"README\.md:1  app \(server\)$"))


@pytest.mark.acceptance("C1", "P1")
def test_all_projects_says_that_no_other_one_is_known(window: Window) -> None:
    window.find("wait for the end")
    window.page.get_by_role("button", name="Search All Projects").click()
    expect(window.title).to_contain_text("no other project is known yet")


@pytest.mark.acceptance("C1", "K2")
def test_belief_is_written_and_renamed_in_the_folder_of_the_active_file(window: Window) -> None:
    root = window.folder.parent / "server/app/.scry/beliefs"
    open_main(window, "server")
    window.command("Scry: New Belief…")
    answer(window, "What does the team believe", "Ports are never shared")
    expect(window.active_tab).to_contain_text("ports-never-shared.md")
    assert (root / "ports-never-shared.md").exists()
    window.command("Scry: Show Beliefs")
    expect(window.row("The client waits")).to_contain_text("app (client)")
    expect(window.row("Ports are never shared")).to_contain_text("app (server)")
    window.escape()
    open_main(window, "client")
    window.command("Scry: Rename Belief…")
    choose(window, "Ports are never shared")
    answer(window, "What is its new id", "own-port")
    expect(window.active_tab).to_contain_text("own-port.md")
    assert (root / "own-port.md").exists()


@pytest.mark.acceptance("C1", "K2")
def test_belief_without_an_active_file_asks_for_the_folder(window: Window) -> None:
    window.command("Scry: New Belief…")
    choose_folder(window, "server")
    answer(window, "What does the team believe", "Logs are never sent")
    expect(window.active_tab).to_contain_text("logs-never-sent.md")
    assert (window.folder.parent / "server/app/.scry/beliefs/logs-never-sent.md").exists()


@pytest.mark.acceptance("C1", "M1")
def test_memories_and_sessions_name_their_projects(window: Window) -> None:
    for kind in ("client", "server"):
        open_main(window, kind)
        window.command("Scry: Observe…")
        choose(window, "decision")
        answer(window, "The decision, in a sentence", f"The {kind} ends by itself")
        expect(window.page.locator(".part.statusbar")).to_contain_text("remembered as memory:")
        window.command("Scry: Sessions")
        choose(window, "Begin a Session…")
        answer(window, "What is the work about", f"end the {kind}")
        expect(window.page.locator(".part.statusbar")).to_contain_text("Begun")
    window.command("Scry: Memory")
    for kind in ("client", "server"):
        expect(window.row(f"The {kind} ends by itself")).to_contain_text(f"app ({kind})")
    choose(window, "The server ends by itself")
    choose(window, "Forget")
    expect(window.page.locator(".part.statusbar")).to_contain_text("Forgot 1 memory")
    window.command("Scry: Memory")
    expect(window.row("The client ends by itself")).to_be_visible()
    expect(window.row("The server ends by itself")).to_have_count(0)
    window.escape()
    window.command("Scry: Sessions")
    for kind in ("client", "server"):
        expect(window.row(f"end the {kind}")).to_contain_text(f"app ({kind})")
    window.escape()


@pytest.mark.acceptance("C1", "E4")
def test_log_is_of_the_folder_of_the_active_file(window: Window) -> None:
    window.find("run_client")
    expect(window.row("run_client")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("run.py")
    open_main(window, "server")

    def shows(folder: str, words: str) -> bool:
        open_main(window, folder)
        window.command("Scry: Log of Questions…")
        choose(window, "Show the Log")
        expect(window.active_tab).to_contain_text("scry log")
        return words in window.page.locator(".view-lines").first.inner_text().replace("\u00a0", " ")

    eventually(lambda: shows("client", "run_client"), "the question in the log of its folder")
    assert not shows("server", "run_client")
