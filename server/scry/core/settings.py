"""The settings, and how their sources are merged: files, environment, overrides.

What can be set, by whom, and what is set.

A setting is a field of `Settings` that `setting()` made: it can't exist without a default (which gives its kind), a
meaning, and whether a project's file may set it. Later sources win: defaults, the person's `config.toml`, the project's
`.scry/config.toml`, environment variables `SCRY_<NAME>`, and what the surface (command line, editor) was told. A value
is replaced as a whole, lists too.

A project's file comes from whoever wrote the project. It may set only what is marked so, and whatever is wrong in it is
left out and told in `warnings`, so that it can't keep anyone from searching. All else that is wrong
raises BadSettings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import fields, replace

from scry.core.errors import BadSettings
from scry.core.files import config_home
from scry.core.setting_values import SettingDefinition, SettingValue, parse_setting_text, validate_setting
from scry.core.settings_file import SettingsFile, SettingsFileError, read_settings_file

_SettingT = TypeVar("_SettingT", bound=SettingValue)

BUNDLED_MODEL = "bundled"
"""The value of `model` that means the model inside the package."""

SETTINGS_FILE_NAME = "config.toml"
PROJECT_SETTINGS_FILE = f".scry/{SETTINGS_FILE_NAME}"
_VARIABLE_PREFIX = "SCRY_"
PROCESS_VARIABLES = frozenset({"SCRY_HTTP_PATIENCE", "SCRY_INDEXER_LINGER", "SCRY_LOG_LEVEL"})
"""Variables that are no settings: they say how a process behaves, for tests and for looking into trouble."""

_NO_OVERRIDES: Mapping[str, object] = MappingProxyType({})


def setting(
    default: _SettingT,
    meaning: str,
    *,
    allowed_in_project: bool,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
) -> _SettingT:
    """Declares a setting; see Definition for what the arguments mean. It is kept as what makes the default."""
    definition = SettingDefinition("", default, meaning, allowed_in_project, minimum, maximum, choices)
    return field(default_factory=cast("Callable[[], _SettingT]", definition))


class Setting(Struct, frozen=True):
    """One setting as it stands: its value, where that came from, and what it means."""

    name: str
    value: SettingValue
    source: str
    meaning: str


class Settings(Struct, frozen=True):
    """All settings as they stand.

    sources: where each value that is not the default came from, by name. warnings: what was left out, for a person.
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
    memory: bool = setting(
        True,
        "Whether what is done, fails and is decided is remembered, on this machine alone (scry memory).",
        allowed_in_project=False,
    )
    sources: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def entries(self) -> tuple[Setting, ...]:
        """Every setting with its value, source and meaning, in the order of their declaration."""
        sources = dict(self.sources)
        return tuple(
            Setting(name, cast("SettingValue", getattr(self, name)), sources.get(name, "default"), definition.meaning)
            for name, definition in SETTING_DEFINITIONS.items()
        )

    def overrides(self) -> dict[str, object]:
        """What the environment and the surface said: all that another process can't read in the files by itself."""
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
"""Every setting there is, by name, in the order of their declaration."""


def load_settings(
    root: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, object] = _NO_OVERRIDES,
    *,
    surface: str = "surface",
) -> Settings:
    """The settings for a project (or for none), from all sources.

    overrides: what the surface was told, by name. surface: what that source is called ("command line", "editor").
    Raises BadSettings for the person's file, the environment and the overrides; see the module for the project's file.
    """
    gathered = _SettingsBuilder()
    gathered.add_file(config_home() / SETTINGS_FILE_NAME)
    if root is not None:
        gathered.add_project_file(root / PROJECT_SETTINGS_FILE)
    gathered.add_environment(environ)
    for name, raw in overrides.items():
        gathered.add(name, raw, surface, "")
    return gathered.build()


class _SettingsBuilder:
    """Values on their way from the sources, the strongest last."""

    def __init__(self) -> None:
        self._values: dict[str, SettingValue] = {}
        self._sources: dict[str, str] = {}
        self._warnings: list[str] = []

    def build(self) -> Settings:
        values = cast("dict[str, object]", self._values)
        return Settings(**values, sources=tuple(self._sources.items()), warnings=tuple(self._warnings))  # pyright: ignore[reportArgumentType]

    def add(self, name: str, raw: object, source: str, line: str) -> None:
        """Takes one value. Raises BadSettings for an unknown name or a wrong value."""
        if name not in SETTING_DEFINITIONS:
            raise BadSettings(f"{source}{line}: {name}: {_describe_unknown(name, SETTING_DEFINITIONS)}")
        try:
            value = validate_setting(SETTING_DEFINITIONS[name], raw)
        except ValueError as error:
            raise BadSettings(f"{source}{line}: {name}: {error}") from error
        self._set(name, value, source)

    def add_file(self, path: Path) -> None:
        for name, raw, file in _read_items(path, str(path)):
            self.add(name, raw, str(path), file.describe_line(name))

    def add_project_file(self, path: Path) -> None:
        try:
            items = list(_read_items(path, PROJECT_SETTINGS_FILE))
        except BadSettings as error:
            self._warnings.append(f"{error}; the file is left out")
            return
        for name, raw, file in items:
            try:
                _check_allowed_in_project(name, file)
                self.add(name, raw, PROJECT_SETTINGS_FILE, file.describe_line(name))
            except BadSettings as error:
                self._warnings.append(f"{error}; this key is left out")

    def add_environment(self, environ: Mapping[str, str]) -> None:
        variables = {definition.environment_variable: definition for definition in SETTING_DEFINITIONS.values()}
        for variable in sorted(
            name for name in environ if name.startswith(_VARIABLE_PREFIX) and name not in PROCESS_VARIABLES
        ):
            definition = variables.get(variable)
            if definition is None:
                # Not an error: such a variable may be meant for another program, or a later Scry.
                self._warnings.append(f"{variable}: {_describe_unknown(variable, variables)}; it is left out")
                continue
            try:
                self._set(definition.name, parse_setting_text(definition, environ[variable]), variable)
            except ValueError as error:
                raise BadSettings(f"{variable}: {error}") from error

    def _set(self, name: str, value: SettingValue, source: str) -> None:
        self._values[name] = value
        self._sources[name] = source


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
