"""Parse one text in a process of its own, with limits on its time and memory: `python -m scry.index.parse.isolation`.

Two kinds of texts are parsed so: one whose shape is not that of a program (`scry.index.parse.shape`), and one that was
being parsed when a process ended. How that process ends is the proof: by a signal of its own making, such as a stack
overflow, the text is to blame; by one from outside, it is not.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec

from scry.core.decoding import decode_msgpack
from scry.core.platform import limit_this_process
from scry.core.types import FileFault, IndexingStage, ParsedFile
from scry.index.parse.parse import parse_as_text, parse_here

_MAX_MEMORY_BYTES = 1 << 30
"""Address space of the process, of which the interpreter and a grammar take 0.1 to 0.3 GB."""

_START_SECONDS = 1
"""Processor time for the start of the process beside the parsing."""

_MAX_WALL_SECONDS = 60.0
"""Time on the clock after which the process is ended beside the budget: a busy machine is slower than its processor."""

_TRIES = 3
"""Processes that are tried while something from outside ends them."""

_OWN_SIGNALS = frozenset(
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS", "SIGTRAP")
    if hasattr(signal, name)
)
"""Signals by which a process ends for what it did itself."""

INTERRUPTED = "the process that parsed it was ended from outside"
"""The reason of a fault that is no proof, so that the file is tried again."""


class ParseRequest(msgspec.Struct):
    """A text to parse, as it goes to the process: path and text as bytes, for they may hold lone surrogates."""

    path: bytes
    text: bytes
    max_seconds: float


def parse_in_own_process(path: str, text: str, max_seconds: float) -> ParsedFile:
    """Return the parsed form of a text, plain text with a fault where the process ended or took too long."""
    request = msgspec.msgpack.encode(ParseRequest(_to_bytes(path), _to_bytes(text), max_seconds))
    reason = INTERRUPTED
    for _ in range(_TRIES):
        parsed, reason = _run_process(request, max_seconds)
        if parsed is not None:
            return parsed
        if reason != INTERRUPTED:
            break
    return parse_as_text(path, text, FileFault(IndexingStage.PARSE, reason))


def _run_process(request: bytes, max_seconds: float) -> tuple[ParsedFile | None, str]:
    """Return the parsed form, or None and the reason."""
    too_long = f"parsing takes over {max_seconds:g} s"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "scry.index.parse.isolation"],
            input=request,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            cwd=Path(sys.executable).parent,
            timeout=_MAX_WALL_SECONDS + 10 * max_seconds,
            check=False,
        )
        if done.returncode == 0:
            return decode_msgpack(done.stdout, ParsedFile), ""
    except subprocess.TimeoutExpired:
        return None, too_long
    except (OSError, msgspec.MsgspecError) as error:
        return None, f"the process that parses it can't be started ({type(error).__name__})"
    if done.returncode > 0:
        return None, f"the process that parsed it failed with exit status {done.returncode}"
    number = -done.returncode
    if number == getattr(signal, "SIGXCPU", 0):
        return None, too_long
    if number in _OWN_SIGNALS:
        return None, f"the parser ends its process ({signal.Signals(number).name})"
    return None, INTERRUPTED


def main() -> int:
    """Parse the text on standard input, write its parsed form to standard output, and return the exit status."""
    request = decode_msgpack(sys.stdin.buffer.read(), ParseRequest)
    _limit_resources(request.max_seconds)
    parsed = parse_here(_from_bytes(request.path), _from_bytes(request.text), request.max_seconds, any_shape=True)
    sys.stdout.buffer.write(msgspec.msgpack.encode(parsed))
    sys.stdout.buffer.flush()
    return 0


def _limit_resources(max_seconds: float) -> None:
    """Limit this process; where a system has no such limit, the time on the clock remains."""
    limit_this_process(math.ceil(max_seconds) + _START_SECONDS, _MAX_MEMORY_BYTES)


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _from_bytes(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


if __name__ == "__main__":
    sys.exit(main())
