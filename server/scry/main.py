"""The program `scry`: the one module that knows all surfaces, and imports only the one that is asked for."""

from __future__ import annotations

import gc
import os
import sys

_LSP_OPTIONS = ("--stdio", "--clientProcessId=")
"""Options that editors add to the command of any language server; the process id also comes in `initialize`."""


def main() -> int | None:
    """Run the program with the arguments of its command line and return its exit status."""
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # our matrix products are small: threads cost more than they save
    arguments = sys.argv[1:]
    if arguments[:1] == ["lsp"] and all(each.startswith(_LSP_OPTIONS) for each in arguments[1:]):
        from scry.surfaces.lsp.startup import serve_stdio

        return serve_stdio()
    gc.disable()  # its search for cycles takes a tenth of a `scry find`
    try:
        from scry.surfaces.cli.run import run

        return run(arguments)
    except KeyboardInterrupt:  # during the import
        return 130
    finally:
        gc.freeze()
