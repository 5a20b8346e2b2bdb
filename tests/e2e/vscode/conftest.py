"""A browser, the extension as it is installed, and windows: all real."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.e2e.vscode.code_server import CHROMIUM, CHROMIUM_ARGS, CodeServer, install_extension
from tests.e2e.vscode.window import TIMEOUT, Window
from tests.sample.files import SHOP
from tests.sample.project import make_repository

OpenWindow = Callable[[CodeServer, Path], Window]

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Lets fixtures know how the test itself went, also where it will be run again."""
    report = yield
    if report.when == "call":
        item.stash[_FAILED] = report.failed
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser for each file of tests.

    The event loop of Playwright runs until its end, and no other can run in this thread.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS, timeout=TIMEOUT * 1000)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def extensions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_extension(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the repository that the shared window of a file is on; some files have one of their own."""
    return make_repository(tmp_path_factory.mktemp("repository") / "shop", SHOP)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> Iterator[CodeServer]:
    """Return the server of a file's shared window."""
    with CodeServer(tmp_path_factory.mktemp("server"), extensions) as server:
        yield server


@pytest.fixture
def window(share_window: OpenWindow, server: CodeServer, shop: Path) -> Window:
    """Return the window that the tests of a file share."""
    return share_window(server, shop)


@pytest.fixture
def open_window(browser: Browser, request: pytest.FixtureRequest) -> Iterator[OpenWindow]:
    """Open windows that are closed after the test; those of a test that failed leave a picture in tests/out."""
    windows: list[Window] = []

    def open_one(server: CodeServer, folder: Path) -> Window:
        windows.append(Window(browser, server, folder))
        return windows[-1]

    yield open_one
    _picture_failed(request, windows)
    for window in windows:
        window.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[dict[Path, Window]]:
    """Return the windows that the tests of a file share, by their folders."""
    windows: dict[Path, Window] = {}
    yield windows
    for window in windows.values():
        window.close()


@pytest.fixture
def share_window(browser: Browser, shared: dict[Path, Window], request: pytest.FixtureRequest) -> Iterator[OpenWindow]:
    """Open a window that the tests of this file share, tidied up; a test that fails leaves it to no other."""

    def share(server: CodeServer, folder: Path) -> Window:
        if folder in shared:
            shared[folder].tidy()
        else:
            shared[folder] = Window(browser, server, folder)
        return shared[folder]

    yield share
    if _picture_failed(request, list(shared.values())):
        while shared:
            shared.popitem()[1].close()


def _picture_failed(request: pytest.FixtureRequest, windows: list[Window]) -> bool:
    failed = request.node.stash.get(_FAILED, True)
    for number, window in enumerate(windows if failed else []):
        window.page.screenshot(path=f"tests/out/{request.node.name}-{number}.png")
    return failed
