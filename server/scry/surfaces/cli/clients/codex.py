"""Codex: `config.toml` in `.codex`, in the home folder or in a trusted project; TOML, `mcp_servers`.

Codex: `config.toml` in `.codex`, in the home folder or in a project that is trusted; TOML, with `mcp_servers`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand, UnwritableConfig

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_SCRY_TABLE = re.compile(r"^[ \t]*\[mcp_servers\.(?:scry|\"scry\"|'scry')\][^\n]*\n?", re.MULTILINE)
_NEXT_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def _write_codex(text: str, server: ServerCommand) -> str:
    """All but Scry's own table stays as it is, comments too."""
    before = _parse_toml(text)
    entry = f"command = {_toml_literal(server.command)}\nargs = {_toml_literal([*server.arguments])}\n"
    found = _SCRY_TABLE.search(text)
    if found:
        following = _NEXT_TABLE.search(text, found.end())
        end = following.start() if following else len(text)
        others = _without_scry_keys(text[found.end() : end])
        after = f"{text[: found.start()]}[mcp_servers.scry]\n{entry}{others}{text[end:]}"
    else:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}[mcp_servers.scry]\n{entry}"
    _verify_only_scry_changed(before, after, server)
    return after


def _without_scry_keys(table: str) -> str:
    """What a person added to Scry's table, such as a timeout."""
    return re.sub(r"^[ \t]*(?:command|args)[ \t]*=[^\n]*\n?", "", table, flags=re.MULTILINE)


def _verify_only_scry_changed(before: Mapping[str, Any], after: str, server: ServerCommand) -> None:
    """What was written is read again: lists over several lines, dotted keys and so on are left to the person."""
    try:
        read = _parse_toml(after)
    except UnwritableConfig:
        read = {}
    servers = {**before.get("mcp_servers", {})}
    ours = {"command": server.command, "args": [*server.arguments]}
    wanted = {**before, "mcp_servers": {**servers, "scry": {**servers.get("scry", {}), **ours}}}
    if read != wanted:
        raise UnwritableConfig(f"mcp_servers.scry is written in a way that can't be changed safely; set {ours} there")


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UnwritableConfig(str(error)) from error


def _toml_literal(value: str | list[str]) -> str:
    """A JSON string is a TOML string, too."""
    return json.dumps(value, ensure_ascii=False)


def _user_config(_: Path) -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


CODEX = AgentClient(
    name="codex",
    title="Codex",
    config_paths={"user": _user_config, "project": lambda root: root / ".codex" / "config.toml"},
    write=_write_codex,
    hint="Start Codex anew; /mcp lists it.",
)
