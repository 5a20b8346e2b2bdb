"""The version of what is read out of a text."""

from __future__ import annotations

PARSER_VERSION = 8
"""Raised whenever the output of `scry.index.parse` for some text changes, so that stored results are made anew."""
