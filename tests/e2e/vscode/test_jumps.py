"""Ways to jump, where they lead, what they log, and what a preview leaves behind: in a real VS Code."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from tests.e2e.vscode.code_server import CodeServer
from tests.e2e.vscode.log import events
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

COMMENT = "".join(f"/// Line {number} of what a parcel is.\n" for number in range(12))
BEFORE = "".join(f"// Line {number} before it.\n\n" for number in range(100))
PARCEL = f"{BEFORE}{COMMENT}pub struct Parcel {{\n    weight: u32,\n}}\n\n{BEFORE}"
NAME_LINE = PARCEL[: PARCEL.index("pub struct")].count("\n") + 1

LABELS = "".join(f"def print_label_{number}(label):\n    return {number}\n\n\n" for number in range(40))

BADGE = """<svg xmlns="http://www.w3.org/2000/svg">
  <title>Badge of the lighthouse keeper</title>
</svg>
"""

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_repository(tmp_path_factory.mktemp("jumps") / "shop", SHOP)
    for path, text in {"src/parcel.rs": PARCEL, "shop/labels.py": LABELS, "shop/badge.svg": BADGE}.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    (root / "zoo").mkdir()
    for number in range(40):
        (root / "zoo" / f"animal_{number}.txt").write_text(f"Animal {number}.\n")
    (root / "zoo" / "dot.png").write_bytes(base64.b64decode(DOT))
    for arguments in (["add", "."], ["commit", "-q", "-a", "-m", "Say thanks"]):
        subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return root


# Every way to jump ----------------------------------------------------------------------------------------------------


def find_receipt(window: Window) -> None:
    window.find("mail the receipt")
    expect(window.row("send_receipt")).to_be_visible()


def fill_results(window: Window) -> None:
    """Have an answer in the results view, and nothing used of it."""
    find_receipt(window)
    window.look_at_answer()
    window.escape()
    window.command("Scry: Focus on Results View")
    expect(window.result("1. send_receipt")).to_be_visible()


def press_enter(window: Window) -> None:
    find_receipt(window)
    window.press("Enter")


def type_and_press_enter(window: Window) -> None:
    window.find()
    window.type("mail the receipt", delay=3)
    window.press("Enter")


def click_row(window: Window) -> None:
    find_receipt(window)
    window.row("send_receipt").click()


def press_control_enter(window: Window) -> None:
    find_receipt(window)
    window.press("Control+Enter")


def open_further_place(window: Window) -> None:
    window.find("print label")
    expect(window.rows.first).to_contain_text("more: print_label_")
    window.press("Alt+ArrowRight")
    expect(window.focused_row).to_contain_text("↳")
    window.press("Enter")


def click_result(window: Window) -> None:
    fill_results(window)
    window.result("1. send_receipt").click()


def go_to_next(window: Window) -> None:
    fill_results(window)
    window.command("Scry: Next Result")


def go_to_previous(window: Window) -> None:
    click_result(window)
    eventually(lambda: window.tab("mail.py").is_visible(), "the first result")
    window.command("Scry: Next Result")
    expect(window.active_tab).not_to_contain_text("mail.py")
    window.command("Scry: Previous Result")


def open_to_side(window: Window) -> None:
    fill_results(window)
    window.command("Scry: Open Result to the Side")


def open_commit(window: Window) -> None:
    window.command("Scry: Recent Changes")
    window.row("Say thanks").click()
    expect(window.active_tab).to_contain_text("Say thanks (")


def open_recent_file(window: Window) -> None:
    window.command("Scry: Recent Changes")
    expect(window.title).to_contain_text("Scry: Recent Changes")
    window.page.keyboard.insert_text("mail the receipt")
    window.row("send_receipt").click()


def open_first_of(window: Window, answer: str) -> None:
    """Open the first result of this answer, once it is the newest: the lines of older ones move down when it comes."""
    lines = window.page.locator(".pane-body .monaco-list-row:not(.explorer-item)")
    expect(lines.and_(window.page.locator("[data-index='0']"))).to_contain_text(answer)
    first = lines.and_(window.page.locator("[data-index='1']"))
    expect(first).to_contain_text("1. ")
    first.click()


def open_neighbour(window: Window) -> None:
    window.open_file("cart.py")
    window.command("Scry: Neighbours of This File")
    open_first_of(window, "Neighbours of shop/cart.py")


def open_oriented(window: Window) -> None:
    window.command("Scry: Orient in Folder")
    open_first_of(window, "Orient in shop")


def show_detail(window: Window) -> None:
    fill_results(window)
    window.command("Scry: Show Detail")


def show_detail_in_picker(window: Window) -> None:
    find_receipt(window)
    row = window.row("send_receipt")
    window.choose_action(row, "Show Detail")


def show_why(window: Window) -> None:
    fill_results(window)
    window.command("Scry: Why This Result?")


WAYS: list[tuple[Callable[[Window], None], list[tuple[str, int | None]]]] = [
    (press_enter, [("jump", 1)]),
    (type_and_press_enter, [("jump", 1)]),
    (click_row, [("jump", 1)]),
    (press_control_enter, [("jump", 1)]),
    (open_further_place, [("jump", 1)]),
    (click_result, [("jump", 1)]),
    (go_to_next, [("jump", 2)]),
    (go_to_previous, [("jump", 1), ("jump", 2), ("jump", 1)]),
    (open_to_side, [("jump", 1)]),
    (open_commit, [("jump", None)]),
    (open_recent_file, [("jump", None)]),
    (open_neighbour, [("jump", 1)]),
    (open_oriented, [("jump", 1)]),
    (show_detail, [("detail", 1)]),
    (show_detail_in_picker, [("detail", 1)]),
    (show_why, []),
]
"""Every way to use a result in VS Code, with the uses that it logs: how, and the rank where it is certain."""


@pytest.mark.acceptance("C1", "E1", "E2")
@pytest.mark.parametrize(("way", "logged"), WAYS, ids=[way.__name__ for way, _ in WAYS])
def test_each_use_is_logged_once(
    window: Window, server: CodeServer, way: Callable[[Window], None], logged: list[tuple[str, int | None]]
) -> None:
    before = len(events(server.home, "scry.use"))
    way(window)
    eventually(lambda: len(events(server.home, "scry.use")) >= before + len(logged), "the uses in the log")
    expect(window.title).to_be_hidden()
    window.command("Scry: Copy Result")  # the last use, after which none of those before it can come
    eventually(lambda: uses_since(server, before)[-1:] == ["copy"], "the copy in the log")
    uses = [(use["how"], use["rank"]) for use in events(server.home, "scry.use")[before:-1]]
    assert [how for how, _ in uses] == [how for how, _ in logged]
    assert all(rank in (None, used) for (_, used), (_, rank) in zip(uses, logged, strict=True))


def uses_since(server: CodeServer, before: int) -> list[str]:
    """Return how results were used after the first `before` uses."""
    return [use["how"] for use in events(server.home, "scry.use")[before:]]


# Where a jump leads ---------------------------------------------------------------------------------------------------


def position(window: Window) -> Locator:
    return window.page.locator(".part.statusbar")


def line_box(window: Window, text: str) -> FloatRect:
    """Return where a line of the code is on the screen."""
    line = window.page.locator(".editor-instance .view-line", has_text=text).first
    expect(line).to_be_visible()
    # An editor that scrolls or opens replaces its lines: one that is gone between two looks has no place.
    box = eventually(line.bounding_box, f"the place of the line {text!r}")
    assert box
    return box


@pytest.mark.acceptance("C1", "F14")
def test_preview_shows_the_name_below_the_picker_and_jump_lands_on_it(window: Window) -> None:
    for words, name, where in (
        ("Parcel weight", "pub struct Parcel", f"Ln {NAME_LINE}, Col 12"),
        ("mail the receipt", "def send_receipt", "Ln 1, Col 5"),  # at the top of its file, where the picker is
    ):
        window.find(words)
        expect(window.preview).to_have_count(1)
        line = line_box(window, name)
        picker = window.page.locator(".quick-input-widget").bounding_box()
        assert picker
        assert line["y"] >= picker["y"] + picker["height"]
        window.press("Enter")
        expect(window.title).to_be_hidden()
        expect(window.preview).to_have_count(0)
        expect(position(window)).to_contain_text(where)
        line_box(window, name)
    window.find("Parcel weight")
    window.press("Enter")
    expect(position(window)).to_contain_text(f"Ln {NAME_LINE}, Col 12")
    assert line_box(window, "/// Line 0 of what a parcel is.")["y"] < line_box(window, "pub struct Parcel")["y"]


@pytest.mark.acceptance("C1")
def test_jump_into_an_unsaved_file_lands_on_the_edited_line(window: Window) -> None:
    window.find("mail the receipt")
    window.look_at_answer()
    window.escape()
    window.open_file("mail.py")
    window.press("Control+Home")
    window.page.keyboard.insert_text("# one\n# two\n# three\n")
    window.command("Scry: Focus on Results View")
    window.result("1. send_receipt").click()  # the answer is older than the edit
    expect(position(window)).to_contain_text("Ln 4, Col 5")
    window.press("Control+Home")
    window.find("mail the receipt")
    expect(window.row("send_receipt")).to_contain_text("mail.py:4")
    window.press("Enter")
    expect(position(window)).to_contain_text("Ln 4, Col 5")
    window.command("View: Revert and Close Editor")


@pytest.mark.acceptance("C1", "E2")
def test_jump_to_a_deleted_file_says_so_and_is_not_logged(window: Window, server: CodeServer, shop: Path) -> None:
    gone = shop / "shop" / "gone.py"
    gone.write_text("def vanish_at_once() -> None:\n    pass\n")
    window.find("vanish_at_once")
    expect(window.row("vanish_at_once")).to_be_visible()
    window.look_at_answer()
    window.escape()
    before = len(events(server.home, "scry.use"))
    gone.unlink()
    window.command("Scry: Focus on Results View")
    window.result("1. vanish_at_once").click()
    expect(window.notifications).to_contain_text("gone.py is no longer there")
    window.command("Notifications: Clear All Notifications")
    find_receipt(window)
    window.press("Enter")
    eventually(lambda: len(events(server.home, "scry.use")) > before, "the use of another result")
    assert [use["result_used"] for use in events(server.home, "scry.use")[before:]] == ["./shop/mail.py::send_receipt"]


# What a preview leaves behind -----------------------------------------------------------------------------------------


def scroll_explorer(window: Window) -> Locator:
    """Select the picture, which opens an untouched tab, and scroll the Explorer away from the code."""
    window.press("Control+Shift+e")
    tree = window.page.locator(".explorer-folders-view")
    folder = tree.locator(".monaco-list-row", has_text="zoo").first
    if folder.get_attribute("aria-expanded") != "true":
        folder.click()
    expect(folder).to_have_attribute("aria-expanded", "true")
    picture = tree.locator(".monaco-list-row", has_text="dot.png")

    def scroll() -> bool:
        tree.hover()
        window.page.mouse.wheel(0, 5000)
        return picture.is_visible()

    eventually(scroll, "the picture in the Explorer")
    picture.click()
    expect(window.active_tab).to_contain_text("dot.png")
    return picture


@pytest.mark.acceptance("C1")
def test_escape_restores_what_was_there(window: Window) -> None:
    window.open_file("README.md")
    picture = scroll_explorer(window)
    place = picture.bounding_box()
    find_receipt(window)
    expect(window.preview).to_have_count(1)
    assert len(window.tabs()) == 3  # the untouched tab is still there
    window.escape()
    expect(window.active_tab).to_contain_text("dot.png")
    expect(window.active_tab.locator(".italic")).to_have_count(1)  # still an untouched tab
    assert picture.bounding_box() == place
    window.press("Control+1")


@pytest.mark.acceptance("C1")
def test_previews_are_in_no_history(window: Window) -> None:
    window.open_file("README.md")
    window.press("Control+End")
    expect(position(window)).to_contain_text("Ln 6, Col 1")
    find_receipt(window)
    expect(window.preview).to_have_count(1)
    window.press("ArrowDown")
    window.page.wait_for_timeout(500)  # for another preview
    window.escape()
    window.find("Parcel weight")
    expect(window.preview).to_have_count(1)
    window.press("Enter")
    expect(position(window)).to_contain_text(f"Ln {NAME_LINE}, Col 12")
    window.command("Go Back")
    expect(window.active_tab).to_contain_text("README.md")
    expect(position(window)).to_contain_text("Ln 6, Col 1")
    window.command("Go Forward")
    expect(window.active_tab).to_contain_text("parcel.rs")
    window.press("Control+p")
    expect(window.row("README.md")).to_be_visible()
    eventually(lambda: sorted(window.labels()[:2]) == ["README.md", "parcel.rs"], "the files that were opened")
    window.press("Escape")


@pytest.mark.acceptance("C1")
def test_picture_is_previewed_as_text_and_its_preview_is_closed(window: Window) -> None:
    text = window.page.locator(".view-lines", has_text="Badge of the lighthouse keeper")
    for key in ("Escape", "Enter"):
        window.find("badge of the lighthouse keeper")
        expect(window.row("badge.svg")).to_be_visible()
        expect(window.preview).to_have_count(1)
        expect(text).to_be_visible()
        window.press(key)
        expect(window.title).to_be_hidden()
        expect(window.preview).to_have_count(0)
    expect(window.active_tab).to_contain_text("badge.svg")
    expect(text).to_be_visible()
