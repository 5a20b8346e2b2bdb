"""Set one value in a TOML settings file while its comments and the form of all other lines stay."""

from __future__ import annotations

from pathlib import Path

from scry.core.errors import BadSettings
from scry.core.files import replace_file_text
from scry.core.settings import SettingsFileError, SettingValue, format_setting, parse_toml, read_settings_file


def write_setting(path: Path, name: str, value: SettingValue) -> None:
    """Set one value in a settings file, creating the file where there is none; the rest of the file stays.

    Raises BadSettings, with the file unchanged, where that can't be done safely.
    """
    target = path.resolve()  # a link to the file, as people have who keep their settings in a repository, stays
    try:
        before = read_settings_file(target)
        text = edit_setting_text(before.text if before else "", name, value)
        after = dict(parse_toml(text))
    except SettingsFileError as error:
        raise BadSettings(f"{path}: {error}; correct it first") from error
    values = dict(before.values) if before else {}
    wanted = {**values, name: list(value) if isinstance(value, tuple) else value}
    if after != wanted or isinstance(values.get(name), dict):
        raise BadSettings(
            f"{path} is written in a way that can't be changed safely; set {name} = {format_setting(value)} there"
        )
    try:
        replace_file_text(target, text)
    except OSError as error:
        raise BadSettings(f"{path} can't be written: {error.strerror or error}") from error


def edit_setting_text(text: str, name: str, value: SettingValue) -> str:
    """Return the text of a settings file with this value: in the key's place, or before the first table.

    Comments and the form of all other lines stay. Raises SettingsFileError where the text is not TOML.
    """
    import tomlkit  # takes 20 ms, which only a command that changes a setting pays
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        document[name] = list(value) if isinstance(value, tuple) else value
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise SettingsFileError(f"this is not valid TOML: {error}") from error
