"""The indexer's process: `python -m scry.index.worker --root ROOT [--force] [--set JSON]`.

Started by whoever needs an index and finds no indexer (`scry.index.launch`). At most one per project works: another
that is started meanwhile ends at once and quietly. It ends by itself when nobody has needed it for a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path, PurePosixPath

import msgspec

from scry.core.errors import ScryError
from scry.core.places import config_home
from scry.core.settings import SETTINGS_FILE
from scry.core.types import IndexState
from scry.index.address import Address, listen, publish_address, withdraw_address
from scry.index.ahead import processors
from scry.index.alone import Alone
from scry.index.channel import Action
from scry.index.clients import Clients
from scry.index.edition import edition
from scry.index.filling import Filling
from scry.index.graph_keeper import GraphKeeper
from scry.index.history_keeper import HistoryKeeper
from scry.index.indexing import Indexing, describe_failure
from scry.index.lock import IndexerLock
from scry.index.project import Project, note_owner, open_project
from scry.index.schedule import Schedule
from scry.index.split_off import SplitOff, split_off
from scry.index.status import Status
from scry.index.watch import Watcher

log = logging.getLogger(__name__)

LOCK_FILE = "indexer.lock"
LOG_FILE = "indexer.log"

_LOG_BYTES = 256 * 1024
_NICENESS = 5
_HOLDS_EVERY_S = 2.0
"""How often it is made sure that the cache folder, and with it the lock, is still there, and whether the person's
settings were changed is looked at."""

_LAST_BATCH_S = 30.0
"""So long the batch in hand may take at the end; the index survives it being cut off."""

_LAST_VECTORS_S = 2.0
"""… and a model that is being loaded, or git at work, which nothing can cut short; what they make is published in
steps."""

CAN_NOT_WORK = 3
"""The process's exit status when it can't work at all; its standard error then holds one line that says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until nobody needs the indexer; returns the exit status."""
    options = _parse(arguments)
    with contextlib.suppress(OSError, AttributeError):  # the editor goes first; Windows sets it at the start
        os.nice(_NICENESS)
    try:
        project = open_project(Path(options.root), force=options.force)
        _prepare(project.cache, project.root)
        waiting = split_off() if processors() > 1 and not (project.cache / "index.sqlite").exists() else None
        lock = IndexerLock.acquire(project.cache / LOCK_FILE)
    except ScryError as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"The cache folder can't be written: {error}")
    if lock is None:
        return 0
    try:
        overrides = msgspec.json.decode(os.fsencode(options.set), type=dict[str, object])
        return asyncio.run(_Worker(project, lock, overrides, waiting).run())
    finally:
        lock.release()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scry.index.worker", description="Keeps the index of one project up to date.")
    parser.add_argument("--root", required=True, help="the project's folder")
    parser.add_argument("--force", action="store_true", help="also a home folder or the top of a file system")
    parser.add_argument("--set", default="{}", help="settings that a surface was told, as a JSON object")
    return parser.parse_args(arguments)


def _prepare(cache: Path, root: Path) -> None:
    """Makes the cache folder, for this user's eyes only, and starts the log in it. Raises OSError."""
    cache.mkdir(parents=True, exist_ok=True)
    cache.chmod(0o700)
    note_owner(cache, root)
    handler = RotatingFileHandler(
        cache / LOG_FILE, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
    )
    layout = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=layout, handlers=[handler])
    logging.getLogger("watchfiles").setLevel(logging.WARNING)


def _refuse(words: str) -> int:
    print(words, file=sys.stderr)
    return CAN_NOT_WORK


class _Worker:
    """Everything of one indexer, put together. Lives in the event loop."""

    def __init__(
        self, project: Project, lock: IndexerLock, overrides: Mapping[str, object], waiting: SplitOff | None
    ) -> None:
        self._project = project
        self._lock = lock
        self._clients: Clients | None = None
        self._ending: asyncio.Event | None = None
        self._schedule = Schedule()
        self._alone = Alone(self._schedule, lock, self._end)
        self._status = Status(self._publish)
        self._watcher = Watcher(project, self._schedule, self._status)
        self._filling = Filling(
            project, self._schedule, self._status, after=self._task_ended, failed=self._vectors_failed
        )
        self._history = HistoryKeeper(
            project,
            self._schedule,
            busy=lambda: self._filling.holds_up(slow=False),
            show=self._status.set_history,
            after=self._task_ended,
        )
        self._graph = GraphKeeper(
            self._schedule, busy=lambda: self._filling.holds_up(slow=False) or self._history.goes_first()
        )
        self._indexing = Indexing(
            project,
            self._schedule,
            self._status,
            overrides,
            filling=self._filling,
            history=self._history,
            graph=self._graph,
            after=self._task_ended,
            follow=self._watcher.follow,
            waiting=waiting,
        )

    async def run(self) -> int:
        """Serves clients until there is a reason to end; returns the exit status."""
        self._ending = asyncio.Event()
        try:
            address = await self._open()
        except OSError as error:
            return _refuse(f"The indexer can't be reached in {self._project.cache}: {error}")
        log.info("Scry %s indexes %s", edition(), self._project.root)
        _silence()
        self._end_on_signals()
        self._schedule.compare_whole()
        self._indexing.start()
        self._filling.start()
        self._history.start()
        self._graph.start()
        self._watcher.start()
        self._alone.begin()
        await self._until_ending()
        await self._close(address)
        return 0

    async def _open(self) -> Address:
        listening, address = listen(self._project.cache, edition())
        self._clients = Clients(self, edition(), address.token, alone=self._alone.change, end=self._end)
        await self._clients.serve(listening)
        publish_address(self._project.cache, address)
        return address

    async def _until_ending(self) -> None:
        assert self._ending is not None
        config = config_home() / SETTINGS_FILE
        seen = _stamp(config)
        while not self._ending.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _HOLDS_EVERY_S)
            if not self._lock.holds():
                log.warning("the cache folder was removed: ending")
                self._ending.set()
            if (stamp := _stamp(config)) != seen:
                seen = stamp
                self._schedule.check()

    async def _close(self, address: Address) -> None:
        log.info("ending")
        self._schedule.stop()
        self._filling.close()
        self._history.close()
        self._graph.close()
        self._watcher.close()
        if self._clients is not None:
            self._clients.close()
        withdraw_address(self._project.cache, address)
        beside = (self._filling, self._history, self._graph)
        for thread, patience in (*((each, _LAST_VECTORS_S) for each in beside), (self._indexing, _LAST_BATCH_S)):
            await asyncio.get_running_loop().run_in_executor(None, thread.join, patience)
        if self._indexing.is_alive() or any(each.is_alive() for each in beside):
            log.warning("the last batch took too long: cut off")
            os._exit(int(self._indexing.is_alive()))  # the lock goes with it; joining the thread would wait on

    # Why it ends --------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        if self._ending is not None:
            self._ending.set()

    def _end_on_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGINT"):
            try:
                loop.add_signal_handler(getattr(signal, name), self._end)
            except NotImplementedError:  # Windows
                signal.signal(getattr(signal, name), lambda _number, _frame: self._end())

    # What clients can ask for -------------------------------------------------------------------------------------

    def told(self, settings: Mapping[str, object]) -> None:
        """Settings that stand in no file, from a client's environment or surface."""
        if self._indexing.tell(settings):
            self._schedule.check()

    def changed(self, paths: list[str]) -> None:
        """These files or folders were saved, made or removed; what is not inside the project is passed over."""
        inside = [plain for path in paths if (plain := plain_path(path))]
        if inside:
            self._schedule.compare(inside, saved=True)

    def control(self, action: Action) -> None:
        """Starts, pauses, resumes or rebuilds."""
        if action == "pause":
            self._schedule.pause()
            self._indexing.pause()
        elif action == "rebuild":
            self._schedule.compare_whole(reset=True)
        else:
            self._filling.forgive()
            self._schedule.resume()
        self._status.set_paused(self._schedule.paused)

    def sync(self) -> int:
        """Asks for the index to be made current; returns the number to wait for."""
        return self._schedule.check()

    def settled(self, number: int, *, vectors: bool) -> bool:
        """Whether all up to that number is done, or will not be done for now. vectors: those of a slow model too."""
        done = self._schedule.settled >= number and not self._filling.holds_up(slow=vectors)
        return (done and not self._history.holds_up()) or self._schedule.paused

    def encode(self, identity: str, query: str) -> bytes:
        """A question's vector. Raises ModelUnavailable. From any thread."""
        return self._filling.encode(identity, query).astype("<f4").tobytes()

    def state(self) -> IndexState:
        """The state as of now."""
        return self._status.show()

    # Told by the threads ------------------------------------------------------------------------------------------

    def _publish(self, state: IndexState) -> None:
        if self._clients is not None:
            self._clients.publish(state)

    def _vectors_failed(self, error: Exception) -> None:
        self._status.set_failure(describe_failure(error, self._project))

    def _task_ended(self) -> None:
        if self._clients is not None:
            self._clients.task_ended()


def plain_path(path: str) -> str:
    """A relative path in its plain form; empty when it leads out of the project or is none."""
    parts = PurePosixPath(path).parts
    outside = path.startswith("/") or ".." in parts or "\0" in path
    return "" if outside else "/".join(parts)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes when the file does; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _silence() -> None:
    """Lets go of the standard error of whoever started it, who hears of it over the channel from here on."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, sys.stderr.fileno())
        os.close(nothing)


if __name__ == "__main__":
    sys.exit(main())
