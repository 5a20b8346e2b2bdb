"""Names of answers (J5)."""

from __future__ import annotations

import base64
import secrets
import time


def new_query_id(now: float | None = None) -> str:
    """`q_YYYYMMDD_HHMMSS_` in UTC, and 8 random base32 characters (40 bits)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
    return f"q_{stamp}_{base64.b32encode(secrets.token_bytes(5)).decode().lower()}"
