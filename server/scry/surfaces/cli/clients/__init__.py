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

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.surfaces.cli.clients.client import ServerCommand as ServerCommand
    from scry.surfaces.cli.clients.client import UnwritableConfig as UnwritableConfig
    from scry.surfaces.cli.clients.codex import CODEX as CODEX
    from scry.surfaces.cli.clients.jsonc import read_jsonc as read_jsonc
    from scry.surfaces.cli.clients.jsonc import remove_member as remove_member
    from scry.surfaces.cli.clients.jsonc import set_member as set_member
else:
    _MODULES = {
        "CODEX": "codex",
        "ServerCommand": "client",
        "UnwritableConfig": "client",
        "read_jsonc": "jsonc",
        "remove_member": "jsonc",
        "set_member": "jsonc",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
