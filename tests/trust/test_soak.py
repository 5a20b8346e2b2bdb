"""A day of work in simulation: saves, switches, sleeps, idle ends, log retention, backups, midnights.

Every process reads its clocks from `tests/trust/clock`, so that hours pass between two acts. TRUST_SOAK sets the number
of steps of the day (`make trust`: 96, a quarter of an hour each), TRUST_SEED repeats their order. A sleep stops the
processes and moves the time of day alone, as suspending a machine does; everything else moves the monotonic clock, too.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scry.projects import read_address
from scry.projects.precious_files import precious_files
from scry.store.precious import list_backups
from tests.e2e.command_line import CommandLine
from tests.e2e.lsp_client import LspClient
from tests.polling import eventually
from tests.processes import is_running
from tests.sample.indexed import IndexedProject
from tests.trust.acts import ACTIVITIES, Editor, Ledger, ask, make_project, source
from tests.trust.contents import damaged_databases, read_tables, wait_until_equal

SEED = os.environ.get("TRUST_SEED") or str(random.SystemRandom().randrange(10**6))
STEPS = int(os.environ.get("TRUST_SOAK") or 12)
FILES = 40 if STEPS < 50 else 200
DAY_S = 24 * 3600.0
KEPT_DAYS = 3

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180 + 20 * STEPS)]


@dataclass
class Clock:
    """What all processes take for the time. wall, monotonic: seconds ahead of the real clocks."""

    path: Path
    wall: float = 2 * DAY_S
    monotonic: float = 0.0

    def advance(self, wall: float, monotonic: float) -> None:
        """Let so many seconds pass; negative ones set the clock back."""
        self.wall, self.monotonic = self.wall + wall, self.monotonic + monotonic
        draft = self.path.with_suffix(".new")
        draft.write_text(f"{self.wall} {self.monotonic}")
        draft.replace(self.path)

    def now(self) -> float:
        """Return the time of day of the simulation."""
        return time.time() + self.wall

    def day(self) -> str:
        """Return the day by UTC."""
        return time.strftime("%Y-%m-%d", time.gmtime(self.now()))


@dataclass
class Soak:
    """A person's day with one project."""

    project: IndexedProject
    clock: Clock
    chance: random.Random
    ledger: Ledger
    clients: list[LspClient] = field(default_factory=list[LspClient])
    editor: Editor | None = None
    done: list[str] = field(default_factory=list[str])
    days: set[str] = field(default_factory=set[str])

    def open_editor(self) -> Editor:
        """Return the open editor, once its index is ready: hours pass for all that was begun."""
        if self.editor is None:
            client = LspClient(self.project.root)
            self.clients.append(client)
            client.initialize(self.project.root)
            self.editor = Editor(client, self.ledger, self.chance)
        self.editor.client.wait_until_ready()
        return self.editor

    def indexer(self) -> int:
        """Return the process that indexes; 0 for none."""
        address = read_address(self.project.project.cache)
        return address.pid if address is not None and is_running(address.pid) else 0

    # What happens in a day ----------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write some files, with the time of the simulation."""
        editor = self.open_editor()
        for number in self.chance.sample(range(FILES), 3):
            path = self.project.root / f"part{number % 9}" / f"f{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source(number, self.chance, FILES))
            os.utime(path, (self.clock.now(), self.clock.now()))
            editor.client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    def commit(self) -> None:
        """Commit the code, with the date of the simulation; beliefs stay when another commit is checked out."""
        self.save()
        date = f"{int(self.clock.now())} +0000"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_AUTHOR_DATE", date)
            patch.setenv("GIT_COMMITTER_DATE", date)
            self.project.git("add", "-A", "part*")
            self.project.git("commit", "-q", "-m", f"work of step {len(self.done)}", "--allow-empty")

    def switch(self) -> None:
        """Check out some other commit, on a branch of its own."""
        commits = self.project.git("rev-list", "--all", "-n", "50").split()
        self.project.git("checkout", "-q", "-f", "-B", f"branch{self.chance.randrange(3)}", self.chance.choice(commits))

    def act(self) -> None:
        """Ask, use, note and believe."""
        editor = self.open_editor()
        for activity in self.chance.sample(ACTIVITIES, 3):
            editor.act(activity)

    def sleep(self) -> None:
        """Suspend the machine for hours: processes stand still, and so does the monotonic clock."""
        pids = [pid for pid in (self.open_editor().client.process.pid, self.indexer()) if pid]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        self.clock.advance(self.chance.choice((0.5, 3, 7)) * 3600, 0)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        self.act()

    def set_clock_back(self) -> None:
        """Set the time of day back by an hour, as a wrong clock is corrected."""
        self.clock.advance(-3600, 0)
        self.act()

    def go_idle(self) -> None:
        """Close the editor, and let the indexer end for want of clients."""
        self.open_editor().client.shut_down()
        self.editor = None
        before = self.indexer()
        eventually(lambda: self._is_gone(before), "the idle indexer ends")

    def _is_gone(self, pid: int) -> bool:
        self.clock.advance(30, 30)
        time.sleep(0.1)
        return not pid or not is_running(pid)

    def compact_log(self) -> None:
        """Drop what older questions found, as log retention does."""
        done = CommandLine(self.project.root).run("log", "compact", "--days", "0", "--yes", "--json")
        assert done.status == 0, done
        if self.editor is not None:
            self.editor.answers.clear()

    def wait_for_backups(self) -> None:
        """Act, and wait until each file that changed is backed up today."""
        editor = self.open_editor()
        for activity in ("log", "memory", "persona"):
            editor.act(activity)
        self.days.add(self.clock.day())
        for name in ("log", "memory", "persona"):
            file = precious_files(self.project.project)[name]
            eventually(
                lambda path=file.path: any(each.day == self.clock.day() for each in list_backups(path)),
                f"{file.path.name} is backed up on {self.clock.day()}",
            )

    # Checks -------------------------------------------------------------------------------------------------------

    def check_stores(self) -> None:
        """Check that nothing is damaged, lost or refused."""
        assert damaged_databases() == [], self.done
        assert self.ledger.lost() == [], self.done

    def check_equal(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Check that the index equals one that is made at once."""
        self.open_editor()
        with monkeypatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder / "fresh"))
            self.project.update_index()
            self.project.update_graph()
            fresh = read_tables(self.project.project.cache)
        difference = wait_until_equal(lambda: read_tables(self.project.project.cache), fresh)
        assert not difference, f"TRUST_SEED={SEED}, after {self.done}\n{difference}"

    def check_found(self) -> None:
        """Check that what was noted in the day is answered."""
        client = self.open_editor().client
        memories = ask(client, "memory", {"action": "list", "limit": 1000})["memories"]
        assert {memory["doc_id"] for memory in memories} >= set(self.ledger.memories)
        notes = {note["doc_id"] for note in ask(client, "persona", {"action": "list"})["notes"]}
        assert notes >= set(self.ledger.notes)
        assert not notes & self.ledger.forgotten

    def check_backups(self) -> None:
        """Check that the backups of the last days are there, and no others."""
        expected = sorted(self.days, reverse=True)[:KEPT_DAYS]
        files = precious_files(self.project.project)
        days = {
            name: [backup.day for backup in list_backups(files[name].path)] for name in ("log", "memory", "persona")
        }
        assert days["log"] == days["memory"] == expected
        assert days["persona"] == expected[: len(days["persona"])]  # forgetting a note drops those that hold it
        assert days["persona"]

    def close(self) -> None:
        """End all that was started."""
        for client in self.clients:
            with suppress(ProcessLookupError):
                os.kill(client.process.pid, signal.SIGCONT)
            client.__exit__(None, None, None)
        if pid := self.indexer():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def soak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Soak]:
    for name in ("CACHE", "DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    paths = [str(Path(__file__).parent / "clock"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    clock = Clock(tmp_path / "clock")
    monkeypatch.setenv("TRUST_CLOCK", str(clock.path))
    clock.advance(0, 0)
    chance = random.Random(f"{SEED} soak")
    project = make_project(tmp_path / "work" / "shop", chance, FILES)
    soak = Soak(project, clock, chance, Ledger(project.root))
    try:
        yield soak
    finally:
        soak.close()


@pytest.mark.acceptance("F10", "E4")
def test_day_of_work_loses_nothing_and_ends_with_a_fresh_index(
    soak: Soak, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    print(f"TRUST_SEED={SEED}, {STEPS} steps")
    always: list[Callable[[], None]] = [soak.sleep, soak.go_idle, soak.compact_log, soak.switch, soak.set_clock_back]
    others: list[Callable[[], None]] = [soak.save, soak.save, soak.act, soak.act, soak.commit, soak.switch]
    plan = always + [soak.chance.choice(others + always) for _ in range(STEPS - len(always))]
    soak.chance.shuffle(plan)
    soak.wait_for_backups()
    for number, happen in enumerate(plan):
        soak.done.append(happen.__name__)
        happen()
        if number % 4 == 3:
            soak.check_stores()
        soak.open_editor()
        soak.clock.advance(DAY_S / STEPS, DAY_S / STEPS)
    soak.check_equal(monkeypatch, tmp_path)
    for _ in range(KEPT_DAYS):
        soak.clock.advance(DAY_S, DAY_S)
        soak.wait_for_backups()
    soak.check_backups()
    soak.check_stores()
    soak.check_found()
    soak.go_idle()
    print(f"{soak.ledger.acknowledged} acknowledged until {soak.clock.day()}: {soak.done}")
    assert soak.ledger.refusals == []
