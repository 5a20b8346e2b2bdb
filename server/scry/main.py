"""The program `scry`: the one place that knows all ways in. Only the one that is asked for is imported."""

from __future__ import annotations

import sys

_LSP_OPTIONS = ("--stdio", "--clientProcessId=")
"""What editors add to the command of any language server; the process id also comes in `initialize`."""


def main() -> int | None:
    """Runs the program with the words of its command line; returns its exit status."""
    words = sys.argv[1:]
    if words[:1] == ["lsp"] and all(word.startswith(_LSP_OPTIONS) for word in words[1:]):
        from scry.surfaces.lsp.lifecycle import serve

        return serve()
    try:
        from scry.surfaces.cli.app import run
    except KeyboardInterrupt:
        return 130
    return run(words)
