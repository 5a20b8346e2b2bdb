"""An error as programs read it, the same on every surface."""

from __future__ import annotations

import re

from scry.core.errors import BadRequest
from scry.core.text import escape_unencodable
from scry_protocol.messages import ErrorDetail, ErrorReport

_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")


def error_report(error: Exception) -> ErrorReport:
    """The error's kind, the parameter that is wrong, and its words."""
    field = error.field if isinstance(error, BadRequest) else None
    code = _CAMEL_CASE_BOUNDARY.sub("_", type(error).__name__).lower()
    words = escape_unencodable(str(error))  # JSON can't hold a lone surrogate
    return ErrorReport(ErrorDetail(code, field, words))
