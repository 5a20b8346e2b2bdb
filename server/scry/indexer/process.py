"""Run the indexer of one project: `python -m scry.indexer.process --root ROOT [--force] [--set JSON]`.

A client that finds no indexer starts this process (`scry.indexer.client.launch`). One process per project works; a
second one ends at once and quietly. The process ends when it has had no client for a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path, PurePosixPath

from scry.core.decoding import decode_json
from scry.core.errors import ScryError
from scry.core.heap import limit_heap
from scry.core.platform import (
    call_on_signals,
    config_home,
    lower_priority,
    make_private_folder,
    write_for_this_user_alone,
)
from scry.core.settings import SETTINGS_FILE_NAME
from scry.core.types import IndexState
from scry.indexer.embedding_worker import EmbeddingWorker
from scry.indexer.freshness import index_format_version, read_outside_rules
from scry.indexer.graph_worker import GraphWorker
from scry.indexer.history_worker import HistoryWorker
from scry.indexer.idle.integrity import IntegrityWorker
from scry.indexer.idle.usage import UsageWorker
from scry.indexer.lifetime import IdleShutdown, IndexerLock
from scry.indexer.loop import IndexingLoop, describe_indexing_failure
from scry.indexer.prefetch import ForkedPrefetcher, available_cpus, fork_prefetcher
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
"""Interval of the checks whether the cache folder, and with it the lock, still exists, and whether the person's
settings changed, or the ignore rules from outside the project.
"""

_LAST_BATCH_TIMEOUT_S = 30.0
"""Time for the current batch at the end. The index survives when the batch is cut off."""

_BACKGROUND_TIMEOUT_S = 2.0
"""Time for the loading of a model or a git command at the end, which nothing can cut short. Their results are published
in steps.
"""

EXIT_CANNOT_START = 3
"""Exit status of a process that cannot work at all; the last line of its standard error is the reason."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until no client needs the indexer; return the exit status."""
    options = _parse_arguments(arguments)
    lower_priority(_NICENESS)  # the editor goes first
    try:
        project = open_project(Path(options.root), force=options.force)
        _prepare_cache_folder(project.cache, project.root)
        forked = fork_prefetcher() if available_cpus() > 1 and not (project.cache / "index.sqlite").exists() else None
        lock = IndexerLock.acquire(project.cache / LOCK_FILE)
    except ScryError as error:
        return _report_start_failure(str(error))
    except OSError as error:
        return _report_start_failure(f"The cache folder can't be written: {error}")
    if lock is None:
        return 0
    limit_heap()
    try:
        overrides = decode_json(os.fsencode(options.set), dict[str, object])
        return asyncio.run(_IndexerProcess(project, lock, overrides, forked).run())
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
    """Create the cache folder, readable for this user only, and start the log in it. Raises OSError."""
    write_for_this_user_alone()
    make_private_folder(cache)
    write_owner_file(cache, root)
    handler = RotatingFileHandler(
        cache / LOG_FILE, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", errors="backslashreplace"
    )
    layout = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=layout, handlers=[handler])
    logging.getLogger("watchfiles").setLevel(logging.WARNING)


def _report_start_failure(message: str) -> int:
    print(message, file=sys.stderr)
    return EXIT_CANNOT_START


class _IndexerProcess:
    """The parts of one indexer and their connections. Runs in the event loop."""

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
            self._schedule,
            busy=lambda: self._embedding.has_pending_work(slow=False) or self._history.blocks_graph(),
            on_updated=self._status.set_graph,
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
        self._integrity = IntegrityWorker(
            project,
            self._schedule,
            busy=lambda: self._embedding.has_pending_work(slow=True) or self._history.blocks_sync(),
            seal_index=self._loop.seal_index,
        )
        self._usage = UsageWorker(
            project,
            self._schedule,
            busy=lambda: self._embedding.has_pending_work(slow=True) or self._history.blocks_sync(),
            model=lambda: self._status.current().model,
            overrides=self._loop.current_overrides,
        )

    async def run(self) -> int:
        """Serve clients until there is a reason to end; return the exit status."""
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
        self._integrity.start()
        self._usage.start()
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
        seen = await self._read_outside_inputs()
        while not self._ending.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _LOCK_CHECK_INTERVAL_S)
            if not self._lock.is_valid():
                log.warning("the cache folder was removed: ending")
                self._ending.set()
            if (inputs := await self._read_outside_inputs()) != seen:
                seen = inputs
                self._schedule.request_check()

    async def _read_outside_inputs(self) -> object:
        """Return a value that changes with the person's settings and with the ignore rules from outside the project."""
        read = asyncio.get_running_loop().run_in_executor
        rules = await read(None, read_outside_rules, self._project.root)
        return _file_signature(config_home() / SETTINGS_FILE_NAME), rules

    async def _close(self, address: IndexerAddress) -> None:
        log.info("ending")
        self._schedule.stop()
        self._embedding.close()
        self._history.close()
        self._graph.close()
        self._integrity.close()
        self._usage.close()
        self._watcher.close()
        if self._server is not None:
            self._server.close()
        remove_address(self._project.cache, address)
        background = (self._embedding, self._history, self._graph, self._integrity, self._usage)
        for thread, timeout in (
            *((each, _BACKGROUND_TIMEOUT_S) for each in background),
            (self._loop, _LAST_BATCH_TIMEOUT_S),
        ):
            await asyncio.get_running_loop().run_in_executor(None, thread.join, timeout)
        if self._loop.is_alive() or any(each.is_alive() for each in background):
            log.warning("the last batch took too long: cut off")
            os._exit(int(self._loop.is_alive()))  # this releases the lock; joining the thread would wait on

    # Shutdown -----------------------------------------------------------------------------------------------------

    def _shut_down(self) -> None:
        if self._ending is not None:
            self._ending.set()

    def _shut_down_on_signals(self) -> None:
        call_on_signals(asyncio.get_running_loop(), ("SIGTERM", "SIGINT"), self._shut_down)

    # Requests of clients ------------------------------------------------------------------------------------------

    def override_settings(self, settings: Mapping[str, object]) -> None:
        """Use these settings, which are in no file; they come from a client's environment or surface."""
        if self._loop.override_settings(settings):
            self._schedule.request_check()

    def index_saved_files(self, paths: list[str]) -> None:
        """Index these files or folders, which were saved, created or removed; paths outside the project are ignored."""
        inside = [plain for path in paths if (plain := normalize_path(path))]
        if inside:
            self._schedule.request_compare(inside, saved=True)

    def control(self, action: ControlAction) -> None:
        """Start, pause, resume, rebuild or repair."""
        if action == "repair":
            self._schedule.request_repair()
            self._integrity.request_check()
            return
        if action == "pause":
            self._schedule.pause()
            self._loop.stop_prefetching()
        elif action == "rebuild":
            self._schedule.request_full_compare(reset=True)
        else:
            self._embedding.retry_failed_models()
            self._schedule.resume()
        self._status.set_paused(self._schedule.paused)

    def read_newest_commits(self) -> None:
        """Read the newest commits beside other work, where none was read yet."""
        self._history.read_newest_commits()

    def request_sync(self) -> int:
        """Request that the index be made current; return the number of the request."""
        return self._schedule.request_check()

    def is_settled(self, number: int, *, vectors: bool) -> bool:
        """Return whether all requests up to `number` are done, or will not be done for now.

        vectors: include the vectors of a slow model.
        """
        done = self._schedule.settled_number >= number and not self._embedding.has_pending_work(slow=vectors)
        return (done and not self._history.blocks_sync()) or self._schedule.paused

    def encode_query(self, identity: str, query: str) -> bytes:
        """Return the vector of a query as little-endian float32 bytes. Raises ModelUnavailable. May be called from any
        thread.
        """
        return self._embedding.encode_query(identity, query).astype("<f4").tobytes()

    def state(self) -> IndexState:
        """Return the current state."""
        return self._status.current()

    # Calls from the threads ---------------------------------------------------------------------------------------

    def _publish(self, state: IndexState) -> None:
        if self._server is not None:
            self._server.publish_state(state)

    def _show_embedding_failure(self, error: Exception) -> None:
        self._status.set_failure(describe_indexing_failure(error, self._project))

    def _answer_settled_syncs(self) -> None:
        if self._server is not None:
            self._server.answer_settled_syncs()


def normalize_path(path: str) -> str:
    """Return a relative path in its plain form; empty when it leads out of the project or is no path."""
    parts = PurePosixPath(path).parts
    outside = path.startswith("/") or ".." in parts or "\0" in path
    return "" if outside else "/".join(parts)


def _file_signature(path: Path) -> tuple[int, int] | None:
    """Return a value that changes when the file does; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _detach_stderr() -> None:
    """Close the standard error of the process that started this one; from here on it gets failures over the
    connection.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, sys.stderr.fileno())
        os.close(null)


if __name__ == "__main__":
    sys.exit(main())
