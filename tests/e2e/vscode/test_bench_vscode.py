"""What Scry costs inside VS Code: start-up, the way of a keystroke, memory. Figures are printed.

    SCRY_BENCH_REPO=<an indexed or indexable work tree> make bench

Without the variable it is this repository. Times are as the window sees them, from the key to the last change of the
list; a busy machine adds to them.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import ROOT, CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.processes import extension_host, of_scry
from tests.e2e.vscode.window import Window, wait_for

pytestmark = [pytest.mark.bench, pytest.mark.needs("vscode"), pytest.mark.timeout(1800)]

REPOSITORY = Path(os.environ.get("SCRY_BENCH_REPO", ROOT))
"""Read while the tests are collected: later no variable of Scry's is left in the environment."""

QUESTIONS = (
    "where is the retry limit set",
    "parse command line options",
    "close the connection",
    "read the settings file",
)

MANY = 1000
"""Questions after which memory is looked at again."""

WARM_UP = 100
"""Questions before it is looked at first: caches are full then."""

REST = 20.0
"""Seconds without work after which memory is looked at: garbage is collected when there is nothing else to do."""

MOST_GROWTH = 20_000_000
"""Bytes that the extension host may grow by."""

QUIET_MS = 400
"""A list that has not changed for so long is not changing."""

_WATCH = """() => {
  const times = window.times = { key: 0, changed: 0 };
  document.addEventListener("keydown", () => { times.key = performance.now(); times.changed = 0; }, true);
  const list = document.querySelector(".quick-input-list");
  const observer = new MutationObserver(() => { times.changed = performance.now(); });
  observer.observe(list, { childList: true, subtree: true, characterData: true });
}"""

_QUIET = """quiet => window.times.changed > window.times.key && performance.now() - window.times.changed > quiet"""

_RESPONSE = re.compile(r"Received response 'scry/find - \(\d+\)' in (\d+)ms")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> Iterator[CodeServer]:
    soon = {"SCRY_INDEXER_LINGER": "1"}
    with CodeServer(tmp_path_factory.mktemp("server"), extensions, environ=soon) as server:
        yield server


@pytest.fixture
def window(share_window: OpenWindow, server: CodeServer) -> Window:
    """With a complete index, and a log of all messages."""
    window = share_window(server, REPOSITORY)
    while "indexed" not in shown_status(window):
        window.escape()
    window.escape()
    window.log_messages()
    return window


def test_activation(window: Window) -> None:
    """To load the code and to call `activate`, for each extension, as the editor itself measures it."""
    window.command("Developer: Startup Performance")
    expect(window.active_tab).to_contain_text("Startup Performance")
    window.page.locator(".view-line", has_text="Performance Marks").or_(
        window.page.locator(".view-line", has_text="System Info")
    ).first.wait_for()
    expect(window.page.locator(".editor-instance .monaco-editor.focused")).to_be_visible()
    window.press("Control+a", "Control+c")
    wait_for(lambda: "scry.scry" in window.clipboard(), "the extensions' times")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in window.clipboard().splitlines()]
    costs = {
        row[0]: int(row[2]) + int(row[3]) for row in rows if len(row) == 7 and row[2].isdigit() and row[3].isdigit()
    }
    report("activation", [f"{name} {cost} ms" for name, cost in sorted(costs.items(), key=lambda item: item[1])])
    assert costs["scry.scry"] <= max(cost for name, cost in costs.items() if name.startswith("vscode."))


def test_from_the_key_to_the_list(window: Window, server: CodeServer) -> None:
    window.find("the")
    expect(window.row("#")).to_be_visible()
    window.page.evaluate(_WATCH)
    whole: list[float] = []
    sidecar: list[float] = []
    for question in QUESTIONS:
        window.press("Control+a")
        for key in question:
            window.type(key)
            if key == " ":
                continue  # the same question
            window.page.wait_for_function(_QUIET, arg=QUIET_MS)
            times = window.page.evaluate("window.times")
            whole.append(times["changed"] - times["key"])
            sidecar.append(float(_RESPONSE.findall(server.log())[-1]))
    window.escape()
    apart = [all_of_it - part for all_of_it, part in zip(whole, sidecar, strict=True)]
    report("key to list", [spread("whole", whole), spread("sidecar", sidecar), spread("the rest", apart)])


def test_memory_of_a_thousand_questions(window: Window, server: CodeServer) -> None:
    window.find()
    ask(window, server, WARM_UP)
    before = resident(extension_host(server))
    ask(window, server, MANY)
    after = resident(extension_host(server))
    window.escape()
    report("extension host", [f"{before / 1e6:.1f} MB, after {MANY} questions {after / 1e6:.1f} MB"])
    assert after - before < MOST_GROWTH


def test_no_process_is_left(window: Window, server: CodeServer) -> None:
    assert of_scry(server)
    start = time.monotonic()
    window.close()
    wait_for(lambda: not of_scry(server), "the end of all processes of Scry")
    report("after the window's end", [f"no process of Scry after {time.monotonic() - start:.1f} s"])


def shown_status(window: Window) -> str:
    window.command("Scry: Show Status")
    expect(window.title).to_have_text("Scry: Status")
    return window.rows.first.inner_text()


def ask(window: Window, server: CodeServer, count: int) -> None:
    """Types until so many questions were answered."""
    end = answered(server) + count
    while answered(server) < end:
        for question in QUESTIONS:
            window.press("Control+a")
            window.type(question, delay=70)  # longer than the picker waits for another key


def answered(server: CodeServer) -> int:
    return len(_RESPONSE.findall(server.log()))


def resident(pid: int) -> int:
    """Bytes of memory that a process holds: the least that is seen while it rests."""
    end, least = time.monotonic() + REST, sys.maxsize
    while time.monotonic() < end:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        least = min(least, 1024 * int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]))
        time.sleep(0.5)
    return least


def spread(name: str, times: Sequence[float]) -> str:
    return f"{name}: p50 {median(times):.0f} ms, p95 {quantiles(times, n=20)[-1]:.0f} ms, of {len(times)}"


def report(what: str, lines: Sequence[str]) -> None:
    print(f"\n{what} (load {os.getloadavg()[0]:.1f})", *lines, sep="\n  ")
