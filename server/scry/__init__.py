"""Scry answers questions about a code base, and shows why it answered so."""

__version__ = "0.1.0"
