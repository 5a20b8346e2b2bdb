"""`scry log on` and `scry log off`: whether events are logged."""

from __future__ import annotations

import os
import sys
from typing import Literal

import msgspec

from scry.core.text import escape_unencodable
from scry.surfaces.cli.options import JsonOption
from scry.surfaces.cli.output import print_json, print_text


class SwitchReport(msgspec.Struct, frozen=True):
    """What is set now. is_on: whether anything is kept. source: what decides it. file: your settings."""

    is_on: bool
    source: str
    file: str


def switch_on(*, as_json: JsonOption = False) -> int:
    """Logs from now on, in all projects; editors that are open heed it at once."""
    return set_recording("log", "Logging", as_json=as_json, is_on=True)


def switch_off(*, as_json: JsonOption = False) -> int:
    """Logs nothing from now on, in all projects; editors that are open heed it at once. What is logged stays."""
    return set_recording("log", "Logging", as_json=as_json, is_on=False)


def set_recording(name: Literal["log", "memory"], title: str, *, is_on: bool, as_json: bool) -> int:
    """Sets a setting in the person's file, and says what holds then. name: the setting's. what: in words."""
    from scry.core.places import config_home
    from scry.core.settings import SETTINGS_FILE_NAME, load_settings
    from scry.core.settings_edit import write_setting

    file = config_home() / SETTINGS_FILE_NAME
    write_setting(file, name, is_on)
    settings = load_settings(None, os.environ)
    holds = settings.log if name == "log" else settings.memory
    source = dict(settings.sources).get(name, str(file))
    if as_json:
        print_json(SwitchReport(holds, escape_unencodable(source), escape_unencodable(str(file))))
    else:
        print_text(f"{title} is {'on' if holds else 'off'} ({escape_unencodable(source)}).\n")
    if holds != is_on:
        print(f"scry: {source} decides otherwise where it is set", file=sys.stderr)
    return 0
