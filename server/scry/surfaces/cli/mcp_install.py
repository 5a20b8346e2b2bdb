"""`scry mcp install`, `scry mcp uninstall`: add Scry to the configuration of an agent's client, or remove it.

A server is started and asked for its tools before it is configured: a client would only show that it failed.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest, BadSettings, PartMissing
from scry.core.files import replace_file_text
from scry.core.platform import program_name
from scry.core.text import escape_unencodable
from scry.projects.programs import SCRY_ARGUMENTS, find_program
from scry.surfaces.cli.clients import CLIENTS
from scry.surfaces.cli.clients.client import AgentClient, ConfigScope, ServerCommand, UnwritableConfig
from scry.surfaces.cli.clients.instructions import remove_instructions, write_instructions
from scry.surfaces.cli.clients.proof import prove_server
from scry.surfaces.cli.engines import resolve_project_folder
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry.surfaces.render.styled_text import make_lines_printable

ClientName = Literal["claude-code", "cursor", "vscode", "codex", "opencode"]


class InstallReport(msgspec.Struct, frozen=True):
    """Change of a client's configuration.

    file: its configuration file. changes: of all files, as `diff -u` shows them, or empty. written: whether they are
    written. tools: the number of tools that the configured server offered when it was tried; 0 where it was not.
    """

    client: str
    file: str
    changes: str
    written: bool
    tools: int = 0


ClientArgument = Annotated[ClientName, Parameter(help="The client that is to start Scry.")]
ScopeOption = Annotated[
    ConfigScope | None, Parameter(help="Write to the project's own file, or to the person's, for all projects.")
]
DryRunOption = Annotated[bool, Parameter(help="Only show what would be written.")]


def install(
    client: ClientArgument,
    /,
    *,
    scope: ScopeOption = None,
    instructions: Annotated[
        bool, Parameter(help="Also tell the agent in CLAUDE.md, AGENTS.md or the like what to ask Scry for.")
    ] = False,
    dry_run: DryRunOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Shows what it writes into the client's settings, and writes it: how to start `scry mcp`. All else in there stays.

    Claude Code, Cursor, VS Code and opencode get it in the project's own file, Codex in yours, unless --scope says
    otherwise. The server is started once before; if it does not start, nothing is written.
    """
    agent, folder = CLIENTS[client], resolve_project_folder(root)
    chosen = scope or next(iter(agent.config_paths))
    server = _server_command(agent, chosen)
    edits = [_plan_edit(_config_path(agent, chosen, folder), lambda text: agent.write(text, server))]
    if instructions:
        edits.append(_plan_edit(agent.instructions[chosen](folder).resolve(), write_instructions))
    tools = 0
    if not dry_run:
        proof = prove_server(server, folder)
        if proof.problem:
            raise PartMissing(f"nothing was written, for the server does not start: {proof.problem}")
        tools = proof.tools
    return _finish(agent, edits, _OUTCOMES["install"], tools=tools, dry_run=dry_run, as_json=as_json)


def uninstall(
    client: ClientArgument,
    /,
    *,
    scope: ScopeOption = None,
    dry_run: DryRunOption = False,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Removes what `scry mcp install` wrote, instructions included, and shows it. All else in the files stays."""
    agent, folder = CLIENTS[client], resolve_project_folder(root)
    chosen = scope or next(iter(agent.config_paths))
    edits = [
        _plan_edit(_config_path(agent, chosen, folder), agent.remove),
        _plan_edit(agent.instructions[chosen](folder).resolve(), remove_instructions),
    ]
    return _finish(agent, edits, _OUTCOMES["uninstall"], tools=0, dry_run=dry_run, as_json=as_json)


class _FileEdit(msgspec.Struct, frozen=True):
    """A change of one file. before, after: its text; an empty one for no file."""

    path: Path
    before: str
    after: str

    @property
    def changes(self) -> str:
        """The change as `diff -u` shows it; empty for none."""
        return "".join(_unified_diff(self.before, self.after, self.path))


def _plan_edit(path: Path, edit: Callable[[str], str]) -> _FileEdit:
    before = _read_config(path)
    try:
        return _FileEdit(path, before, edit(before))
    except UnwritableConfig as error:
        raise BadSettings(f"{path}: {error}; correct it first") from error


class _Outcome(msgspec.Struct, frozen=True):
    """Words for a change that was written, and for one that is not needed."""

    written: Callable[[AgentClient, int], str]
    needless: Callable[[AgentClient, int], str]


_OUTCOMES = {
    "install": _Outcome(
        lambda client, tools: f"Written. The server starts, and offers {tools} tools. {client.hint}",
        lambda client, tools: f"{client.title} knows of Scry already{f', and its {tools} tools' if tools else ''}:",
    ),
    "uninstall": _Outcome(
        lambda client, _: f"Removed. {client.title} no longer starts Scry, once it is started anew.",
        lambda client, _: f"{client.title} does not know of Scry:",
    ),
}


def _finish(
    client: AgentClient, edits: list[_FileEdit], outcome: _Outcome, *, tools: int, dry_run: bool, as_json: bool
) -> int:
    """Write the edits unless it is a dry run, and print them."""
    changes = "".join(edit.changes for edit in edits)
    written = bool(changes) and not dry_run
    for edit in edits if written else ():
        if edit.changes:
            _write_config(edit.path, edit.before, edit.after)
    if as_json:
        report = InstallReport(
            client.name, escape_unencodable(str(edits[0].path)), escape_unencodable(changes), written, tools
        )
        print_json(report)
        return 0
    if changes:
        text = f"{changes}\n{outcome.written(client, tools) if written else 'Nothing was written.'}\n"
    else:
        text = f"{outcome.needless(client, tools)} nothing is to be changed in {edits[0].path}.\n"
    print_text(make_lines_printable(text))
    return 0


def _config_path(client: AgentClient, chosen: ConfigScope, root: Path) -> Path:
    if chosen not in client.config_paths:
        only = " and ".join(client.config_paths)
        raise BadRequest(
            "scope", f"{client.title} gets it by {only} alone: elsewhere it is not told which project is open"
        )
    return client.config_paths[chosen](root).resolve()  # a link to a file elsewhere stays


def _server_command(client: AgentClient, scope: ConfigScope) -> ServerCommand:
    """Return the command that starts this installation of Scry.

    In a project's file, which others may get, the program has its bare name where the PATH leads to this installation.
    """
    program = Path(sys.executable).with_name(program_name("scry"))
    arguments = ("mcp", *client.arguments)
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
        if not after and path.exists():
            path.unlink()  # nothing but our own paragraph stood in it
        else:
            replace_file_text(path, after)
    except OSError as error:
        raise BadSettings(f"{path} can't be written: {error.strerror or error}") from error


def _unified_diff(before: str, after: str, path: Path) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="")
    return [f"{line}\n" for line in lines]
