"""Description of an agent's client: its configuration files and how Scry is added to them.

The shape of a client: where it keeps which servers it starts, and how Scry is written there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

ConfigScope = Literal["project", "user"]
"""project: the project's own file, which may be under version control. user: the person's, for all projects."""


class UnwritableConfig(ValueError):
    """A file that can't be changed safely; the text says why."""


class ServerCommand(Struct, frozen=True):
    """How Scry is started."""

    command: str
    arguments: Sequence[str]


class AgentClient(Struct, frozen=True):
    """A client. places: its file in each scope that it has, made of the project's folder; the first is the usual one.

    arguments: what Scry is to be told beside `mcp --text-only`, in each scope. write: the file's text with Scry in it;
    raises Unwritable. hint: how a person sees that it worked.
    """

    name: str
    title: str
    config_paths: Mapping[ConfigScope, Callable[[Path], Path]]
    write: Callable[[str, ServerCommand], str]
    hint: str
    arguments: Sequence[str] = ()
