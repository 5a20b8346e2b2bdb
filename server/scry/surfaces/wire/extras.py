"""Parts of the package that are installed on demand."""

from __future__ import annotations

from scry.core.errors import ExtraMissing

DISTRIBUTION = "scry-sidecar"


def missing_extra_error(extra: str, feature: str, error: ModuleNotFoundError) -> ExtraMissing:
    """The one message where a module of an extra is not installed. what: what was asked for, such as `scry mcp`."""
    return ExtraMissing(
        f"{feature} needs a part that is not installed ({error.name}): pip install '{DISTRIBUTION}[{extra}]'"
    )
