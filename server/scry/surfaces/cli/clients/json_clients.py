"""Clients with a JSON configuration file: Claude Code, Cursor, VS Code and opencode.

Cursor's file for all projects does not tell a server which project is open, so Scry is written to the project's alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand, read_command
from scry.surfaces.cli.clients.jsonc import read_jsonc, remove_member, set_member


def _server_writer(key: str, **fields: str) -> Callable[[str, ServerCommand], str]:
    """Return the `write` of a client that lists its servers in the object `key`. fields: further ones of an entry."""

    def write(text: str, server: ServerCommand) -> str:
        entry = {**fields, "command": server.command, "args": [*server.arguments]}
        return set_member(text, (key, "scry"), entry)

    return write


def _server_remover(key: str) -> Callable[[str], str]:
    return lambda text: remove_member(text, (key, "scry"))


def _server_reader(*path: str) -> Callable[[str], ServerCommand | None]:
    return lambda text: read_command(read_jsonc(text), path)


CLAUDE_CODE = AgentClient(
    name="claude-code",
    title="Claude Code",
    config_paths={"project": lambda root: root / ".mcp.json", "user": lambda _: Path.home() / ".claude.json"},
    write=_server_writer("mcpServers", type="stdio"),
    remove=_server_remover("mcpServers"),
    read=_server_reader("mcpServers", "scry"),
    hint="Start Claude Code anew; /mcp lists it.",
    instructions={"project": lambda root: root / "CLAUDE.md", "user": lambda _: Path.home() / ".claude" / "CLAUDE.md"},
)


CURSOR = AgentClient(
    name="cursor",
    title="Cursor",
    config_paths={"project": lambda root: root / ".cursor" / "mcp.json"},
    write=_server_writer("mcpServers"),
    remove=_server_remover("mcpServers"),
    read=_server_reader("mcpServers", "scry"),
    hint="Switch it on in Cursor's settings, under MCP.",
    instructions={"project": lambda root: root / "AGENTS.md"},
    arguments=("--root", "${workspaceFolder}"),
)


VSCODE = AgentClient(
    name="vscode",
    title="VS Code",
    config_paths={"project": lambda root: root / ".vscode" / "mcp.json"},
    write=_server_writer("servers", type="stdio"),
    remove=_server_remover("servers"),
    read=_server_reader("servers", "scry"),
    hint="Start it from .vscode/mcp.json, or by the command MCP: List Servers.",
    instructions={"project": lambda root: root / ".github" / "copilot-instructions.md"},
    arguments=("--root", "${workspaceFolder}"),
)

_OPENCODE_SCHEMA = "https://opencode.ai/config.json"


def _write_opencode(text: str, server: ServerCommand) -> str:
    entry = {"type": "local", "command": [server.command, *server.arguments], "enabled": True}
    if not text.strip():
        text = set_member(text, ("$schema",), _OPENCODE_SCHEMA)
    return set_member(text, _opencode_path(text), entry)


def _opencode_path(text: str) -> tuple[str, ...]:
    return ("mcp", "servers", "scry") if _nests_servers(text) else ("mcp", "scry")


def _read_opencode(text: str) -> ServerCommand | None:
    return read_command(read_jsonc(text), _opencode_path(text))


def _nests_servers(text: str) -> bool:
    """Tell whether `mcp.servers` is an object of servers, as from opencode 2 on, and not a server of that name."""
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
    remove=lambda text: remove_member(text, _opencode_path(text)),
    read=_read_opencode,
    hint="Start opencode anew; opencode mcp list shows it.",
    instructions={
        "project": lambda root: root / "AGENTS.md",
        "user": lambda root: _user_opencode_config(root).with_name("AGENTS.md"),
    },
)
