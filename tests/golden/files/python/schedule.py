#!/usr/bin/env python3
# Copyright: none, this file only exists to be parsed.
"""Schedules: what runs when, and how often it may fail."""

from __future__ import annotations

import asyncio, functools
import os.path as osp
from collections.abc import (
    Callable,  # a comment, with a comma
    Iterator as It,
)
from . import errors
from ..core.clock import *
from .jobs.queue import Queue, PRIORITY as _PRIORITY

__all__ = ["Schedule", "every"]

MAX_ATTEMPTS: int = 5
"""How often a job is tried before it is given up."""

# Seconds to wait after each failure;
# doubled every time.
backoff = 0.5  # not a constant by its name

type Job[T] = Callable[[], T]


def every(seconds: float, *, jitter: float = 0.0) -> Callable[[Job], Job]:
    """Runs a job again and again.

    jitter: a share of `seconds`, added at random.
    """

    def decorate(job: Job) -> Job:
        @functools.wraps(job)
        def wrapper(*args, **kwargs):
            return job(*args, **kwargs)

        return wrapper

    return decorate


@functools.total_ordering
# The lock is ours, the queue is not.
class Schedule(Queue[Job], metaclass=errors.Strict):
    """Jobs by the time they are due."""

    limit: int = 100
    "No more than these wait at a time."
    größe = 3  # a name outside ASCII

    def __init__(
        self,
        jobs: It[Job] = (),  # none by default
        name: str = "a name with ( and : in it",
    ) -> None:
        super().__init__(jobs)
        self.name = name

    @property
    def due(self) -> list[Job]:
        '''Those whose time has come.'''
        return [job for job in self if job.at <= asyncio.get_running_loop().time()]

    @due.setter
    def due(self, value: list[Job]) -> None:
        raise errors.ReadOnly("due", "😀", value)

    class Entry:
        at: float

        async def run(self) -> None:
            await self.job()

    @staticmethod
    def 計算(x): return x ** 2


if osp.exists("/etc/schedule"):
    schedule = Schedule()
    schedule.load()
else:
    schedule = None

first, second = 1, 2

for job in schedule or []:
    print(job)


def broken(:
    return 1


lambda_job = lambda: None


if __name__ == "__main__":
    asyncio.run(Schedule().due[0]())
