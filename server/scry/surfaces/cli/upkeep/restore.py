"""`scry restore`: list the backups of what can't be made again, and bring one back."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.files import format_size
from scry.projects.precious_files import precious_files
from scry.store.precious import list_backups, restore_backup
from scry.surfaces.cli.engines import resolve_project
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.render.styled_text import StyledLine, styled_line

RestorableName = Literal["persona", "memory", "log", "projects"]


class BackupReport(msgspec.Struct, frozen=True):
    """A backup. name: of its content, as the command takes it. day: when it was made, by UTC."""

    name: str
    day: str
    path: str
    bytes: int


class RestoreReport(msgspec.Struct, frozen=True):
    """A restored backup. kept: the file that was there before; empty where there was none."""

    restored: BackupReport
    path: str
    kept: str


class BackupList(msgspec.Struct, frozen=True):
    """All backups, the newest of each content first."""

    backups: list[BackupReport]


def restore(
    name: Annotated[
        RestorableName | None,
        Parameter(help="Your own notes, the memory of this project, its log of events, or the list of your projects."),
    ] = None,
    *,
    day: Annotated[str | None, Parameter(help="Of which day; the newest backup when left out.")] = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lists the backups of what can't be made again, or brings one back. The file that it replaces is kept.

    Backups are made by themselves, once a day for each file that changed; those of the last three such days are kept.
    """
    if name is None:
        if day is not None:
            raise BadRequest("day", "name what to bring back: persona, memory, log or projects")
        reports = [report for each in ("persona", "memory", "log", "projects") for report in _find_backups(each, root)]
        _print(BackupList(reports), [_backup_line(report) for report in reports], as_json=as_json)
        return 0
    chosen = [report for report in _find_backups(name, root) if day in (None, report.day)]
    if not chosen:
        raise BadRequest("day" if day else "name", f"there is no such backup of {name}; scry restore lists all")
    report = _restore(name, chosen[0], root)
    kept = f"; what was there is kept as {report.kept}" if report.kept else ""
    _print(report, [styled_line(f"{report.path} is as it was on {chosen[0].day}{kept}")], as_json=as_json)
    return 0


def _find_backups(name: str, root: RootOption) -> list[BackupReport]:
    path = precious_files(resolve_project(root))[name].path
    return [BackupReport(name, backup.day, str(backup.path), backup.size) for backup in list_backups(path)]


def _restore(name: str, chosen: BackupReport, root: RootOption) -> RestoreReport:
    path = precious_files(resolve_project(root))[name].path
    backup = next(backup for backup in list_backups(path) if backup.day == chosen.day)
    try:
        kept = restore_backup(path, backup)
    except OSError as error:
        raise IndexUnavailable(f"{path} can't be replaced: {error.strerror or error}") from error
    return RestoreReport(chosen, str(path), str(kept or ""))


def _backup_line(report: BackupReport) -> StyledLine:
    return styled_line((f"{report.name:9}", "strong"), f"{report.day}  {format_size(report.bytes):>10}  {report.path}")


def _print(report: msgspec.Struct, lines: list[StyledLine], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        print_lines(lines or [styled_line("there is no backup yet; an indexer makes the first one")])
