"""Run the commands of the tutorial in its repository, and write their true output into the page.

    .venv/bin/python -m docs.site.tutorial        or `make tutorial`

Texts that differ between two runs (ids, commits, dates, durations, folders) are replaced by fixed ones of the same
form. A test runs the commands again and compares (`tests/site/test_tutorial.py`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from docs.site.ranking_example import QUESTION, example_page
from scry.store.index import IndexStore
from scry_protocol.messages import Answer

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial" / "index.md"
EXAMPLE = ROOT / "docs" / "ranking-example.md"
COURIER = PAGE.with_name("courier.py")

_BLOCK = re.compile(r"^```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_QUERY_ID = re.compile(r"\bq_\d{8}_\d{6}_[a-z2-7]{8}\b")
_MEMORY_ID = re.compile(r"\bmemory:[a-z2-7]{10}\b")
_COMMIT = re.compile(r"\b[0-9a-f]{7,40}\b")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_SECONDS = re.compile(r"\bafter \d+\.\d s\b")
_SIZE = re.compile(r"\b\d+(?:\.\d+)? [kM]B\b")
_MODEL = re.compile(r"scry-static@[0-9a-f]{16}")
_PATIENCE_S = 60.0


class Shell:
    """A shell in the folder of a person of its own, which has nothing but `scry` and courier.py."""

    def __init__(self, home: Path) -> None:
        """Use a folder that exists."""
        self.home = self.folder = home
        places = {f"XDG_{name}_HOME": str(home / f".{name.lower()}") for name in ("CACHE", "DATA", "CONFIG")}
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        own = {name: value for name, value in os.environ.items() if not name.startswith("SCRY_")}
        self.environ = {**own, **places, "HOME": str(home), "PATH": path, "NO_COLOR": "1", "PYTHONUTF8": "1"}
        (home / "courier.py").write_bytes(COURIER.read_bytes())
        self._names: dict[str, str] = {}

    def run(self, command: str) -> str:
        """Return what a command prints, normalised. Raises SystemExit where it fails."""
        script = f"{self._actual(command)}\ncode=$?; pwd > ~/.pwd; exit $code"
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, env=self.environ, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{command} ends with {done.returncode}:\n{done.stdout}")
        marker = self.home / ".pwd"
        self.folder = Path(marker.read_text().strip())
        if command == "scry index":
            self._wait_for_history_and_graph()
        return self.normalise(done.stdout)

    def answer(self, question: str, *options: str) -> Answer:
        """Return the answer to a question as the wire has it."""
        command = ["scry", "find", question, *options, "--json"]
        done = subprocess.run(command, cwd=self.folder, env=self.environ, capture_output=True, check=True)
        return msgspec.json.decode(done.stdout, type=Answer)

    def normalise(self, text: str) -> str:
        """Return a text with fixed ids, commits, dates, durations and folders."""
        text = text.replace(str(self.home), "~")
        text = _QUERY_ID.sub(lambda match: self._fixed(match.group(), "q_20261123_0900{:02}_aaaaaaa{}"), text)
        text = _MEMORY_ID.sub(lambda match: self._fixed(match.group(), "memory:bbbbbbb{:02}{}"), text)
        commits, days = self._commits(), self._days()
        text = _COMMIT.sub(lambda match: _shown_commit(match.group(), commits), text)
        text = _DAY.sub(lambda match: days.get(match.group(), match.group()), text)
        text = _SIZE.sub("64 kB", _SECONDS.sub("after 0.8 s", text))
        return _MODEL.sub("scry-static@0123456789abcdef", text)

    def with_last_answer(self, command: str) -> str:
        """Return a command of the page with the name of the last answer in place of the one in it."""
        last = [shown for shown in self._names.values() if shown.startswith("q_")][-1:]
        return _QUERY_ID.sub(last[0], command) if last else command

    def _fixed(self, actual: str, form: str) -> str:
        kind = actual[:2]
        count = sum(name.startswith(kind) for name in self._names)
        return self._names.setdefault(actual, form.format(count, "234567abcdefghijklmnopqrstuvwxyz"[count % 32]))

    def _actual(self, command: str) -> str:
        for actual, shown in self._names.items():
            command = command.replace(shown, actual)
        return command

    def _log(self) -> Sequence[Sequence[str]]:
        """Return name and day of each commit, oldest first."""
        if not (self.folder / ".git").exists():
            return []
        log = ["git", "log", "--reverse", "--format=%H %cs"]
        done = subprocess.run(log, cwd=self.folder, env=self.environ, capture_output=True, text=True, check=True)
        return [line.split() for line in done.stdout.splitlines()]

    def _commits(self) -> Mapping[str, str]:
        return {
            name: f"{'abcdef'[at % 6]}{at + 1}c0de" + f"{at + 1:x}" * 34 for at, (name, _) in enumerate(self._log())
        }

    def _days(self) -> Mapping[str, str]:
        return {day: f"2026-11-{17 + at}" for at, (_, day) in enumerate(self._log())}

    def _wait_for_history_and_graph(self) -> None:
        """Wait until the history and the code graph are made, which come after the files and count in answers."""
        end = time.monotonic() + _PATIENCE_S
        status = ["scry", "status", "--json"]
        while json.loads(subprocess.check_output(status, cwd=self.folder, env=self.environ))["history"] != "ready" or (
            not self._is_graph_current()
        ):
            if time.monotonic() > end:
                raise SystemExit("the history or the code graph was not made")
            time.sleep(0.5)

    def _is_graph_current(self) -> bool:
        [index] = (self.home / ".cache" / "scry").glob("*/index.sqlite")
        with closing(IndexStore.open(index.parent, write=False)) as store:
            return store.graph.is_current


def _shown_commit(name: str, commits: Mapping[str, str]) -> str:
    """Return the fixed form of a commit's name, or of its beginning; any other text as it is."""
    return next((shown[: len(name)] for commit, shown in commits.items() if commit.startswith(name)), name)


@contextmanager
def shell() -> Generator[Shell]:
    """Open a shell in a home folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Shell(Path(folder).resolve())


def commands(body: str) -> Sequence[str]:
    """Return the commands of a console block."""
    return [line.removeprefix("$ ") for line in body.splitlines() if line.startswith("$ ")]


def render(page: str, shell: Shell) -> str:
    """Return the page with the output of each command as it is now."""

    def run_block(match: re.Match[str]) -> str:
        asked = commands(match["body"])
        parts: list[str] = []
        for each in asked:
            command = shell.with_last_answer(each)
            parts.append(f"$ {command}\n{shell.run(command)}")
        return f"```console\n{''.join(parts)}```"

    return _BLOCK.sub(run_block, page)


def make_pages() -> Mapping[Path, str]:
    """Return the tutorial and the worked example as they are now."""
    with shell() as opened:
        page = PAGE.read_text(encoding="utf-8")
        before, ask, after = page.partition("\n## Ask\n")
        begun = render(before, opened)
        example = example_page(opened.answer(QUESTION, "--limit", "5"), opened.normalise)
        return {PAGE: begun + ask + render(after, opened), EXAMPLE: example}


def main() -> None:
    """Write both pages."""
    for path, text in make_pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
