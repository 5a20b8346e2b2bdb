"""The installed package: its name, and the command that installs it again from where it came."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata
from typing import Any

from scry.core.files import path_of_url

DISTRIBUTION = "scry-sidecar"


def install_command(extra: str = "") -> str:
    """Return the command that installs this package again into this environment. extra: one that it adds.

    Scry is in no registry, so that its name alone would lead nowhere: the source is the folder or wheel that it was
    installed from (PEP 610).
    """
    suffix = f"[{extra}]" if extra else ""
    origin = _read_origin()
    path = _path_of_url(str(origin.get("url", "")))
    editable = ["--editable"] if path and origin.get("dir_info", {}).get("editable") else []
    return shlex.join([sys.executable, "-m", "pip", "install", *editable, f"{path or DISTRIBUTION}{suffix}"])


def _read_origin() -> dict[str, Any]:
    try:
        return json.loads(metadata.distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError, OSError):
        return {}


def _path_of_url(url: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return path_of_url(parts.path) if parts.scheme == "file" else ""
