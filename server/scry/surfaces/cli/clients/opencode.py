"""opencode: `opencode.json` or `opencode.jsonc`, the project's or the person's; JSON with comments, with `mcp`.

From version 2 on servers may also lie one level deeper, in `mcp.servers`; a file that has them there keeps to that.
"""

from __future__ import annotations

import os
from pathlib import Path

from scry.surfaces.cli.clients.client import Client, Server
from scry.surfaces.cli.clients.jsonc import read_json, with_member

_SCHEMA = "https://opencode.ai/config.json"


def _write(text: str, server: Server) -> str:
    entry = {"type": "local", "command": [server.command, *server.arguments], "enabled": True}
    if not text.strip():
        text = with_member(text, ("$schema",), _SCHEMA)
    return with_member(text, ("mcp", "servers", "scry") if _is_nested(text) else ("mcp", "scry"), entry)


def _is_nested(text: str) -> bool:
    """Whether `mcp.servers` holds servers; it may as well be a server of that name."""
    match read_json(text):
        case {"mcp": {"servers": {"type": str()} | {"enabled": bool()}}}:
            return False
        case {"mcp": {"servers": dict()}}:
            return True
        case _:
            return False


def _in(folder: Path) -> Path:
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _of_person(_: Path) -> Path:
    settings = os.environ.get("XDG_CONFIG_HOME")
    return _in((Path(settings) if settings else Path.home() / ".config") / "opencode")


OPENCODE = Client(
    name="opencode",
    title="opencode",
    places={"project": _in, "user": _of_person},
    write=_write,
    hint="Start opencode anew; opencode mcp list shows it.",
)
