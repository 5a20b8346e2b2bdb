"""Run real files and mutations of them through all stages: `python -m tests.trust.run [--repositories DIR] …`.

Every content is checked in a worker process, which may end or never come back: both break a promise. What breaks one is
reduced and written to `tests/trust/corpus`. The same seed gives the same mutations of the same files.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path, PurePosixPath

from tests.trust.mutations import mutate
from tests.trust.promises import broken_promises
from tests.trust.reduce import reduce_content
from tests.trust.sources import CORPUS, repository_files, sample_files

MAX_WALL_SECONDS = 100.0
"""Time on the clock for one content, after which its worker is ended."""

Case = tuple[str, bytes, str]
"""The path of a file, its content, and the seed of the mutation; empty for the file itself."""


class Checker:
    """A worker process that checks one content at a time."""

    def __init__(self) -> None:
        """Start the process."""
        self._ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self.case: Case | None = None
        self.since = 0.0

    def give(self, case: Case) -> None:
        """Give a content to the process."""
        self.case, self.since = case, time.monotonic()
        self._ours.send(case)

    def poll(self) -> list[str] | None:
        """Return the broken promises of the content; None while it is checked."""
        try:
            if self._ours.poll(0):
                return self._ours.recv()
        except (EOFError, OSError):
            return self._restart("the process ended")
        if not self._process.is_alive():
            return self._restart(f"the process ended with exit status {self._process.exitcode}")
        if time.monotonic() - self.since > MAX_WALL_SECONDS:
            return self._restart(f"over {MAX_WALL_SECONDS:g} s")
        return None

    def _restart(self, reason: str) -> list[str]:
        self.close()
        self.__init__()
        return [f"the process goes on: {reason}"]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._ours.close()


def _serve(connection: Connection) -> None:
    while True:
        path, data, seed = connection.recv()
        connection.send(broken_promises(path, mutate(data, seed) if seed else data))


def check_all(cases: Iterator[Case], workers: int) -> Iterator[tuple[Case, list[str]]]:
    """Yield every content with its broken promises."""
    checkers = [Checker() for _ in range(workers)]
    try:
        while True:
            for checker in checkers:
                case = checker.case  # a process that is started anew forgets it
                if case is not None and (broken := checker.poll()) is not None:
                    yield case, broken
                    checker.case = None
                if checker.case is None and (case := next(cases, None)) is not None:
                    checker.give(case)
            if all(checker.case is None for checker in checkers):
                return
            time.sleep(0.001)
    finally:
        for checker in checkers:
            checker.close()


def list_cases(files: list[tuple[str, bytes]], mutations: int, seed: str) -> Iterator[Case]:
    """Yield every file as it is, then so many mutations, of one file after the other."""
    for path, data in files:
        yield path, data, ""
    for number in range(mutations if files else 0):
        path, data = files[number % len(files)]
        yield path, data, f"{seed} {number} {path}"


def save_reduced(path: str, data: bytes, broken: list[str]) -> Path:
    """Write the least content that breaks the same promise to the corpus, and return where."""
    promise = broken[0].partition(":")[0]
    name = PurePosixPath(path).name
    if promise in ("the process goes on", "bounded time"):
        few = data  # each try would take as long
    else:
        few = reduce_content(data, lambda part: any(each.startswith(promise) for each in broken_promises(path, part)))
    digest = hashlib.blake2b(few, digest_size=4).hexdigest()
    target = CORPUS / f"found_{digest}{PurePosixPath(name).suffix or '_' + name}"
    target.write_bytes(few)
    return target


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.trust.run", description=__doc__)
    parser.add_argument("--repositories", default="", help="a folder of repositories; else the samples")
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--skip", type=int, default=0, help="leave out the first contents, of a run that was cut off")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so many seconds")
    return parser.parse_args()


def main() -> int:
    """Check all, report, and return the exit status."""
    options = _parse_arguments()
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"XDG_CACHE_HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home}
        files = (
            list(repository_files(Path(options.repositories)))
            if options.repositories
            else [(path.name, path.read_bytes()) for path in sample_files()]
        )
        print(f"{len(files)} files, {options.mutations} mutations, seed {options.seed}", flush=True)
        cases = islice(list_cases(files, options.mutations, options.seed), options.skip, None)
        return _report(cases, options.workers, options.seconds)


def _report(cases: Iterator[Case], workers: int, seconds: float) -> int:
    checked = failed = mutated = 0
    seen: set[str] = set()
    start = time.monotonic()
    for (path, data, seed), broken in check_all(cases, workers):
        checked, mutated = checked + 1, mutated + bool(seed)
        if checked % 1000 == 0:
            print(f"{checked} checked in {time.monotonic() - start:.0f} s, {failed} broken", flush=True)
        if broken:
            failed += 1
            print(f"{path} [{seed or 'as it is'}]: {'; '.join(broken[:3])}", flush=True)
            kind = f"{broken[0].partition(' at ')[0][:40]} {PurePosixPath(path).suffix}"
            if kind not in seen:
                seen.add(kind)
                print(f"  reduced: {save_reduced(path, mutate(data, seed) if seed else data, broken)}", flush=True)
        if seconds and time.monotonic() - start > seconds:
            print("the time is over", flush=True)
            break
    took = time.monotonic() - start
    print(f"{checked} contents, {mutated} of them mutated, {failed} broke a promise, in {took:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
