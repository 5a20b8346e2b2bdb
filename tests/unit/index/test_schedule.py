from __future__ import annotations

import threading
import time

import pytest

from scry.core.errors import Cancelled
from scry.index.schedule import (
    FEW_SAVED,
    INTERRUPT_EVERY_S,
    LONGEST_QUIET_S,
    MANY_PATHS,
    QUIET_S,
    RETRY_AFTER_CHANGE_S,
    SAVED_QUIET_S,
    Schedule,
    Task,
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _take(schedule: Schedule) -> Task:
    task = schedule.take()
    assert task is not None
    return task


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def schedule(clock: Clock) -> Schedule:
    return Schedule(clock)


def test_changes_close_together_become_one_task(schedule: Schedule, clock: Clock) -> None:
    schedule.compare(["a"])
    clock.now += QUIET_S / 2
    last = schedule.compare(["b", "a"])
    assert schedule.time_left() == pytest.approx(QUIET_S)
    clock.now += QUIET_S + 1e-6
    assert _take(schedule) == Task(last, paths=frozenset("ab"))
    assert schedule.time_left() is None


def test_what_an_editor_saved_hardly_waits_but_a_branch_switch_does(schedule: Schedule, clock: Clock) -> None:
    schedule.compare(["a"], saved=True)
    assert schedule.time_left() == pytest.approx(SAVED_QUIET_S)
    clock.now += SAVED_QUIET_S / 2
    last = schedule.compare(["a"])
    clock.now += SAVED_QUIET_S + 1e-6
    assert _take(schedule) == Task(last, paths=frozenset("a"))
    schedule.compare((f"f{number}" for number in range(FEW_SAVED + 1)), saved=True)
    assert schedule.time_left() == pytest.approx(QUIET_S)


def test_a_stream_of_changes_delays_nothing_for_ever(schedule: Schedule, clock: Clock) -> None:
    schedule.compare(["a"])
    for _ in range(50):
        clock.now += QUIET_S / 2
        schedule.compare(["a"])
    assert schedule.time_left() == pytest.approx(LONGEST_QUIET_S - 50 * QUIET_S / 2)


def test_a_whole_pass_swallows_paths_and_checks(schedule: Schedule) -> None:
    schedule.compare(["a"])
    schedule.check()
    last = schedule.compare_whole()
    assert _take(schedule) == Task(last, whole=True)
    assert not schedule.pending


def test_very_many_paths_become_a_whole_pass(schedule: Schedule) -> None:
    schedule.compare(f"f{i}" for i in range(MANY_PATHS + 1))
    assert _take(schedule).whole


def test_saved_files_go_before_a_whole_pass_that_waits(schedule: Schedule) -> None:
    schedule.compare_whole()
    last = schedule.compare(["saved"], saved=True)
    first = _take(schedule)
    assert first == Task(0, paths=frozenset(["saved"]))
    schedule.done(first)
    assert schedule.settled == 0
    second = _take(schedule)
    schedule.done(second)
    assert second.whole
    assert schedule.settled == last


def test_saved_files_interrupt_a_whole_pass_but_not_all_the_time(schedule: Schedule, clock: Clock) -> None:
    schedule.compare_whole()
    whole = _take(schedule)
    schedule.checkpoint()
    schedule.compare(["seen by the watcher"])
    clock.now += 1
    schedule.checkpoint()
    schedule.compare(["saved"], saved=True)
    clock.now += QUIET_S + 1e-6
    with pytest.raises(Cancelled):
        schedule.checkpoint()
    schedule.put_back(whole)
    schedule.done(_take(schedule))
    assert _take(schedule).whole
    schedule.compare(["saved again"], saved=True)
    clock.now += INTERRUPT_EVERY_S / 2
    schedule.checkpoint()
    clock.now += INTERRUPT_EVERY_S / 2
    with pytest.raises(Cancelled):
        schedule.checkpoint()


def test_a_branch_switch_does_not_interrupt(schedule: Schedule, clock: Clock) -> None:
    schedule.compare_whole()
    _take(schedule)
    schedule.compare([f"f{i}" for i in range(FEW_SAVED + 1)], saved=True)
    clock.now += 1
    schedule.checkpoint()


def test_a_request_is_settled_when_its_task_is_done(schedule: Schedule, clock: Clock) -> None:
    first = schedule.check()
    task = _take(schedule)
    second = schedule.compare(["a"])
    schedule.done(task)
    assert schedule.settled == first
    clock.now += 1
    schedule.done(_take(schedule))
    assert schedule.settled == second
    assert not schedule.busy


def test_after_a_failure_it_waits_and_a_change_makes_it_wait_less(schedule: Schedule, clock: Clock) -> None:
    number = schedule.compare_whole()
    schedule.failed(_take(schedule), 60.0)
    assert schedule.settled == number
    assert schedule.pending
    assert schedule.time_left() == pytest.approx(60.0)
    schedule.compare(["a"])
    assert schedule.time_left() == pytest.approx(RETRY_AFTER_CHANGE_S)
    clock.now += RETRY_AFTER_CHANGE_S
    assert _take(schedule).whole


@pytest.mark.parametrize("act", ["check", "resume"])
def test_after_a_failure_who_asks_does_not_wait(schedule: Schedule, act: str) -> None:
    schedule.compare_whole()
    schedule.failed(_take(schedule), 60.0)
    getattr(schedule, act)()
    assert schedule.time_left() is not None
    assert _take(schedule).whole


def test_while_paused_nothing_goes_out_and_nothing_is_lost(schedule: Schedule, clock: Clock) -> None:
    schedule.pause()
    schedule.compare(["a"])
    schedule.check()
    clock.now += 1
    assert schedule.time_left() is None
    schedule.resume()
    assert _take(schedule) == Task(2, paths=frozenset("a"), check=True)


def test_a_running_task_waits_at_its_checkpoint_while_paused() -> None:
    schedule = Schedule()
    schedule.compare_whole()
    _take(schedule)
    schedule.pause()
    passed = threading.Event()
    worker = threading.Thread(target=lambda: (schedule.checkpoint(), passed.set()), daemon=True)
    worker.start()
    assert not passed.wait(0.2)
    schedule.resume()
    assert passed.wait(2.0)
    worker.join()


def test_while_still_nothing_goes_out_and_nothing_is_lost(schedule: Schedule, clock: Clock) -> None:
    schedule.keep_still(still=True)
    schedule.compare(["a"])
    clock.now += 1
    assert schedule.time_left() is None
    assert not schedule.wait_idle(0)
    assert not schedule.paused
    schedule.keep_still(still=False)
    assert _take(schedule) == Task(1, paths=frozenset("a"))


def test_what_runs_and_what_nobody_waits_for_goes_on_when_it_is_still_no_more() -> None:
    schedule = Schedule()
    schedule.compare_whole()
    task = _take(schedule)
    for step in (schedule.checkpoint, lambda: schedule.rest(0.0), schedule.give_way):
        schedule.keep_still(still=True)
        worker = threading.Thread(target=step, daemon=True)
        worker.start()
        worker.join(0.1)
        assert worker.is_alive()
        schedule.keep_still(still=False)
        worker.join(2.0)
        assert not worker.is_alive()
    schedule.done(task)
    schedule.keep_still(still=True)
    schedule.compare(["a"])
    assert not schedule.rest(0.0)


def test_rebuilding_ends_a_pause_and_the_pass_that_runs(schedule: Schedule) -> None:
    schedule.compare_whole()
    task = _take(schedule)
    schedule.pause()
    schedule.compare_whole(reset=True)
    assert not schedule.paused
    with pytest.raises(Cancelled):
        schedule.checkpoint()
    schedule.put_back(task)
    again = _take(schedule)
    assert (again.reset, again.whole) == (True, True)


def test_stopping_wakes_and_cancels() -> None:
    schedule = Schedule()
    taken: list[Task | None] = []
    worker = threading.Thread(target=lambda: taken.append(schedule.take()), daemon=True)
    worker.start()
    time.sleep(0.05)
    schedule.stop()
    worker.join(2.0)
    assert taken == [None]
    with pytest.raises(Cancelled):
        schedule.checkpoint()


def test_who_works_beside_it_waits_until_nothing_is_to_be_done(schedule: Schedule) -> None:
    assert schedule.wait_idle(0)
    schedule.compare_whole()
    assert not schedule.wait_idle(0.01)
    task = _take(schedule)
    assert not schedule.wait_idle(0.01)
    threading.Timer(0.1, schedule.done, [task]).start()
    assert schedule.wait_idle(5)
    schedule.pause()
    assert not schedule.wait_idle(0.01)
    threading.Timer(0.1, schedule.resume).start()
    assert schedule.wait_idle(5)
    schedule.compare_whole()
    schedule.stop()
    assert schedule.wait_idle(0), "who waits is to see that it ends"
