"""Show what the processor time of a cold index, or of answers, is spent on: `python -m tests.bench.profile`.

    cold TREE                  indexes TREE in this process, from an empty cache in a folder of its own
    find TREE [QUESTIONS]      asks an engine in this process; QUESTIONS is a file of lines, each a question or its JSON
    typed TREE [QUESTIONS]     the same while the question is typed into a picker: every beginning of three letters on

The stack of the main thread is sampled each millisecond of processor time. Time in C counts for the line that called
it. A function's share includes what it calls; `own` is without that. TREE is only read. Not on Windows.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from tests.bench.test_bench_find import QUERIES

INTERVAL_S = 0.001
ROUNDS = 3
SHOWN = 60
MIN_PREFIX = 3


@contextmanager
def sampled(name: str) -> Generator[None]:
    """Print the shares of functions in the processor time of what runs inside."""
    inclusive, own = Counter[str](), Counter[str]()

    def sample(_signal: int, frame: FrameType | None) -> None:
        seen: set[str] = set()
        while frame is not None:
            function = label(frame)
            if not seen:
                own[function] += 1
            seen.add(function)
            frame = frame.f_back
        inclusive.update(seen)

    previous = signal.signal(signal.SIGPROF, sample)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    total = sum(own.values()) or 1
    print(f"{name}: {time.process_time() - start:.2f} s of processor time, {total} samples\n share    own")
    for function, count in inclusive.most_common(SHOWN):
        print(f"{100 * count / total:5.1f} % {100 * own[function] / total:5.1f} %  {function}")
    print("most of their own:")
    for function, count in own.most_common(SHOWN // 3):
        print(f"        {100 * count / total:5.1f} %  {function}")


def label(frame: FrameType) -> str:
    """Return a function's module and name, with its class where Python knows that (from 3.11 on)."""
    name: str = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
    return f"{frame.f_globals.get('__name__')}.{name}"


def profile_cold(tree: Path) -> None:
    from scry.core import load_settings
    from scry.index.git.history import update_history
    from scry.index.graph.update import update_graph
    from scry.indexer.refresh import refresh_index
    from scry.projects import open_project
    from scry.store.history.store import HistoryStore
    from scry.store.index import IndexStore

    project, settings = open_project(tree, force=True), load_settings(tree, {})
    project.cache.mkdir(parents=True)
    with closing(IndexStore.open(project.cache, write=True)) as store:
        with sampled("words and vectors"):
            refresh_index(project, settings, store, only_paths=None, report=lambda _: None, checkpoint=lambda: None)
        with sampled("history"), closing(HistoryStore.open(project.cache)) as history:
            update_history(project.root, history, lambda: None)
        with sampled("graph"):
            update_graph(store, lambda: None)


def profile_find(tree: Path, questions: Sequence[str], *, typed: bool) -> None:
    from scry.core import load_settings
    from scry.engine import Engine
    from scry_protocol.messages import FindParams

    with closing(Engine.open(tree, load_settings(tree, {}))) as engine:
        engine.wait_until_current(3600, vectors=True)
        engine.warm_up()
        asked = [
            FindParams(question[:end], picker="profile") if typed else FindParams(question)
            for question in questions
            for end in (range(MIN_PREFIX, len(question) + 1) if typed else [len(question)])
        ]
        for params in asked:  # until all is read once
            engine.find(params)
        with sampled(f"{len(asked)} questions, {ROUNDS} times"):
            taken = [milliseconds(lambda params=params: engine.find(params)) for params in asked * ROUNDS]
    p95 = statistics.quantiles(taken, n=20)[-1]
    print(f"p50 {statistics.median(taken):.1f} ms, p95 {p95:.1f} ms, most {max(taken):.1f} ms of processor time")


def milliseconds(action: Callable[[], object]) -> float:
    """Return the processor time of this thread that an action takes."""
    start = time.thread_time()
    action()
    return 1e3 * (time.thread_time() - start)


def read_questions(path: Path) -> list[str]:
    """Return the questions of a file, of which each line is one or holds one as `query`."""
    lines = filter(None, map(str.strip, path.read_text(encoding="utf-8").splitlines()))
    return [json.loads(line)["query"] if line.startswith("{") else line for line in lines]


def main(mode: str, tree: str, *files: str) -> None:
    questions = read_questions(Path(files[0])) if files else list(QUERIES)
    with tempfile.TemporaryDirectory() as home:
        if mode == "cold":
            os.environ.update({f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in PLACES})
            profile_cold(Path(tree))
        else:
            profile_find(Path(tree), questions, typed=mode == "typed")


PLACES = ("CACHE", "DATA", "CONFIG", "STATE")

if __name__ == "__main__":
    main(*sys.argv[1:])
