"""kill -9 of indexer, language server and command line at random moments: nothing that was acknowledged is lost.

TRUST_KILLS sets the number of moments (`make trust`: 200), TRUST_SEED repeats their order, TRUST_TREE names a
repository to do it in instead of a made one. After each kill every file of SQLite is checked; after some, and at the
end, the index, its graph and the history are compared with fresh ones, row by row.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from scry.projects import read_address
from tests.e2e.lsp_client import LspClient
from tests.processes import is_running
from tests.sample.indexed import IndexedProject
from tests.sample.project import git
from tests.trust.acts import ACTIVITIES, Command, Editor, Ledger, ask, make_project, wait_for_moment
from tests.trust.contents import Tables, damaged_databases, read_tables, wait_until_equal

SEED = os.environ.get("TRUST_SEED") or str(random.SystemRandom().randrange(10**6))
MOMENTS = int(os.environ.get("TRUST_KILLS") or 15)
TREE = os.environ.get("TRUST_TREE") or ""
FILES = 40 if MOMENTS < 100 else 400
COMPARED_EVERY = 8
"""Kills between two comparisons with a fresh index."""

LONGEST_S = {"indexer": 1.5, "editor": 1.0, "command": 1.2}
"""Until a kill; a command has mostly ended by then."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + 60 * MOMENTS)]


def clone(root: Path) -> IndexedProject:
    """Return a clone of TRUST_TREE."""
    git(root.parent, "clone", "-q", TREE, str(root))
    return IndexedProject(root)


@dataclass
class Storm:
    """A project that is edited and asked about while its processes are killed."""

    project: IndexedProject
    chance: random.Random
    ledger: Ledger
    kills: Counter[str] = field(default_factory=Counter[str])
    editor: Editor | None = None
    clients: list[LspClient] = field(default_factory=list[LspClient])

    def open_editor(self) -> Editor:
        """Return a living language server with the project open."""
        if self.editor is None or self.editor.client.process.poll() is not None:
            client = LspClient(self.project.root)
            self.clients.append(client)
            client.initialize(self.project.root)
            self.editor = Editor(client, self.ledger, self.chance, self.ledger.answers)
        return self.editor

    def close(self) -> None:
        """End all that was started."""
        for client in self.clients:
            client.__exit__(None, None, None)
        address = read_address(self.project.project.cache)
        if address is not None and is_running(address.pid):
            os.kill(address.pid, signal.SIGKILL)

    # Kills --------------------------------------------------------------------------------------------------------

    def kill_indexer(self) -> str:
        """Change files, kill the indexer in its work, and act all the while."""
        editor = self.open_editor()
        activity = self.chance.choice(("belief", "log", "memory"))
        acting = threading.Thread(target=editor.act_until_ended, args=(activity, 5))
        acting.start()
        self.change_tree()
        wait_for_moment(self.chance, self.project.project.cache, LONGEST_S["indexer"])
        address = read_address(self.project.project.cache)
        if address is not None and is_running(address.pid):
            with suppress(ProcessLookupError):
                os.kill(address.pid, signal.SIGKILL)
        acting.join(60)
        assert not acting.is_alive()
        return "index"

    def kill_editor(self) -> str:
        """Kill the language server while it records one thing after the other."""
        editor, activity = self.open_editor(), self.chance.choice(ACTIVITIES)
        acting = threading.Thread(target=editor.act_until_ended, args=(activity,))
        acting.start()
        wait_for_moment(self.chance, self._written_by(activity), LONGEST_S["editor"])
        editor.client.process.kill()
        acting.join(60)
        assert not acting.is_alive()
        return activity

    def kill_command(self) -> str:
        """Kill a command while it works or writes."""
        activity = self.chance.choice((*ACTIVITIES, "index"))
        if activity == "index":
            self.change_tree()
        command = Command.start(self.ledger, activity)
        wait_for_moment(self.chance, self._written_by(activity), LONGEST_S["command"])
        command.process.kill()
        command.finish()
        return activity

    def _written_by(self, activity: str) -> Path:
        data = self.project.project.data
        folders = {"memory": data / "memory", "persona": data.parent / "persona", "index": self.project.project.cache}
        return folders.get(activity, self.project.root / ".scry" / "beliefs" if activity == "belief" else data)

    # The tree -----------------------------------------------------------------------------------------------------

    def change_tree(self) -> None:
        """Switch to another commit, or edit, remove and rename some files."""
        if self.chance.random() < 0.4:
            commits = self.project.git("rev-list", "--all", "-n", "300").split()
            self.project.git("checkout", "-q", "-f", self.chance.choice(commits))
            return
        paths = [path for path in self.project.git("ls-files", "*.py", "*.go").splitlines() if self._exists(path)]
        for path in self.chance.sample(paths, min(len(paths), self.chance.choice((1, 3, 20)))):
            change = self.chance.choice(("append", "append", "remove", "move"))
            place = self.project.root / path
            if change == "append":
                text = place.read_text()
                place.write_text(text + text[: len(text) // 2].rpartition("\n")[0] + "\n")
            elif change == "remove":
                place.unlink()
            else:
                place.rename(place.with_stem(f"{place.stem}_moved"))

    def _exists(self, path: str) -> bool:
        return (self.project.root / path).is_file()

    # Checks -------------------------------------------------------------------------------------------------------

    def check_files(self, moment: str) -> None:
        """Check every file of SQLite, and that all that was acknowledged is there and nothing was refused."""
        assert damaged_databases() == [], moment
        assert self.ledger.lost() == [], moment
        assert self.ledger.refusals == [], moment

    def check_equal(self, moment: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        """Check that the index, once it rests, equals one that is made at once."""
        self.open_editor().client.wait_until_ready(timeout=240)
        with monkeypatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(folder / f"fresh {moment}"))
            self.project.update_index()
            self.project.update_graph()
            fresh = read_tables(self.project.project.cache)
        assert len(fresh["edges"]) >= FILES
        difference = wait_until_equal(self._read, fresh)
        assert not difference, f"{moment}\n{difference}"

    def _read(self) -> Tables:
        return read_tables(self.project.project.cache)

    def check_found(self) -> None:
        """Check that what is stored is also answered, by a new language server."""
        client = self.open_editor().client
        memories = ask(client, "memory", {"action": "list", "limit": 1000})["memories"]
        assert {memory["doc_id"] for memory in memories} >= set(self.ledger.memories) or len(memories) == 1000
        notes = {note["doc_id"] for note in ask(client, "persona", {"action": "list"})["notes"]}
        assert notes >= set(self.ledger.notes)
        assert not notes & self.ledger.forgotten
        beliefs = {belief["doc_id"] for belief in ask(client, "beliefs", {"action": "list"})["beliefs"]}
        assert beliefs >= {f"belief:{name}" for name in self.ledger.beliefs}
        for doc_id, text in list(self.ledger.memories.items())[-3:]:
            found = ask(client, "memory", {"action": "search", "query": text})["memories"]
            assert doc_id in {memory["doc_id"] for memory in found}, text


@pytest.fixture
def storm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storm]:
    for name in ("CACHE", "DATA", "CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("SCRY_INDEXER_LINGER", "30")
    chance = random.Random(f"{SEED} kills")
    (tmp_path / "work").mkdir()
    project = clone(tmp_path / "work" / "shop") if TREE else make_project(tmp_path / "work" / "shop", chance, FILES)
    storm = Storm(project, chance, Ledger(project.root))
    try:
        yield storm
    finally:
        storm.close()


@pytest.mark.acceptance("F10", "F11", "E4")
def test_nothing_acknowledged_is_lost_by_kills(storm: Storm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    print(f"TRUST_SEED={SEED}, {MOMENTS} kills")
    victims = {"indexer": storm.kill_indexer, "editor": storm.kill_editor, "command": storm.kill_command}
    for number in range(MOMENTS):
        victim = list(victims)[number % len(victims)]
        activity = victims[victim]()
        storm.kills[f"{victim}: {activity}"] += 1
        moment = f"kill {number} of TRUST_SEED={SEED}, {victim}: {activity}"
        storm.check_files(moment)
        if number % COMPARED_EVERY == COMPARED_EVERY - 1 or number == MOMENTS - 1:
            storm.check_equal(moment, monkeypatch, tmp_path)
    storm.check_found()
    print(f"{storm.ledger.acknowledged} acknowledged; {dict(storm.kills)}")
    assert storm.ledger.acknowledged >= MOMENTS
