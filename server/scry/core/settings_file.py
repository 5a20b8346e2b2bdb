"""Read a TOML settings file, and set one value in it while its comments and the form of all other lines stay."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from scry.core.errors import BadSettings
from scry.core.files import replace_file_text
from scry.core.setting_values import SettingValue, format_setting

_MAX_BYTES = 1_000_000


class SettingsFileError(Exception):
    """The file can't be read as TOML at all; its text says why and where."""


class SettingsFile(Struct, frozen=True):
    """A settings file's keys and values, and its text, to tell the line of a key."""

    values: Mapping[str, object]
    text: str

    def describe_line(self, key: str) -> str:
        """Where a key is set, to go on behind the file's name (", line 3"); empty where that is not plain."""
        quoted = re.escape(key)
        found = re.search(rf"^[ \t]*(?:\[+[ \t]*)?[\"']?{quoted}[\"']?[ \t]*[=.\]]", self.text, re.MULTILINE)
        return f", line {self.text.count(chr(10), 0, found.start()) + 1}" if found else ""


def read_settings_file(path: Path) -> SettingsFile | None:
    """The file's content, None when there is none. Raises BrokenFile."""
    try:
        text = _read_text(path)
    except UnicodeDecodeError as error:
        raise SettingsFileError("this is not UTF-8 text") from error
    except OSError as error:
        raise SettingsFileError(f"can't be read: {error.strerror}") from error
    return None if text is None else SettingsFile(_parse_toml(text), text)


def _parse_toml(text: str) -> Mapping[str, object]:
    if sys.version_info >= (3, 11):  # here: most people have no settings file
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsFileError(f"this is not valid TOML: {error}") from error
    except RecursionError as error:
        raise SettingsFileError("this is nested too deeply") from error


def _read_text(path: Path) -> str | None:
    try:
        # Not blocking: the file may be a named pipe, which then shows below as what it is.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise SettingsFileError("this is not a regular file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise SettingsFileError("this is over 1 MB, too large for a settings file")
    return data.decode("utf-8-sig")


def write_setting(path: Path, name: str, value: SettingValue) -> None:
    """Set one value in a settings file, creating the file where there is none; the rest of the file stays.

    Raises BadSettings, with the file unchanged, where that can't be done safely.
    """
    target = path.resolve()  # a link to the file, as people have who keep their settings in a repository, stays
    try:
        before = read_settings_file(target)
        text = edit_setting_text(before.text if before else "", name, value)
        after = dict(_parse_toml(text))
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
