"""How cheap the steps are that are taken file by file. Figures are reported; only ratios in one run are asserted."""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import Settings
from scry.core.memory import mask_secrets
from scry.index.parse.parse import parse
from scry.index.scan import compile_glob
from scry.index.scan.walk import walk
from scry.indexer import IndexerLock, is_index_current, read_outside_rules, refresh_index, write_fingerprint
from scry.projects import Project, open_project
from scry.store.index import IndexStore

pytestmark = pytest.mark.bench

FILES = 2000
MEGABYTE = 1_000_000


def seconds(action: Callable[[], object], times: int = 5) -> float:
    """Return the shortest of several durations, in processor time so that a busy machine does not count."""
    taken: list[float] = []
    for _ in range(times):
        start = time.process_time()
        action()
        taken.append(time.process_time() - start)
    return min(taken)


def write_files(root: Path) -> list[Path]:
    """Write 2,000 files into 100 folders; return all paths."""
    for number in range(FILES):
        path = root / f"many/m{number % 100}/f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    return sorted(root.rglob("*"))


def test_freshness_check_costs_a_few_stats_a_file(tmp_path: Path) -> None:
    root = tmp_path / "project"
    paths = write_files(root)
    opened = open_project(root)
    project = Project(opened.root, opened.name, opened.key, tmp_path / "cache", tmp_path / "data")
    with closing(IndexStore.open(project.cache, write=True)) as store:
        refresh_index(project, Settings(), store, only_paths=None, report=lambda _: None, checkpoint=lambda: None)
        write_fingerprint(project, Settings(), read_outside_rules(project.root))
        assert is_index_current(project, Settings(), store.files)
        check = seconds(lambda: is_index_current(project, Settings(), store.files), 15)
    stats = seconds(lambda: [path.stat() for path in paths], 15)
    print(f"\nfreshness of {FILES} files {1e3 * check:.1f} ms; a stat of each {1e3 * stats:.1f} ms")
    assert check < 5 * stats


def test_walk_with_ignore_rules_costs_a_few_stats_a_file(tmp_path: Path) -> None:
    paths = write_files(tmp_path)
    (tmp_path / ".gitignore").write_text("".join(f"*.x{n}\n/build{n}/\nfoo{n}*bar\n" for n in range(20)))
    walked = seconds(lambda: list(walk(tmp_path, Settings())))
    stats = seconds(lambda: [path.stat() for path in paths])
    print(f"\nwalk of {FILES} files {1e3 * walked:.1f} ms; a stat of each {1e3 * stats:.1f} ms")
    assert walked < 20 * stats


def test_lock_costs_a_few_openings_of_a_file(tmp_path: Path) -> None:
    def lock() -> None:
        taken = IndexerLock.acquire(tmp_path / "lock")
        assert taken is not None
        taken.release()

    def write() -> None:
        (tmp_path / "plain").write_text("1")
        (tmp_path / "plain").unlink()

    ours = seconds(lambda: [lock() for _ in range(200)]) / 200
    plain = seconds(lambda: [write() for _ in range(200)]) / 200
    print(f"\ntaking and releasing the lock {1e6 * ours:.0f} us; writing and removing a file {1e6 * plain:.0f} us")
    assert ours < 10 * plain


def test_cost_of_a_hostile_pattern_grows_linearly() -> None:
    """Backtracking would grow exponentially with the number of stars."""
    name = "a" * 250

    def match(stars: int) -> float:
        pattern = compile_glob("*a" * stars + "*b")
        return seconds(lambda: [pattern.match(name) for _ in range(20)]) / 20

    few, many = match(15), match(60)
    print(f"\na pattern of 15 stars {1e6 * few:.0f} us, of 60 stars {1e6 * many:.0f} us")
    assert many < 16 * few


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("a.py", "def f{0}():\n    return {0}\n"),
        ("a.js", "function f{0}() {{\n  return {0}\n}}\n"),
        ("a.go", "func f{0}() int {{\n\treturn {0}\n}}\n"),
        ("a.rs", "fn f{0}() -> i32 {{\n    {0}\n}}\n"),
    ],
)
def test_hostile_source_costs_a_few_times_a_plain_one(path: str, function: str) -> None:
    """Nested brackets and many syntax errors, beside as many characters of functions."""
    numbers = random.Random(0)
    errors = "".join(numbers.choice("[({") + numbers.choice(["", "\n", "x ", "'s' "]) for _ in range(60_000))
    plain = "".join(function.format(number) for number in range(len(errors) // 25))
    taken = {
        name: seconds(lambda text=text: parse(path, text), 1) * MEGABYTE / len(text)
        for name, text in {"functions": plain, "brackets": "[" * MEGABYTE, "errors": errors}.items()
    }
    print(f"\n{path}: seconds a megabyte:", ", ".join(f"{name} {each:.2f}" for name, each in taken.items()))
    assert taken["brackets"] < 4 * taken["functions"]
    assert taken["errors"] < 8 * taken["functions"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such files")
def test_walk_does_not_wait_for_named_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk is measured by the clock, for waiting costs no processor time."""
    monkeypatch.chdir(tmp_path)
    for folder in ("plain", "special"):
        write_files(tmp_path / folder)
    for number in range(20):
        os.mkfifo(tmp_path / f"special/many/m{number}/.gitignore")
        os.mkfifo(tmp_path / f"special/many/m{number}/pipe")
    taken: dict[str, list[float]] = {"plain": [], "special": []}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("special/socket")
        for _ in range(5):
            for folder, times in taken.items():
                start = time.perf_counter()
                assert list(walk(tmp_path / folder, Settings()))
                times.append(time.perf_counter() - start)
    plain, special = (min(times) for times in taken.values())
    print(f"\na walk over {FILES} files {1e3 * plain:.0f} ms; with 40 pipes and a socket {1e3 * special:.0f} ms")
    assert special < 3 * plain


def test_masking_cost_grows_linearly() -> None:
    text = "curl -u password://a: " * 5000
    half, whole = seconds(lambda: mask_secrets(text[: len(text) // 2])), seconds(lambda: mask_secrets(text))
    print(f"\nmasking {len(text) // 2} characters {1e3 * half:.0f} ms, twice as many {1e3 * whole:.0f} ms")
    assert whole < 6 * half
