"""Convert between file URIs and paths. Pure.

Clients disagree on what is escaped (`c%3A`, `%20`, raw CJK), so URIs are compared as paths, never as text.
"""

from __future__ import annotations

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from scry.core.platform import IS_WINDOWS

_DRIVE = re.compile(r"/?([A-Za-z]):(?=/|$)")
_SAFE_CHARACTERS = "/:@!$&'()*+,;=~-._"


class NotAFileUri(ValueError):
    """The URI does not name a file on this machine: `untitled:`, `git:`, `https:` and the like."""


def uri_to_path(uri: str, windows: bool = IS_WINDOWS) -> str:
    """Return the path that a `file:` URI names. Bytes that are no UTF-8 become surrogate escapes.

    Raises NotAFileUri.
    """
    try:
        parts = urlsplit(uri, allow_fragments=False)
    except ValueError as error:
        raise NotAFileUri(f"{uri}: {error}") from None
    if parts.scheme.lower() != "file" or not parts.path:
        raise NotAFileUri(f"{uri} is not the URI of a file.")
    raw = parts.path + (f"?{parts.query}" if parts.query else "")
    path = unquote_to_bytes(raw).decode("utf-8", "surrogateescape")
    if "\0" in path:
        raise NotAFileUri(f"{uri} holds a NUL character.")
    host = "" if parts.netloc.lower() == "localhost" else parts.netloc
    return _windows_path(path, host) if windows else path


def _windows_path(path: str, host: str) -> str:
    if host:
        return f"//{host}{path}".replace("/", "\\")
    if drive := _DRIVE.match(path):
        # One spelling of the drive letter, so that `file:///c%3A/x` and `file:///C:/x` compare equal.
        path = f"{drive[1].upper()}:{path[drive.end() :] or '/'}"
    return path.replace("/", "\\")


def path_to_uri(path: str, windows: bool = IS_WINDOWS) -> str:
    """Return the `file:` URI of an absolute path, with every character escaped that has a meaning in URIs."""
    host = ""
    if windows:
        path = path.replace("\\", "/")
        if path.startswith("//"):
            host, _, rest = path[2:].partition("/")
            path = "/" + rest
        elif _DRIVE.match(path):
            path = "/" + path.lstrip("/")
    return f"file://{host}" + quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe=_SAFE_CHARACTERS)
