"""The version of the parser's output."""

from __future__ import annotations

PARSER_VERSION = 13
"""Raised whenever the output of `scry.index.parse.parse` for some text changes, or the form in which it is stored, so
that stored results are recomputed.
"""
