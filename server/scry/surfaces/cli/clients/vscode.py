"""VS Code: `.vscode/mcp.json` in the project; JSON with comments, with `servers`."""

from __future__ import annotations

from scry.surfaces.cli.clients.client import Client, Server
from scry.surfaces.cli.clients.jsonc import with_member


def _write(text: str, server: Server) -> str:
    entry = {"type": "stdio", "command": server.command, "args": [*server.arguments]}
    return with_member(text, ("servers", "scry"), entry)


VSCODE = Client(
    name="vscode",
    title="VS Code",
    places={"project": lambda root: root / ".vscode" / "mcp.json"},
    write=_write,
    hint="Start it from .vscode/mcp.json, or by the command MCP: List Servers.",
    arguments=("--root", "${workspaceFolder}"),
)
