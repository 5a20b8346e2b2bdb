"""Description of an agent's client: its configuration files and how Scry is added to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

import msgspec
from msgspec import Struct

from scry.core.decoding import convert

ConfigScope = Literal["project", "user"]
"""project: the project's own file, which may be under version control. user: the person's file, for all projects."""


class UnwritableConfig(ValueError):
    """A configuration file that can't be changed safely; the message says why."""


class ServerCommand(Struct, frozen=True):
    """Command that starts Scry as a server."""

    command: str
    arguments: Sequence[str]


class _ServerEntry(Struct, frozen=True):
    """An entry of a configuration file: a command with arguments, or both in one list."""

    command: str | list[str]
    args: list[str] = []


def read_command(config: object, path: Sequence[str]) -> ServerCommand | None:
    """Return the command of the entry at a path of a parsed file; None where there is none."""
    for name in path:
        if not isinstance(config, dict):
            return None
        config = cast("dict[str, object]", config).get(name)
    try:
        entry = convert(config, _ServerEntry)
    except msgspec.ValidationError:
        return None
    words = [entry.command, *entry.args] if isinstance(entry.command, str) else [*entry.command, *entry.args]
    return ServerCommand(words[0], tuple(words[1:])) if words else None


class AgentClient(Struct, frozen=True):
    """An agent's client.

    config_paths: for each scope a function from the project's folder to the file; the first scope is the default.
    write: from the file's text to the text with Scry in it; remove: to the text without it; read: to the command in
    it, None where there is none. All raise UnwritableConfig. hint: how a person sees that it worked. instructions: for
    each scope the file with which a person instructs the agent. arguments: arguments of Scry beside `mcp`.
    """

    name: str
    title: str
    config_paths: Mapping[ConfigScope, Callable[[Path], Path]]
    write: Callable[[str, ServerCommand], str]
    remove: Callable[[str], str]
    read: Callable[[str], ServerCommand | None]
    hint: str
    instructions: Mapping[ConfigScope, Callable[[Path], Path]]
    arguments: Sequence[str] = ()
