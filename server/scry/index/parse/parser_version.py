"""The version of the parser's output, and that of all reading of files."""

from __future__ import annotations

from scry import __version__

PARSER_VERSION = 25
"""Raised whenever the output of `scry.index.parse.parse` for some text changes, or the form in which it is stored, so
that stored results are recomputed.
"""


def reading_version() -> str:
    """Return the version of everything that reads files: one whose reading failed is read again by another."""
    return f"{__version__}+{PARSER_VERSION}"
