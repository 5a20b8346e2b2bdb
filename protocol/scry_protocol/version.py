"""The protocol's version, exchanged in `initialize`."""

from __future__ import annotations

PROTOCOL = 1
"""Raised by a change that is not additive; client and sidecar must have the same."""
