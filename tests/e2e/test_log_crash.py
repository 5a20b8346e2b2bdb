"""Two processes write the log and are killed at random moments: nothing that was acknowledged is lost (E4).

Ten moments here; `make bench` takes two hundred.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from scry.projects import open_project
from scry.store.events import EVENTS_FILE, EventReader

TOP = Path(__file__).parents[2]
LATEST_S = 0.15
"""The latest moment of a kill after the first act was acknowledged; a round's first is at once."""


def start_writer(root: Path, name: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(TOP), *(entry for entry in sys.path if entry)])
    return subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.log_writer", str(root), name],
        cwd=TOP,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
    )


def kill_two_writers(root: Path, number: int, moment: random.Random) -> list[str]:
    """Lets two write, kills both at a random moment; returns what was acknowledged."""
    writers = [start_writer(root, f"{number}.{each}") for each in range(2)]
    acknowledged: list[str] = []
    for writer in writers:
        assert writer.stdout
        acknowledged.append(writer.stdout.readline().decode().strip())
    time.sleep(moment.uniform(0, LATEST_S))
    for writer in writers:
        writer.kill()
    for writer in writers:
        assert writer.stdout
        # A line that the kill cut off does not count as acknowledged.
        acknowledged += [
            line.strip() for line in writer.stdout.read().decode().splitlines(keepends=True) if line[-1] == "\n"
        ]
        writer.wait()
    assert all(acknowledged)
    return acknowledged


def check_log(root: Path, acknowledged: list[str]) -> int:
    """Return the log is whole, in order and holds all of it; returns how many events it holds."""
    data = open_project(root).data
    with closing(sqlite3.connect(data / EVENTS_FILE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    reader = EventReader.open(data)
    assert reader
    with closing(reader):
        events = list(reader.iter_events())
    assert [each.sequence for each in events] == list(range(1, len(events) + 1))
    uses = {f"use {each.event.act_id}" for each in events if each.event.kind == "scry.use"}
    ratings = {
        f"feedback {json.loads(each.event.body)['comment']}" for each in events if each.event.kind == "scry.feedback"
    }
    assert not set(acknowledged) - uses - ratings
    logged_queries: set[str | None] = set()
    for each in events:
        if each.event.kind == "scry.query":
            logged_queries.add(each.event.query_id)
        else:
            assert each.event.query_id in logged_queries
    return len(events)


def survive(root: Path, moments: int, seed: int) -> tuple[int, int]:
    """Kills at so many moments, checking after each; returns how many acts were acknowledged, and events there are."""
    root.mkdir()
    moment = random.Random(seed)
    acknowledged: list[str] = []
    events = 0
    for number in range(moments):
        acknowledged += kill_two_writers(root, number, moment)
        events = check_log(root, acknowledged)
    return len(acknowledged), events


@pytest.mark.slow
@pytest.mark.acceptance("E4")
def test_kill_loses_no_acknowledged_event(tmp_path: Path) -> None:
    acknowledged, events = survive(tmp_path / "shop", moments=10, seed=1)
    assert acknowledged >= 20
    assert events >= 2 * acknowledged
