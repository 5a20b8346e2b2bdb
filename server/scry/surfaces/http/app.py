"""The paths, bound to the projects."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from scry import __version__
from scry.core.errors import ScryError
from scry.surfaces.http.body import DEFAULT_MODE, Asked, read_body
from scry.surfaces.http.openapi import openapi
from scry.surfaces.web.guard import Guard
from scry.surfaces.web.replies import JSON, Refusal, refuse, reply, reply_error
from scry.surfaces.wire.desk import Desk
from scry.surfaces.wire.journal import note_request
from scry_protocol.messages import Health
from scry_protocol.version import PROTOCOL

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from scry.surfaces.wire.home import Home

log = logging.getLogger(__name__)


def make_app(projects: Home, *, token: str | None, patience: float, with_queries: bool = False) -> ASGIApp:
    """The application; it closes the projects when it ends.

    token, patience: as Guard takes them. with_queries: whether what was asked is written to the journal.
    """
    service = _Service(projects, with_queries=with_queries)
    app = Starlette(
        routes=[
            Route("/scry", service.ask, methods=["POST"]),
            Route("/health", service.health, methods=["GET"]),
            Route("/openapi.json", service.describe, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _refuse_path},
        lifespan=service.lifespan,
    )
    return Guard(app, token=token, patience=patience)


class _Service:
    """What is behind the paths."""

    def __init__(self, projects: Home, *, with_queries: bool) -> None:
        self._projects = projects
        self._with_queries = with_queries
        self._desk = Desk()
        self._document = json.dumps(openapi()).encode()

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        self._projects.warm_up()
        yield
        self._desk.close()
        await asyncio.get_running_loop().run_in_executor(None, self._projects.close)

    async def ask(self, request: Request) -> Response:
        """POST /scry."""
        began = time.monotonic()
        asked: Asked | None = None
        try:
            _refuse_query(request)
            _refuse_other_types(request)
            asked = read_body(await request.body())
            response = reply(await self._answer(asked))
        except Refusal as refusal:
            response = refuse(refusal)
        except Exception as error:
            if not isinstance(error, ScryError):
                log.exception("a question failed")
            response = reply_error(error)
        mode = asked.call.mode if asked else DEFAULT_MODE
        words = asked.words if asked and self._with_queries else None
        note_request(mode, response.status_code, time.monotonic() - began, words)
        return response

    async def _answer(self, asked: Asked) -> msgspec.Struct:
        return await self._desk.ask(lambda cancelled: asked.call.ask(self._projects, asked.params, cancelled))

    async def health(self, _: Request) -> Response:
        """GET /health."""
        return reply(Health("ok", __version__, PROTOCOL))

    async def describe(self, _: Request) -> Response:
        """GET /openapi.json."""
        return Response(self._document, media_type=JSON)


def _refuse_query(request: Request) -> None:
    """What stands behind a question mark would be left out without a word."""
    if request.url.query:
        raise Refusal(400, "bad_request", "put params into the body, and none behind the path", field="url")


def _refuse_other_types(request: Request) -> None:
    """Nothing but JSON: a form of a web page could be sent without the browser asking first."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Refusal(415, "not_json", f"the body is {kind or 'of no type'}; send {JSON}", field="content-type")


async def _refuse_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = refuse(Refusal(405, "wrong_method", f"{request.url.path} does not take {request.method}"))
        response.headers.update(error.headers or {})
        return response
    paths = "POST /scry, GET /health, GET /openapi.json"
    return refuse(Refusal(error.status_code, "no_such_path", f"there is only {paths}"))
