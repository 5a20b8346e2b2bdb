"""Table of the commands: each name and the function that implements it, imported on demand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "find": "scry.surfaces.cli.find:find",
        "orient": "scry.surfaces.cli.browse:orient",
        "recent": "scry.surfaces.cli.browse:recent",
        "neighbors": "scry.surfaces.cli.browse:neighbors",
        "why": "scry.surfaces.cli.explain:why",
        "detail": "scry.surfaces.cli.explain:detail",
        "index": "scry.surfaces.cli.index:index",
        "status": "scry.surfaces.cli.index:status",
        "open": "scry.surfaces.cli.results:open",
        "copy": "scry.surfaces.cli.results:copy",
        "feedback": "scry.surfaces.cli.results:feedback",
        "belief": "scry.surfaces.cli.belief:belief",
        "persona": "scry.surfaces.cli.persona:persona",
        "project": "scry.surfaces.cli.project:project",
        "team": "scry.surfaces.cli.team:team",
        "log": "scry.surfaces.cli.log:log",
        "lab": "scry.surfaces.cli.lab:lab",
        "session": "scry.surfaces.cli.session:session",
        "observe": "scry.surfaces.cli.observe:observe",
        "memory": "scry.surfaces.cli.memory:memory",
        "hook": "scry.surfaces.cli.observe:hook",
        "settings": "scry.surfaces.cli.settings:settings",
        "cache": "scry.surfaces.cli.disk_usage:cache",
        "purge": "scry.surfaces.cli.disk_usage:purge",
        "restore": "scry.surfaces.cli.restore:restore",
        "doctor": "scry.surfaces.cli.doctor:doctor",
        "lsp": "scry.surfaces.cli.servers:lsp",
        "mcp": "scry.surfaces.cli.servers:mcp",
        "serve": "scry.surfaces.cli.servers:serve",
        "completion": "scry.surfaces.cli.app:completion",
    }
)
"""Every command and the function that implements it, in the order of the help. Only the called one is imported."""
