"""Read and edit a TOML settings file.

Reads a settings file: TOML with one level of keys.

Sets one value in a settings file, and leaves all else in it as it is, comments too.
"""

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
        raise BadSettings(
            f"{path} is written in a way that can't be changed safely; set {name} = {format_setting(value)} there"
        )


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
