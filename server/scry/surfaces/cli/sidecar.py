"""`scry lsp` in the table of commands, for the help. `scry.main` starts the sidecar without the command line."""

from __future__ import annotations

from scry.core.errors import BadRequest


def lsp() -> int:
    """Starts the sidecar: a language server on standard input and output, for editors to start."""
    raise BadRequest("lsp", "is started as `scry lsp`, with --stdio at most")
