"""Agents' clients that `scry mcp install` knows, all described by one structure (client.py)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scry.surfaces.cli.clients.client import AgentClient
from scry.surfaces.cli.clients.codex import CODEX
from scry.surfaces.cli.clients.json_clients import CLAUDE_CODE, CURSOR, OPENCODE, VSCODE

CLIENTS: Mapping[str, AgentClient] = MappingProxyType(
    {client.name: client for client in (CLAUDE_CODE, CURSOR, VSCODE, CODEX, OPENCODE)}
)
"""The clients by name, in the order of the help."""
