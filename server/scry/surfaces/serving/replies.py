"""Encode results and errors as JSON responses with the HTTP status of their kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec
from starlette.responses import Response

from scry.core import errors
from scry.surfaces.serving.params import error_report
from scry_protocol.messages import ErrorDetail, ErrorReport

JSON_MEDIA_TYPE = "application/json"

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})

HTTP_STATUS: Mapping[type[errors.ScryError], int] = MappingProxyType(
    {
        errors.UnknownProject: 404,
        errors.BadRequest: 400,
        errors.ProjectMissing: 404,
        errors.ProjectRefused: 404,
        errors.Busy: 503,
        errors.TookTooLong: 504,
        errors.RegistryUnavailable: 503,
        errors.IndexUnavailable: 503,
        errors.LogUnavailable: 503,
        errors.MemoryUnavailable: 503,
        errors.ModelUnavailable: 503,
    }
)
"""The status code of each kind of error; 500 for all others."""

_RETRY_AFTER_S = "1"
"""Seconds after which a client that got 503 may ask again; not sent while memory is off, where that does not help."""


class HttpError(Exception):
    """A request that is refused before its params are read."""

    def __init__(self, status: int, code: str, words: str, *, field: str | None = None, close: bool = False) -> None:
        """Take the response's content. code, words, field: as in ErrorDetail. close: end the connection after it."""
        super().__init__(words)
        self.status = status
        self.report = ErrorReport(ErrorDetail(code, field, words))
        self.close = close


def json_response(result: msgspec.Struct) -> Response:
    """Return the response with a result."""
    return Response(msgspec.json.encode(result), media_type=JSON_MEDIA_TYPE)


def http_error_response(refusal: HttpError) -> Response:
    """Return the response to a refused request."""
    headers: dict[str, str] = {"connection": "close"} if refusal.close else {}
    if refusal.status == 401:
        headers["www-authenticate"] = 'Bearer realm="scry"'
    if refusal.status == 503:
        headers["retry-after"] = _RETRY_AFTER_S
    return _error_response(refusal.status, refusal.report, headers)


def exception_response(error: Exception) -> Response:
    """Return the response to a request that failed. The text of an error that is not Scry's own is left out."""
    if isinstance(error, errors.ScryError):
        status = next((HTTP_STATUS[kind] for kind in type(error).__mro__ if kind in HTTP_STATUS), 500)
        is_off = isinstance(error, errors.MemoryUnavailable) and error.is_off
        headers = {"retry-after": _RETRY_AFTER_S} if status == 503 and not is_off else _NO_HEADERS
        return _error_response(status, error_report(error), headers)
    words = "something went wrong inside of Scry; its log says what"
    return _error_response(500, ErrorReport(ErrorDetail("internal_error", None, words)), _NO_HEADERS)


def _error_response(status: int, report: ErrorReport, headers: Mapping[str, str]) -> Response:
    return Response(msgspec.json.encode(report), status, dict(headers), JSON_MEDIA_TYPE)
