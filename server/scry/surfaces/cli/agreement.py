"""Asks the person before something is removed for good."""

from __future__ import annotations

import sys

from scry.core.errors import BadRequest


def confirm_removal(question: str) -> bool:
    """Asks on standard error; returns whether the person agreed. Raises BadRequest where nobody can answer."""
    if not sys.stdin.isatty():
        raise BadRequest("yes", "nothing was removed: there is nobody here to ask; to remove all this, add --yes")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        print("Nothing was removed.", file=sys.stderr)
    return agreed
