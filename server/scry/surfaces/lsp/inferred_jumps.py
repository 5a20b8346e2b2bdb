"""Conclude from an editor's requests that a person jumped to a result of `workspace/symbol`.

Editors without a plugin report no jumps. Such a jump is seen from outside as the opening of a file that the answer
named, and a request about the line at which a result of it begins: the editor asks for the highlights, the hover or the
selection of the place where it has put the cursor.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from msgspec import UNSET

from scry.surfaces.lsp.standard_features import jump_target
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path
from scry_protocol.messages import Answer, UseParams

CHOICE_SECONDS = 30.0
"""Most seconds from an answer to the opening of a file that it named."""

ARRIVAL_SECONDS = 5.0
"""Most seconds from the opening of the file to a request about the line of a result."""


class InferredJumps:
    """The newest answer of `workspace/symbol`, and the file of it that was just opened. Used on the loop alone."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start without an answer. now: returns a time in seconds."""
        self._now = now
        self._answer: Answer | None = None
        self._answered_at = 0.0
        self._opened = ""
        self._opened_at = 0.0

    def add_answer(self, answer: Answer) -> None:
        """Remember an answer in place of the one before."""
        self._answer, self._answered_at, self._opened = answer, self._now(), ""

    def file_opened(self, uri: str) -> None:
        """Remember that the editor has opened a file, if it may have chosen it from the answer."""
        if self._answer is not None and self._now() - self._answered_at <= CHOICE_SECONDS:
            self._opened, self._opened_at = _path_of(uri), self._now()

    def place_visited(self, uri: str, line: int) -> UseParams | None:
        """Return the use that a request about a line shows; None for no use. Each opening of a file is one use."""
        answer, path = self._answer, self._opened
        if answer is None or not path or _path_of(uri) != path or self._now() - self._opened_at > ARRIVAL_SECONDS:
            return None
        for result in answer.results:
            location = result.location
            if location is not UNSET and jump_target(location).line == line and _path_of(location.uri) == path:
                self._opened = ""
                return UseParams(answer.query_id, result.rank, "inferred", f"inferred-{secrets.token_hex(8)}")
        return None


def _path_of(uri: str) -> str:
    """Return the path of a file's URI; empty for any other URI."""
    try:
        return uri_to_path(uri)
    except NotAFileUri:
        return ""
