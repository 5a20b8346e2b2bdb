"""Load: eight language servers, command lines and saves on one project, and very many questions at once.

TRUST_LOAD sets the acts of each editor (`make trust`: 600, an hour with one each six seconds), TRUST_BURST the
questions at once (10,000), TRUST_SEED repeats the order of the acts. Nothing here waits for a time: the work is fixed.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scry.projects import open_project, read_address
from scry.store.events import EVENTS_FILE
from tests.e2e.lsp_client import LspClient
from tests.live_files import read_live
from tests.polling import eventually
from tests.processes import is_running
from tests.trust.acts import ACTIVITIES, QUESTIONS, Command, Editor, Ledger, ask, make_project
from tests.trust.contents import damaged_databases

SEED = os.environ.get("TRUST_SEED") or str(random.SystemRandom().randrange(10**6))
ACTS = int(os.environ.get("TRUST_LOAD") or 20)
WARM_UP_ACTS = ACTS // 2
"""Acts of each editor before memory is measured: caches of SQLite and of split names have grown by then. A process that
only answers the same questions grows by 6 MB in its first thousand, and by nothing in the next two.
"""

BURST = int(os.environ.get("TRUST_BURST") or 400)
EDITORS = 8
WARM_UP = 12
"""Questions at once to each editor before it is measured: they start all its threads, each with its connections."""

GROWTH_BYTES = 5_000_000
"""Growth of a process's memory that is no leak. An answer takes some 20 kB as JSON and several times that as objects:
one kept for each of the 300 acts that are measured would be some 20 MB.
"""

REST_S = 6.0
"""Seconds without a question after which memory is measured: a process at rest has given back what it freed."""

WRITER_BYTES = 64_000_000
"""Memory that the indexer's writer of words may take, and takes more of with each save until it has it."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 4 * ACTS + BURST)]


@dataclass(frozen=True)
class Use:
    """What a process holds: bytes of memory that are no file's, descriptors, threads."""

    memory: int
    descriptors: int
    threads: int

    @classmethod
    def of(cls, pid: int) -> Use:
        """Read it from the system."""
        place = Path(f"/proc/{pid}")
        resident, shared = map(int, (place / "statm").read_text().split()[1:3])
        pages = resident - shared
        descriptors, threads = list((place / "fd").iterdir()), list((place / "task").iterdir())
        return cls(pages * os.sysconf("SC_PAGE_SIZE"), len(descriptors), len(threads))


@dataclass
class Load:
    """A project with its editors."""

    root: Path
    ledger: Ledger
    clients: list[LspClient] = field(default_factory=list[LspClient])
    asked: list[str] = field(default_factory=list[str])
    saved: dict[Path, str] = field(default_factory=dict[Path, str])

    def open_editors(self) -> None:
        """Start the language servers, wait for the index, and make each start all that it starts late."""
        self.clients = [LspClient(self.root) for _ in range(EDITORS)]
        for client in self.clients:
            client.initialize(self.root)
        for client in self.clients:
            client.wait_until_ready()
        for number, client in enumerate(self.clients):
            for activity in ACTIVITIES:
                Editor(client, self.ledger, random.Random(SEED)).act(activity)
            self.save(client, number, -1)
        self.wait_until_found(self.clients[0])
        for client in self.clients:
            posted = [client.post("scry/find", {"query": question}) for question in QUESTIONS * WARM_UP]
            self.asked += [client.result(number)["query_id"] for number in posted]

    def indexer(self) -> int:
        """Return the process that indexes."""
        address = read_address(open_project(self.root).cache)
        assert address is not None
        assert is_running(address.pid)
        return address.pid

    def processes(self) -> list[int]:
        """Return the editors' language servers and the indexer."""
        return [*(client.process.pid for client in self.clients), self.indexer()]

    def work(self, number: int, turns: range) -> None:
        """Act in an editor: questions, uses, notes and saves by turns."""
        client, chance = self.clients[number], random.Random(f"{SEED} editor {number} {turns}")
        editor = Editor(client, self.ledger, chance)  # uses its own answers alone, as a person does
        for turn in turns:
            if turn % 10 == 9:
                editor.act(chance.choice(("memory", "persona", "belief")))
            elif turn % 5 == 3:
                self.save(client, number, turn)
            elif turn % 3 == 2:
                editor.act("log")
            else:
                answer = ask(client, "find", {"query": f"{chance.choice(QUESTIONS)} {turn % 7}"})
                assert answer["faults"] == []
                assert answer["index"]["message"] == "", answer["index"]
                self.asked.append(answer["query_id"])

    def save(self, client: LspClient, number: int, turn: int) -> None:
        """Save a file whose one function only this save has: after the first save of each, no file or symbol is added.

        So memory can't grow with the project.
        """
        name = f"saved_{number}_{turn + 1}"
        path = self.root / "saved" / f"e{number}_{turn % 20}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"def {name}(value):\n    return value\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
        self.saved[path] = name

    def run_commands(self, count: int) -> None:
        """Run one command after the other beside the editors."""
        for number in range(count):
            command = Command.start(self.ledger, ("find", "log", "memory", "index")[number % 4])
            assert command.finish(), command.words
            assert command.process.returncode in (0, 1)

    def work_together(self, turns: range) -> None:
        """Run these turns of all editors and the command line at once."""
        with ThreadPoolExecutor(EDITORS + 1) as threads:
            futures = [threads.submit(self.work, number, turns) for number in range(EDITORS)]
            futures.append(threads.submit(self.run_commands, max(4, len(turns) // 5)))
            for future in futures:
                future.result()

    def wait_until_found(self, client: LspClient) -> None:
        """Wait until the last save of each file is found."""
        for name in self.saved.values():

            def is_found(name: str = name) -> bool:
                results = ask(client, "find", {"query": name, "limit": 3})["results"]
                return any(result["doc_id"].endswith(f"::{name}") for result in results)

            eventually(is_found, f"TRUST_SEED={SEED}: {name} is found", interval_s=0.2)


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    for name in ("CACHE", "DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    project = make_project(tmp_path / "work" / "shop", random.Random(f"{SEED} load"), 40)
    load = Load(project.root, Ledger(project.root))
    try:
        yield load
    finally:
        for client in load.clients:
            client.__exit__(None, None, None)
        address = read_address(project.project.cache)
        if address is not None and is_running(address.pid):
            os.kill(address.pid, signal.SIGKILL)


def children(pids: list[int]) -> list[int]:
    """Return the running processes that these have started and not waited for."""
    found: list[int] = []
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in read_live(task / "children").split()]
    return found


def is_at_rest(pid: int, before: Use) -> bool:
    """Return whether a process holds hardly more threads and descriptors than before.

    The log and the store of answers have a writer each, which may still wait for more. One thread or descriptor left by
    each act of an editor would be many more. The word index is written and merged by threads that end with that.
    """
    now = Use.of(pid)
    return now.threads <= before.threads + 4 and now.descriptors <= before.descriptors + EDITORS


@pytest.mark.acceptance("F1", "E1", "E4")
def test_hour_of_eight_editors_leaves_nothing_behind_and_loses_nothing(load: Load) -> None:
    print(f"TRUST_SEED={SEED}, {ACTS} acts of each editor")
    load.open_editors()
    processes = load.processes()
    before = {pid: Use.of(pid) for pid in processes}
    load.work_together(range(WARM_UP_ACTS))
    load.wait_until_found(load.clients[0])
    time.sleep(REST_S)
    warm = {pid: Use.of(pid) for pid in processes}
    load.work_together(range(WARM_UP_ACTS, ACTS))
    load.wait_until_found(load.clients[0])
    assert load.processes() == processes, "no process was replaced"
    eventually(lambda: all(is_at_rest(pid, before[pid]) for pid in processes), "threads and descriptors are as before")
    time.sleep(REST_S)
    after = {pid: Use.of(pid) for pid in processes}
    for pid in processes:
        print(f"{pid}: {before[pid]} {warm[pid]} {after[pid]}")
    for pid in processes:
        allowed = GROWTH_BYTES + (WRITER_BYTES if pid == processes[-1] else 0)
        assert after[pid].memory - warm[pid].memory < allowed, f"memory of {pid}"
    eventually(lambda: set(children(processes)) <= set(processes), "no process is left but the indexer")
    load.wait_until_found(load.clients[-1])
    eventually(lambda: not set(load.asked) - set(logged_queries(load.root)), "every question is logged", interval_s=0.2)
    for client in load.clients:
        client.shut_down()
        assert not re.search(rb"locked|busy|Traceback", client.errors), client.errors
    assert load.ledger.lost() == []
    assert load.ledger.refusals == []
    assert damaged_databases() == []
    log = (open_project(load.root).cache / "indexer.log").read_text()
    assert not re.search(r"locked|busy| ERROR |Traceback", log), log


def logged_queries(root: Path) -> list[str]:
    """Return the query_id of each logged question, which is logged once."""
    path = open_project(root).data / EVENTS_FILE
    with closing(sqlite3.connect(path)) as database:
        rows = [row[0] for row in database.execute("SELECT query_id FROM events WHERE kind = 'scry.query'")]
    assert len(rows) == len(set(rows))
    return rows


@pytest.mark.acceptance("F1")
def test_questions_at_once_are_each_answered_once_and_so_is_the_next(load: Load) -> None:
    load.clients.append(client := LspClient(load.root))
    client.initialize(load.root)
    client.wait_until_ready()
    pid = client.process.pid
    for question in QUESTIONS * WARM_UP:
        client.find(question)
    before = Use.of(pid)
    posted = [
        client.post("scry/find", {"query": f"{QUESTIONS[number % len(QUESTIONS)]} {number}", "limit": 3})
        for number in range(BURST)
    ]
    good = client.post("scry/status", {})
    seen, replies = 0, Counter[int]()
    errors: list[Any] = []

    def is_answered() -> bool:
        nonlocal seen
        fresh = client.received[seen:]
        seen += len(fresh)
        for message in fresh:
            if "method" not in message:
                replies[message["id"]] += 1
                errors.extend([message["error"]] if "error" in message else [])
        return all(replies[number] for number in (*posted, good))

    eventually(is_answered, "every question is answered", patience_s=120 + BURST / 5)
    assert all(error["message"] and error["code"] for error in errors)
    assert client.find("return the value")["results"]
    assert is_answered()
    assert {number for number, count in replies.items() if count > 1} == set()
    after = Use.of(pid)
    print(f"{BURST} questions, {len(errors)} refused; {before} {after}")
    assert after.threads <= EDITORS + before.threads
    assert after.descriptors <= before.descriptors + EDITORS
    client.shut_down()
    assert b"Traceback" not in client.errors
