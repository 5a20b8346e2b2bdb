"""Connect to a project's indexer: send requests, follow its state, restart it when it dies."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from scry.core.errors import IndexUnavailable, ModelUnavailable
from scry.core.settings import Settings
from scry.core.types import IndexState
from scry.indexer.client.connection import ClientClosed, ConnectionLost, IndexerConnection, IndexerConnector, Waker
from scry.indexer.protocol import (
    ClientMessage,
    ControlAction,
    ControlRequest,
    EncodeReply,
    EncodeRequest,
    IndexerMessage,
    NewestCommitsRequest,
    ReplacedMessage,
    SettingsOverrides,
    StateMessage,
    SyncReply,
    SyncRequest,
    make_paths_changed,
)
from scry.projects.project import Project

log = logging.getLogger(__name__)

CONTROL_TIMEOUT_S = 30.0
"""Time for which `control` waits for the indexer's answer: what a person asked for is not given up while the indexer
still starts, or is kept from the processor.
"""

REPAIR_TIMEOUT_S = 2.0
"""The same for a repair, which an answer asks for before it is given."""

RESTART_DELAYS_S = (5.0, 15.0, 60.0)
"""Delays in seconds before the next try after an indexer could not be started the first, second … time in a row."""

_RETRY_INTERVAL_S = 1.0
_MAX_UNSENT_REQUESTS = 1000
_CLOSE_TIMEOUT_S = 1.0

StateListener = Callable[[IndexState], None]


class _Superseded(Exception):
    """An indexer of another version takes the place of this client's one."""


class IndexerClient:
    """A client of the project's indexer. Every method may be called from any thread.

    One thread holds the connection. Requests wait in an outbox and in `_unanswered`, so that an indexer that dies gets
    them again after its restart.
    """

    @classmethod
    def connect(cls, project: Project, settings: Settings, *, start: bool = True) -> IndexerClient:
        """Connect in the background and return at once. start: start an indexer where none runs."""
        indexer = cls(project, settings, start=start)
        indexer._thread.start()
        return indexer

    def __init__(self, project: Project, settings: Settings, *, start: bool) -> None:
        """Make an unconnected client; callers use `connect`."""
        self._project = project
        self._settings = settings
        self._start = start
        self._waker = Waker()
        self._connector = IndexerConnector(project, settings, self._waker, lambda: self._closed)
        self._condition = threading.Condition()
        self._state = IndexState()
        self._listeners: list[StateListener] = []
        self._outbox: deque[ClientMessage] = deque()
        self._unanswered: dict[int, ClientMessage] = {}
        self._answers: dict[int, IndexState] = {}
        self._encoded: dict[int, EncodeReply] = {}
        self._last_id = 0
        self._indexer_pid = 0
        self._paused = False
        self._given_up = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)

    # Requests of the engine ---------------------------------------------------------------------------------------

    def state(self) -> IndexState:
        """Return the newest known state; `starting` before the first message of the indexer."""
        return self._state

    def report_changed_paths(self, paths: Sequence[str]) -> None:
        """Report files or folders, relative to the root, that were saved, created or removed."""
        with self._condition:
            if (
                len(self._outbox) < _MAX_UNSENT_REQUESTS
            ):  # else no indexer has read for long; the next one compares the whole tree
                self._outbox.extend(make_paths_changed(paths))
        self._waker.wake()

    def request_newest_commits(self) -> None:
        """Have the newest commits read beside other work, where none was read yet."""
        with self._condition:
            if len(self._outbox) < _MAX_UNSENT_REQUESTS:
                self._outbox.append(NewestCommitsRequest())
        self._waker.wake()

    def control(self, action: ControlAction) -> IndexState:
        """Start, pause, resume, rebuild or repair; return the state after that, or the newest known state after
        CONTROL_TIMEOUT_S or REPAIR_TIMEOUT_S.
        """
        self._retry_after_failure()
        timeout = REPAIR_TIMEOUT_S if action == "repair" else CONTROL_TIMEOUT_S
        return self._request_state(lambda request_id: ControlRequest(request_id, action), timeout, None)

    def subscribe(self, listener: StateListener) -> None:
        """Call the listener with each new state, from this client's thread; it must not wait for the indexer."""
        with self._condition:
            self._listeners.append(listener)

    def encode_query(self, identity: str, query: str, timeout: float) -> bytes:
        """Return the vector of a query by an embedder that only the indexer has loaded, as little-endian float32 bytes.

        timeout: seconds. Raises ModelUnavailable.
        """
        request_id = self._queue_request(lambda request_id: EncodeRequest(request_id, identity, query))
        with self._condition:
            self._condition.wait_for(lambda: request_id in self._encoded or self._given_up or self._closed, timeout)
            self._unanswered.pop(request_id, None)
            answer = self._encoded.pop(request_id, None)
        if answer is None:
            raise ModelUnavailable(f"The indexer has not encoded the question within {timeout:.1f} s.")
        if answer.problem:
            raise ModelUnavailable(answer.problem)
        return answer.vector

    def wait_until_current(
        self,
        timeout: float | None = None,
        progress: Callable[[IndexState], None] | None = None,
        *,
        vectors: bool = False,
    ) -> IndexState:
        """Wait until all files as they are now are searchable, and return the state.

        vectors: wait for the vectors of a slow model, too; those of the bundled model are always waited for. progress:
        called with each new state, from the caller's thread.

        The state is not `ready` where the index did not become current: paused, failed (its message has the reason), or
        the latest state when `timeout` (seconds) has passed.
        """
        self._retry_after_failure()
        return self._request_state(lambda request_id: SyncRequest(request_id, vectors), timeout, progress)

    def close(self) -> None:
        """Disconnect from the indexer, which ends by itself when it has no other client."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        self._waker.wake()
        if self._thread is not threading.current_thread():
            self._thread.join(_CLOSE_TIMEOUT_S)

    # Requests and their answers -----------------------------------------------------------------------------------

    def _retry_after_failure(self) -> None:
        """Try again to start an indexer that was given up."""
        with self._condition:
            if self._given_up:
                self._given_up = False
                self._connector.reset_failures()
        self._waker.wake()

    def _request_state(
        self, make: Callable[[int], ClientMessage], timeout: float | None, progress: Callable[[IndexState], None] | None
    ) -> IndexState:
        deadline = None if timeout is None else time.monotonic() + timeout
        request_id = self._queue_request(make)
        reported: IndexState | None = None
        while True:
            with self._condition:
                if self._is_answered(request_id) or (deadline is not None and time.monotonic() >= deadline):
                    return self._take_answer(request_id)
                if reported is self._state:
                    self._condition.wait(None if deadline is None else deadline - time.monotonic())
                state = self._state
            if progress is not None and state is not reported:
                progress(state)
            reported = state

    def _queue_request(self, make: Callable[[int], ClientMessage]) -> int:
        with self._condition:
            self._last_id += 1
            self._unanswered[self._last_id] = make(self._last_id)
            self._outbox.append(self._unanswered[self._last_id])
            request_id = self._last_id
        self._waker.wake()
        return request_id

    def _is_answered(self, request_id: int) -> bool:
        return request_id in self._answers or self._given_up or self._closed

    def _take_answer(self, request_id: int) -> IndexState:
        request = self._unanswered.pop(request_id, None)
        if request is not None and request in self._outbox:
            self._outbox.remove(request)
        return self._answers.pop(request_id, self._state)

    # The thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        failures = 0
        while not self._closed:
            try:
                connection = self._find_connection()
            except ClientClosed:
                break
            except IndexUnavailable as error:
                self._wait_after_failure(str(error), RESTART_DELAYS_S[min(failures, len(RESTART_DELAYS_S) - 1)])
                failures += 1
                continue
            if connection is not None:
                failures = 0
                self._exchange_messages(connection)
        self._waker.close()

    def _show_stored_state(self) -> None:
        """Show the state stored in the index on disk, so that its counts are known before the indexer's first
        message.
        """
        if self._state != IndexState():
            return
        from scry.store.index.store import IndexStore

        try:
            store = IndexStore.open(self._project.cache, write=False)
        except IndexUnavailable:
            return
        try:
            self._set_state(replace(store.state(), state="starting"))
        finally:
            store.close()

    def _find_connection(self) -> IndexerConnection | None:
        connection = self._connector.connect_if_running()
        if connection is not None:
            return connection
        if self._start:
            return self._connector.start_and_connect(self._show_stored_state)
        self._show_stored_state()
        self._waker.wait(_RETRY_INTERVAL_S)
        return None

    def _exchange_messages(self, connection: IndexerConnection) -> None:
        self._resend_unanswered(connection.welcome.pid)
        try:
            while not self._closed:
                connection.send(self._drain_outbox())
                replies = connection.receive() if connection.wait(self._waker) else []
                for reply in replies:
                    self._handle_message(reply)
        except ConnectionLost:
            self._set_state(
                replace(self._state, state="starting", message="The indexer has ended; it is started again.")
            )
        except _Superseded as error:
            self._wait_after_failure(str(error), None)
        finally:
            connection.close()

    def _resend_unanswered(self, pid: int) -> None:
        """Queue for a new indexer all requests that the last one did not answer, and a pause if that one was paused."""
        with self._condition:
            self._given_up = False
            unanswered = list(self._unanswered.values())
            others = [request for request in self._outbox if request not in unanswered]
            paused = self._paused and self._indexer_pid not in (0, pid)
            first: list[ClientMessage] = [SettingsOverrides(self._settings.overrides())]
            first += [ControlRequest(0, "pause")] if paused else []
            self._outbox = deque([*first, *unanswered, *others])
            self._indexer_pid = pid

    def _drain_outbox(self) -> list[ClientMessage]:
        with self._condition:
            requests = list(self._outbox)
            self._outbox.clear()
        return requests

    def _handle_message(self, reply: IndexerMessage) -> None:
        if isinstance(reply, StateMessage | SyncReply):
            self._paused = reply.state.state == "paused"
        if isinstance(reply, StateMessage):
            self._set_state(reply.state)
            self._store_answer(reply.answers, reply.state)
        elif isinstance(reply, SyncReply):
            self._store_answer(reply.id, reply.state)
        elif isinstance(reply, EncodeReply):
            self._store_vector(reply)
        elif isinstance(reply, ReplacedMessage):
            raise _Superseded(
                f"Scry {reply.version} has taken over the index of this project. Restart this one to update it."
            )

    def _store_answer(self, request: int | None, answer: IndexState) -> None:
        with self._condition:
            if request is not None and self._unanswered.pop(request, None) is not None:
                self._answers[request] = answer
                self._condition.notify_all()

    def _store_vector(self, answer: EncodeReply) -> None:
        with self._condition:
            if self._unanswered.pop(answer.id, None) is not None:
                self._encoded[answer.id] = answer
                self._condition.notify_all()

    def _set_state(self, state: IndexState) -> None:
        with self._condition:
            new = state != self._state
            if new:
                self._state = state
            self._condition.notify_all()
            listeners = list(self._listeners) if new else []
        for listener in listeners:
            try:
                listener(state)
            except Exception:
                log.exception("a listener failed")

    def _wait_after_failure(self, message: str, delay: float | None) -> None:
        """Show why there is no indexer; wait `delay` seconds (for ever when None), or until someone asks for the
        indexer.
        """
        with self._condition:
            self._given_up = True
        self._set_state(replace(self._state, state="failed", message=message))
        until = None if delay is None else time.monotonic() + delay
        while self._given_up and not self._closed:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return
            self._waker.wait(left)
