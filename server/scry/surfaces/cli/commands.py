"""The table of commands."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "find": "scry.surfaces.cli.find:find",
        "orient": "scry.surfaces.cli.orient:orient",
        "recent": "scry.surfaces.cli.recent:recent",
        "neighbors": "scry.surfaces.cli.neighbors:neighbors",
        "why": "scry.surfaces.cli.why:why",
        "detail": "scry.surfaces.cli.detail:detail",
        "index": "scry.surfaces.cli.index:index",
        "status": "scry.surfaces.cli.status:status",
        "open": "scry.surfaces.cli.open:open",
        "copy": "scry.surfaces.cli.copy:copy",
        "feedback": "scry.surfaces.cli.feedback:feedback",
        "belief": "scry.surfaces.cli.belief:belief",
        "persona": "scry.surfaces.cli.persona:persona",
        "project": "scry.surfaces.cli.project:project",
        "log": "scry.surfaces.cli.log:log",
        "lab": "scry.surfaces.cli.lab:lab",
        "session": "scry.surfaces.cli.session:session",
        "observe": "scry.surfaces.cli.observe:observe",
        "memory": "scry.surfaces.cli.memory:memory",
        "hook": "scry.surfaces.cli.hook:hook",
        "settings": "scry.surfaces.cli.settings:settings",
        "cache": "scry.surfaces.cli.cache:cache",
        "purge": "scry.surfaces.cli.purge:purge",
        "doctor": "scry.surfaces.cli.doctor:doctor",
        "lsp": "scry.surfaces.cli.sidecar:lsp",
        "mcp": "scry.surfaces.cli.mcp:mcp",
        "serve": "scry.surfaces.cli.serve:serve",
        "completion": "scry.surfaces.cli.completion:completion",
    }
)
"""Every command and the function that does it, in the order of the help. Only the one that is called is imported."""
