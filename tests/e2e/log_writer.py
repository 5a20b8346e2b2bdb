"""A process that asks, uses and rates without end, and says which acts were acknowledged: `log_writer.py ROOT NAME`."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import msgspec

from scry.core import load_settings, new_query_id
from scry.engine.activity import Recorder
from scry.engine.response import record_answer, record_feedback, record_use
from scry.projects import open_project
from scry_protocol.messages import FeedbackParams, FindParams, UseParams
from tests.unit.surfaces.render.sample_answers import FUSE, answer


def write(root: Path, name: str) -> None:
    """Print a line for each acknowledged act: `use ACT_ID` or `feedback COMMENT`, flushed at once."""
    recorder = Recorder(open_project(root), load_settings(None, {}), "cli")
    for number in itertools.count():
        sent = msgspec.structs.replace(answer(FUSE), query=f"{name} {number}", query_id=new_query_id())
        record_answer(recorder, sent, FindParams(sent.query))
        act = f"{name}-{number}"
        if number % 3:
            done, line = record_use(recorder, UseParams(sent.query_id, 1, "jump", act)), f"use {act}"
        else:
            done, line = record_feedback(recorder, FeedbackParams(sent.query_id, "good", act)), f"feedback {act}"
        if done.recorded:
            print(line, flush=True)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
