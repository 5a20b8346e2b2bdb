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
from scry.surfaces.http.body import DEFAULT_MODE, ParsedRequest, parse_request_body
from scry.surfaces.http.openapi import build_openapi_document
from scry.surfaces.web.guard import AccessGuard
from scry.surfaces.web.replies import JSON_MEDIA_TYPE, HttpError, http_error_response, json_response, exception_response
from scry.surfaces.wire.desk import RequestPool
from scry.surfaces.wire.journal import log_request
from scry_protocol.messages import Health
from scry_protocol.version import PROTOCOL

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from scry.surfaces.wire.home import ServerProjects

log = logging.getLogger(__name__)


def make_app(projects: ServerProjects, *, token: str | None, body_timeout: float, log_queries: bool = False) -> ASGIApp:
    """The application; it closes the projects when it ends.

    token, patience: as Guard takes them. with_queries: whether what was asked is written to the journal.
    """
    service = _HttpService(projects, with_queries=log_queries)
    app = Starlette(
        routes=[
            Route("/scry", service.ask, methods=["POST"]),
            Route("/health", service.health, methods=["GET"]),
            Route("/openapi.json", service.openapi_document, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _unknown_path_response},
        lifespan=service.lifespan,
    )
    return AccessGuard(app, token=token, body_timeout=body_timeout)


class _HttpService:
    """What is behind the paths."""

    def __init__(self, projects: ServerProjects, *, with_queries: bool) -> None:
        self._projects = projects
        self._with_queries = with_queries
        self._requests = RequestPool()
        self._openapi_json = json.dumps(build_openapi_document()).encode()

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        self._projects.warm_up()
        yield
        self._requests.close()
        await asyncio.get_running_loop().run_in_executor(None, self._projects.close)

    async def ask(self, request: Request) -> Response:
        """POST /scry."""
        began = time.monotonic()
        asked: ParsedRequest | None = None
        try:
            _reject_query_string(request)
            _require_json(request)
            asked = parse_request_body(await request.body())
            response = json_response(await self._run_operation(asked))
        except HttpError as refusal:
            response = http_error_response(refusal)
        except Exception as error:
            if not isinstance(error, ScryError):
                log.exception("a question failed")
            response = exception_response(error)
        mode = asked.operation.mode if asked else DEFAULT_MODE
        words = asked.query_text if asked and self._with_queries else None
        log_request(mode, response.status_code, time.monotonic() - began, words)
        return response

    async def _run_operation(self, asked: ParsedRequest) -> msgspec.Struct:
        return await self._requests.run(lambda cancelled: asked.operation.run(self._projects, asked.params, cancelled))

    async def health(self, _: Request) -> Response:
        """GET /health."""
        return json_response(Health("ok", __version__, PROTOCOL))

    async def openapi_document(self, _: Request) -> Response:
        """GET /openapi.json."""
        return Response(self._openapi_json, media_type=JSON_MEDIA_TYPE)


def _reject_query_string(request: Request) -> None:
    """What stands behind a question mark would be left out without a word."""
    if request.url.query:
        raise HttpError(400, "bad_request", "put params into the body, and none behind the path", field="url")


def _require_json(request: Request) -> None:
    """Nothing but JSON: a form of a web page could be sent without the browser asking first."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON_MEDIA_TYPE:
        raise HttpError(415, "not_json", f"the body is {kind or 'of no type'}; send {JSON_MEDIA_TYPE}", field="content-type")


async def _unknown_path_response(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = http_error_response(HttpError(405, "wrong_method", f"{request.url.path} does not take {request.method}"))
        response.headers.update(error.headers or {})
        return response
    paths = "POST /scry, GET /health, GET /openapi.json"
    return http_error_response(HttpError(error.status_code, "no_such_path", f"there is only {paths}"))
