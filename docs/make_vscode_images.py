"""Takes the pictures of the VS Code extension: each state in a light and a dark theme, some in high contrast.

    .venv/bin/python -m docs.make_vscode_images [THEME …]        or `make images`

They are screens of a real VS Code with the real sidecar on a clone of this repository, so they show what a person gets.
Changes that are not committed are not in them.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect, sync_playwright

from tests.e2e.vscode.code_server import CHROMIUM, CHROMIUM_ARGS, ROOT, CodeServer, install_extension
from tests.e2e.vscode.window import Window
from tests.polling import eventually

IMAGES = ROOT / "docs" / "images"

THEMES = {
    "light": "Default Light Modern",
    "dark": "Default Dark Modern",
    "hc": "Default High Contrast",
    "hc-light": "Default High Contrast Light",
}

QUESTION = "where are malformed frames handled"
ANOTHER = "which process may write the index"

BELIEVED = "server/scry/surfaces/lsp/framing.py"
STATEMENT = "A malformed frame ends the connection that sent it"
BELIEF = f"---\nstatement: {STATEMENT}\nentrenchment: 0.8\nevidence:\n  - {BELIEVED}:1\n---\n\nSince decision 1.\n"
"""Written for one picture: this repository has none of its own, and it is among no answers of the others."""

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
    """Write docs/images/vscode-<state>-<theme>.png, for the themes that the arguments name, or for all."""
    themes = sys.argv[1:] or list(THEMES)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        repository = _clone(Path(folder) / "scry")
        extensions = install_extension(Path(folder) / "installed")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        cache = {"XDG_CACHE_HOME": str(Path(folder) / "cache")}  # one index for all
        for theme in themes:
            settings = {"workbench.colorTheme": THEMES[theme], **_QUIET}
            if not theme.startswith("hc"):
                _take_beginnings(browser, Path(folder) / f"begin-{theme}", extensions, settings, repository)
            with CodeServer(Path(folder) / theme, extensions, settings=settings, environ=cache) as server:
                _take(browser, server, repository, theme)
        browser.close()


def _clone(folder: Path) -> Path:
    """Clone this repository: the folder's name is the window's title, and the branch is in the status bar."""
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    for arguments in (["checkout", "-q", "-B", "main"], ["remote", "remove", "origin"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def _take(browser: Browser, server: CodeServer, repository: Path, theme: str) -> None:
    window = _open(browser, server, repository)
    for take in STATES if theme.startswith("hc") else (*STATES, *MORE_STATES):
        take(window, theme)
    window.close()


def _open(browser: Browser, server: CodeServer, repository: Path) -> Window:
    window = Window(browser, server, repository)
    window.page.set_viewport_size({"width": _WIDTH, "height": _HEIGHT})
    window.press("Control+b")
    return window


def _take_beginnings(
    browser: Browser, folder: Path, extensions: Path, settings: Mapping[str, object], repository: Path
) -> None:
    """Take what is there before all else: no sidecar, and an index that is being made."""
    theme = folder.name.removeprefix("begin-")
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "git").symlink_to(str(shutil.which("git")))
    venv.create(folder / "python")
    bare = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    machine = {"scry.interpreter": str(folder / "python" / "bin" / "python")}
    with CodeServer(folder / "bare", extensions, settings=settings, machine=machine, environ=bare) as server:
        window = _open(browser, server, repository)
        expect(window.notifications.filter(has_text="Scry needs its sidecar")).to_have_count(1)
        window.find(QUESTION)
        expect(window.row("not installed yet")).to_be_visible()
        _save(window, f"install-{theme}")
        window.close()
    soon = {"SCRY_INDEXER_LINGER": "0"}
    with CodeServer(folder / "new", extensions, settings=settings, environ=soon) as server:
        window = _open(browser, server, repository)
        window.find(QUESTION)
        expect(window.title).not_to_have_text("Scry: Find")  # a notice says how much is indexed
        expect(window.row("#")).to_be_visible()
        _save(window, f"indexing-{theme}")
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


def _detail(window: Window, theme: str) -> None:
    window.find(QUESTION)
    window.choose_action(window.row("lex #"), "Show Detail")
    links = window.page.frame_locator("iframe.webview.ready").last.frame_locator("#active-frame").locator("nav")
    links.scroll_into_view_if_needed()
    expect(links.locator("a").first).to_be_visible()
    _save(window, f"detail-{theme}")
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


def _legend(window: Window, theme: str) -> None:
    window.find(QUESTION)
    expect(window.row("lex #")).to_be_visible()
    window.press("Control+/")
    expect(window.title).to_contain_text("Legend")
    _save(window, f"legend-{theme}")
    window.escape()


def _actions(window: Window, theme: str) -> None:
    window.find(QUESTION)
    expect(window.row("lex #")).to_be_visible()
    window.press("Control+.")
    expect(window.row("Open in Background")).to_be_visible()
    _save(window, f"actions-{theme}")
    window.escape()


def _filters(window: Window, theme: str) -> None:
    window.find(f"{QUESTION} lang:")
    expect(window.row("lang:python")).to_be_visible()
    expect(window.row("lex #")).to_be_visible()
    _save(window, f"filters-{theme}")
    window.escape()


def _related(window: Window, theme: str) -> None:
    window.find(QUESTION)
    expect(window.row("lex #")).to_be_visible()
    window.look_at_answer()
    window.press("Enter")
    window.command("Scry: Focus on Related View")
    group = window.page.locator(".pane-body .monaco-list-row", has_text=re.compile("Called|Callers|Imports"))
    expect(group.first).to_be_visible()
    _save(window, f"related-{theme}")
    window.command("View: Close All Editors")


def _further(window: Window, theme: str) -> None:
    window.find(QUESTION)
    expect(window.row("more:")).to_be_visible()
    while "more:" not in window.focused_row.inner_text():
        window.press("ArrowDown")
    window.press("Alt+ArrowRight")
    expect(window.row("↳")).to_be_visible()
    _save(window, f"further-{theme}")
    window.escape()


def _lenses(window: Window, theme: str) -> None:
    """Take the lenses above the code of a file that a belief reaches, and the list of these beliefs."""
    belief = window.folder / ".scry" / "beliefs" / "malformed-frames.md"
    belief.parent.mkdir(parents=True, exist_ok=True)
    belief.write_text(BELIEF, encoding="utf-8")
    window.server.write_settings("Machine", {"scry.codeLens": True})

    def has_belief() -> bool:
        window.open_file(BELIEVED)
        window.command("Scry: Show Beliefs That Reach This File")
        try:
            expect(window.row(STATEMENT)).to_be_visible(timeout=5000)
        except AssertionError:
            window.press("Escape")
            return False
        return True

    eventually(has_belief, "the belief that reaches the file")
    _save(window, f"beliefs-{theme}")
    window.press("Escape")
    window.command("View: Close All Editors")
    window.open_file(BELIEVED)
    lenses = window.page.locator(".codelens-decoration")
    expect(lenses.filter(has_text=STATEMENT).first).to_be_visible()
    _save(window, f"lenses-{theme}")
    window.server.write_settings("Machine", {})
    belief.unlink()
    window.command("View: Close All Editors")


def _save(window: Window, what: str, *, rest: bool = True) -> None:
    """`rest` takes the mouse away, and with it what it shows."""
    if rest:
        window.page.mouse.move(_WIDTH - 1, _HEIGHT // 2)
    window.page.wait_for_timeout(1500)  # for what comes and goes late: colours of the code, tooltips
    picture = Image.open(io.BytesIO(window.page.screenshot())).convert("RGB")
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(IMAGES / f"vscode-{what}.png", optimize=True)


STATES: tuple[Callable[[Window, str], None], ...] = (_picker, _why, _detail, _results, _status)
"""Those that have a picture in each theme: the walkthrough shows them, or we draw them ourselves."""

MORE_STATES = (_legend, _actions, _filters, _related, _further, _lenses)


if __name__ == "__main__":
    main()
