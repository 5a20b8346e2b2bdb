"""Table of the commands: each name and the function that implements it, imported on demand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "find": "scry.surfaces.cli.questions.find:find",
        "orient": "scry.surfaces.cli.questions.browse:orient",
        "recent": "scry.surfaces.cli.questions.browse:recent",
        "neighbors": "scry.surfaces.cli.questions.browse:neighbors",
        "why": "scry.surfaces.cli.questions.explain:why",
        "detail": "scry.surfaces.cli.questions.explain:detail",
        "index": "scry.surfaces.cli.upkeep.index:index",
        "status": "scry.surfaces.cli.upkeep.index:status",
        "open": "scry.surfaces.cli.questions.results:open",
        "copy": "scry.surfaces.cli.questions.results:copy",
        "feedback": "scry.surfaces.cli.questions.results:feedback",
        "belief": "scry.surfaces.cli.knowledge.belief:belief",
        "persona": "scry.surfaces.cli.knowledge.persona:persona",
        "project": "scry.surfaces.cli.project:project",
        "team": "scry.surfaces.cli.team:team",
        "log": "scry.surfaces.cli.usage.log:log",
        "learn": "scry.surfaces.cli.usage.learn:learn",
        "lab": "scry.surfaces.cli.usage.lab:lab",
        "insights": "scry.surfaces.cli.usage.insights:insights",
        "session": "scry.surfaces.cli.knowledge.session:session",
        "observe": "scry.surfaces.cli.knowledge.observe:observe",
        "memory": "scry.surfaces.cli.knowledge.memory:memory",
        "hook": "scry.surfaces.cli.knowledge.observe:hook",
        "settings": "scry.surfaces.cli.upkeep.settings:settings",
        "cache": "scry.surfaces.cli.upkeep.disk_usage:cache",
        "purge": "scry.surfaces.cli.upkeep.disk_usage:purge",
        "restore": "scry.surfaces.cli.upkeep.restore:restore",
        "doctor": "scry.surfaces.cli.upkeep.doctor:doctor",
        "lsp": "scry.surfaces.cli.servers:lsp",
        "mcp": "scry.surfaces.cli.servers:mcp",
        "serve": "scry.surfaces.cli.servers:serve",
        "completion": "scry.surfaces.cli.app:completion",
    }
)
"""Every command and the function that implements it, in the order of the help. Only the called one is imported."""
