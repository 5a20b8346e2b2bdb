"""Takes the pictures of the VS Code extension, in a light and a dark theme: `make images`.

They are screens of a real VS Code with the real sidecar on a clone of this repository, so they show what a person gets.
Changes that are not committed are not in them.
"""

from __future__ import annotations

import io
import re
import subprocess
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect, sync_playwright

from tests.e2e.vscode.code_server import CHROMIUM, CHROMIUM_ARGS, ROOT, CodeServer, install_extension
from tests.e2e.vscode.window import Window
from tests.polling import eventually

IMAGES = ROOT / "docs" / "images"

THEMES = {"light": "Default Light Modern", "dark": "Default Dark Modern"}

QUESTION = "where are malformed frames handled"
ANOTHER = "which process may write the index"

_QUIET = {
    "git.blame.statusBarItem.enabled": False,
    "remote.autoForwardPorts": False,
    "files.readonlyInclude": {"**": True},
    "workbench.reduceMotion": "on",
}

_WIDTH, _HEIGHT = 1120, 640

_COLOURS = 256
"""In a picture's palette: what is on a screen needs no more, and the file is a third as large."""


def main() -> None:
    """Write docs/images/vscode-<what>-<theme>.png."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        repository = _clone(Path(folder) / "scry")
        extensions = install_extension(Path(folder) / "installed")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        cache = {"XDG_CACHE_HOME": str(Path(folder) / "cache")}  # one index for both
        for theme, name in THEMES.items():
            settings = {"workbench.colorTheme": name, **_QUIET}
            with CodeServer(Path(folder) / theme, extensions, settings=settings, environ=cache) as server:
                _take(browser, server, repository, theme)
        browser.close()


def _clone(folder: Path) -> Path:
    """Return the folder's name is the window's title, and the branch is in the status bar."""
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    for arguments in (["checkout", "-q", "-B", "main"], ["remote", "remove", "origin"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def _take(browser: Browser, server: CodeServer, repository: Path, theme: str) -> None:
    window = Window(browser, server, repository)
    window.page.set_viewport_size({"width": _WIDTH, "height": _HEIGHT})
    window.press("Control+b")
    _picker(window, theme)
    _why(window, theme)
    _results(window, theme)
    _status(window, theme)
    window.close()


def _picker(window: Window, theme: str) -> None:
    window.find(QUESTION)
    expect(window.row("lex #")).to_be_visible()
    expect(window.title).to_have_text("Scry: Find", timeout=600_000)  # until it has no notice of what the index lacks
    window.escape()
    window.find(QUESTION)  # anew, so that the first line has the focus, and not what came first of a part of the index
    expect(window.row("lex #")).to_be_visible()
    expect(window.page.locator(".tabs-container .tab")).to_have_count(1)
    _save(window, f"picker-{theme}")


def _why(window: Window, theme: str) -> None:
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


def _results(window: Window, theme: str) -> None:
    window.find(ANOTHER)
    expect(window.row("lex #")).to_be_visible()
    window.look_at_answer()
    window.escape()
    window.command("Scry: Focus on Results View")
    expect(window.result(ANOTHER)).to_be_visible()
    _widen(window, 250)
    window.page.locator(".pane-body .monaco-list-row", has_text=re.compile(r"^2\. ")).first.click()
    expect(window.page.locator(".tabs-container .tab")).to_have_count(1)
    _save(window, f"results-{theme}")


def _widen(window: Window, pixels: int) -> None:
    """Draws the border of the side bar to the right."""
    bar = window.page.locator(".part.sidebar").bounding_box()
    assert bar
    border = bar["x"] + bar["width"] + 2
    window.page.mouse.move(border, _HEIGHT / 2)
    window.page.mouse.down()
    window.page.mouse.move(border + pixels, _HEIGHT / 2, steps=5)
    window.page.mouse.up()


def _status(window: Window, theme: str) -> None:
    eventually(lambda: "indexed" in window.status(), "the state in the status bar")
    _save(window, f"status-{theme}", rest=False)


def _save(window: Window, what: str, *, rest: bool = True) -> None:
    """`rest` takes the mouse away, and with it what it shows."""
    if rest:
        window.page.mouse.move(_WIDTH - 1, _HEIGHT // 2)
    window.page.wait_for_timeout(1500)  # for what comes and goes late: colours of the code, tooltips
    picture = Image.open(io.BytesIO(window.page.screenshot())).convert("RGB")
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(IMAGES / f"vscode-{what}.png", optimize=True)


if __name__ == "__main__":
    main()
