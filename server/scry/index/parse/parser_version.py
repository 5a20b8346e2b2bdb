"""Hold the version of the parser's output.

The version of what is read out of a text.
"""

from __future__ import annotations

PARSER_VERSION = 12
"""Raised whenever the output of `scry.index.parse.parse` for some text changes, or the form in which it is kept, so
that
stored results are made anew.
"""
