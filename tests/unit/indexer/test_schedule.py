from __future__ import annotations

import threading
import time

import pytest

from scry.core import Cancelled
from scry.indexer import (
    MAX_CHANGED_PATHS,
    MAX_DEBOUNCE_S,
    MAX_PRIORITY_FILES,
    MIN_INTERRUPT_INTERVAL_S,
    RETRY_AFTER_CHANGE_S,
    SAVED_DEBOUNCE_S,
    IndexingTask,
    Schedule,
)
from scry.indexer.schedule import DEBOUNCE_S


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _take(schedule: Schedule) -> IndexingTask:
    task = schedule.wait_for_task()
    assert task is not None
    return task


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def schedule(clock: Clock) -> Schedule:
    return Schedule(clock)


def test_changes_close_together_become_one_task(schedule: Schedule, clock: Clock) -> None:
    schedule.request_compare(["a"])
    clock.now += DEBOUNCE_S / 2
    last = schedule.request_compare(["b", "a"])
    assert schedule.seconds_until_task() == pytest.approx(DEBOUNCE_S)
    clock.now += DEBOUNCE_S + 1e-6
    assert _take(schedule) == IndexingTask(last, paths=frozenset("ab"))
    assert schedule.seconds_until_task() is None


def test_saved_files_wait_less_than_branch_switches(schedule: Schedule, clock: Clock) -> None:
    schedule.request_compare(["a"], saved=True)
    assert schedule.seconds_until_task() == pytest.approx(SAVED_DEBOUNCE_S)
    clock.now += SAVED_DEBOUNCE_S / 2
    last = schedule.request_compare(["a"])
    clock.now += SAVED_DEBOUNCE_S + 1e-6
    assert _take(schedule) == IndexingTask(last, paths=frozenset("a"))
    schedule.request_compare((f"f{number}" for number in range(MAX_PRIORITY_FILES + 1)), saved=True)
    assert schedule.seconds_until_task() == pytest.approx(DEBOUNCE_S)


def test_continuous_changes_do_not_delay_a_task_forever(schedule: Schedule, clock: Clock) -> None:
    schedule.request_compare(["a"])
    for _ in range(50):
        clock.now += DEBOUNCE_S / 2
        schedule.request_compare(["a"])
    assert schedule.seconds_until_task() == pytest.approx(MAX_DEBOUNCE_S - 50 * DEBOUNCE_S / 2)


def test_full_pass_includes_pending_paths_and_checks(schedule: Schedule) -> None:
    schedule.request_compare(["a"])
    schedule.request_check()
    last = schedule.request_full_compare()
    assert _take(schedule) == IndexingTask(last, whole=True)
    assert not schedule.pending


def test_very_many_paths_become_a_full_pass(schedule: Schedule) -> None:
    schedule.request_compare(f"f{i}" for i in range(MAX_CHANGED_PATHS + 1))
    assert _take(schedule).whole


def test_saved_files_precede_a_waiting_full_pass(schedule: Schedule) -> None:
    schedule.request_full_compare()
    last = schedule.request_compare(["saved"], saved=True)
    first = _take(schedule)
    assert first == IndexingTask(0, paths=frozenset(["saved"]))
    schedule.finish(first)
    assert schedule.settled_number == 0
    second = _take(schedule)
    schedule.finish(second)
    assert second.whole
    assert schedule.settled_number == last


def test_saved_files_interrupt_a_pass_a_limited_number_of_times(schedule: Schedule, clock: Clock) -> None:
    schedule.request_full_compare()
    whole = _take(schedule)
    schedule.checkpoint()
    schedule.request_compare(["seen by the watcher"])
    clock.now += 1
    schedule.checkpoint()
    schedule.request_compare(["saved"], saved=True)
    clock.now += DEBOUNCE_S + 1e-6
    with pytest.raises(Cancelled):
        schedule.checkpoint()
    schedule.put_back(whole)
    schedule.finish(_take(schedule))
    assert _take(schedule).whole
    schedule.request_compare(["saved again"], saved=True)
    clock.now += MIN_INTERRUPT_INTERVAL_S / 2
    schedule.checkpoint()
    clock.now += MIN_INTERRUPT_INTERVAL_S / 2
    with pytest.raises(Cancelled):
        schedule.checkpoint()


def test_branch_switch_does_not_interrupt_a_pass(schedule: Schedule, clock: Clock) -> None:
    schedule.request_full_compare()
    _take(schedule)
    schedule.request_compare([f"f{i}" for i in range(MAX_PRIORITY_FILES + 1)], saved=True)
    clock.now += 1
    schedule.checkpoint()


def test_a_request_is_settled_when_its_task_is_done(schedule: Schedule, clock: Clock) -> None:
    first = schedule.request_check()
    task = _take(schedule)
    second = schedule.request_compare(["a"])
    schedule.finish(task)
    assert schedule.settled_number == first
    clock.now += 1
    schedule.finish(_take(schedule))
    assert schedule.settled_number == second
    assert not schedule.busy


def test_failure_delays_retry_and_change_shortens_the_delay(schedule: Schedule, clock: Clock) -> None:
    number = schedule.request_full_compare()
    schedule.fail(_take(schedule), 60.0)
    assert schedule.settled_number == number
    assert schedule.pending
    assert schedule.seconds_until_task() == pytest.approx(60.0)
    schedule.request_compare(["a"])
    assert schedule.seconds_until_task() == pytest.approx(RETRY_AFTER_CHANGE_S)
    clock.now += RETRY_AFTER_CHANGE_S
    assert _take(schedule).whole


@pytest.mark.parametrize("act", ["request_check", "resume"])
def test_request_after_a_failure_is_not_delayed(schedule: Schedule, act: str) -> None:
    schedule.request_full_compare()
    schedule.fail(_take(schedule), 60.0)
    getattr(schedule, act)()
    assert schedule.seconds_until_task() is not None
    assert _take(schedule).whole


def test_paused_schedule_holds_tasks_and_loses_none(schedule: Schedule, clock: Clock) -> None:
    schedule.pause()
    schedule.request_compare(["a"])
    schedule.request_check()
    clock.now += 1
    assert schedule.seconds_until_task() is None
    schedule.resume()
    assert _take(schedule) == IndexingTask(2, paths=frozenset("a"), check=True)


def test_a_running_task_waits_at_its_checkpoint_while_paused() -> None:
    schedule = Schedule()
    schedule.request_full_compare()
    _take(schedule)
    schedule.pause()
    passed = threading.Event()
    worker = threading.Thread(target=lambda: (schedule.checkpoint(), passed.set()), daemon=True)
    worker.start()
    assert not passed.wait(0.2)
    schedule.resume()
    assert passed.wait(60)
    worker.join()


def test_suspended_schedule_holds_tasks_and_loses_none(schedule: Schedule, clock: Clock) -> None:
    schedule.set_suspended(suspended=True)
    schedule.request_compare(["a"])
    clock.now += 1
    assert schedule.seconds_until_task() is None
    assert not schedule.wait_idle(0)
    assert not schedule.paused
    schedule.set_suspended(suspended=False)
    assert _take(schedule) == IndexingTask(1, paths=frozenset("a"))


def test_suspended_work_continues_when_resumed() -> None:
    schedule = Schedule()
    schedule.request_full_compare()
    task = _take(schedule)
    for step in (schedule.checkpoint, lambda: schedule.wait_undisturbed(0.0), schedule.raise_if_disturbed):
        schedule.set_suspended(suspended=True)
        worker = threading.Thread(target=step, daemon=True)
        worker.start()
        worker.join(0.1)
        assert worker.is_alive()
        schedule.set_suspended(suspended=False)
        worker.join(60)
        assert not worker.is_alive()
    schedule.finish(task)
    schedule.set_suspended(suspended=True)
    schedule.request_compare(["a"])
    assert not schedule.wait_undisturbed(0.0)


def test_rebuild_ends_a_pause_and_the_running_pass(schedule: Schedule) -> None:
    schedule.request_full_compare()
    task = _take(schedule)
    schedule.pause()
    schedule.request_full_compare(reset=True)
    assert not schedule.paused
    with pytest.raises(Cancelled):
        schedule.checkpoint()
    schedule.put_back(task)
    again = _take(schedule)
    assert (again.reset, again.whole) == (True, True)


def test_stopping_wakes_and_cancels() -> None:
    schedule = Schedule()
    taken: list[IndexingTask | None] = []
    worker = threading.Thread(target=lambda: taken.append(schedule.wait_for_task()), daemon=True)
    worker.start()
    time.sleep(0.05)
    schedule.stop()
    worker.join(60)
    assert taken == [None]
    with pytest.raises(Cancelled):
        schedule.checkpoint()


def test_idle_worker_waits_until_all_tasks_are_done(schedule: Schedule) -> None:
    assert schedule.wait_idle(0)
    schedule.request_full_compare()
    assert not schedule.wait_idle(0.01)
    task = _take(schedule)
    assert not schedule.wait_idle(0.01)
    threading.Timer(0.1, schedule.finish, [task]).start()
    assert schedule.wait_idle(60)
    schedule.pause()
    assert not schedule.wait_idle(0.01)
    threading.Timer(0.1, schedule.resume).start()
    assert schedule.wait_idle(60)
    schedule.request_full_compare()
    schedule.stop()
    assert schedule.wait_idle(0), "a waiting thread sees the end"
