"""`scry mcp install`: add Scry to the configuration file of an agent's client."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest, BadSettings
from scry.core.files import replace_file_text
from scry.core.text import escape_unencodable
from scry.projects.programs import SCRY_ARGUMENTS, find_program
from scry.surfaces.cli.clients import CLIENTS
from scry.surfaces.cli.clients.client import AgentClient, ConfigScope, ServerCommand, UnwritableConfig
from scry.surfaces.cli.engines import resolve_project_folder
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry.surfaces.render.styled_text import make_lines_printable

ClientName = Literal["claude-code", "cursor", "vscode", "codex", "opencode"]


class InstallReport(msgspec.Struct, frozen=True):
    """Change of a configuration file. changes: as `diff -u` shows them, or empty. written: whether they are written."""

    client: str
    file: str
    changes: str
    written: bool


def install(
    client: Annotated[ClientName, Parameter(help="The client that is to start Scry.")],
    /,
    *,
    scope: Annotated[
        ConfigScope | None, Parameter(help="Write to the project's own file, or to the person's, for all projects.")
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Only show what would be written.")] = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what it writes into the client's settings, and writes it: how to start `scry mcp`. All else in there stays.

    Claude Code, Cursor, VS Code and opencode get it in the project's own file, Codex in yours, unless --scope says
    otherwise.
    """
    agent = CLIENTS[client]
    path = _config_path(agent, scope, resolve_project_folder(root))
    before = _read_config(path)
    try:
        after = agent.write(before, _server_command(agent, scope or next(iter(agent.config_paths))))
    except UnwritableConfig as error:
        raise BadSettings(f"{path}: {error}; correct it first") from error
    changes = "".join(_unified_diff(before, after, path))
    written = bool(changes) and not dry_run
    if written:
        _write_config(path, before, after)
    if as_json:
        print_json(InstallReport(client, escape_unencodable(str(path)), escape_unencodable(changes), written))
    else:
        print_text(make_lines_printable(_describe_change(agent, path, changes, written=written)))
    return 0


def _config_path(client: AgentClient, scope: ConfigScope | None, root: Path) -> Path:
    chosen = scope or next(iter(client.config_paths))
    if chosen not in client.config_paths:
        only = " and ".join(client.config_paths)
        raise BadRequest(
            "scope", f"{client.title} gets it by {only} alone: elsewhere it is not told which project is open"
        )
    return client.config_paths[chosen](root).resolve()  # a link to a file elsewhere stays


def _server_command(client: AgentClient, scope: ConfigScope) -> ServerCommand:
    """Return the command that starts this installation of Scry.

    In a project's file, which others may get, the program has its bare name where the PATH leads to this installation.
    The server answers in text alone: Claude Code, Codex and VS Code show their models structured output where there is
    any, and drop the text, and with it the budget of tokens.
    """
    program = Path(sys.executable).with_name("scry.exe" if sys.platform == "win32" else "scry")
    arguments = ("mcp", "--text-only", *client.arguments)
    if not program.exists():
        return ServerCommand(sys.executable, (*SCRY_ARGUMENTS, *arguments))
    on_path = find_program("scry")
    is_found = scope == "project" and on_path is not None and Path(on_path).resolve() == program.resolve()
    return ServerCommand("scry" if is_found else str(program), arguments)


def _read_config(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8") if path.exists() else ""
    except UnicodeDecodeError as error:
        raise BadSettings(f"{path} is not UTF-8; correct it first") from error
    except OSError as error:
        raise BadSettings(f"{path} can't be read: {error.strerror or error}") from error


def _write_config(path: Path, before: str, after: str) -> None:
    try:
        if _read_config(path) != before:  # the client may have written it meanwhile
            raise BadSettings(f"{path} was changed meanwhile; ask again")
        replace_file_text(path, after)
    except OSError as error:
        raise BadSettings(f"{path} can't be written: {error.strerror or error}") from error


def _unified_diff(before: str, after: str, path: Path) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="")
    return [f"{line}\n" for line in lines]


def _describe_change(client: AgentClient, path: Path, changes: str, *, written: bool) -> str:
    if not changes:
        return f"{client.title} knows of Scry already: nothing is to be changed in {path}.\n"
    return f"{changes}\n{f'Written. {client.hint}' if written else 'Nothing was written.'}\n"
