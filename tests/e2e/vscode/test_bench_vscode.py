"""Costs of Scry inside VS Code: start-up, latency of a keystroke, memory. Figures are printed.

    SCRY_BENCH_REPO=<an indexed or indexable work tree> make bench
    .venv/bin/pytest -s -m bench tests/e2e/vscode/test_bench_vscode.py -k memory   growth over 1,000 questions

Without the variable it is this repository. Times are as the window sees them, from the key to the last change of the
list; a busy machine adds to them.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import ROOT, CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.heap import collected
from tests.e2e.vscode.processes import extension_host, of_scry
from tests.e2e.vscode.window import Window
from tests.polling import eventually

pytestmark = [pytest.mark.bench, pytest.mark.needs("vscode"), pytest.mark.timeout(1800)]

REPOSITORY = Path(os.environ.get("SCRY_BENCH_REPO", ROOT))
"""Read while the tests are collected: later no variable of Scry's is left in the environment."""

QUESTIONS = (
    "where is the retry limit set",
    "parse command line options",
    "close the connection",
    "read the settings file",
)

ENTERED = tuple(f"{question} {word}" for question in QUESTIONS for word in ("test", "class", "error", "path", "file"))
"""Questions that are answered by Enter."""

MANY = 1000
"""Questions after which memory is looked at again."""

PREVIEW_MS = 500
"""After so long without a key the file of the first result is shown."""

MOST_GROWTH = 20_000_000
"""Bytes that the extension host may grow by: the whole process, after a forced collection."""

QUIET_MS = 150
"""A list that has not changed for so long is not changing. Then the next key is typed, as people type."""

_WATCH = """() => {
  const now = () => performance.timeOrigin + performance.now();
  const times = window.times = { now, key: 0, changed: 0 };
  document.addEventListener("keydown", () => { times.key = now(); times.changed = 0; }, true);
  const list = document.querySelector(".quick-input-list");
  const observer = new MutationObserver(() => { times.changed = now(); });
  observer.observe(list, { childList: true, subtree: true, characterData: true });
}"""

_WATCH_PLACE = """() => {
  const now = () => performance.timeOrigin + performance.now();
  const times = window.place = { key: 0, there: 0 };
  const isThere = () => {
    const picker = document.querySelector(".quick-input-widget");
    const tab = document.querySelector(".editor-group-container.active .tab.active .tab-label");
    return (!picker || getComputedStyle(picker).display === "none")
      && document.querySelector(".editor-instance .monaco-editor.focused") !== null
      && tab !== null && !tab.getAttribute("aria-label").startsWith("/Preview/");
  };
  const look = () => { if (isThere()) times.there = now(); else requestAnimationFrame(look); };
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Enter") return;
    Object.assign(times, { key: now(), there: 0 });
    look();
  }, true);
}"""
"""Notes when Enter was pressed, and when an editor that is no preview has the focus and the picker is gone."""

_ANSWERED = """() => window.times.changed > window.times.key"""

_SHOWN = """([since, quiet]) => window.times.changed > since && window.times.now() - window.times.changed > quiet"""

_END = "\n"
"""Stands for the end of a question: what is typed next takes its place."""

_RESPONSE = re.compile(r"^([\d-]+ [\d:.]+) .*Received response 'scry/find - \(\d+\)' in (\d+)ms", re.MULTILINE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, extensions: Path) -> Iterator[CodeServer]:
    soon = {"SCRY_INDEXER_LINGER": "1"}
    still = {"workbench.reduceMotion": "on"}  # else each picker of VS Code fades away for 150 ms, its own ones too
    with CodeServer(tmp_path_factory.mktemp("server"), extensions, settings=still, environ=soon) as server:
        yield server


@pytest.fixture
def window(share_window: OpenWindow, server: CodeServer) -> Window:
    """Return a window with a complete index."""
    window = share_window(server, REPOSITORY)
    while "indexed" not in shown_status(window):
        window.escape()
    window.escape()
    return window


def test_activation_time_of_the_extension(window: Window) -> None:
    """To load the code and to call `activate`, for each extension, as the editor itself measures it."""
    window.command("Developer: Startup Performance")
    expect(window.active_tab).to_contain_text("Startup Performance")
    window.page.locator(".view-line", has_text="Performance Marks").or_(
        window.page.locator(".view-line", has_text="System Info")
    ).first.wait_for()
    expect(window.page.locator(".editor-instance .monaco-editor.focused")).to_be_visible()
    window.press("Control+a", "Control+c")
    eventually(lambda: "scry.scry" in window.clipboard(), "the extensions' times")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in window.clipboard().splitlines()]
    costs = {
        row[0]: int(row[2]) + int(row[3]) for row in rows if len(row) == 7 and row[2].isdigit() and row[3].isdigit()
    }
    report("activation", [f"{name} {cost} ms" for name, cost in sorted(costs.items(), key=lambda item: item[1])])
    assert costs["scry.scry"] <= max(cost for name, cost in costs.items() if name.startswith("vscode."))


def test_memory_of_a_thousand_questions(window: Window, server: CodeServer) -> None:
    """Each question is asked once before, with its preview: the editor's own extensions start with the first files that
    are shown, and keep who wrote their lines. The log has no messages here.
    """
    window.find("the")
    expect(window.row("#")).to_be_visible()
    window.page.evaluate(_WATCH)
    ask(window, sum(len(question.replace(" ", "")) for question in QUESTIONS), pause=PREVIEW_MS)
    before = collected(extension_host(server))
    ask(window, MANY)
    after = collected(extension_host(server))
    window.escape()
    lines = [
        f"{name}: {one / 1e6:.1f} MB, after {MANY} questions {other / 1e6:.1f} MB"
        for name, one, other in (("process", before.resident, after.resident), ("in use", before.used, after.used))
    ]
    report("extension host, after a forced collection", lines)
    assert after.resident - before.resident < MOST_GROWTH
    assert after.used - before.used < MOST_GROWTH


def test_latency_from_key_to_result_list(window: Window, server: CodeServer) -> None:
    window.log_messages()
    window.find("the")
    expect(window.row("#")).to_be_visible()
    window.page.evaluate(_WATCH)
    whole: list[float] = []
    sidecar: list[float] = []
    busy = processor_seconds(server)
    for question in QUESTIONS:
        window.press("Control+a")
        for key in question:
            before = len(responses(server))
            window.type(key)
            if key == " ":
                continue  # the same question
            came, took = eventually(lambda before=before: responses(server)[before:], "the answer")[-1]
            window.page.wait_for_function(_SHOWN, arg=[came, QUIET_MS])
            times = window.page.evaluate("({ ...window.times, now: 0 })")
            whole.append(times["changed"] - times["key"])
            sidecar.append(took)
    busy = processor_seconds(server) - busy
    window.escape()
    apart = [all_of_it - part for all_of_it, part in zip(whole, sidecar, strict=True)]
    lines = [spread("whole", whole), spread("sidecar", sidecar), spread("the rest", apart)]
    report(
        "key to list", [*lines, f"processor, of extension host and sidecar: {1000 * busy / len(whole):.0f} ms a key"]
    )


def test_latency_from_enter_to_place(window: Window, server: CodeServer) -> None:
    """Each question leads to a file that is not open; its preview is shown before, as it is for a person."""
    window.page.evaluate(_WATCH_PLACE)
    whole: list[float] = []
    busy = 0.0
    for question in ENTERED:
        window.find(question)
        expect(window.row("#")).to_be_visible()
        window.page.wait_for_timeout(PREVIEW_MS)
        before = processor_seconds(server)
        window.press("Enter")
        window.page.wait_for_function("() => window.place.there > 0")
        busy += processor_seconds(server) - before
        whole.append(window.page.evaluate("window.place.there - window.place.key"))
        window.command("View: Close All Editors")
    each = f"processor, of extension host and sidecar: {1000 * busy / len(whole):.0f} ms each"
    report("Enter to place", [spread("whole", whole), each])


def processor_seconds(server: CodeServer) -> float:
    """Return the processor time of the extension host and of the processes of Scry so far."""
    ticks = 0
    for pid in (extension_host(server), *of_scry(server)):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def test_no_process_remains_after_the_window_closes(window: Window, server: CodeServer) -> None:
    assert of_scry(server)
    start = time.monotonic()
    window.close()
    eventually(lambda: not of_scry(server), "the end of all processes of Scry")
    report("after the window's end", [f"no process of Scry after {time.monotonic() - start:.1f} s"])


def shown_status(window: Window) -> str:
    window.command("Scry: Show Status")
    expect(window.title).to_have_text("Scry: Status")
    return window.rows.first.inner_text()


def responses(server: CodeServer) -> list[tuple[float, float]]:
    """(when it came, how long the sidecar took) of every answer so far, in milliseconds."""
    found = _RESPONSE.findall(server.log())
    return [(datetime.fromisoformat(when).timestamp() * 1000, float(took)) for when, took in found]


def ask(window: Window, count: int, pause: float = 0) -> None:
    """Types, key by key, until so many questions were answered: each gives the list other lines. pause: after each."""
    keys = cycle(key for question in QUESTIONS for key in question + _END)
    sent = 0
    while sent < count:
        key = next(keys)
        if key == _END:
            window.press("Control+a")
            continue
        window.page.keyboard.type(key)
        if key != " ":  # the same question
            window.page.wait_for_function(_ANSWERED)
            window.page.wait_for_timeout(pause)
            sent += 1


def spread(name: str, times: Sequence[float]) -> str:
    return f"{name}: p50 {median(times):.0f} ms, p95 {quantiles(times, n=20)[-1]:.0f} ms, of {len(times)}"


def report(what: str, lines: Sequence[str]) -> None:
    print(f"\n{what} (load {os.getloadavg()[0]:.1f})", *lines, sep="\n  ")
