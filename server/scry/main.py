"""The program `scry`: the one place that knows all ways in. Only the one that is asked for is imported."""

from __future__ import annotations

import gc
import os
import sys

_LSP_OPTIONS = ("--stdio", "--clientProcessId=")
"""What editors add to the command of any language server; the process id also comes in `initialize`."""


def main() -> int | None:
    """Runs the program with the words of its command line; returns its exit status."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our products are small: threads cost more than they save
    words = sys.argv[1:]
    if words[:1] == ["lsp"] and all(word.startswith(_LSP_OPTIONS) for word in words[1:]):
        from scry.surfaces.lsp.startup import serve_stdio

        return serve_stdio()
    return _run_command(words)


def _run_command(words: list[str]) -> int:
    """Looking for cycles of garbage, while modules are imported and at the end, costs a find a tenth of its time."""
    gc.disable()
    try:
        from scry.surfaces.cli.run import run

        return run(words)
    except KeyboardInterrupt:  # while that was imported
        return 130
    finally:
        gc.freeze()
