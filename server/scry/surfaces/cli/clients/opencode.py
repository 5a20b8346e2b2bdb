"""opencode: `opencode.json` or `opencode.jsonc`, the project's or the person's; JSON with comments, with `mcp`.

From version 2 on servers may also lie one level deeper, in `mcp.servers`; a file that has them there keeps to that.
"""

from __future__ import annotations

import os
from pathlib import Path

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand
from scry.surfaces.cli.clients.jsonc import read_jsonc, set_member

_OPENCODE_SCHEMA = "https://opencode.ai/config.json"


def _write_opencode(text: str, server: ServerCommand) -> str:
    entry = {"type": "local", "command": [server.command, *server.arguments], "enabled": True}
    if not text.strip():
        text = set_member(text, ("$schema",), _OPENCODE_SCHEMA)
    return set_member(text, ("mcp", "servers", "scry") if _nests_servers(text) else ("mcp", "scry"), entry)


def _nests_servers(text: str) -> bool:
    """Whether `mcp.servers` holds servers; it may as well be a server of that name."""
    match read_jsonc(text):
        case {"mcp": {"servers": {"type": str()} | {"enabled": bool()}}}:
            return False
        case {"mcp": {"servers": dict()}}:
            return True
        case _:
            return False


def _opencode_config(folder: Path) -> Path:
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _user_opencode_config(_: Path) -> Path:
    settings = os.environ.get("XDG_CONFIG_HOME")
    return _opencode_config((Path(settings) if settings else Path.home() / ".config") / "opencode")


OPENCODE = AgentClient(
    name="opencode",
    title="opencode",
    config_paths={"project": _opencode_config, "user": _user_opencode_config},
    write=_write_opencode,
    hint="Start opencode anew; opencode mcp list shows it.",
)
