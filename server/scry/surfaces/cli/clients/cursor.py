"""Cursor: `.cursor/mcp.json` in the project; JSON, with `mcpServers`.

Its file for all projects does not tell a server which one is open, so Scry is not written there.
"""

from __future__ import annotations

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand
from scry.surfaces.cli.clients.jsonc import set_member


def _write_cursor(text: str, server: ServerCommand) -> str:
    entry = {"command": server.command, "args": [*server.arguments]}
    return set_member(text, ("mcpServers", "scry"), entry)


CURSOR = AgentClient(
    name="cursor",
    title="Cursor",
    config_paths={"project": lambda root: root / ".cursor" / "mcp.json"},
    write=_write_cursor,
    hint="Switch it on in Cursor's settings, under MCP.",
    arguments=("--root", "${workspaceFolder}"),
)
