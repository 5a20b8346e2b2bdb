"""Codex: `config.toml` in `.codex`, in the home folder or in a trusted project; TOML, `mcp_servers`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from scry.surfaces.cli.clients.client import AgentClient, ServerCommand, UnwritableConfig, read_command

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def _write_codex(text: str, server: ServerCommand) -> str:
    """Return the file with Scry's command in its table, or in a new table at the end; the rest stays as it is.

    Raises UnwritableConfig for a file that is not TOML, and for one in which `mcp_servers` takes no further table.
    """
    before = _parse_toml(text)
    after = _edit_toml(text, {"command": server.command, "args": [*server.arguments]})
    _verify_only_scry_changed(before, after, server)
    return after


def _remove_codex(text: str) -> str:
    """Return the file without Scry's table. Raises UnwritableConfig as _write_codex."""
    import tomlkit

    before = _parse_toml(text)
    servers = _subtable(before, "mcp_servers")
    if servers is None or "scry" not in servers:
        return text
    document = tomlkit.parse(text)
    edited = _subtable(document, "mcp_servers")
    assert edited is not None
    del edited["scry"]
    if len(servers) == 1:
        del document["mcp_servers"]
    after = tomlkit.dumps(document)
    others = {name: server for name, server in servers.items() if name != "scry"}
    rest = {name: value for name, value in before.items() if name != "mcp_servers"}
    if _parse_toml(after) != {**rest, **({"mcp_servers": others} if others else {})}:
        raise UnwritableConfig("mcp_servers.scry is written in a way that can't be removed safely; remove it by hand")
    return after.rstrip("\n") + "\n" if after.strip() else ""


def _read_codex(text: str) -> ServerCommand | None:
    return read_command(_parse_toml(text), ("mcp_servers", "scry"))


def _edit_toml(text: str, entry: Mapping[str, object]) -> str:
    import tomlkit  # takes 20 ms, which other clients need not pay
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        servers = _subtable(document, "mcp_servers")
        scry = None if servers is None else _subtable(servers, "scry")
        if scry is not None:
            scry.update(entry)
            return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise UnwritableConfig(str(error)) from error
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{tomlkit.dumps({'mcp_servers': {'scry': entry}})}"


def _subtable(table: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    value = table.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _verify_only_scry_changed(before: Mapping[str, Any], after: str, server: ServerCommand) -> None:
    """Parse the edited text again. Raises UnwritableConfig where anything but Scry's entry differs from before."""
    try:
        parsed = _parse_toml(after)
    except UnwritableConfig:
        parsed = {}
    servers = _subtable(before, "mcp_servers") or {}
    scry = _subtable(servers, "scry") or {}
    entry = {"command": server.command, "args": [*server.arguments]}
    if parsed != {**before, "mcp_servers": {**servers, "scry": {**scry, **entry}}}:
        raise UnwritableConfig(f"mcp_servers.scry is written in a way that can't be changed safely; set {entry} there")


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UnwritableConfig(str(error)) from error


def _user_config(_: Path) -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


CODEX = AgentClient(
    name="codex",
    title="Codex",
    config_paths={"user": _user_config, "project": lambda root: root / ".codex" / "config.toml"},
    write=_write_codex,
    remove=_remove_codex,
    read=_read_codex,
    hint="Start Codex anew; /mcp lists it.",
    instructions={
        "user": lambda root: _user_config(root).with_name("AGENTS.md"),
        "project": lambda root: root / "AGENTS.md",
    },
)
