"""Claude Code: `.mcp.json` in the project, `.claude.json` in the home folder; JSON, with `mcpServers`."""

from __future__ import annotations

from pathlib import Path

from scry.surfaces.cli.clients.client import Client, Server
from scry.surfaces.cli.clients.jsonc import with_member


def _write(text: str, server: Server) -> str:
    entry = {"type": "stdio", "command": server.command, "args": [*server.arguments]}
    return with_member(text, ("mcpServers", "scry"), entry)


CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    places={"project": lambda root: root / ".mcp.json", "user": lambda _: Path.home() / ".claude.json"},
    write=_write,
    hint="Start Claude Code anew; /mcp lists it.",
)
