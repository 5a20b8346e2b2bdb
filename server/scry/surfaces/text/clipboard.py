"""What belongs on the clipboard when a result is copied."""

from __future__ import annotations

from msgspec import UNSET

from scry.core.doc_id import commit_sha_of
from scry.surfaces.text.prompt import code_reference
from scry_protocol.messages import ResultItem


def result_clipboard_text(result: ResultItem) -> str:
    """A code reference such as `src/app.py:12-40`, the name of a commit, or else the doc_id."""
    if result.location is not UNSET:
        return code_reference(result)
    doc_id = result.doc_id.removeprefix(f"{result.project}:")
    return commit_sha_of(doc_id) or doc_id
