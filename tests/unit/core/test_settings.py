"""Sources of settings, their permissions, and errors of invalid ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec import defstruct

from scry.core import (
    SETTING_DEFINITIONS,
    BadSettings,
    SettingDefinition,
    Settings,
    config_home,
    load_settings,
    parse_setting_text,
    validate_setting,
)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the person's settings file, its folder made."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    config_home().mkdir(parents=True)
    return config_home() / "config.toml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project's folder with a folder for its settings."""
    (tmp_path / "project" / ".scry").mkdir(parents=True)
    return tmp_path / "project"


def _theirs(project: Path, text: str) -> Settings:
    (project / ".scry" / "config.toml").write_text(text)
    return load_settings(project, {})


def test_defaults_apply_without_any_source(mine: Path, project: Path) -> None:
    assert load_settings(project, {}) == load_settings(None, {}) == Settings()
    assert Settings().max_file_bytes == 1_000_000
    assert {entry.source for entry in Settings().entries()} == {"default"}


@pytest.mark.acceptance("S1")
def test_later_sources_win_and_are_named(mine: Path, project: Path) -> None:
    def limit(environ: dict[str, str], overrides: dict[str, object]) -> tuple[object, str]:
        settings = load_settings(project, environ, overrides, surface="command line")
        entry = next(entry for entry in settings.entries() if entry.name == "max_file_bytes")
        return entry.value, entry.source

    mine.write_text("max_file_bytes = 1\n")
    assert limit({}, {}) == (1, str(mine))
    (project / ".scry" / "config.toml").write_text("max_file_bytes = 2\n")
    assert limit({}, {}) == (2, ".scry/config.toml")
    assert limit({"SCRY_MAX_FILE_BYTES": "3"}, {}) == (3, "SCRY_MAX_FILE_BYTES")
    assert limit({"SCRY_MAX_FILE_BYTES": "3"}, {"max_file_bytes": 4}) == (4, "command line")


@pytest.mark.acceptance("S1")
def test_each_setting_has_a_value_a_source_and_a_meaning(mine: Path) -> None:
    entries = Settings(ignore=("a",), sources=(("ignore", "x"),)).entries()
    assert [entry.name for entry in entries] == list(SETTING_DEFINITIONS)
    assert (entries[0].value, entries[0].source) == (("a",), "x")
    assert all(entry.meaning.endswith(".") or entry.meaning for entry in entries)


@pytest.mark.acceptance("S1")
def test_a_projects_file_sets_only_ignore_rules_languages_and_limits(mine: Path, project: Path) -> None:
    settings = _theirs(
        project,
        'ignore = ["*.log"]\nlanguages = ["go"]\nmax_file_bytes = 5\nmax_parse_seconds = 7\n'
        'model = "https://x.invalid"\ncommand = "sh"\n',
    )
    assert (settings.ignore, settings.languages, settings.max_file_bytes) == (("*.log",), ("go",), 5)
    assert settings.max_parse_seconds == 7.0
    assert settings.model == "bundled"
    allowed = "allowed here: ignore, languages, max_file_bytes, max_parse_seconds; this key is left out"
    assert settings.warnings == (
        f".scry/config.toml, line 5: model: a project's file may not set this, only you may; {allowed}",
        f".scry/config.toml, line 6: command: there is no such setting; {allowed}",
    )
    assert {name for name, each in SETTING_DEFINITIONS.items() if each.allowed_in_project} == {
        "ignore",
        "languages",
        "max_file_bytes",
        "max_parse_seconds",
    }


@pytest.mark.acceptance("S1")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('ignore = "*.log"\n', 'line 1: ignore: expected a list of texts, got "*.log"; this key is left out'),
        ("\nignore = [1]\n", "line 2: ignore: expected a list of texts, got [1]; this key is left out"),
        ("max_file_bytes = 0\n", "expected a whole number from 1 to 100,000,000, got 0"),
        ("max_file_bytes = 1000000000000\n", "got 1000000000000"),
        ("max_file_bytes = true\n", "got true"),
        ("max_file_bytes = 1.5\n", "got 1.5"),
        ("[ignore]\na = 1\n", "line 1: ignore: expected a list of texts"),
        ("ignore = [\n", "not valid TOML"),
        ("ignore = ['a']\nignore = ['b']\n", "not valid TOML"),
        ("x = " + "[" * 90_000, "; the file is left out"),
        ("# " + "x" * 1_000_000, "over 1 MB"),
    ],
)
def test_bad_project_setting_is_reported_and_ignored(mine: Path, project: Path, text: str, words: str) -> None:
    settings = _theirs(project, text)
    assert (settings.ignore, settings.max_file_bytes) == ((), 1_000_000)
    assert len(settings.warnings) == 1
    assert settings.warnings[0].startswith(".scry/config.toml")
    assert words in settings.warnings[0]


def test_invalid_key_does_not_discard_valid_ones(mine: Path, project: Path) -> None:
    settings = _theirs(project, 'max_file_bytes = "big"\nignore = ["a"]\n')
    assert settings.ignore == ("a",)
    assert len(settings.warnings) == 1


def test_malformed_project_file_is_ignored(mine: Path, project: Path) -> None:
    path = project / ".scry" / "config.toml"
    path.write_bytes(b"ignore = ['\xff']")
    assert "UTF-8" in load_settings(project, {}).warnings[0]
    path.unlink()
    path.mkdir()
    assert len(load_settings(project, {}).warnings) == 1
    path.rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path)
        assert "not a regular file" in load_settings(project, {}).warnings[0]


@pytest.mark.acceptance("S1")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\nmax_file_byte = 1\n", "line 2: max_file_byte: there is no such setting; did you mean max_file_bytes?"),
        ("zzz = 1\n", "there is no such setting; there are: ignore, languages, max_file_bytes"),
        (
            "max_file_bytes = 'big'\n",
            'line 1: max_file_bytes: expected a whole number from 1 to 100,000,000, got "big"',
        ),
        ("model = [\n", "not valid TOML"),
    ],
)
def test_bad_person_setting_is_an_error(mine: Path, text: str, words: str) -> None:
    mine.write_text(text)
    with pytest.raises(BadSettings) as raised:
        load_settings(None, {})
    assert str(raised.value).startswith(str(mine))
    assert words in str(raised.value)


def test_environment_variables_are_parsed_by_type() -> None:
    environ = {"SCRY_IGNORE": "*.log, build/ ,", "SCRY_LANGUAGES": "", "SCRY_MODEL": "other", "HOME": "/"}
    settings = load_settings(None, environ)
    assert (settings.ignore, settings.languages, settings.model) == (("*.log", "build/"), (), "other")


def test_bad_variable_is_an_error_and_unknown_one_reported() -> None:
    with pytest.raises(BadSettings, match="SCRY_MAX_FILE_BYTES: expected a whole number"):
        load_settings(None, {"SCRY_MAX_FILE_BYTES": "big"})
    settings = load_settings(None, {"SCRY_IGNOR": "x"})
    assert settings.warnings == ("SCRY_IGNOR: there is no such setting; did you mean SCRY_IGNORE?; it is left out",)


def test_a_wrong_override_is_an_error() -> None:
    with pytest.raises(BadSettings, match="editor: max_file_bytes: expected"):
        load_settings(None, {}, {"max_file_bytes": "1"}, surface="editor")
    with pytest.raises(BadSettings, match="surface: nonsense"):
        load_settings(None, {}, {"nonsense": 1})


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [(False, "Yes", True), (True, "0", False), (0.5, "2", 2.0), (0.5, ".25", 0.25), (7, "-3", -3), ("a", " b ", " b ")],
)
def test_each_setting_type_is_parsed_from_text(default: bool | int | float | str, text: str, value: object) -> None:
    read = parse_setting_text(SettingDefinition("x", default, "m", allowed_in_project=False), text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("definition", "raw"),
    [
        (SettingDefinition("x", False, "m", allowed_in_project=False), 1),
        (SettingDefinition("x", False, "m", allowed_in_project=False), "maybe"),
        (SettingDefinition("x", 1, "m", allowed_in_project=False), True),
        (SettingDefinition("x", 1, "m", allowed_in_project=False), None),
        (SettingDefinition("x", 0.5, "m", allowed_in_project=False, minimum=0, maximum=1), 1.01),
        (SettingDefinition("x", 0.5, "m", allowed_in_project=False, minimum=0), float("nan")),
        (SettingDefinition("x", "a", "m", allowed_in_project=False, choices=("a", "b")), "c"),
        (SettingDefinition("x", (), "m", allowed_in_project=False), ["a", 1]),
    ],
)
def test_value_of_wrong_type_or_range_is_refused(definition: SettingDefinition, raw: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        validate_setting(definition, raw)


def test_settings_are_hashable() -> None:
    assert len({Settings(), Settings(ignore=("a",)), Settings()}) == 2


def test_setting_without_a_definition_is_an_error() -> None:
    import scry.core.settings as module

    undeclared = defstruct("Undeclared", [("loose", int, 1)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "Settings", undeclared)
        with pytest.raises(TypeError, match="loose"):
            dict(module._find_definitions())  # pyright: ignore[reportPrivateUsage]


def test_overrides_are_settings_from_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "scry").mkdir(parents=True)
    (tmp_path / "config" / "scry" / "config.toml").write_text('model = "team/model"\n')
    (tmp_path / ".scry").mkdir()
    (tmp_path / ".scry" / "config.toml").write_text('languages = ["go"]\n')
    assert load_settings(tmp_path, {}).overrides() == {}
    settings = load_settings(tmp_path, {"SCRY_MODEL": "other"}, {"ignore": ["*.md"]}, surface="editor")
    assert settings.overrides() == {"model": "other", "ignore": ("*.md",)}


def test_process_variables_are_not_unknown_settings() -> None:
    environ = {"SCRY_LOG_LEVEL": "debug", "SCRY_INDEXER_LINGER": "5", "SCRY_LOG_LEVLE": "debug"}
    (warning,) = load_settings(None, environ).warnings
    assert warning.startswith("SCRY_LOG_LEVLE")
