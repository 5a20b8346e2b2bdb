"""Declare a setting, and parse, validate and format its value.

What a setting is declared by, and how a value for it is read and judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from msgspec import Struct

SettingValue: TypeAlias = bool | int | float | str | tuple[str, ...]

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class SettingDefinition(Struct, frozen=True):
    """All that is said of a setting. Its kind is that of its default.

    by_project: whether a project's own file may set it. lowest, highest: bounds of a number, both allowed.
    choices: the only words allowed; empty where any are.
    """

    name: str
    default: SettingValue
    meaning: str
    allowed_in_project: bool
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def __call__(self) -> SettingValue:
        """The default: so a definition can be the factory of its field's."""
        return self.default

    @property
    def expected_value(self) -> str:
        """What a value has to be, in words: "a whole number from 1 to 100"."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, tuple):
            return "a list of texts"
        if isinstance(self.default, str):
            return f"one of {', '.join(self.choices)}" if self.choices else "a text"
        number = "a whole number" if isinstance(self.default, int) else "a number"
        return f"{number}{'' if self.minimum is None else f' from {self.minimum:,}'}" + (
            "" if self.maximum is None else f" to {self.maximum:,}"
        )

    @property
    def environment_variable(self) -> str:
        """The environment variable that sets it."""
        return f"SCRY_{self.name.upper()}"


def validate_setting(definition: SettingDefinition, raw: object) -> SettingValue:
    """A value as a settings file or a surface holds it. Raises ValueError, which says what it should be."""
    value = _convert(definition.default, raw)
    if value is None or not _is_allowed(definition, value):
        raise ValueError(f"expected {definition.expected_value}, got {format_setting(raw)}")
    return value


def parse_setting_text(definition: SettingDefinition, text: str) -> SettingValue:
    """A value as an environment variable holds it; a list by commas. Raises ValueError where it is none."""
    return validate_setting(definition, _parse_text(definition.default, text))


def format_setting(raw: object) -> str:
    """A value as a settings file would write it, cut where it is long."""
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, (list, tuple)):
        text = "[" + ", ".join(format_setting(item) for item in cast("Sequence[object]", raw)) + "]"
    else:
        text = f'"{raw}"' if isinstance(raw, str) else str(raw)
    return text if len(text) <= 200 else text[:199] + "…"


def _convert(default: SettingValue, raw: object) -> SettingValue | None:
    if isinstance(default, tuple):
        return _text_items(raw)
    if isinstance(default, bool) or isinstance(raw, bool):
        return raw if isinstance(default, bool) and isinstance(raw, bool) else None
    if isinstance(default, float):
        return float(raw) if isinstance(raw, (int, float)) else None
    if isinstance(default, int):
        return raw if isinstance(raw, int) else None
    return raw if isinstance(raw, str) else None


def _text_items(raw: object) -> tuple[str, ...] | None:
    if not isinstance(raw, (list, tuple)):
        return None
    items = cast("Sequence[object]", raw)
    texts = tuple(item for item in items if isinstance(item, str))
    return texts if len(texts) == len(items) else None


def _is_allowed(definition: SettingDefinition, value: SettingValue) -> bool:
    if isinstance(value, str):
        return not definition.choices or value in definition.choices
    if isinstance(value, (bool, tuple)):
        return True
    above = definition.minimum is None or value >= definition.minimum
    return above and (definition.maximum is None or value <= definition.maximum)


def _parse_text(default: SettingValue, text: str) -> object:
    if isinstance(default, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(default, bool):
        word = text.strip().lower()
        return True if word in _TRUE else False if word in _FALSE else text
    if isinstance(default, str):
        return text
    try:
        return int(text) if isinstance(default, int) else float(text)
    except ValueError:
        return text
