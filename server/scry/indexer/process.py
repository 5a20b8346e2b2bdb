"""Run the indexer of one project: `python -m scry.indexer.process --root ROOT [--force] [--set JSON]`.

The indexer's process: `python -m scry.indexer.process --root ROOT [--force] [--set JSON]`.

Started by whoever needs an index and finds no indexer (`scry.indexer.client.launch`). At most one per project
works: another
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
from scry.core.files import config_home
from scry.core.settings import SETTINGS_FILE_NAME
from scry.core.types import IndexState
from scry.indexer.embedding_worker import EmbeddingWorker
from scry.indexer.freshness import index_format_version
from scry.indexer.graph_worker import GraphWorker
from scry.indexer.history_worker import HistoryWorker
from scry.indexer.lifetime import IdleShutdown, IndexerLock
from scry.indexer.loop import IndexingLoop, describe_indexing_failure
from scry.indexer.prefetch import ForkedPrefetcher, fork_prefetcher, processors
from scry.indexer.protocol import ControlAction
from scry.indexer.schedule import Schedule
from scry.indexer.server import IndexerServer
from scry.indexer.status import IndexerStatus
from scry.indexer.watch import Watcher
from scry.projects.indexer_address import IndexerAddress, open_listening_socket, publish_address, remove_address
from scry.projects.project import Project, open_project, write_owner_file

log = logging.getLogger(__name__)

LOCK_FILE = "indexer.lock"
LOG_FILE = "indexer.log"

_LOG_BYTES = 256 * 1024
_NICENESS = 5
_LOCK_CHECK_INTERVAL_S = 2.0
"""How often it is made sure that the cache folder, and with it the lock, is still there, and whether the person's
settings were changed is looked at."""

_LAST_BATCH_TIMEOUT_S = 30.0
"""So long the batch in hand may take at the end; the index survives it being cut off."""

_BACKGROUND_TIMEOUT_S = 2.0
"""… and a model that is being loaded, or git at work, which nothing can cut short; what they make is published in
steps."""

EXIT_CANNOT_START = 3
"""The process's exit status when it can't work at all; its standard error then holds one line that says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until nobody needs the indexer; returns the exit status."""
    options = _parse_arguments(arguments)
    with contextlib.suppress(OSError, AttributeError):  # the editor goes first; Windows sets it at the start
        os.nice(_NICENESS)
    try:
        project = open_project(Path(options.root), force=options.force)
        _prepare_cache_folder(project.cache, project.root)
        waiting = fork_prefetcher() if processors() > 1 and not (project.cache / "index.sqlite").exists() else None
        lock = IndexerLock.acquire(project.cache / LOCK_FILE)
    except ScryError as error:
        return _report_start_failure(str(error))
    except OSError as error:
        return _report_start_failure(f"The cache folder can't be written: {error}")
    if lock is None:
        return 0
    try:
        overrides = msgspec.json.decode(os.fsencode(options.set), type=dict[str, object])
        return asyncio.run(_IndexerProcess(project, lock, overrides, waiting).run())
    finally:
        lock.release()


def _parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scry.indexer.process", description="Keeps the index of one project up to date."
    )
    parser.add_argument("--root", required=True, help="the project's folder")
    parser.add_argument("--force", action="store_true", help="also a home folder or the top of a file system")
    parser.add_argument("--set", default="{}", help="settings that a surface was told, as a JSON object")
    return parser.parse_args(arguments)


def _prepare_cache_folder(cache: Path, root: Path) -> None:
    """Makes the cache folder, for this user's eyes only, and starts the log in it. Raises OSError."""
    cache.mkdir(parents=True, exist_ok=True)
    cache.chmod(0o700)
    write_owner_file(cache, root)
    handler = RotatingFileHandler(
        cache / LOG_FILE, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
    )
    layout = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=layout, handlers=[handler])
    logging.getLogger("watchfiles").setLevel(logging.WARNING)


def _report_start_failure(words: str) -> int:
    print(words, file=sys.stderr)
    return EXIT_CANNOT_START


class _IndexerProcess:
    """Everything of one indexer, put together. Lives in the event loop."""

    def __init__(
        self, project: Project, lock: IndexerLock, overrides: Mapping[str, object], forked: ForkedPrefetcher | None
    ) -> None:
        self._project = project
        self._lock = lock
        self._server: IndexerServer | None = None
        self._ending: asyncio.Event | None = None
        self._schedule = Schedule()
        self._idle_shutdown = IdleShutdown(self._schedule, lock, self._shut_down)
        self._status = IndexerStatus(self._publish)
        self._watcher = Watcher(project, self._schedule, self._status)
        self._embedding = EmbeddingWorker(
            project,
            self._schedule,
            self._status,
            on_progress=self._answer_settled_syncs,
            on_failure=self._show_embedding_failure,
        )
        self._history = HistoryWorker(
            project,
            self._schedule,
            busy=lambda: self._embedding.has_pending_work(slow=False),
            on_state=self._status.set_history,
            on_progress=self._answer_settled_syncs,
        )
        self._graph = GraphWorker(
            self._schedule, busy=lambda: self._embedding.has_pending_work(slow=False) or self._history.blocks_graph()
        )
        self._loop = IndexingLoop(
            project,
            self._schedule,
            self._status,
            overrides,
            embedding=self._embedding,
            history=self._history,
            graph=self._graph,
            on_task_ended=self._answer_settled_syncs,
            watch=self._watcher.set_watched_folders,
            forked=forked,
        )

    async def run(self) -> int:
        """Serves clients until there is a reason to end; returns the exit status."""
        self._ending = asyncio.Event()
        try:
            address = await self._open()
        except OSError as error:
            return _report_start_failure(f"The indexer can't be reached in {self._project.cache}: {error}")
        log.info("Scry %s indexes %s", index_format_version(), self._project.root)
        _detach_stderr()
        self._shut_down_on_signals()
        self._schedule.request_full_compare()
        self._loop.start()
        self._embedding.start()
        self._history.start()
        self._graph.start()
        self._watcher.start()
        self._idle_shutdown.wait_for_first_client()
        await self._until_ending()
        await self._close(address)
        return 0

    async def _open(self) -> IndexerAddress:
        listening, address = open_listening_socket(self._project.cache, index_format_version())
        self._server = IndexerServer(
            self,
            index_format_version(),
            address.token,
            set_idle=self._idle_shutdown.set_idle,
            shut_down=self._shut_down,
        )
        await self._server.serve(listening)
        publish_address(self._project.cache, address)
        return address

    async def _until_ending(self) -> None:
        assert self._ending is not None
        config = config_home() / SETTINGS_FILE_NAME
        seen = _file_signature(config)
        while not self._ending.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _LOCK_CHECK_INTERVAL_S)
            if not self._lock.is_valid():
                log.warning("the cache folder was removed: ending")
                self._ending.set()
            if (stamp := _file_signature(config)) != seen:
                seen = stamp
                self._schedule.request_check()

    async def _close(self, address: IndexerAddress) -> None:
        log.info("ending")
        self._schedule.stop()
        self._embedding.close()
        self._history.close()
        self._graph.close()
        self._watcher.close()
        if self._server is not None:
            self._server.close()
        remove_address(self._project.cache, address)
        beside = (self._embedding, self._history, self._graph)
        for thread, patience in (
            *((each, _BACKGROUND_TIMEOUT_S) for each in beside),
            (self._loop, _LAST_BATCH_TIMEOUT_S),
        ):
            await asyncio.get_running_loop().run_in_executor(None, thread.join, patience)
        if self._loop.is_alive() or any(each.is_alive() for each in beside):
            log.warning("the last batch took too long: cut off")
            os._exit(int(self._loop.is_alive()))  # the lock goes with it; joining the thread would wait on

    # Why it ends --------------------------------------------------------------------------------------------------

    def _shut_down(self) -> None:
        if self._ending is not None:
            self._ending.set()

    def _shut_down_on_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGINT"):
            try:
                loop.add_signal_handler(getattr(signal, name), self._shut_down)
            except NotImplementedError:  # Windows
                signal.signal(getattr(signal, name), lambda _number, _frame: self._shut_down())

    # What clients can ask for -------------------------------------------------------------------------------------

    def override_settings(self, settings: Mapping[str, object]) -> None:
        """Settings that stand in no file, from a client's environment or surface."""
        if self._loop.override_settings(settings):
            self._schedule.request_check()

    def index_saved_files(self, paths: list[str]) -> None:
        """These files or folders were saved, made or removed; what is not inside the project is passed over."""
        inside = [plain for path in paths if (plain := normalize_path(path))]
        if inside:
            self._schedule.request_compare(inside, saved=True)

    def control(self, action: ControlAction) -> None:
        """Starts, pauses, resumes or rebuilds."""
        if action == "pause":
            self._schedule.pause()
            self._loop.stop_prefetching()
        elif action == "rebuild":
            self._schedule.request_full_compare(reset=True)
        else:
            self._embedding.retry_failed_models()
            self._schedule.resume()
        self._status.set_paused(self._schedule.paused)

    def request_sync(self) -> int:
        """Asks for the index to be made current; returns the number to wait for."""
        return self._schedule.request_check()

    def is_settled(self, number: int, *, vectors: bool) -> bool:
        """Whether all up to that number is done, or will not be done for now. vectors: those of a slow model too."""
        done = self._schedule.settled_number >= number and not self._embedding.has_pending_work(slow=vectors)
        return (done and not self._history.blocks_sync()) or self._schedule.paused

    def encode_query(self, identity: str, query: str) -> bytes:
        """A question's vector. Raises ModelUnavailable. From any thread."""
        return self._embedding.encode_query(identity, query).astype("<f4").tobytes()

    def state(self) -> IndexState:
        """The state as of now."""
        return self._status.current()

    # Told by the threads ------------------------------------------------------------------------------------------

    def _publish(self, state: IndexState) -> None:
        if self._server is not None:
            self._server.publish_state(state)

    def _show_embedding_failure(self, error: Exception) -> None:
        self._status.set_failure(describe_indexing_failure(error, self._project))

    def _answer_settled_syncs(self) -> None:
        if self._server is not None:
            self._server.answer_settled_syncs()


def normalize_path(path: str) -> str:
    """A relative path in its plain form; empty when it leads out of the project or is none."""
    parts = PurePosixPath(path).parts
    outside = path.startswith("/") or ".." in parts or "\0" in path
    return "" if outside else "/".join(parts)


def _file_signature(path: Path) -> tuple[int, int] | None:
    """Changes when the file does; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _detach_stderr() -> None:
    """Lets go of the standard error of whoever started it, who hears of it over the channel from here on."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, sys.stderr.fileno())
        os.close(nothing)


if __name__ == "__main__":
    sys.exit(main())
