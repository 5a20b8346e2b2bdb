"""Description of an agent's client: its configuration files and how Scry is added to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

ConfigScope = Literal["project", "user"]
"""project: the project's own file, which may be under version control. user: the person's file, for all projects."""


class UnwritableConfig(ValueError):
    """A configuration file that can't be changed safely; the message says why."""


class ServerCommand(Struct, frozen=True):
    """Command that starts Scry as a server."""

    command: str
    arguments: Sequence[str]


class AgentClient(Struct, frozen=True):
    """An agent's client.

    config_paths: for each scope a function from the project's folder to the file; the first scope is the default.
    write: from the file's text to the text with Scry in it; raises UnwritableConfig. hint: how a person sees that it
    worked. arguments: arguments of Scry beside `mcp --text-only`.
    """

    name: str
    title: str
    config_paths: Mapping[ConfigScope, Callable[[Path], Path]]
    write: Callable[[str, ServerCommand], str]
    hint: str
    arguments: Sequence[str] = ()
