"""The program `scry` as a person runs it: a real process, in a project of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from scry_protocol.messages import Answer
from tests.polling import PATIENCE_S

SCRY = (sys.executable, "-m", "scry")
TIMEOUT = PATIENCE_S


@dataclass(frozen=True)
class Done:
    """The outcome of a run."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """Runs scry in a folder."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict[str, str])

    def run(self, *words: str | bytes, **environ: str) -> Done:
        done = subprocess.run(
            [*SCRY, *words],
            cwd=self.folder,
            env={**os.environ, **self.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def find(self, *words: str | bytes) -> Answer:
        """Return what `scry <words> --json` prints; the test fails when it is anything but one answer."""
        done = self.run("--json", *words)
        assert done.err == "", done
        assert done.out.endswith("}\n")
        answer = msgspec.json.decode(done.out, type=Answer)
        assert done.status == (0 if answer.results else 1), done
        return answer


def doc_ids(answer: Answer) -> list[str]:
    return [result.doc_id for result in answer.results]
