"""Sets one value in a settings file, and leaves all else in it as it is, comments too."""

from __future__ import annotations

import re
from pathlib import Path

from scry.core.errors import BadSettings
from scry.core.file_text import replace_file_text
from scry.core.setting_values import SettingValue, format_setting
from scry.core.settings_file import SettingsFileError, read_settings_file

_TABLE_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def write_setting(path: Path, name: str, value: SettingValue) -> None:
    """Sets it, making the file where there is none. Raises BadSettings where that can't be done safely."""
    target = path.resolve()  # a link to it, as people have who keep their settings in a repository, stays
    try:
        before = read_settings_file(target)
        text = edit_setting_text(before.text if before else "", name, value)
        replace_file_text(target, text)
    except SettingsFileError as error:
        raise BadSettings(f"{path}: {error}; correct it first") from error
    except OSError as error:
        raise BadSettings(f"{path} can't be written: {error.strerror or error}") from error
    wanted = {**(before.values if before else {}), name: list(value) if isinstance(value, tuple) else value}
    after = read_settings_file(target)
    if after is None or dict(after.values) != wanted:
        replace_file_text(target, before.text if before else "")
        raise BadSettings(f"{path} is written in a way that can't be changed safely; set {name} = {format_setting(value)} there")


def edit_setting_text(text: str, name: str, value: SettingValue) -> str:
    """The text of a settings file with this value: in its old place, or before the first table."""
    line = f"{name} = {format_setting(value)}"
    key = rf"[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*="
    old = re.compile(rf"^{key}[^#\n]*?(?P<rest>[ \t]*(?:#.*)?)$", re.MULTILINE)
    if old.search(text):
        return old.sub(lambda match: line + match["rest"], text, count=1)
    table = _TABLE_HEADER.search(text)
    at = table.start() if table else len(text)
    head = text[:at]
    return f"{head}{'' if not head or head.endswith(chr(10)) else chr(10)}{line}\n{text[at:]}"
