"""VS Code: `.vscode/mcp.json` in the project; JSON with comments, with `servers`."""

from __future__ import annotations

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand
from scry.surfaces.cli.clients.jsonc import set_member


def _write_vscode(text: str, server: ServerCommand) -> str:
    entry = {"type": "stdio", "command": server.command, "args": [*server.arguments]}
    return set_member(text, ("servers", "scry"), entry)


VSCODE = AgentClient(
    name="vscode",
    title="VS Code",
    config_paths={"project": lambda root: root / ".vscode" / "mcp.json"},
    write=_write_vscode,
    hint="Start it from .vscode/mcp.json, or by the command MCP: List Servers.",
    arguments=("--root", "${workspaceFolder}"),
)
