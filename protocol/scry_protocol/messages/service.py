"""What programs that are no editors get beside answers."""

from __future__ import annotations

from scry_protocol.messages.base import Result


class ErrorDetail(Result, frozen=True):
    """What went wrong, and what to do.

    code: its kind, such as bad_request, unknown_project or index_unavailable.
    field: the parameter that is wrong; null where none is.
    message: words for a person.
    """

    code: str
    field: str | None
    message: str


class ErrorReport(Result, frozen=True):
    """What is given instead of a result.

    error: what went wrong.
    """

    error: ErrorDetail


class Health(Result, frozen=True):
    """That a server is there. It says nothing of any project.

    status: ok.
    version: Scry's version.
    protocol: the number of the protocol that it speaks.
    """

    status: str
    version: str
    protocol: int
