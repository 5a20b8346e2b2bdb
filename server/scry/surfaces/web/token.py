"""The token that clients over TCP show: made on first use, readable for this person alone.

Every process of this machine can connect to a TCP port, those of other people too. A file's mode tells them apart.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import sys
from contextlib import suppress
from pathlib import Path

from scry.core.errors import BadSettings
from scry.core.places import data_home

TOKEN_FILE = "http-token"
_TOKEN_BYTES = 32
_TOKEN_PATTERN = re.compile(rb"[A-Za-z0-9_-]{20,200}\n?")


def token_path() -> Path:
    """Where the token is kept."""
    return data_home() / TOKEN_FILE


def load_or_create_token() -> str:
    """The token; the first one who asks makes it. Raises BadSettings where it can't be kept safe."""
    path = token_path()
    try:
        if not path.exists():
            _create_token(path)
        _require_private_file(path)
        content = path.read_bytes()
    except OSError as error:
        raise BadSettings(f"the token {path} can't be read or made: {error.strerror or error}") from error
    if not _TOKEN_PATTERN.fullmatch(content):
        raise BadSettings(f"{path} holds no token; remove it, and another is made")
    return content.decode().strip()


def matches_token(shown: str, token: str) -> bool:
    """Whether this is the token; it takes as long for a near miss as for any other."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), token.encode())


def _create_token(path: Path) -> None:
    """Another process may do so at the same time: then its token is the one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{TOKEN_FILE}-{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(_TOKEN_BYTES) + "\n")
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()


def _require_private_file(path: Path) -> None:
    """A token that others made or could read is no secret (Windows keeps a person's folders for that person)."""
    if sys.platform == "win32":
        return
    found = path.stat()
    if found.st_mode & 0o077 or found.st_uid != os.geteuid():
        raise BadSettings(f"others can read the token {path}: remove it, and another is made")
