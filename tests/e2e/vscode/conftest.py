"""A browser, the extension as it is installed, and windows: all real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.e2e.vscode.code_server import CHROMIUM, CHROMIUM_ARGS, CodeServer, install_extension
from tests.e2e.vscode.window import Window

OpenWindow = Callable[[CodeServer, Path], Window]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def extensions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_extension(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def open_window(browser: Browser, request: pytest.FixtureRequest) -> Iterator[OpenWindow]:
    """Opens windows that are closed after the test; those of a test that failed leave a picture in tests/out."""
    windows: list[Window] = []

    def open_one(server: CodeServer, folder: Path) -> Window:
        windows.append(Window(browser, server, folder))
        return windows[-1]

    failed = request.session.testsfailed
    yield open_one
    for number, window in enumerate(windows):
        if request.session.testsfailed > failed:
            window.page.screenshot(path=f"tests/out/{request.node.name}-{number}.png")
        window.close()
