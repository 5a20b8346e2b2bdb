"""`scry mcp install`: tells an agent's client how to start Scry."""

from __future__ import annotations

import difflib
import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest, BadSettings
from scry.core.file_text import replace_text
from scry.core.text import encodable
from scry.surfaces.cli.clients import CLIENTS
from scry.surfaces.cli.clients.client import Client, Scope, Server, Unwritable
from scry.surfaces.cli.opening import project_folder
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_text
from scry.surfaces.text.printable import printable_lines

ClientName = Literal["claude-code", "cursor", "vscode", "codex", "opencode"]


class InstallReport(msgspec.Struct, frozen=True):
    """What is to be, or was, written. changes: the difference, as `diff -u` shows it; empty where all is as wanted."""

    client: str
    file: str
    changes: str
    written: bool


def install(
    client: Annotated[ClientName, Parameter(help="The client that is to start Scry.")],
    /,
    *,
    scope: Annotated[
        Scope | None, Parameter(help="Write to the project's own file, or to the person's, for all projects.")
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Only show what would be written.")] = False,
    root: Root = None,
    as_json: Json = False,
) -> int:
    """Shows what it writes into the client's settings, and writes it: how to start `scry mcp`. All else in there stays.

    Claude Code, Cursor, VS Code and opencode get it in the project's own file, Codex in yours, unless --scope says
    otherwise.
    """
    chosen = CLIENTS[client]
    place = _place(chosen, scope, project_folder(root))
    before = _read(place)
    try:
        after = chosen.write(before, _server(chosen, scope or next(iter(chosen.places))))
    except Unwritable as error:
        raise BadSettings(f"{place}: {error}; correct it first") from error
    changes = "".join(_difference(before, after, place))
    written = bool(changes) and not dry_run
    if written:
        _write(place, before, after)
    if as_json:
        print_json(InstallReport(client, encodable(str(place)), encodable(changes), written))
    else:
        print_text(printable_lines(_told(chosen, place, changes, written=written)))
    return 0


def _place(client: Client, scope: Scope | None, root: Path) -> Path:
    wanted = scope or next(iter(client.places))
    if wanted not in client.places:
        only = " and ".join(client.places)
        raise BadRequest(
            "scope", f"{client.title} gets it by {only} alone: elsewhere it is not told which project is open"
        )
    return client.places[wanted](root).resolve()  # a link, as people have who keep their settings elsewhere, stays


def _server(client: Client, scope: Scope) -> Server:
    """The Scry that runs. In a project's file, which others may get, by its bare name where the PATH leads here.

    It answers in text alone: Claude Code, Codex and VS Code show their models structured output where there is any,
    and drop the text, and with it the budget of tokens.
    """
    program = Path(sys.executable).with_name("scry.exe" if sys.platform == "win32" else "scry")
    arguments = ("mcp", "--text-only", *client.arguments)
    if not program.exists():
        return Server(sys.executable, ("-m", "scry", *arguments))
    found = shutil.which("scry")
    is_found = scope == "project" and found is not None and Path(found).resolve() == program.resolve()
    return Server("scry" if is_found else str(program), arguments)


def _read(place: Path) -> str:
    try:
        return place.read_bytes().decode("utf-8") if place.exists() else ""
    except UnicodeDecodeError as error:
        raise BadSettings(f"{place} is not UTF-8; correct it first") from error
    except OSError as error:
        raise BadSettings(f"{place} can't be read: {error.strerror or error}") from error


def _write(place: Path, before: str, after: str) -> None:
    try:
        if _read(place) != before:  # the client may write it, too
            raise BadSettings(f"{place} was changed meanwhile; ask again")
        replace_text(place, after)
    except OSError as error:
        raise BadSettings(f"{place} can't be written: {error.strerror or error}") from error


def _difference(before: str, after: str, place: Path) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(place), str(place), lineterm="")
    return [f"{line}\n" for line in lines]


def _told(client: Client, place: Path, changes: str, *, written: bool) -> str:
    if not changes:
        return f"{client.title} knows of Scry already: nothing is to be changed in {place}.\n"
    return f"{changes}\n{f'Written. {client.hint}' if written else 'Nothing was written.'}\n"
