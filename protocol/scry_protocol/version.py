"""The protocol's version, exchanged in `initialize`."""

from __future__ import annotations

PROTOCOL = 1
"""Raised when a change is not additive; client and sidecar must agree on it."""
