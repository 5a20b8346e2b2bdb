"""`scry memory on` and `scry memory off`: whether anything is noted."""

from __future__ import annotations

from scry.surfaces.cli.log_switch import set_recording
from scry.surfaces.cli.options import JsonOption


def switch_on(*, as_json: JsonOption = False) -> int:
    """Notes what is done from now on, in all projects; editors that are open heed it at once."""
    return set_recording("memory", "Memory", as_json=as_json, is_on=True)


def switch_off(*, as_json: JsonOption = False) -> int:
    """Notes nothing from now on, in all projects; editors that are open heed it at once. What was noted stays."""
    return set_recording("memory", "Memory", as_json=as_json, is_on=False)
