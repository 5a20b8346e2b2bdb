"""Upgrade and downgrade on one person's data: the version before is an earlier commit, run with its own number.

That commit has other formats of the index, of the event log (one migration instead of three) and of the history. Both
versions run on the same folders, in turns: before, this one, before, this one.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import tarfile
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from scry.core.files import DAMAGE_MARK
from tests.e2e.command_line import CommandLine, Done
from tests.gates.parts import ROOT
from tests.polling import eventually
from tests.processes import is_running
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("history", "posix")]

EARLIER = "1c0eba27"
"""A commit before the event log had its second migration, and the index its formats 13 to 17."""

QUESTION = "how often is a failed request retried"
CODE = "class Client:\n    def retry_limit(self, method):\n        '''How often a failed request is sent again.'''\n"


class Versions:
    """One project and one person's folders, asked by two versions of Scry."""

    def __init__(self, folder: Path, earlier: Path) -> None:
        self.root = make_repository(folder / "project", {"client.py": CODE})
        self.other = make_repository(folder / "other", {"server.py": "def listen(port): ...\n"})
        self.home = folder / "home"
        homes = {f"XDG_{kind.upper()}_HOME": str(self.home / kind) for kind in ("cache", "data", "config", "state")}
        modules = os.pathsep.join(str(earlier / part) for part in ("server", "protocol"))
        self._now = CommandLine(self.root, homes)
        self._before = CommandLine(self.root, {**homes, "PYTHONPATH": modules})

    def now(self, *words: str) -> str:
        return self._succeed(self._now.run(*words), words)

    def before(self, *words: str) -> str:
        return self._succeed(self._before.run(*words), words)

    def refused_before(self, *words: str) -> str:
        done = self._before.run(*words)
        assert done.status != 0, done
        return done.err

    def found(self, answer: str) -> set[str]:
        results = msgspec.json.decode(answer)["results"]
        return {result["doc_id"].partition(":")[0] for result in results}

    def end_indexers(self) -> None:
        """End the indexer, as a restart of the machine does."""
        for address in self.home.glob("cache/scry/*/indexer.json"):
            pid = msgspec.json.decode(address.read_bytes())["pid"]
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            eventually(lambda pid=pid: not is_running(pid), "the indexer has ended")

    def _succeed(self, done: Done, words: tuple[str, ...]) -> str:
        assert done.status == 0, (words, done)
        return done.out


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the version before, which says that it is 0.0.9."""
    folder = tmp_path_factory.mktemp("earlier")
    command = ["git", "archive", "--format=tar", EARLIER, "server/scry", "protocol/scry_protocol"]
    packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    (folder / "server/scry/__init__.py").write_text('"""Scry, before."""\n\n__version__ = "0.0.9"\n')
    return folder


@pytest.fixture
def versions(tmp_path: Path, earlier: Path) -> Versions:
    return Versions(tmp_path, earlier)


def test_data_of_every_store_survives_upgrade_downgrade_and_upgrade(versions: Versions) -> None:
    # The version before fills every store.
    asked = msgspec.json.decode(versions.before("find", QUESTION, "--json"))["query_id"]
    versions.before("feedback", asked, "good", "--comment", "rated before")
    versions.before("observe", "decision", "failed requests, remembered before")
    versions.before("persona", "add", "I write before")
    versions.before("belief", "add", "Retries are limited", "--evidence", "client.py:2")
    versions.before("project", "add", str(versions.other))

    # This one has all of it, while the other's indexer still runs, and adds to each.
    answer = versions.now("find", QUESTION, "--json")
    assert {"./client.py", "belief", "memory", "commit"} <= versions.found(answer)
    assert "rated before" in versions.now("log")
    versions.now("feedback", msgspec.json.decode(answer)["query_id"], "good", "--comment", "rated now")
    assert "remembered before" in versions.now("memory")
    versions.now("observe", "decision", "remembered now")
    assert "I write before" in versions.now("persona", "list")
    versions.now("persona", "add", "I write now")
    assert "other" in versions.now("project", "list")

    # The version before answers from what it understands, refuses what it does not, and destroys nothing.
    versions.end_indexers()
    assert {"./client.py", "belief", "memory", "commit"} <= versions.found(versions.before("find", QUESTION, "--json"))
    assert "newer version of Scry" in versions.refused_before("log")
    memory = versions.before("memory")
    assert "remembered before" in memory
    assert "remembered now" in memory
    versions.before("observe", "decision", "remembered after the downgrade")
    assert "I write now" in versions.before("persona", "list")
    assert "other" in versions.before("project", "list")

    # Upgraded again: everything that either has written.
    versions.end_indexers()
    assert {"./client.py", "belief", "memory", "commit"} <= versions.found(versions.now("find", QUESTION, "--json"))
    log = versions.now("log")
    assert "rated before" in log
    assert "rated now" in log
    memory = versions.now("memory")
    for note in ("failed requests, remembered before", "remembered now", "remembered after the downgrade"):
        assert note in memory
    notes = versions.now("persona", "list")
    assert "I write before" in notes
    assert "I write now" in notes
    assert not list(versions.home.rglob(DAMAGE_MARK))
    versions.end_indexers()


def test_newer_event_log_is_refused_and_kept(versions: Versions) -> None:
    asked = msgspec.json.decode(versions.now("find", QUESTION, "--json"))["query_id"]
    versions.now("feedback", asked, "good", "--comment", "rated now")
    versions.end_indexers()
    versions.now("log", "--limit", "1")
    [log] = versions.home.glob("data/scry/*/events.sqlite")
    before = log.read_bytes()
    assert "./client.py" in versions.found(versions.before("find", QUESTION, "--json"))
    assert "newer version of Scry" in versions.refused_before("log", "forget", "--all", "--yes")
    assert log.read_bytes() == before
    assert "rated now" in versions.now("log")
    versions.end_indexers()
