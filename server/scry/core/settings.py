"""What can be set, by whom, and what is set.

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
from scry.core.places import config_home
from scry.core.setting_values import Definition, SettingValue, read_text, read_value
from scry.core.settings_file import BrokenFile, SettingsFile, read_settings_file

_Value = TypeVar("_Value", bound=SettingValue)

BUNDLED = "bundled"
"""The value of `model` that means the model inside the package."""

SETTINGS_FILE = "config.toml"
PROJECT_FILE = f".scry/{SETTINGS_FILE}"
_PREFIX = "SCRY_"
PROCESS_VARIABLES = frozenset({"SCRY_HTTP_PATIENCE", "SCRY_INDEXER_LINGER", "SCRY_LOG_LEVEL"})
"""Variables that are no settings: they say how a process behaves, for tests and for looking into trouble."""

_NO_OVERRIDES: Mapping[str, object] = MappingProxyType({})


def setting(
    default: _Value,
    meaning: str,
    *,
    by_project: bool,
    lowest: float | None = None,
    highest: float | None = None,
    choices: tuple[str, ...] = (),
) -> _Value:
    """Declares a setting; see Definition for what the arguments mean. It is kept as what makes the default."""
    definition = Definition("", default, meaning, by_project, lowest, highest, choices)
    return field(default_factory=cast("Callable[[], _Value]", definition))


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
        (), "Patterns of what to leave out, as in a .gitignore in the project's top folder.", by_project=True
    )
    languages: tuple[str, ...] = setting(
        (), "The only languages to index, by name (python, go …); all when empty.", by_project=True
    )
    max_file_bytes: int = setting(
        1_000_000, "Larger files are left out.", by_project=True, lowest=1, highest=100_000_000
    )
    model: str = setting(
        BUNDLED,
        "The model that finds by meaning: bundled, or a sentence-transformers model, as a folder's absolute path or a "
        "name on the hub, if wanted with @revision.",
        by_project=False,
    )
    log: bool = setting(
        True,
        "Whether questions, what was used of their answers, and ratings are kept, on this machine alone (scry log).",
        by_project=False,
    )
    memory: bool = setting(
        True,
        "Whether what is done, fails and is decided is remembered, on this machine alone (scry memory).",
        by_project=False,
    )
    sources: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def entries(self) -> tuple[Setting, ...]:
        """Every setting with its value, source and meaning, in the order of their declaration."""
        sources = dict(self.sources)
        return tuple(
            Setting(name, cast("SettingValue", getattr(self, name)), sources.get(name, "default"), definition.meaning)
            for name, definition in DEFINITIONS.items()
        )

    def told(self) -> dict[str, object]:
        """What the environment and the surface said: all that another process can't read in the files by itself."""
        files = {str(config_home() / SETTINGS_FILE), PROJECT_FILE}
        return {name: getattr(self, name) for name, source in self.sources if source not in files}


_NOT_SETTINGS = frozenset({"sources", "warnings"})


def _definitions() -> Iterator[tuple[str, Definition]]:
    for each in fields(Settings):
        if isinstance(each.default_factory, Definition):
            yield each.name, replace(each.default_factory, name=each.name)
        elif each.name not in _NOT_SETTINGS:
            raise TypeError(f"the setting {each.name} is declared without setting()")


DEFINITIONS: Mapping[str, Definition] = MappingProxyType(dict(_definitions()))
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
    gathered = _Gathered()
    gathered.add_file(config_home() / SETTINGS_FILE)
    if root is not None:
        gathered.add_project_file(root / PROJECT_FILE)
    gathered.add_environment(environ)
    for name, raw in overrides.items():
        gathered.add(name, raw, surface, "")
    return gathered.settings()


class _Gathered:
    """Values on their way from the sources, the strongest last."""

    def __init__(self) -> None:
        self._values: dict[str, SettingValue] = {}
        self._sources: dict[str, str] = {}
        self._warnings: list[str] = []

    def settings(self) -> Settings:
        values = cast("dict[str, object]", self._values)
        return Settings(**values, sources=tuple(self._sources.items()), warnings=tuple(self._warnings))  # pyright: ignore[reportArgumentType]

    def add(self, name: str, raw: object, source: str, line: str) -> None:
        """Takes one value. Raises BadSettings for an unknown name or a wrong value."""
        if name not in DEFINITIONS:
            raise BadSettings(f"{source}{line}: {name}: {_unknown(name, DEFINITIONS)}")
        try:
            value = read_value(DEFINITIONS[name], raw)
        except ValueError as error:
            raise BadSettings(f"{source}{line}: {name}: {error}") from error
        self._take(name, value, source)

    def add_file(self, path: Path) -> None:
        for name, raw, file in _items(path, str(path)):
            self.add(name, raw, str(path), file.line_of(name))

    def add_project_file(self, path: Path) -> None:
        try:
            items = list(_items(path, PROJECT_FILE))
        except BadSettings as error:
            self._warnings.append(f"{error}; the file is left out")
            return
        for name, raw, file in items:
            try:
                _refuse_for_project(name, file)
                self.add(name, raw, PROJECT_FILE, file.line_of(name))
            except BadSettings as error:
                self._warnings.append(f"{error}; this key is left out")

    def add_environment(self, environ: Mapping[str, str]) -> None:
        variables = {definition.variable: definition for definition in DEFINITIONS.values()}
        for variable in sorted(name for name in environ if name.startswith(_PREFIX) and name not in PROCESS_VARIABLES):
            definition = variables.get(variable)
            if definition is None:
                # Not an error: such a variable may be meant for another program, or a later Scry.
                self._warnings.append(f"{variable}: {_unknown(variable, variables)}; it is left out")
                continue
            try:
                self._take(definition.name, read_text(definition, environ[variable]), variable)
            except ValueError as error:
                raise BadSettings(f"{variable}: {error}") from error

    def _take(self, name: str, value: SettingValue, source: str) -> None:
        self._values[name] = value
        self._sources[name] = source


def _items(path: Path, source: str) -> Iterator[tuple[str, object, SettingsFile]]:
    try:
        file = read_settings_file(path)
    except BrokenFile as error:
        raise BadSettings(f"{source}: {error}") from error
    if file is not None:
        for name, raw in file.values.items():
            yield name, raw, file


def _refuse_for_project(name: str, file: SettingsFile) -> None:
    definition = DEFINITIONS.get(name)
    if definition is not None and definition.by_project:
        return
    allowed = ", ".join(name for name, each in DEFINITIONS.items() if each.by_project)
    why = "there is no such setting" if definition is None else "a project's file may not set this, only you may"
    raise BadSettings(f"{PROJECT_FILE}{file.line_of(name)}: {name}: {why}; allowed here: {allowed}")


def _unknown(name: str, known: Mapping[str, object]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
    return f"there is no such setting; {hint}"
