"""Serve the HTTP interface: POST /scry, GET /health, GET /openapi.json.

In the body of POST /scry `mode` names the operation, `find` by default; all other members are its params.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from scry import __version__
from scry.core.errors import BadRequest, ScryError
from scry.engine.context import RequestContext
from scry.engine.federation.router import ProjectRouter, open_home_router
from scry.surfaces.http.openapi import build_openapi_document
from scry.surfaces.serving.limits import RequestPool
from scry.surfaces.serving.methods import DEFAULT_MODE, PROGRAM_OPERATIONS, Operation
from scry.surfaces.serving.params import parse_params
from scry.surfaces.serving.replies import (
    JSON_MEDIA_TYPE,
    HttpError,
    exception_response,
    http_error_response,
    json_response,
)
from scry.surfaces.serving.schema import is_json_object
from scry.surfaces.serving.server import (
    ListenAddress,
    client_timeout,
    configure_request_log,
    log_request,
    serve_with_token,
)
from scry.surfaces.serving.tokens import AccessGuard
from scry_protocol.messages import Health
from scry_protocol.version import PROTOCOL

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp


class ParsedRequest(msgspec.Struct, frozen=True):
    """An operation with its params."""

    operation: Operation
    params: msgspec.Struct

    @property
    def query_text(self) -> str:
        """The text of the question; logged only if the person wants that."""
        return str(next((getattr(self.params, name) for name in _QUERY_FIELDS if getattr(self.params, name, None)), ""))


_QUERY_FIELDS = ("query", "doc_id", "file", "path", "query_id")


def parse_request_body(body: bytes) -> ParsedRequest:
    """Return the request in a body. Raises BadRequest that names the field."""
    values = _parse_object(body)
    mode = values.pop("mode", DEFAULT_MODE)
    if not isinstance(mode, str) or mode not in PROGRAM_OPERATIONS:
        raise BadRequest("mode", f"is one of {', '.join(PROGRAM_OPERATIONS)}")
    call = PROGRAM_OPERATIONS[mode]
    return ParsedRequest(call, parse_params(call.params, values))


def _parse_object(body: bytes) -> dict[str, object]:
    if not body:
        raise BadRequest("body", 'is empty; send a JSON object, such as {"query": "where is the retry limit"}')
    try:
        value: object = json.loads(body.decode("utf-8"), parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise BadRequest("body", f"is not UTF-8: byte {error.start} can't be read") from None
    except RecursionError:
        raise BadRequest("body", "is nested too deeply") from None
    except ValueError as error:
        raise BadRequest("body", f"is not JSON: {error}") from None
    if not is_json_object(value):
        raise BadRequest("body", "is a JSON object, and nothing else")
    return value


def _reject_constant(name: str) -> NoReturn:
    """Reject NaN and Infinity, which Python reads but JSON does not have."""
    raise ValueError(f"{name} is not a JSON value")


log = logging.getLogger(__name__)


def make_app(projects: ProjectRouter, *, token: str | None, body_timeout: float, log_queries: bool = False) -> ASGIApp:
    """Return the application; it closes the router when it ends.

    token, body_timeout: as of AccessGuard. log_queries: whether the text of a question is logged.
    """
    service = _HttpService(projects, log_queries=log_queries)
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
    """The handlers of the paths."""

    def __init__(self, projects: ProjectRouter, *, log_queries: bool) -> None:
        self._projects = projects
        self._log_queries = log_queries
        self._requests = RequestPool()
        self._openapi_json = json.dumps(build_openapi_document()).encode()

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        self._projects.warm_up()
        yield
        self._requests.close()
        await asyncio.get_running_loop().run_in_executor(None, self._projects.close)

    async def ask(self, request: Request) -> Response:
        """Answer POST /scry."""
        began = time.monotonic()
        parsed: ParsedRequest | None = None
        try:
            _reject_query_string(request)
            _require_json(request)
            parsed = parse_request_body(await request.body())
            response = json_response(await self._run_operation(parsed))
        except HttpError as refusal:
            response = http_error_response(refusal)
        except Exception as error:
            if not isinstance(error, ScryError):
                log.exception("a question failed")
            response = exception_response(error)
        mode = parsed.operation.mode if parsed else DEFAULT_MODE
        query = parsed.query_text if parsed and self._log_queries else None
        log_request(mode, response.status_code, time.monotonic() - began, query)
        return response

    async def _run_operation(self, request: ParsedRequest) -> msgspec.Struct:
        return await self._requests.run(
            lambda cancelled: request.operation.run(self._projects, request.params, RequestContext(cancelled=cancelled))
        )

    async def health(self, _: Request) -> Response:
        """Answer GET /health."""
        return json_response(Health("ok", __version__, PROTOCOL))

    async def openapi_document(self, _: Request) -> Response:
        """Answer GET /openapi.json."""
        return Response(self._openapi_json, media_type=JSON_MEDIA_TYPE)


def _reject_query_string(request: Request) -> None:
    """Reject a query string, which would be ignored silently."""
    if request.url.query:
        raise HttpError(400, "bad_request", "put params into the body, and none behind the path", field="url")


def _require_json(request: Request) -> None:
    """Require JSON: a browser sends a web page's form without asking the server first."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON_MEDIA_TYPE:
        raise HttpError(
            415, "not_json", f"the body is {kind or 'of no type'}; send {JSON_MEDIA_TYPE}", field="content-type"
        )


async def _unknown_path_response(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = http_error_response(
            HttpError(405, "wrong_method", f"{request.url.path} does not take {request.method}")
        )
        response.headers.update(error.headers or {})
        return response
    paths = "POST /scry, GET /health, GET /openapi.json"
    return http_error_response(HttpError(error.status_code, "no_such_path", f"there is only {paths}"))


class HttpServerOptions(Struct, frozen=True):
    """The options of `scry serve`. home: the project that is asked where a request names none; None for none."""

    address: ListenAddress
    home: Path | None
    log_queries: bool = False


def serve_http(options: HttpServerOptions) -> int:
    """Serve until a signal; return the exit status. Raises ScryError when the server can't start."""

    def make_home_app(token: str | None) -> ASGIApp:
        configure_request_log()
        projects = open_home_router(options.home, "http")
        return make_app(projects, token=token, body_timeout=client_timeout(), log_queries=options.log_queries)

    serve_with_token(options.address, make_home_app)
    return 0
