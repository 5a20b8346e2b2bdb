"""A process that is split off reads ahead as one that was started does, and never outlives its indexer."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scry.index import project_parser as contents
from scry.indexer import embed, fork_prefetcher
from tests.polling import eventually
from tests.processes import is_running
from tests.unit.indexer.test_prefetch import forbid, index, write_tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems can't fork, or not safely"),
]

_READ = """
import sys
from pathlib import Path
from scry.core.settings import Settings
from scry.indexer import prefetch
from scry.projects.project import open_project
from scry.indexer.prefetch import fork_prefetcher
from scry.index.scan.walk import walk

prefetch.MIN_FORKED_PREFETCH_BYTES = 1
waiting = fork_prefetcher()
assert waiting is not None
project = open_project(Path(sys.argv[1]))
project.cache.mkdir(parents=True)
one = prefetch.Prefetcher(project, waiting)
one.start(list(walk(project.root, Settings(), {})), Settings(), embed=True)
assert one.running == [waiting]
assert waiting.wait(60) == 0
"""

_WAIT = """
from scry.indexer.prefetch import fork_prefetcher
waiting = fork_prefetcher()
assert waiting is not None and waiting.poll() is None
print(waiting._pid, flush=True)
input()
"""


def run(script: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", script, *arguments], check=True, timeout=120)


def test_forked_prefetch_is_not_parsed_or_embedded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "project"
    write_tree(root)
    run(_READ, str(root))
    monkeypatch.setattr(contents, "parse", forbid)
    monkeypatch.setattr(embed, "make_passages", forbid)
    assert index(root, tmp_path / "cache" / "one")


def test_forked_prefetcher_without_a_plan_ends() -> None:
    run(
        "from scry.indexer.prefetch import fork_prefetcher\n"
        "one = fork_prefetcher()\none.send_plan(b'')\nassert one.wait(60) == 0\n"
    )


def test_forked_prefetcher_can_be_killed() -> None:
    run(
        "from scry.indexer.prefetch import fork_prefetcher\n"
        "one = fork_prefetcher()\none.kill()\nassert one.wait(60) == -9\n"
    )


def test_forked_prefetcher_ends_with_its_indexer() -> None:
    indexer = subprocess.Popen([sys.executable, "-c", _WAIT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert indexer.stdout is not None
    pid = int(indexer.stdout.readline())
    indexer.kill()
    indexer.communicate()
    eventually(lambda: not is_running(pid), "the prefetcher has ended")


def test_process_with_threads_is_not_forked() -> None:
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        assert fork_prefetcher() is None
    finally:
        done.set()
        other.join()
