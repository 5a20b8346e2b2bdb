"""Messages for programs that are no editors: errors, and the health of a server."""

from __future__ import annotations

from scry_protocol.messages.base import Result


class ErrorDetail(Result, frozen=True):
    """An error, with the remedy.

    code: its kind, such as bad_request, unknown_project or index_unavailable.
    field: the wrong parameter; null where none is.
    message: words for a person.
    """

    code: str
    field: str | None
    message: str


class ErrorReport(Result, frozen=True):
    """An error in place of a result.

    error: the error.
    """

    error: ErrorDetail


class Health(Result, frozen=True):
    """The health of a server. It says nothing about any project.

    status: ok.
    version: Scry's version.
    protocol: the version of the protocol that the server speaks.
    """

    status: str
    version: str
    protocol: int
