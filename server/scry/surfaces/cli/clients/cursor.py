"""Cursor: `.cursor/mcp.json` in the project; JSON, with `mcpServers`.

Its file for all projects does not tell a server which one is open, so Scry is not written there.
"""

from __future__ import annotations

from scry.surfaces.cli.clients.client import Client, Server
from scry.surfaces.cli.clients.jsonc import with_member


def _write(text: str, server: Server) -> str:
    entry = {"command": server.command, "args": [*server.arguments]}
    return with_member(text, ("mcpServers", "scry"), entry)


CURSOR = Client(
    name="cursor",
    title="Cursor",
    places={"project": lambda root: root / ".cursor" / "mcp.json"},
    write=_write,
    hint="Switch it on in Cursor's settings, under MCP.",
    arguments=("--root", "${workspaceFolder}"),
)
