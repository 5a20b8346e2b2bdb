"""`scry settings`: what is set, where that came from, and what it means."""

from __future__ import annotations

import msgspec

from scry.core.text import encodable
from scry.surfaces.cli.options import Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import Line, line

Value = bool | int | float | str | list[str]


class SettingReport(msgspec.Struct, frozen=True):
    """One setting. kind: what a value has to be, in words. by_project: whether a project's file may set it."""

    name: str
    value: Value
    source: str
    meaning: str
    kind: str
    variable: str
    by_project: bool


class SettingsReport(msgspec.Struct, frozen=True):
    """All settings. warnings: what was left out of them. files: the settings files that are looked for."""

    settings: list[SettingReport]
    warnings: list[str]
    files: list[str]


def settings(*, root: Root = None, as_json: Json = False) -> int:
    """Shows every setting: its value, where that came from, and what it means.

    Later sources win: defaults, your own file, the project's .scry/config.toml, environment variables SCRY_<NAME>.
    """
    report = _report(root)
    if as_json:
        print_json(report)
    else:
        print_lines([each for setting in report.settings for each in _show(setting)] + _footer(report))
    return 0


def _report(root: Root) -> SettingsReport:
    import os

    from scry.core.places import config_home
    from scry.core.settings import DEFINITIONS, PROJECT_FILE, SETTINGS_FILE, load_settings
    from scry.surfaces.cli.opening import project_folder

    folder = project_folder(root)
    loaded = load_settings(folder, os.environ)
    rows: list[SettingReport] = []
    for entry in loaded.entries():
        about = DEFINITIONS[entry.name]
        value = list(entry.value) if isinstance(entry.value, tuple) else entry.value
        facts = (entry.meaning, about.kind, about.variable, about.by_project)
        rows.append(SettingReport(entry.name, _clean(value), encodable(entry.source), *facts))
    files = [encodable(str(path)) for path in (config_home() / SETTINGS_FILE, folder / PROJECT_FILE)]
    return SettingsReport(rows, [encodable(warning) for warning in loaded.warnings], files)


def _clean(value: Value) -> Value:
    """An environment variable may hold undecodable bytes; JSON can't."""
    if isinstance(value, list):
        return [encodable(text) for text in value]
    return encodable(value) if isinstance(value, str) else value


def _show(setting: SettingReport) -> list[Line]:
    from scry.core.setting_values import shown

    who = "" if setting.by_project else " Only you may set it, not a project."
    return [
        line((setting.name, "strong"), " = ", shown(setting.value), (f"  ({setting.source})", "quiet")),
        line((f"    {setting.meaning}{who}", "quiet")),
    ]


def _footer(report: SettingsReport) -> list[Line]:
    files = line((f"Files: {', '.join(report.files)}", "quiet"))
    return [*(line((warning, "warning")) for warning in report.warnings), files]
