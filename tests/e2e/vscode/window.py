"""A window of VS Code in a real browser, driven as a person drives it: by keys, and by what can be seen."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.e2e.vscode.code_server import CodeServer
from tests.polling import eventually

TIMEOUT = 90.0
"""Seconds that anything may take on a busy machine. Nothing waits for longer than it has to."""

PALETTE_TIMEOUT = 15_000
"""Milliseconds after which the palette, or a menu, is opened again."""

HOVER_TIMEOUT = 10_000
"""Milliseconds after which the mouse rests on a text again."""

expect.set_options(timeout=TIMEOUT * 1000)

SETTLE_MS = 1100
"""Milliseconds after which an answer that stands is kept when the picker closes."""

_LABELS = """rows => rows
  .filter((row) => row.getClientRects().length > 0 && getComputedStyle(row).visibility === "visible")
  .sort((one, other) => one.dataset.index - other.dataset.index)
  .map((row) => row.querySelector(".label-name")?.innerText.trim() ?? "")"""
_TABS = "tabs => tabs.map((tab) => tab.dataset.resourceName ?? '')"
_WRITE = "(box, text) => { box.value = text; box.dispatchEvent(new Event('input', { bubbles: true })); }"


class Window:
    """A browser window, closed at the end."""

    def __init__(self, browser: Browser, server: CodeServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.context = browser.new_context(viewport={"width": 1280, "height": 800})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.context.set_default_timeout(TIMEOUT * 1000)
        self.page: Page = self.context.new_page()
        self.hosts: set[str] = set()
        self.page.on("request", lambda request: self.hosts.add(request.url))
        self.page.goto(server.url(folder))
        # Contributions of extensions appear after the window: first the activity bar entry, then the commands.
        self.page.wait_for_selector(".monaco-workbench .activitybar [aria-label^='Scry']")

    def close(self) -> None:
        self.context.close()

    def tidy(self) -> None:
        """Leaves nothing open that an earlier test opened, but for the side bar."""
        self.press("Escape")
        expect(self.page.locator(".quick-input-widget")).to_be_hidden()
        self.command("View: Close All Editors")
        expect(self.page.locator(".tabs-container .tab")).to_have_count(0)
        self.command("Notifications: Clear All Notifications")

    # Input --------------------------------------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str, delay: float = 20) -> None:
        """Types; `delay` is in milliseconds between two keys."""
        self.page.keyboard.type(text, delay=delay)

    def command(self, title: str) -> None:
        """Run a command from the palette.

        Whatever takes the focus closes the palette: then it is opened again, and nothing has been typed elsewhere.
        One that is still open keeps its list, which may be older than the command, until its text changes.
        """
        row = ".quick-input-list .monaco-list-row"  # its label goes on with ", recently used" and the like
        wanted = self.page.locator(f"{row}[aria-label='{title}'], {row}[aria-label^='{title}, ']").first
        box = self.page.locator(".quick-input-widget input[placeholder^='Type the name of a command']")

        def choose() -> bool:
            self.press("F1")
            try:
                box.evaluate(_WRITE, ">", timeout=PALETTE_TIMEOUT)
                box.evaluate(_WRITE, f">{title}", timeout=PALETTE_TIMEOUT)
                wanted.click(timeout=PALETTE_TIMEOUT)
            except PlaywrightTimeout:
                return False
            return True

        eventually(choose, f"the command {title} in the palette")

    def open_file(self, name: str) -> None:
        """Open a file by name, to stay open.

        Files that were open lately are listed at first, whatever was typed, and the list changes once more under a
        key: the line of the file is clicked, and a list that took another one is opened again.
        """
        file = Path(name).name
        line = self.page.locator(f".quick-input-list .monaco-list-row[aria-label^='{file}']").first

        def choose() -> bool:
            self.press("Control+p")
            try:
                self.box.fill(name, timeout=PALETTE_TIMEOUT)
                line.click(timeout=PALETTE_TIMEOUT)
                self.page.locator(".tabs-container .tab.active", has_text=file).first.wait_for(timeout=PALETTE_TIMEOUT)
            except PlaywrightTimeout:
                self.press("Escape")
                return False
            return True

        eventually(choose, f"the file {name} in an editor")
        expect(self.page.locator(".editor-instance .monaco-editor.focused")).to_be_visible()

    def hover(self, text: Locator, marked: str) -> Locator:
        """Rest the mouse on a text of the editor until a hover with the marked words shows, and return the hover.

        An editor that was just opened may still ask nobody: then the mouse comes again.
        """
        hover = self.page.locator(".monaco-hover:visible", has_text=marked)

        def rest() -> bool:
            self.page.mouse.move(0, 0)
            text.hover()
            try:
                hover.wait_for(timeout=HOVER_TIMEOUT)
            except PlaywrightTimeout:
                return False
            return True

        eventually(rest, f"a hover with {marked}")
        return hover

    def open_menu(self, line: Locator, entry: str) -> Locator:
        """Open the menu of a line by the right button until it shows an entry, and return the menu.

        A view that is drawn anew at that moment closes the menu; then the line is clicked again.
        """
        menu = self.page.locator(".monaco-menu")

        def opens() -> bool:
            line.click(button="right")
            try:
                expect(menu.locator(f".action-label[aria-label='{entry}']")).to_be_visible(timeout=HOVER_TIMEOUT)
            except AssertionError:
                self.press("Escape")
                return False
            return True

        eventually(opens, f"a menu with {entry}")
        return menu

    def choose_action(self, row: Locator, action: str) -> None:
        """Choose an action in the menu of a row of the picker."""
        row.hover()
        row.get_by_role("button", name="More Actions").click()
        expect(self.title).to_contain_text(" › ")
        self.row(action).click()

    def choose_in_menu(self, line: Locator, title: str) -> None:
        """Choose an entry of a line's context menu by Enter: a menu that has just opened ignores the mouse button.

        A list that is drawn anew closes the menu: then it is opened again.
        """
        entry = self.page.locator(f".action-label[aria-label='{title}']")
        item = self.page.locator(".monaco-menu .action-item", has=entry)

        def point_at_item() -> bool:
            line.click(button="right")
            try:
                item.hover(timeout=PALETTE_TIMEOUT)
                expect(item).to_contain_class("focused", timeout=PALETTE_TIMEOUT)
            except (AssertionError, PlaywrightTimeout):
                self.press("Escape")
                return False
            return True

        eventually(point_at_item, f"{title} in the menu")
        self.press("Enter")
        expect(item).to_have_count(0)

    def press_line_button(self, line: Locator, name: str) -> None:
        """Press a button that a line shows under the mouse. A line that is drawn anew loses it: then again."""

        def press() -> bool:
            self.page.mouse.move(0, 0)
            try:
                line.hover(timeout=HOVER_TIMEOUT)
                line.get_by_role("button", name=name).click(timeout=HOVER_TIMEOUT)
            except PlaywrightTimeout:
                return False
            return True

        eventually(press, f"the button {name} of a line")

    def find(self, words: str = "") -> None:
        """Open the picker and puts these words in at once: one question, so that no answer is to a part of them."""
        self.command("Scry: Find")
        expect(self.title).to_contain_text("Scry: Find")
        expect(self.box).to_be_focused()
        self.page.keyboard.insert_text(words)
        expect(self.box).to_have_value(words)

    def press_title_button(self, tooltip: str) -> None:
        """Press a button beside the title of the picker."""
        self.page.locator(".quick-input-widget .quick-input-titlebar").get_by_role("button", name=tooltip).click()

    def escape(self) -> None:
        """Leave the picker and wait until the earlier editor is back: the previewed file is closed then."""
        self.press("Escape")
        expect(self.page.locator(".quick-input-widget")).to_be_hidden()
        expect(self.preview).to_have_count(0)

    def look_at_answer(self) -> None:
        """Let the answer stand for the second after which it counts as looked at, and is kept."""
        expect(self.preview).to_have_count(1)
        self.page.wait_for_timeout(SETTLE_MS)

    def log_messages(self) -> None:
        """From now on our log has each message between editor and sidecar. The extension must have started."""
        self.command("Developer: Set Log Level...")
        self.row("Scry").click()
        self.row("Trace").click()
        expect(self.box).to_be_hidden()

    # Output -------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> Locator:
        """The picker's title."""
        return self.page.locator(".quick-input-widget .quick-input-title")

    @property
    def box(self) -> Locator:
        """Return the input of the picker or palette."""
        return self.page.locator(".quick-input-widget .quick-input-filter input")

    @property
    def rows(self) -> Locator:
        """The lines of the picker or palette."""
        return self.page.locator(".quick-input-list .monaco-list-row")

    def row(self, text: str) -> Locator:
        """Return the first line that shows this text. A reused line may hold an older text in a hidden label."""
        shown = self.page.locator('.monaco-icon-label:not([style*="display: none"])', has_text=text)
        return self.rows.filter(has=shown).first

    def labels(self) -> list[str]:
        """Return the first words of each line of the picker that can be seen, top down."""
        labels: list[str] = self.rows.evaluate_all(_LABELS)  # at one moment: lines come and go
        return labels

    def result(self, text: str) -> Locator:
        """Return a line of the results view."""
        return self.page.locator(".pane-body .monaco-list-row:not(.explorer-item)", has_text=text).first

    @property
    def focused_row(self) -> Locator:
        return self.page.locator(".quick-input-list .monaco-list-row.focused")

    def tab(self, name: str) -> Locator:
        return self.page.locator(".tabs-container .tab", has_text=name).first

    @property
    def preview(self) -> Locator:
        """The tab of the result that has the focus in the picker."""
        return self.page.locator(".tabs-container .tab .tab-label[aria-label^='/Preview/']")

    def tabs(self) -> list[str]:
        """Return the names of all tabs, in their order."""
        names: list[str] = self.page.locator(".tabs-container .tab").evaluate_all(_TABS)  # at one moment
        return names

    @property
    def active_tab(self) -> Locator:
        return self.page.locator(".tabs-container .tab.active").first

    @property
    def state(self) -> Locator:
        """The item of the status bar that says how far indexing is."""
        return self.page.locator(".part.statusbar .right-items .statusbar-item [aria-label^='Scry: ']")

    @property
    def notifications(self) -> Locator:
        return self.page.locator(".notifications-toasts .notification-toast")

    def status(self) -> str:
        """Return what the language status item says, with its detail; empty where it is not shown (there is

        no editor).
        """
        self.page.mouse.move(0, 0)
        self.page.locator("#status\\.languageStatus").hover()
        shown = self.page.locator(".hover-language-status", has_text="Scry").first
        try:
            return shown.inner_text(timeout=HOVER_TIMEOUT)  # a hover that closes meanwhile shows nothing
        except PlaywrightTimeout:
            return ""

    def status_action(self, title: str) -> Locator:
        """Return what the language status item offers to do; `status` shows it."""
        self.status()
        return self.page.locator(".hover-language-status", has_text="Scry").first.get_by_role("button", name=title)

    def clipboard(self) -> str:
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def outside(self) -> list[str]:
        """Return the requests to any machine but this one."""
        return sorted(url for url in self.hosts if url.startswith("http") and "://127.0.0.1:" not in url)
