from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from scry.engine import CancelledCheck
from scry.surfaces.lsp import PickerRequests, run_in_thread
from tests.polling import eventually


def test_cancelling_reaches_the_running_thread_at_once() -> None:
    """The thread polls every millisecond; the caller is answered at once, the thread stops within a few polls."""
    started, stopped = threading.Event(), threading.Event()

    def work(cancelled: CancelledCheck) -> None:
        started.set()
        eventually(cancelled, "the thread is told that its request was cancelled")
        stopped.set()

    async def cancel_it() -> None:
        with ThreadPoolExecutor(1) as pool:
            task = asyncio.create_task(run_in_thread(pool, work))
            await asyncio.to_thread(started.wait, 60)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert stopped.wait(60)

    asyncio.run(cancel_it())


def test_cancelled_queued_work_never_starts() -> None:
    ran: list[str] = []
    gate = threading.Event()

    async def cancel_it() -> None:
        with ThreadPoolExecutor(1) as pool:
            first = asyncio.create_task(run_in_thread(pool, lambda _: gate.wait(60)))
            second = asyncio.create_task(run_in_thread(pool, lambda _: ran.append("second")))
            await asyncio.sleep(0.05)
            second.cancel()
            await asyncio.sleep(0)
            gate.set()
            assert await first

    asyncio.run(cancel_it())
    assert ran == []


async def _answer(pickers: PickerRequests, picker: str | None, number: int) -> int:
    with pickers.supersede(picker):
        await asyncio.sleep(0.02)
    return number


def test_newer_request_cancels_the_older_of_its_picker() -> None:
    async def ask_all() -> list[object]:
        pickers = PickerRequests()
        names = ("a", "b", None, "a", None, "a")
        calls = [_answer(pickers, name, number) for number, name in enumerate(names)]
        return list(await asyncio.gather(*calls, return_exceptions=True))

    answers = asyncio.run(ask_all())
    assert [isinstance(answer, asyncio.CancelledError) for answer in answers] == [
        True,
        False,
        False,
        True,
        False,
        False,
    ]


def test_finished_request_is_forgotten() -> None:
    async def ask_twice() -> list[int]:
        pickers = PickerRequests()
        return [await _answer(pickers, "a", number) for number in range(2)]

    assert asyncio.run(ask_twice()) == [0, 1]
