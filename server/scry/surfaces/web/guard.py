"""Who is let in, and how much they may send: before anyone looks into a request.

A web page that the person has open can send requests to this machine, too. It can't forge Host and Origin, so both are
looked at: Host must name this machine (a page could have its own name point here), and an Origin must be our own.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from scry.surfaces.web.replies import Refusal, refuse
from scry.surfaces.web.token import is_token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 1024 * 1024
"""Bytes. A query of a million characters is cut; nothing else that is asked for is long."""

OPEN_TO_ALL = frozenset({"/health"})
"""Paths that say nothing of any project, and need no token."""

_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})
_BEARER = "bearer "
_WHERE = "the server says at its start which file holds it"
_MOST_DRAINED = 8 * MOST_BODY
_DRAIN_S = 2.0


class Guard:
    """Wraps an application; what it turns away never gets there."""

    def __init__(self, app: ASGIApp, *, token: str | None, patience: float) -> None:
        """token: what clients show; None on a Unix socket, which others can't open. patience: seconds for a body."""
        self._app = app
        self._token = token
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            headers = Headers(scope=scope)
            if self._token is not None:
                refuse_foreign(headers)
                if scope["path"] not in OPEN_TO_ALL:
                    refuse_stranger(headers, self._token)
            body = await self._body(headers, receive)
        except Refusal as refusal:
            await refuse(refusal)(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > MOST_BODY:
            await _drain(headers, receive)
            raise _too_large()
        try:
            return await asyncio.wait_for(_read(headers, receive), self._patience)
        except asyncio.TimeoutError:
            words = f"the request did not come within {self._patience:g} s"
            raise Refusal(408, "too_slow", words, close=True) from None


def refuse_foreign(headers: Headers) -> None:
    """Raises Refusal where a request names another machine than this, or comes from a web page."""
    host = headers.get("host", "")
    name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    name, port = (host, "") if not name else (name, port)
    if name.lower() not in _HERE or (port and not port.isdecimal()):
        raise Refusal(403, "foreign_host", f"Host names {host!r}; only localhost is served")
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        raise Refusal(403, "foreign_origin", f"a web page of {origin!r} may not ask here")


def refuse_stranger(headers: Headers, token: str) -> None:
    """Raises Refusal where the token is missing or wrong."""
    shown = headers.get("authorization", "")
    if not shown:
        raise Refusal(401, "no_token", f"show the token as the header `Authorization: Bearer …`; {_WHERE}")
    if not shown.lower().startswith(_BEARER) or not is_token(shown[len(_BEARER) :].strip(), token):
        raise Refusal(401, "wrong_token", f"that is not the token; {_WHERE}")


def _too_large() -> Refusal:
    return Refusal(413, "too_large", f"a request may have {MOST_BODY:,} bytes at most", field="body", close=True)


async def _read(headers: Headers, receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BODY:
            await _drain(headers, receive)
            raise _too_large()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body)


async def _drain(headers: Headers, receive: Receive) -> None:
    """A client that is still sending would miss the reply when the connection ends: it gets a moment to finish."""
    if headers.get("expect"):  # it waits for leave to send
        return

    async def drain() -> None:
        left = _MOST_DRAINED
        more = True
        while more and left > 0:
            message = await receive()
            left -= len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)

    try:
        await asyncio.wait_for(drain(), _DRAIN_S)
    except asyncio.TimeoutError:
        return


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body once, then whatever else comes."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again
