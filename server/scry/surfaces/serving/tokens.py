"""Admit only local requests that show the token and whose body is small enough.

Every process of this machine can connect to a TCP port, those of other people too. So clients over TCP show a token,
which is made on first use in a file that only this person can read.

A web page that the person has open can send requests to this machine, too. It can't forge Host and Origin, so both are
checked: Host must name this machine (a page's own name could resolve to it), and an Origin must be our own.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from scry.core.errors import BadSettings
from scry.core.platform import data_home, is_private, make_private_folder
from scry.core.text import escape_unencodable
from scry.surfaces.serving.replies import HttpError, http_error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_FILE = "http-token"
_TOKEN_BYTES = 32
_TOKEN_PATTERN = re.compile(rb"[A-Za-z0-9_-]{20,200}\n?")


def token_path() -> Path:
    """Return the file that holds the token."""
    return data_home() / TOKEN_FILE


def load_or_create_token() -> str:
    """Return the token, made at the first call. Raises BadSettings where it can't be kept secret."""
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
    """Return whether this is the token, compared in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), token.encode())


def _create_token(path: Path) -> None:
    """Make the token. If another process does so at the same time, the first one counts."""
    make_private_folder(path.parent)
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
    """Refuse a token that others made or can read (Windows keeps a person's folders for that person)."""
    if not is_private(path.stat()):
        raise BadSettings(f"others can read the token {path}: remove it, and another is made")


MAX_BODY_BYTES = 1024 * 1024
"""Largest body in bytes. A query of a million characters is cut; no other parameter is long."""

PUBLIC_PATHS = frozenset({"/health"})
"""Paths that reveal nothing of any project, and need no token."""

_LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
_BEARER_PREFIX = "bearer "
_MAX_DRAINED_BYTES = 8 * MAX_BODY_BYTES
_DRAIN_TIMEOUT_S = 2.0


class AccessGuard:
    """An ASGI application around another, which refused requests never reach."""

    def __init__(self, app: ASGIApp, *, token: str | None, body_timeout: float) -> None:
        """Wrap `app`. token: None on a Unix socket, which others can't open. body_timeout: seconds for a body."""
        self._app = app
        self._token = token
        self._body_timeout = body_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI request: check it, read its body, and pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            if self._token is not None:
                reject_foreign_request(headers)
                if scope["path"] not in PUBLIC_PATHS:
                    require_token(headers, self._token)
            body = await self._read_body(headers, receive)
        except HttpError as refusal:
            await http_error_response(refusal)(scope, receive, send)
            return
        await self._app(scope, _replay_body(body, receive), send)

    async def _read_body(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > MAX_BODY_BYTES:
            await _drain_body(headers, receive)
            raise _body_too_large()
        try:
            return await asyncio.wait_for(_read_limited_body(headers, receive), self._body_timeout)
        except asyncio.TimeoutError:
            words = f"the request did not come within {self._body_timeout:g} s"
            raise HttpError(408, "too_slow", words, close=True) from None


def reject_foreign_request(headers: Headers) -> None:
    """Reject a request that names another machine, or comes from a web page. Raises HttpError."""
    host = headers.get("host", "")
    name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    name, port = (host, "") if not name else (name, port)
    if name.lower() not in _LOOPBACK_HOSTS or (port and not port.isdecimal()):
        raise HttpError(403, "foreign_host", f"Host names {host!r}; only localhost is served")
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        raise HttpError(403, "foreign_origin", f"a web page of {origin!r} may not ask here")


def require_token(headers: Headers, token: str) -> None:
    """Reject a request whose token is missing or wrong. Raises HttpError."""
    shown = headers.get("authorization", "")
    where = f"it is in {escape_unencodable(str(token_path()))}, which you alone can read"
    if not shown:
        raise HttpError(401, "no_token", f"show the token as the header `Authorization: Bearer …`; {where}")
    if not shown.lower().startswith(_BEARER_PREFIX) or not matches_token(shown[len(_BEARER_PREFIX) :].strip(), token):
        raise HttpError(401, "wrong_token", f"that is not the token; {where}")


def _body_too_large() -> HttpError:
    return HttpError(413, "too_large", f"a request may have {MAX_BODY_BYTES:,} bytes at most", field="body", close=True)


async def _read_limited_body(headers: Headers, receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            await _drain_body(headers, receive)
            raise _body_too_large()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body)


async def _drain_body(headers: Headers, receive: Receive) -> None:
    """Read on for a moment: a client that is still sending when the connection ends would miss the response."""
    if headers.get("expect"):  # the client waits for permission to send
        return

    async def drain() -> None:
        remaining = _MAX_DRAINED_BYTES
        more = True
        while more and remaining > 0:
            message = await receive()
            remaining -= len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)

    try:
        await asyncio.wait_for(drain(), _DRAIN_TIMEOUT_S)
    except asyncio.TimeoutError:
        return


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a receive function that gives the body once, then the following messages."""
    pending = [body]

    async def replay() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return replay
