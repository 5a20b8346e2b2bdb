"""A project on disk with real indexer processes at work on it, and what tests ask about them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scry.core import IndexState, IndexUnavailable, load_settings, normalize_name
from scry.indexer.client import IndexerClient
from scry.projects import IndexerAddress, read_address
from scry.store.index import IndexStore
from tests.polling import PATIENCE_S, eventually
from tests.processes import is_running
from tests.sample.files import SMALL_SHOP
from tests.sample.project import SampleProject

_FUNCTION = "def {name}(value):\n" + "    value = other_thing(value, key_of(value))\n" * 10 + "    return value\n\n\n"


@dataclass(eq=False)
class IndexerProject(SampleProject):
    """A project and every process and client started for it."""

    indexers: list[IndexerClient] = field(default_factory=list[IndexerClient])
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])
    pids: set[int] = field(default_factory=set[int])

    def write_many_files(self, count: int) -> None:
        """Write so many files of some 4 KB that a first pass takes a while and several batches."""
        for number in range(count):
            body = "".join(_FUNCTION.format(name=f"step_{number}_{i}") for i in range(8))
            self.write_file(f"many/m{number % 20}/f{number}.py", body)

    def connect(self, *, start: bool = True) -> IndexerClient:
        indexer = IndexerClient.connect(self.project, load_settings(self.root, os.environ), start=start)
        self.indexers.append(indexer)
        return indexer

    def connect_when_ready(self) -> IndexerClient:
        """Return a client of an indexer whose index is current."""
        indexer = self.connect()
        state = indexer.wait_until_current(PATIENCE_S)
        assert state.state == "ready", state
        return indexer

    def start_process(self, *arguments: str, code: str | None = None) -> subprocess.Popen[bytes]:
        """Start an indexer's process directly."""
        start = ["-c", code] if code else ["-m", "scry.indexer.process"]
        command = [sys.executable, *start, "--root", str(self.root), *arguments]
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        self.processes.append(process)
        return process

    def address(self) -> IndexerAddress:
        """Return the address at which the indexer listens."""
        address = read_address(self.project.cache)
        assert address is not None
        self.pids.add(address.pid)
        return address

    def address_of(self, process: subprocess.Popen[bytes]) -> IndexerAddress:
        """Wait until this process listens, and return its address."""
        eventually(
            lambda: (read_address(self.project.cache) or IndexerAddress(0, "")).pid == process.pid, "the address"
        )
        return self.address()

    @contextmanager
    def store(self) -> Generator[IndexStore | None]:
        """Return the index for reading; None while there is none."""
        try:
            store = IndexStore.open(self.project.cache, write=False)
        except IndexUnavailable:
            yield None
            return
        try:
            yield store
        finally:
            store.close()

    def doc_ids_named(self, name: str) -> list[str]:
        """Return the doc_ids of what is indexed under a name."""
        with self.store() as store:
            return (
                sorted(each.doc_id for each in store.documents.headers_by_name([normalize_name(name)])) if store else []
            )

    def generation(self) -> int:
        """Return the generation on disk; 0 while there is none."""
        with self.store() as store:
            return store.state().generation if store else 0

    def is_watched(self, folder: str) -> bool:
        """Return whether the indexer has the system report changes in a folder, by its inode in Linux's list."""
        inode = f" ino:{(self.root / folder).stat().st_ino:x} "
        handles = Path(f"/proc/{self.address().pid}/fdinfo").iterdir()
        return any(inode in line for handle in handles for line in _lines(handle) if line.startswith("inotify "))

    def wait_until_found(self, name: str) -> None:
        eventually(lambda: self.doc_ids_named(name), f"{name} is indexed")

    def wait_until_gone(self, name: str) -> None:
        eventually(lambda: not self.doc_ids_named(name), f"{name} is no longer indexed")

    def end(self) -> None:
        """End all that was started."""
        for indexer in self.indexers:
            indexer.close()
        known = read_address(self.project.cache) if self.root.is_dir() else None
        pids = self.pids | ({known.pid} if known else set[int]())
        for pid in pids - {process.pid for process in self.processes}:
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)
            eventually(lambda pid=pid: not is_running(pid), "the indexer has ended, with its files closed")
        for process in self.processes:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()


def _lines(handle: Path) -> list[str]:
    """Return the lines of a file; none where it is gone."""
    try:
        return handle.read_text().splitlines()
    except OSError:
        return []


@contextmanager
def open_indexer_project(root: Path) -> Generator[IndexerProject]:
    """Return a small project; whatever was started for it is ended at the end."""
    sample = IndexerProject(root)
    sample.write(SMALL_SHOP)
    try:
        yield sample
    finally:
        sample.end()


def wait_until_state(indexer: IndexerClient, name: str) -> IndexState:
    """Wait until the client knows this state."""
    eventually(lambda: indexer.state().state == name, f"the state is {name}")
    return indexer.state()
