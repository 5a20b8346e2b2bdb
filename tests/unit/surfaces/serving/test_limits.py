from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from scry.core import BadRequest, Busy, TookTooLong
from scry.surfaces.serving import RequestPool


def test_answers_and_errors_are_returned() -> None:
    def wrong(_: Callable[[], bool]) -> int:
        raise BadRequest("query", "is empty")

    async def ask() -> int:
        pool = RequestPool()
        with pytest.raises(BadRequest):
            await pool.run(wrong)
        return await pool.run(lambda _: 42)

    assert asyncio.run(ask()) == 42


def test_request_beyond_the_queue_is_told_to_retry() -> None:
    go = threading.Event()

    async def ask() -> list[object]:
        pool = RequestPool(threads=1, max_waiting=1)
        waiting = [asyncio.create_task(pool.run(lambda _: go.wait(10))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="2 questions are being answered or wait"):
            await pool.run(lambda _: True)
        go.set()
        return [*await asyncio.gather(*waiting), await pool.run(lambda _: True)]

    assert asyncio.run(ask()) == [True, True, True]


def test_slow_answer_is_abandoned_and_stopped() -> None:
    stopped = threading.Event()

    def endless(cancelled: Callable[[], bool]) -> None:
        while not cancelled():
            pass
        stopped.set()

    async def ask() -> None:
        with pytest.raises(TookTooLong, match="no answer within"):
            await RequestPool(timeout=0.05).run(endless)

    asyncio.run(ask())
    assert stopped.wait(10)
