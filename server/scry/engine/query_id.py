"""Names of answers (J5)."""

from __future__ import annotations

import base64
import re
import secrets
import time

_QUERY_ID_PATTERN = re.compile(r"q_\d{8}_\d{6}_[a-z2-7]{8,64}")


def is_query_id(text: str) -> bool:
    """Whether this could be the name of an answer."""
    return bool(_QUERY_ID_PATTERN.fullmatch(text))


def new_query_id(now: float | None = None) -> str:
    """`q_YYYYMMDD_HHMMSS_` in UTC, and 8 random base32 characters (40 bits)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(now))
    return f"q_{stamp}_{base64.b32encode(secrets.token_bytes(5)).decode().lower()}"
