"""Claude Code: `.mcp.json` in the project, `.claude.json` in the home folder; JSON, with `mcpServers`."""

from __future__ import annotations

from pathlib import Path

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand
from scry.surfaces.cli.clients.jsonc import set_member


def _write_claude_code(text: str, server: ServerCommand) -> str:
    entry = {"type": "stdio", "command": server.command, "args": [*server.arguments]}
    return set_member(text, ("mcpServers", "scry"), entry)


CLAUDE_CODE = AgentClient(
    name="claude-code",
    title="Claude Code",
    config_paths={"project": lambda root: root / ".mcp.json", "user": lambda _: Path.home() / ".claude.json"},
    write=_write_claude_code,
    hint="Start Claude Code anew; /mcp lists it.",
)
