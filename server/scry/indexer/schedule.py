"""Schedule indexing tasks: debounce changes, merge requests, let saved files go first.

Clients and the watcher add requests; the indexing loop takes tasks. Requests that come close together become one task.
While a pass over the whole tree runs, a few files that someone has just saved go first. Nothing here reads a file, and
the clock is a parameter.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from msgspec import Struct

from scry.core.errors import Cancelled

DEBOUNCE_S = 0.03
"""Time without a further change before a change is indexed: an editor's save is often two or three changes."""

SAVED_DEBOUNCE_S = 0.005
"""The same time for a file that an editor reported as saved; several are often saved at once."""

MAX_DEBOUNCE_S = 0.1
"""Maximum time from the first change on, so that a steady stream of changes delays nothing."""

MAX_CHANGED_PATHS = 1000
"""Number of changed paths from which on comparing the whole tree costs less than looking at each."""

_POLL_INTERVAL_S = 0.1
"""Time between two looks of a waiting worker at whether its work is to end."""

MAX_PRIORITY_FILES = 16
"""Maximum number of saved files that go before a pass over the whole tree; more are a branch switch, not a person."""

MIN_INTERRUPT_INTERVAL_S = 2.0
"""Minimum time between two interruptions of a pass over the whole tree, so that it comes to its end."""

RETRY_AFTER_CHANGE_S = 1.0
"""Delay of the next try after a failure when a file has changed since."""


class IndexingTask(Struct, frozen=True):
    """A unit of work taken from the schedule; its parts are done in the order of the fields.

    number: all requests up to this one are settled when the task is done. repair: look for damage first, and make what
    is damaged anew. reset: clear the index first. whole: compare the whole tree. paths: compare these. check: compare
    the whole tree if anything differs from the files.
    """

    number: int
    repair: bool = False
    reset: bool = False
    whole: bool = False
    paths: frozenset[str] = frozenset()
    check: bool = False


class Schedule:
    """The pending work. Every method may be called from any thread; `wait_for_task` and `checkpoint` are for the
    indexing loop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a clock of monotonic seconds."""
        self._clock = clock
        self._condition = threading.Condition()
        self._repair = self._reset = self._whole = self._check = False
        self._paths: set[str] = set()
        self._saved: set[str] = set()
        self._number = self._settled = 0
        self._first_change = self._last_change = 0.0
        self._failed_at = self._retry_at = self._interrupt_at = 0.0
        self._paused = self._suspended = self._stopping = False
        self._running: IndexingTask | None = None

    # Requests -----------------------------------------------------------------------------------------------------

    def request_full_compare(self, *, reset: bool = False) -> int:
        """Request a comparison of the whole tree, after clearing the index if `reset`; return the request's number."""
        with self._condition:
            self._whole = True
            self._reset = self._reset or reset
            self._paused = self._paused and not reset
            return self._count_request()

    def request_repair(self) -> int:
        """Request a search for damage, with what follows from it, and a comparison of the whole tree; return the
        request's number.
        """
        with self._condition:
            self._repair = self._whole = True
            self._retry_at = 0.0
            return self._count_request()

    def request_compare(self, paths: Iterable[str], *, saved: bool = False) -> int:
        """Request a comparison of these paths; return the request's number. saved: before a pass over the whole
        tree.
        """
        with self._condition:
            now = self._clock()
            if not self._paths and not self._saved:
                self._first_change = now
            self._last_change = now
            (self._saved if saved else self._paths).update(paths)
            if len(self._paths) + len(self._saved) > MAX_CHANGED_PATHS:
                self._whole = True
                self._paths.clear()
                self._saved.clear()
            self._retry_at = min(self._retry_at, self._failed_at + RETRY_AFTER_CHANGE_S)
            return self._count_request()

    def request_check(self) -> int:
        """Request a check whether the index is current, and an update if not, at once even after a failure; return its
        number.
        """
        with self._condition:
            self._check = True
            self._retry_at = 0.0
            return self._count_request()

    def _count_request(self) -> int:
        self._number += 1
        self._condition.notify_all()
        return self._number

    def pause(self) -> None:
        """Start no task, and hold the running one at its next checkpoint, until `resume`."""
        with self._condition:
            self._paused = True

    def resume(self) -> None:
        """Continue, at once even after a failure."""
        with self._condition:
            self._paused = False
            self._retry_at = 0.0
            self._condition.notify_all()

    def set_suspended(self, *, suspended: bool) -> None:
        """Hold work as `pause` does, without showing it as a state: no person asked for it."""
        with self._condition:
            self._suspended = suspended
            self._condition.notify_all()

    def stop(self) -> None:
        """Start no task any more, and cancel the running one at its next checkpoint."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()

    # State --------------------------------------------------------------------------------------------------------

    @property
    def paused(self) -> bool:
        """Whether the last call was `pause`, not `resume`."""
        return self._paused

    @property
    def stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping

    @property
    def pending(self) -> bool:
        """Whether there is work that no task holds."""
        with self._condition:
            return self._has_work()

    @property
    def busy(self) -> bool:
        """Whether a task runs or is pending."""
        with self._condition:
            return self._running is not None or self._has_work()

    @property
    def settled_number(self) -> int:
        """The number of the last settled request: it and all before it are done, or their task has failed."""
        return self._settled

    def _has_work(self) -> bool:
        return bool(self._repair or self._reset or self._whole or self._check or self._paths or self._saved)

    # Tasks --------------------------------------------------------------------------------------------------------

    def wait_for_task(self) -> IndexingTask | None:
        """Wait until a task is due and return it; None after `stop`."""
        with self._condition:
            while not self._stopping:
                wait = self.seconds_until_task()
                if wait is not None and wait <= 0:
                    self._running = self._collect_task()
                    return self._running
                self._condition.wait(wait)
            return None

    def seconds_until_task(self) -> float | None:
        """Return the seconds until a task is due; None when only a request can change that."""
        with self._condition:
            if self._is_halted() or not self._has_work():
                return None
            ready = self._retry_at
            if not (self._repair or self._reset or self._whole or self._check):
                ready = max(ready, self._debounced_at())
            return ready - self._clock()

    def _debounced_at(self) -> float:
        debounce = SAVED_DEBOUNCE_S if 0 < len(self._saved) <= MAX_PRIORITY_FILES else DEBOUNCE_S
        return min(self._last_change + debounce, self._first_change + MAX_DEBOUNCE_S)

    def _collect_task(self) -> IndexingTask:
        if self._whole and not (self._reset or self._repair) and 0 < len(self._saved) <= MAX_PRIORITY_FILES:
            saved_task = IndexingTask(self._settled, paths=frozenset(self._saved))
            self._saved.clear()
            return saved_task
        paths: frozenset[str] = frozenset() if self._whole else frozenset(self._paths | self._saved)
        check = self._check and not self._whole
        task = IndexingTask(self._number, self._repair, self._reset, self._whole, paths, check)
        self._repair = self._reset = self._whole = self._check = False
        self._paths.clear()
        self._saved.clear()
        return task

    def checkpoint(self) -> None:
        """Wait while paused; raise Cancelled when the running task has to yield. Called by that task between
        batches.
        """
        with self._condition:
            while self._is_halted() and not (self._stopping or self._reset):
                self._condition.wait()
            if self._stopping or self._reset or self._must_yield_to_saved():
                raise Cancelled("other work goes first")

    def _must_yield_to_saved(self) -> bool:
        """Return whether the running task is to be interrupted for saved files."""
        whole = self._running is not None and (self._running.whole or self._running.check)
        now = self._clock()
        if (
            not whole
            or not 0 < len(self._saved) <= MAX_PRIORITY_FILES
            or now < max(self._interrupt_at, self._debounced_at())
        ):
            return False
        self._interrupt_at = now + MIN_INTERRUPT_INTERVAL_S
        return True

    def wait_idle(self, timeout: float) -> bool:
        """Wait until no task runs or is pending, at most `timeout` seconds; return whether that is so, which it never
        is while paused.

        For the workers beside the indexing loop.
        """
        with self._condition:
            return self._condition.wait_for(self._is_idle, timeout)

    def wait_for_turn(
        self, busy: Callable[[], bool], check: Callable[[], None], is_urgent: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait while there are tasks, indexing is paused, or `busy` says that other work goes first.

        For the workers beside the indexing loop. check: called meanwhile and at the end; raises Cancelled when the work
        of the worker is to end. is_urgent: whether the work goes on beside all other, unless indexing is paused.
        """
        while (self._is_halted() or not is_urgent()) and (not self.wait_idle(_POLL_INTERVAL_S) or busy()):
            check()
            time.sleep(_POLL_INTERVAL_S / 10)
        check()

    def wait_undisturbed(self, seconds: float) -> bool:
        """Wait so many seconds and until a suspension ends; return whether there was no work all the while.

        For the indexing loop, between tasks.
        """
        with self._condition:
            if self._condition.wait_for(self._is_disturbed, seconds):
                return False
            self._wait_while_suspended()
            return not self._is_disturbed()

    def raise_if_disturbed(self) -> None:
        """Raise Cancelled if there is work. For the indexing loop, between tasks."""
        with self._condition:
            self._wait_while_suspended()
            if self._is_disturbed():
                raise Cancelled("other work goes first")

    def _wait_while_suspended(self) -> None:
        self._condition.wait_for(lambda: not self._suspended or self._is_disturbed())

    def _is_halted(self) -> bool:
        return self._paused or self._suspended

    def _is_disturbed(self) -> bool:
        return self._stopping or self._paused or self._has_work()

    def _is_idle(self) -> bool:
        return self._stopping or not (self._is_halted() or self._running is not None or self._has_work())

    def finish(self, task: IndexingTask) -> None:
        """Mark the task as done."""
        with self._condition:
            self._running = None
            self._settled = max(self._settled, task.number)
            self._condition.notify_all()

    def put_back(self, task: IndexingTask) -> None:
        """Make the work of a cancelled task pending again."""
        with self._condition:
            self._running = None
            self._repair = self._repair or task.repair
            self._reset = self._reset or task.reset
            self._whole = self._whole or task.whole
            self._check = self._check or task.check
            self._paths |= task.paths

    def fail(self, task: IndexingTask, delay: float) -> None:
        """Settle the requests of a failed task, and make its work pending again after `delay` seconds."""
        with self._condition:
            self.put_back(task)
            self._settled = max(self._settled, task.number)
            self._failed_at = self._clock()
            self._retry_at = self._failed_at + delay
