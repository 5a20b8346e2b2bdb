"""The indexer as its clients see it: always there, its state known at once, started anew when it dies."""

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
from scry.index.channel import (
    Action,
    Control,
    Encode,
    Encoded,
    Replaced,
    Reply,
    Request,
    Settled,
    State,
    Sync,
    Told,
    changed_messages,
)
from scry.index.link import Link, LinkLost, Waker
from scry.index.project import Project
from scry.index.reach import Gone, Reach

log = logging.getLogger(__name__)

CONTROL_WITHIN_S = 2.0
"""So long `control` waits for the indexer's answer."""

REST_S = (5.0, 15.0, 60.0)
"""Seconds until an indexer that could not be started is tried again, after the first, second … time in a row."""

_LOOK_EVERY_S = 1.0
_MOST_UNSENT = 1000
_CLOSE_S = 1.0

Listener = Callable[[IndexState], None]


class _TakenOver(Exception):
    """An indexer of another version takes the place of ours."""


class Indexer:
    """A client of the project's indexer. Every method may be called from any thread."""

    @classmethod
    def connect(cls, project: Project, settings: Settings, *, start: bool = True) -> Indexer:
        """Connects in the background and returns at once. start: start an indexer where none runs."""
        indexer = cls(project, settings, start=start)
        indexer._thread.start()
        return indexer

    def __init__(self, project: Project, settings: Settings, *, start: bool) -> None:
        """Use `connect`."""
        self._project = project
        self._settings = settings
        self._start = start
        self._waker = Waker()
        self._reach = Reach(project, settings, self._waker, lambda: self._closed)
        self._changed = threading.Condition()
        self._state = IndexState()
        self._listeners: list[Listener] = []
        self._outbox: deque[Request] = deque()
        self._unanswered: dict[int, Request] = {}
        self._answers: dict[int, IndexState] = {}
        self._encoded: dict[int, Encoded] = {}
        self._ids = 0
        self._pid = 0
        self._paused = False
        self._given_up = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)

    # For the engine -----------------------------------------------------------------------------------------------

    def state(self) -> IndexState:
        """The newest state that is known; `starting` until the indexer was heard."""
        return self._state

    def changed(self, paths: Sequence[str]) -> None:
        """These files or folders, relative to the root, were saved, made or removed."""
        with self._changed:
            if len(self._outbox) < _MOST_UNSENT:  # else nobody has listened for long, and will compare everything
                self._outbox.extend(changed_messages(paths))
        self._waker.call()

    def control(self, action: Action) -> IndexState:
        """Starts, pauses, resumes or rebuilds; returns the state after that, or the newest known if that takes long."""
        self._try_again()
        return self._ask(lambda number: Control(number, action), CONTROL_WITHIN_S, None)

    def subscribe(self, listener: Listener) -> None:
        """Calls the listener with each new state, from the indexer's own thread; it must not wait for the indexer."""
        with self._changed:
            self._listeners.append(listener)

    def encode(self, identity: str, query: str, timeout: float) -> bytes:
        """A question's vector by an embedder that only the indexer has: little-endian single precision numbers.

        timeout: seconds. Raises ModelUnavailable.
        """
        number = self._post(lambda number: Encode(number, identity, query))
        with self._changed:
            self._changed.wait_for(lambda: number in self._encoded or self._given_up or self._closed, timeout)
            self._unanswered.pop(number, None)
            answer = self._encoded.pop(number, None)
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
        """Waits until all files as they are now are searchable and returns the state.

        vectors: also for those of a model that takes long; the bundled one's are waited for anyway.

        It is another than `ready` when that did not come about: paused, failed (its message says why), or whatever it
        was when the timeout (seconds) had passed. progress: called with each new state, from the caller's thread.
        """
        self._try_again()
        return self._ask(lambda number: Sync(number, vectors), timeout, progress)

    def close(self) -> None:
        """Lets the indexer go; it ends by itself when nobody else needs it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._waker.call()
        if self._thread is not threading.current_thread():
            self._thread.join(_CLOSE_S)

    # Requests and their answers -----------------------------------------------------------------------------------

    def _try_again(self) -> None:
        """Has an indexer that was given up tried again."""
        with self._changed:
            if self._given_up:
                self._given_up = False
                self._reach.forgive()
        self._waker.call()

    def _ask(
        self, make: Callable[[int], Request], timeout: float | None, progress: Callable[[IndexState], None] | None
    ) -> IndexState:
        deadline = None if timeout is None else time.monotonic() + timeout
        number = self._post(make)
        told: IndexState | None = None
        while True:
            with self._changed:
                if self._is_over(number) or (deadline is not None and time.monotonic() >= deadline):
                    return self._take_answer(number)
                if told is self._state:
                    self._changed.wait(None if deadline is None else deadline - time.monotonic())
                state = self._state
            if progress is not None and state is not told:
                progress(state)
            told = state

    def _post(self, make: Callable[[int], Request]) -> int:
        with self._changed:
            self._ids += 1
            self._unanswered[self._ids] = make(self._ids)
            self._outbox.append(self._unanswered[self._ids])
            number = self._ids
        self._waker.call()
        return number

    def _is_over(self, number: int) -> bool:
        return number in self._answers or self._given_up or self._closed

    def _take_answer(self, number: int) -> IndexState:
        request = self._unanswered.pop(number, None)
        if request is not None and request in self._outbox:
            self._outbox.remove(request)
        return self._answers.pop(number, self._state)

    # The thread ---------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        failures = 0
        while not self._closed:
            try:
                link = self._find()
            except Gone:
                break
            except IndexUnavailable as error:
                self._give_up(str(error), REST_S[min(failures, len(REST_S) - 1)])
                failures += 1
                continue
            if link is not None:
                failures = 0
                self._converse(link)
        self._waker.close()

    def _show_recorded(self) -> None:
        """Shows what the index on disk says of itself, so that its counts are known before an indexer is heard."""
        if self._state != IndexState():
            return
        from scry.store.index_store import IndexStore

        try:
            store = IndexStore.open(self._project.cache, write=False)
        except IndexUnavailable:
            return
        try:
            self._show(replace(store.state(), state="starting"))
        finally:
            store.close()

    def _find(self) -> Link | None:
        link = self._reach.running()
        if link is not None:
            return link
        if self._start:
            return self._reach.new(self._show_recorded)
        self._show_recorded()
        self._waker.wait(_LOOK_EVERY_S)
        return None

    def _converse(self, link: Link) -> None:
        self._resume(link.welcome.pid)
        try:
            while not self._closed:
                link.send(self._to_send())
                replies = link.receive() if link.wait(self._waker) else []
                for reply in replies:
                    self._hear(reply)
        except LinkLost:
            self._show(replace(self._state, state="starting", message="The indexer has ended; it is started again."))
        except _TakenOver as error:
            self._give_up(str(error), None)
        finally:
            link.close()

    def _resume(self, pid: int) -> None:
        """Asks a new indexer for all that the last one did not answer, and to pause if that one was paused."""
        with self._changed:
            self._given_up = False
            asked = list(self._unanswered.values())
            others = [request for request in self._outbox if request not in asked]
            paused = self._paused and self._pid not in (0, pid)
            told = self._settings.told()
            first: list[Request] = [Told(told)] if told else []
            first += [Control(0, "pause")] if paused else []
            self._outbox = deque([*first, *asked, *others])
            self._pid = pid

    def _to_send(self) -> list[Request]:
        with self._changed:
            requests = list(self._outbox)
            self._outbox.clear()
        return requests

    def _hear(self, reply: Reply) -> None:
        if isinstance(reply, State | Settled):
            self._paused = reply.state.state == "paused"
        if isinstance(reply, State):
            self._show(reply.state)
            self._take(reply.answers, reply.state)
        elif isinstance(reply, Settled):
            self._take(reply.id, reply.state)
        elif isinstance(reply, Encoded):
            self._take_vector(reply)
        elif isinstance(reply, Replaced):
            raise _TakenOver(
                f"Scry {reply.version} has taken over the index of this project. Restart this one to update it."
            )

    def _take(self, request: int | None, answer: IndexState) -> None:
        with self._changed:
            if request is not None and self._unanswered.pop(request, None) is not None:
                self._answers[request] = answer
                self._changed.notify_all()

    def _take_vector(self, answer: Encoded) -> None:
        with self._changed:
            if self._unanswered.pop(answer.id, None) is not None:
                self._encoded[answer.id] = answer
                self._changed.notify_all()

    def _show(self, state: IndexState) -> None:
        with self._changed:
            new = state != self._state
            if new:
                self._state = state
            self._changed.notify_all()
            listeners = list(self._listeners) if new else []
        for listener in listeners:
            try:
                listener(state)
            except Exception:
                log.exception("a listener failed")

    def _give_up(self, words: str, rest: float | None) -> None:
        """Says why there is no indexer; rests so many seconds, for ever when None, or until someone asks for it."""
        with self._changed:
            self._given_up = True
        self._show(replace(self._state, state="failed", message=words))
        until = None if rest is None else time.monotonic() + rest
        while self._given_up and not self._closed:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return
            self._waker.wait(left)
