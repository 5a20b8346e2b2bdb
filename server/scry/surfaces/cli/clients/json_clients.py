"""Clients with a JSON configuration file: Claude Code, Cursor, VS Code and opencode.

Claude Code: `.mcp.json` in the project, `.claude.json` in the home folder; JSON, with `mcpServers`.

Cursor: `.cursor/mcp.json` in the project; JSON, with `mcpServers`.

Its file for all projects does not tell a server which one is open, so Scry is not written there.

VS Code: `.vscode/mcp.json` in the project; JSON with comments, with `servers`.

opencode: `opencode.json` or `opencode.jsonc`, the project's or the person's; JSON with comments, with `mcp`.

From version 2 on servers may also lie one level deeper, in `mcp.servers`; a file that has them there keeps to that.
"""

from __future__ import annotations

import os
from pathlib import Path

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand
from scry.surfaces.cli.clients.jsonc import read_jsonc, set_member


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
