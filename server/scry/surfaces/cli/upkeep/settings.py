"""`scry settings`: list each setting with its value, source and meaning."""

from __future__ import annotations

import msgspec

from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.render.styled_text import StyledLine, styled_line

SettingReportValue = bool | int | float | str | list[str]


class SettingReport(msgspec.Struct, frozen=True):
    """One setting. kind: the values it takes, in words. by_project: whether a project's file may set it."""

    name: str
    value: SettingReportValue
    source: str
    meaning: str
    kind: str
    variable: str
    by_project: bool


class SettingsReport(msgspec.Struct, frozen=True):
    """All settings. warnings: values that were ignored, and why. files: where settings files are looked for."""

    settings: list[SettingReport]
    warnings: list[str]
    files: list[str]


def settings(*, root: RootOption = None, as_json: JsonOption = False) -> int:
    """Shows every setting: its value, where that came from, and what it means.

    Later sources win: defaults, your own file, the project's .scry/config.toml, environment variables SCRY_<NAME>.
    """
    report = _build_report(root)
    if as_json:
        print_json(report)
    else:
        print_lines([each for setting in report.settings for each in _setting_lines(setting)] + _footer_lines(report))
    return 0


def _build_report(root: RootOption) -> SettingsReport:
    import os

    from scry.core.platform import config_home
    from scry.core.settings import PROJECT_SETTINGS_FILE, SETTING_DEFINITIONS, SETTINGS_FILE_NAME, load_settings
    from scry.surfaces.cli.engines import resolve_project_folder

    folder = resolve_project_folder(root)
    loaded = load_settings(folder, os.environ)
    rows: list[SettingReport] = []
    for entry in loaded.entries():
        definition = SETTING_DEFINITIONS[entry.name]
        value = list(entry.value) if isinstance(entry.value, tuple) else entry.value
        details = (
            entry.meaning,
            definition.expected_value,
            definition.environment_variable,
            definition.allowed_in_project,
        )
        rows.append(SettingReport(entry.name, _to_encodable(value), escape_unencodable(entry.source), *details))
    files = [
        escape_unencodable(str(path)) for path in (config_home() / SETTINGS_FILE_NAME, folder / PROJECT_SETTINGS_FILE)
    ]
    return SettingsReport(rows, [escape_unencodable(warning) for warning in loaded.warnings], files)


def _to_encodable(value: SettingReportValue) -> SettingReportValue:
    """Return a value as JSON can hold it: an environment variable may contain undecodable bytes."""
    if isinstance(value, list):
        return [escape_unencodable(text) for text in value]
    return escape_unencodable(value) if isinstance(value, str) else value


def _setting_lines(setting: SettingReport) -> list[StyledLine]:
    from scry.core.settings import format_setting

    who = "" if setting.by_project else " Only you may set it, not a project."
    return [
        styled_line((setting.name, "strong"), " = ", format_setting(setting.value), (f"  ({setting.source})", "quiet")),
        styled_line((f"    {setting.meaning}{who}", "quiet")),
    ]


def _footer_lines(report: SettingsReport) -> list[StyledLine]:
    files = styled_line((f"Files: {', '.join(report.files)}", "quiet"))
    return [*(styled_line((warning, "warning")) for warning in report.warnings), files]
