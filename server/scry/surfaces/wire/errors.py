"""An error as programs read it, the same on every surface."""

from __future__ import annotations

import re

from scry.core.errors import BadRequest
from scry.core.text import encodable
from scry_protocol.messages import ErrorDetail, ErrorReport

_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def report_of(error: Exception) -> ErrorReport:
    """The error's kind, the parameter that is wrong, and its words."""
    field = error.field if isinstance(error, BadRequest) else None
    code = _HUMPS.sub("_", type(error).__name__).lower()
    words = encodable(str(error))  # JSON can't hold a lone surrogate
    return ErrorReport(ErrorDetail(code, field, words))
