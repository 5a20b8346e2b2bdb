"""Takes the pictures of the VS Code extension, in a light and a dark theme: `make images`.

They are screens of a real VS Code with the real sidecar on this repository, so they show what a person gets.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from tests.e2e.vscode.code_server import CHROMIUM, ROOT, CodeServer, install_extension
from tests.e2e.vscode.window import Window

IMAGES = ROOT / "docs" / "images"

THEMES = {"light": "Default Light Modern", "dark": "Default Dark Modern"}

QUESTION = "where are malformed frames handled"

_QUIET = {"git.blame.statusBarItem.enabled": False, "typescript.validate.enable": False}

_WIDTH, _HEIGHT = 1120, 640


def main() -> None:
    """Writes docs/images/vscode-<what>-<theme>.png."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        extensions = install_extension(Path(folder) / "installed")
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        for theme, name in THEMES.items():
            settings = {"workbench.colorTheme": name, "files.readonlyInclude": {"**": True}, **_QUIET}
            cache = {"XDG_CACHE_HOME": str(Path(folder) / "cache")}  # one index for both
            with CodeServer(Path(folder) / theme, extensions, settings=settings, environ=cache) as server:
                _take(browser, server, theme)
        browser.close()


def _take(browser: Browser, server: CodeServer, theme: str) -> None:
    window = Window(browser, server, ROOT)
    window.page.set_viewport_size({"width": _WIDTH, "height": _HEIGHT})
    _wait_until_indexed(window)
    window.press("Control+b")
    window.find(QUESTION)
    first = window.rows.first
    expect(first).to_contain_text("lex #")
    first.hover()
    expect(window.page.locator(".tabs-container .tab")).to_have_count(1)
    _save(window, f"picker-{theme}")
    window.press("Enter")
    expect(window.title).to_be_hidden()
    window.command("Scry: Why This Result?")
    why = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame")
    expect(why.locator("h1")).to_be_visible()
    window.press("Control+2")
    window.command("View: Toggle Maximize Editor Group")
    expect(why.locator("h1")).to_be_visible()
    _save(window, f"why-{theme}")
    window.command("View: Close All Editors")
    window.find("retry after a crash")
    expect(window.rows.first).to_contain_text("#")
    window.press("Escape")
    expect(window.title).to_be_hidden()
    window.command("Scry: Focus on Results View")
    window.page.locator(".pane-body .monaco-list-row", has_text="2. ").first.click()
    expect(window.page.locator(".tabs-container .tab")).to_have_count(1)
    _save(window, f"results-{theme}")
    assert "indexed" in window.status()
    _save(window, f"status-{theme}")
    window.close()


def _wait_until_indexed(window: Window) -> None:
    window.open_file("Makefile")
    while "files indexed" not in (said := window.status()):
        print(said, flush=True)
        window.press("Escape")
        window.page.wait_for_timeout(500)
    window.command("View: Close All Editors")


def _save(window: Window, what: str) -> None:
    window.page.wait_for_timeout(1000)  # for what fades in
    window.page.screenshot(path=IMAGES / f"vscode-{what}.png")


if __name__ == "__main__":
    main()
