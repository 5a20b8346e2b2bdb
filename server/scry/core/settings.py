"""The settings: how one is declared, its value validated, and how their sources are merged.

A setting is a field of `Settings` that `setting()` made: it has a default (whose type is the setting's), a meaning, and
a mark whether a project's file may set it. Later sources win: defaults, the person's `config.toml`, the project's
`.scry/config.toml`, environment variables `SCRY_<NAME>`, and the overrides of the surface (command line, editor). A
value is replaced as a whole, lists too.

Whoever wrote a project wrote its file. That file may set only settings marked so; whatever is wrong in it is left out
and reported in `warnings`, so that it can keep nobody from searching. All other errors raise BadSettings.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import fields, replace

from scry.core.errors import BadSettings
from scry.core.files import replace_file_text
from scry.core.platform import BINARY, NO_WAITING, config_home

BUNDLED_MODEL = "bundled"
"""The value of `model` that means the model inside the package."""

SETTINGS_FILE_NAME = "config.toml"
PROJECT_SETTINGS_FILE = f".scry/{SETTINGS_FILE_NAME}"
_VARIABLE_PREFIX = "SCRY_"
PROCESS_VARIABLES = frozenset({"SCRY_HTTP_PATIENCE", "SCRY_INDEXER_LINGER", "SCRY_LOG_LEVEL"})
"""Variables that are not settings: they change how a process behaves, for tests and for debugging."""

_NO_OVERRIDES: Mapping[str, object] = MappingProxyType({})


# One setting ----------------------------------------------------------------------------------------------------------

SettingValue: TypeAlias = bool | int | float | str | tuple[str, ...]
_SettingT = TypeVar("_SettingT", bound=SettingValue)

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


class SettingDefinition(Struct, frozen=True):
    """The declaration of a setting. The type of its value is that of its default.

    meaning: for a person. allowed_in_project: whether a project's own file may set it. minimum, maximum: bounds of a
    number, inclusive. choices: the only words allowed; empty where any are.
    """

    name: str
    default: SettingValue
    meaning: str
    allowed_in_project: bool
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def __call__(self) -> SettingValue:
        """Return the default: so a definition can be the default factory of its field."""
        return self.default

    @property
    def expected_value(self) -> str:
        """The allowed values in words, such as "a whole number from 1 to 100"."""
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
    """Return the setting's value from a settings file or a surface. Raises ValueError naming the allowed values."""
    value = _convert(definition.default, raw)
    if value is None or not _is_allowed(definition, value):
        raise ValueError(f"expected {definition.expected_value}, got {format_setting(raw)}")
    return value


def parse_setting_text(definition: SettingDefinition, text: str) -> SettingValue:
    """Return the setting's value from an environment variable, a list by commas. Raises ValueError."""
    return validate_setting(definition, _parse_text(definition.default, text))


def format_setting(raw: object) -> str:
    """Return a value as a settings file would write it, cut after 200 characters."""
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


def setting(
    default: _SettingT,
    meaning: str,
    *,
    allowed_in_project: bool,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
) -> _SettingT:
    """Declare a setting: see SettingDefinition for the arguments. The definition is the field's default factory."""
    definition = SettingDefinition("", default, meaning, allowed_in_project, minimum, maximum, choices)
    return field(default_factory=cast("Callable[[], _SettingT]", definition))


class Setting(Struct, frozen=True):
    """One setting with its value, the source of the value, and its meaning."""

    name: str
    value: SettingValue
    source: str
    meaning: str


class Settings(Struct, frozen=True):
    """All settings with their values.

    sources: the source of each value that is not the default, by name. warnings: parts left out, for a person.
    """

    ignore: tuple[str, ...] = setting(
        (), "Patterns of what to leave out, as in a .gitignore in the project's top folder.", allowed_in_project=True
    )
    languages: tuple[str, ...] = setting(
        (), "The only languages to index, by name (python, go …); all when empty.", allowed_in_project=True
    )
    max_file_bytes: int = setting(
        1_000_000, "Larger files are left out.", allowed_in_project=True, minimum=1, maximum=100_000_000
    )
    max_parse_seconds: float = setting(
        2.0,
        "Seconds of processor time for parsing a file; one that takes longer is read as plain text.",
        allowed_in_project=True,
        minimum=0.1,
        maximum=600.0,
    )
    model: str = setting(
        BUNDLED_MODEL,
        "The model that finds by meaning: bundled, or a sentence-transformers model, as a folder's absolute path or a "
        "name on the hub, if wanted with @revision.",
        allowed_in_project=False,
    )
    log: bool = setting(
        True,
        "Whether questions, what was used of their answers, and ratings are kept, on this machine alone (scry log).",
        allowed_in_project=False,
    )
    learn: bool = setting(
        True,
        "Whether what you open, copy and rate is found first for like questions, on this machine alone; needs the log.",
        allowed_in_project=False,
    )
    learn_weights: str = setting(
        "ask",
        "Whether weights that fit your jumps rank by themselves: ask (scry learn apply does it), or auto (they do "
        "where held-back jumps exclude a loss).",
        allowed_in_project=False,
        choices=("ask", "auto"),
    )
    team_jumps: str = setting(
        "off",
        "Whether your jumps to results of the joined team's index are given to the team, for its learning: off, hashed "
        "(with a hash of the question), or clear (with the question).",
        allowed_in_project=False,
        choices=("off", "hashed", "clear"),
    )
    memory: bool = setting(
        True,
        "Whether what is done, fails and is decided is remembered, on this machine alone (scry memory).",
        allowed_in_project=False,
    )
    sources: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def entries(self) -> tuple[Setting, ...]:
        """Return every setting with its value, source and meaning, in the order of their declaration."""
        sources = dict(self.sources)
        return tuple(
            Setting(name, cast("SettingValue", getattr(self, name)), sources.get(name, "default"), definition.meaning)
            for name, definition in SETTING_DEFINITIONS.items()
        )

    def overrides(self) -> dict[str, object]:
        """Return the values from the environment and the surface, which another process can't read from the files."""
        files = {str(config_home() / SETTINGS_FILE_NAME), PROJECT_SETTINGS_FILE}
        return {name: getattr(self, name) for name, source in self.sources if source not in files}


_NON_SETTING_FIELDS = frozenset({"sources", "warnings"})


def _find_definitions() -> Iterator[tuple[str, SettingDefinition]]:
    for each in fields(Settings):
        if isinstance(each.default_factory, SettingDefinition):
            yield each.name, replace(each.default_factory, name=each.name)
        elif each.name not in _NON_SETTING_FIELDS:
            raise TypeError(f"the setting {each.name} is declared without setting()")


SETTING_DEFINITIONS: Mapping[str, SettingDefinition] = MappingProxyType(dict(_find_definitions()))
"""Every setting by name, in the order of their declaration."""


def load_settings(
    root: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] = _NO_OVERRIDES,
    *,
    surface: str = "surface",
) -> Settings:
    """Return the settings for a project (or for none), from all sources.

    overrides: the surface's values, by name. surface: the name of that source ("command line", "editor").
    Raises BadSettings for the person's file, the environment and the overrides; see the module for the project's file.
    """
    gathered = _SettingsBuilder()
    own_file = config_home() / SETTINGS_FILE_NAME
    for name, raw, file in _read_items(own_file, str(own_file)):
        gathered.add(name, raw, str(own_file), file.describe_line(name))
    if root is not None:
        gathered.add_project_file(root / PROJECT_SETTINGS_FILE)
    gathered.add_environment(environ)
    for name, raw in overrides.items():
        gathered.add(name, raw, surface, "")
    values = cast("dict[str, object]", gathered.values)
    return Settings(**values, sources=tuple(gathered.sources.items()), warnings=tuple(gathered.warnings))  # pyright: ignore[reportArgumentType]


class _SettingsBuilder(Struct):
    """Collects values from the sources, the strongest last."""

    values: dict[str, SettingValue] = field(default_factory=dict[str, SettingValue])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    warnings: list[str] = field(default_factory=list[str])

    def add(self, name: str, raw: object, source: str, line: str) -> None:
        """Add one value. Raises BadSettings for an unknown name or a wrong value."""
        if name not in SETTING_DEFINITIONS:
            raise BadSettings(f"{source}{line}: {name}: {_describe_unknown(name, SETTING_DEFINITIONS)}")
        try:
            value = validate_setting(SETTING_DEFINITIONS[name], raw)
        except ValueError as error:
            raise BadSettings(f"{source}{line}: {name}: {error}") from error
        self._set(name, value, source)

    def add_project_file(self, path: Path) -> None:
        try:
            items = list(_read_items(path, PROJECT_SETTINGS_FILE))
        except BadSettings as error:
            self.warnings.append(f"{error}; the file is left out")
            return
        for name, raw, file in items:
            try:
                _check_allowed_in_project(name, file)
                self.add(name, raw, PROJECT_SETTINGS_FILE, file.describe_line(name))
            except BadSettings as error:
                self.warnings.append(f"{error}; this key is left out")

    def add_environment(self, environ: Mapping[str, str]) -> None:
        given = sorted(name for name in environ if name.startswith(_VARIABLE_PREFIX) and name not in PROCESS_VARIABLES)
        if not given:
            return
        variables = {definition.environment_variable: definition for definition in SETTING_DEFINITIONS.values()}
        for variable in given:
            definition = variables.get(variable)
            if definition is None:
                # Not an error: such a variable may be meant for another program, or a later Scry.
                self.warnings.append(f"{variable}: {_describe_unknown(variable, variables)}; it is left out")
                continue
            try:
                self._set(definition.name, parse_setting_text(definition, environ[variable]), variable)
            except ValueError as error:
                raise BadSettings(f"{variable}: {error}") from error

    def _set(self, name: str, value: SettingValue, source: str) -> None:
        self.values[name] = value
        self.sources[name] = source


def _read_items(path: Path, source: str) -> Iterator[tuple[str, object, SettingsFile]]:
    try:
        file = read_settings_file(path)
    except SettingsFileError as error:
        raise BadSettings(f"{source}: {error}") from error
    if file is not None:
        for name, raw in file.values.items():
            yield name, raw, file


def _check_allowed_in_project(name: str, file: SettingsFile) -> None:
    definition = SETTING_DEFINITIONS.get(name)
    if definition is not None and definition.allowed_in_project:
        return
    allowed = ", ".join(name for name, each in SETTING_DEFINITIONS.items() if each.allowed_in_project)
    why = "there is no such setting" if definition is None else "a project's file may not set this, only you may"
    raise BadSettings(f"{PROJECT_SETTINGS_FILE}{file.describe_line(name)}: {name}: {why}; allowed here: {allowed}")


def _describe_unknown(name: str, known: Mapping[str, object]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
    return f"there is no such setting; {hint}"


# Reading files --------------------------------------------------------------------------------------------------------

_MAX_FILE_BYTES = 1_000_000


class SettingsFileError(Exception):
    """A settings file can't be read as TOML; the text says why and where."""


class SettingsFile(Struct, frozen=True):
    """A settings file's keys and values, and its text, which shows the line of a key."""

    values: Mapping[str, object]
    text: str

    def describe_line(self, key: str) -> str:
        """Return the line of a key, to follow the file's name (", line 3"); empty where it is not found."""
        quoted = re.escape(key)
        match = re.search(rf"^[ \t]*(?:\[+[ \t]*)?[\"']?{quoted}[\"']?[ \t]*[=.\]]", self.text, re.MULTILINE)
        return f", line {self.text.count(chr(10), 0, match.start()) + 1}" if match else ""


def read_settings_file(path: Path) -> SettingsFile | None:
    """Return a settings file's content, None when there is no file. Raises SettingsFileError."""
    try:
        # Not blocking: the file may be a named pipe, which then shows below as what it is.
        handle = os.open(path, os.O_RDONLY | BINARY | NO_WAITING)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsFileError(f"can't be read: {error.strerror}") from error
    text = _read_text(handle)
    return SettingsFile(parse_toml(text), text)


def parse_toml(text: str) -> Mapping[str, object]:
    """Return the keys and values of a TOML text. Raises SettingsFileError."""
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


def _read_text(handle: int) -> str:
    """Return the text of an opened settings file. Raises SettingsFileError."""
    try:
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise SettingsFileError("this is not a regular file")
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise SettingsFileError("this is over 1 MB, too large for a settings file")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsFileError("this is not UTF-8 text") from error
    except OSError as error:
        raise SettingsFileError(f"can't be read: {error.strerror}") from error


# Writing one ----------------------------------------------------------------------------------------------------------


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
