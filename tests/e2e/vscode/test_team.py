"""A joined team in a real VS Code: its results in the picker, their files, links and explanations, and a server that is
away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository
from tests.team.joined import LINE, QUESTION, JoinedTeam, clone_of_depot

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("vscode"),
    pytest.mark.needs("postgres"),
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the open repository, which answers the same question."""
    truck = 'def unload_truck(truck):\n    """Take the pallets from a truck."""\n    return truck.pallets\n'
    return make_repository(tmp_path_factory.mktemp("repository") / "shop", {**SHOP, "shop/truck.py": truck})


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JoinedTeam]:
    team = JoinedTeam(tmp_path_factory.mktemp("team"))
    yield team
    team.remove()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path, team: JoinedTeam) -> Iterator[CodeServer]:
    """Return the server of the shared window, whose person has joined the team."""
    with CodeServer(tmp_path_factory.mktemp("server"), extensions) as server:
        team.join(server.environment)
        yield server


def find_in_team(window: Window, words: str = QUESTION) -> None:
    window.find(words)
    window.press_title_button("Search the Team's Index")
    expect(window.title).to_contain_text("Scry: Find in the open folders and the team's index")


def choose_action(window: Window, action: str) -> None:
    window.choose_action(window.row("stack_pallets"), action)


def panel(window: Window) -> FrameLocator:
    """Return what the visible webview holds."""
    return window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")


@pytest.mark.acceptance("T1", "C1", "E2")
def test_result_of_the_team_names_its_commit_and_opens_read_only(
    window: Window, server: CodeServer, team: JoinedTeam
) -> None:
    window.find(QUESTION)
    expect(window.row("unload_truck")).to_be_visible()
    expect(window.row("stack_pallets")).to_have_count(0)
    window.press_title_button("Search the Team's Index")
    found = window.row("stack_pallets")
    expect(found).to_contain_text(f"depot@{team.commit[:7]}")
    expect(found).to_contain_text(f"src/pallets.py:{LINE}")
    expect(found.locator(".codicon-organization")).to_be_visible()
    local = window.row("unload_truck")
    expect(local).to_contain_text("shop: shop/truck.py")
    expect(local.locator(".codicon-organization")).to_have_count(0)
    expect(window.preview).to_have_count(1)
    expect(window.page.locator(".view-lines").first).to_contain_text("def stack_pallets")
    before = len(events(server.home, "scry.use"))
    found.click()
    expect(window.title).to_be_hidden()
    expect(window.preview).to_have_count(0)
    expect(window.active_tab).to_contain_text("pallets.py")
    expect(window.page.locator(".view-lines").first).to_contain_text("def stack_pallets")
    expect(window.page.locator(".part.statusbar")).to_contain_text(f"Ln {LINE}, Col 5")
    window.type("x")
    expect(window.page.locator(".monaco-editor-overlaymessage")).to_contain_text("read-only")
    used = eventually(lambda: events(server.home, "scry.use")[before:], "the use in the log")
    assert [(use["result_used"], use["how"]) for use in used] == [("depot:./src/pallets.py::stack_pallets", "jump")]


@pytest.mark.acceptance("T1", "C1")
def test_jump_is_explained_at_its_place(window: Window) -> None:
    find_in_team(window)
    window.row("stack_pallets").click()
    expect(window.active_tab).to_contain_text("pallets.py")
    line = window.page.locator(".view-line", has_text="def stack_pallets")
    hover = window.hover(line.get_by_text("stack_pallets", exact=True), "Why This Result?")
    expect(hover).to_contain_text(QUESTION)


@pytest.mark.acceptance("T1", "C1")
def test_why_and_detail_of_a_result_of_the_team(window: Window) -> None:
    find_in_team(window)
    row = window.row("stack_pallets")
    row.hover()
    row.get_by_role("button", name="Why This Result?").click()
    why = panel(window)
    expect(why.locator("h1")).to_contain_text("stack_pallets")
    expect(why.locator("section", has_text="What each oracle says")).to_contain_text("Lexical")
    expect(why.locator("section", has_text="Semantic: which words met")).to_contain_text("pallets")
    window.tidy()
    find_in_team(window)
    choose_action(window, "Show Detail")
    expect(panel(window).locator("pre").first).to_contain_text("return sorted(pallets)")
    panel(window).get_by_role("link", name="src/yard.py::tidy_up").click()
    expect(window.active_tab).to_contain_text("yard.py")
    expect(window.page.locator(".view-lines").first).to_contain_text("def tidy_up")


@pytest.mark.acceptance("T1", "C1", "N1", "O1")
def test_neighbors_and_orient_of_a_file_of_the_team(window: Window) -> None:
    find_in_team(window)
    window.row("stack_pallets").click()
    expect(window.active_tab).to_contain_text("pallets.py")
    window.command("Scry: Similar Code")
    expect(window.result("weigh_pallets")).to_be_visible()
    window.command("Scry: Neighbours of This File")
    expect(window.result("yard.py")).to_be_visible()
    window.command("Scry: Orient in Folder")
    expect(window.result("Orient in depot:./src")).to_be_visible()
    expect(window.result("pallets.py")).to_be_visible()


@pytest.mark.acceptance("T1", "C1", "E2")
def test_link_to_the_forge_is_copied_and_opened(window: Window, server: CodeServer, team: JoinedTeam) -> None:
    link = f"https://github.com/acme/depot/blob/{team.commit}/src/pallets.py#L{LINE}-L{LINE + 2}"
    find_in_team(window)
    choose_action(window, "Copy Link")
    eventually(lambda: window.clipboard() == link, "the link in the clipboard")
    choose_action(window, "Open on the Forge")
    dialog = window.page.locator(".monaco-dialog-box")  # the editor asks before it opens a strange address
    expect(dialog).to_contain_text("github.com/acme/depot")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    uses = eventually(
        lambda: [use for use in events(server.home, "scry.use") if use["how"] == "copy"], "the copy in the log"
    )
    assert uses[-1]["result_used"] == "depot:./src/pallets.py::stack_pallets"
    window.press("Escape")


@pytest.mark.acceptance("T3", "C1")
def test_late_results_arrive_by_refresh(window: Window, team: JoinedTeam) -> None:
    with team.halted():
        find_in_team(window, "weigh the pallets of a truck")
        expect(window.row("unload_truck")).to_be_visible()
        expect(window.title).to_contain_text("the team's server has not answered yet")
        assert not [label for label in window.labels() if "pallets" in label]
    expect(window.row("weigh_pallets")).to_contain_text("depot@")
    expect(window.title).not_to_contain_text("not answered")
    window.escape()


@pytest.mark.acceptance("T3", "C1")
def test_server_that_is_away_is_named_beside_local_results(window: Window, team: JoinedTeam) -> None:
    team.server.stop("immediate")
    try:
        find_in_team(window, "the pallets of the depot")
        expect(window.row("unload_truck")).to_be_visible()
        expect(window.title).to_contain_text("the team's index can't be used")
    finally:
        team.server.start()
    window.escape()
    find_in_team(window, "the pallets of a depot")
    expect(window.row("stack_pallets")).to_be_visible()
    window.escape()


@pytest.mark.acceptance("T1", "C1")
def test_local_clone_is_opened_where_it_has_the_same_text(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path, team: JoinedTeam
) -> None:
    with CodeServer(tmp_path / "server", extensions) as server:
        team.join(server.environment)
        clone = clone_of_depot(team, tmp_path / "clones" / "depot", server.environment)
        window = open_window(server, shop)
        find_in_team(window)
        found = window.row("stack_pallets")
        expect(found).to_contain_text("depot@")
        found.click()
        expect(window.active_tab).to_contain_text("pallets.py")
        expect(window.active_tab).to_have_attribute("aria-label", re.compile(r"pallets\.py"))
        expect(window.page.locator(".part.statusbar")).to_contain_text(f"Ln {LINE}, Col 5")
        window.type("changed_")
        expect(window.page.locator(".view-line", has_text="changed_stack_pallets")).to_be_visible()
        window.press("Control+s")
        file = clone / "src" / "pallets.py"
        eventually(lambda: "def changed_stack_pallets" in file.read_text(), "the change in the clone")
