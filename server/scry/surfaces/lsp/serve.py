"""The language server's first steps: what the client has said already is read, and the indexers of its folders start,
before anything is imported that takes long. The sidecar and its indexers then come up side by side.
"""

from __future__ import annotations

import gc
import os
import select
import sys

from scry.surfaces.lsp.early import start_indexers_early
from scry.surfaces.lsp.stdio import claim_stdio

_FIRST_READ_BYTES = 64 * 1024
"""More than any editor's `initialize`, and as much as a pipe holds."""


def serve_stdio() -> int:
    """Speak LSP on standard input and output until the client is done. Returns the exit status."""
    gc.disable()  # to look for garbage among what is being imported costs a tenth of the start
    source, sink = claim_stdio()
    heard = _read_pending_input(source)
    if heard:
        start_indexers_early(heard)
    from scry.surfaces.lsp.lifecycle import run_until_exit

    return run_until_exit(source, sink, heard)


def _read_pending_input(source: int) -> bytes:
    """What waits to be read; nothing where that can't be told, or where the input is at its end."""
    if sys.platform == "win32":  # select takes sockets only
        return b""
    try:
        return os.read(source, _FIRST_READ_BYTES) if select.select([source], [], [], 0)[0] else b""
    except (OSError, ValueError):
        return b""
