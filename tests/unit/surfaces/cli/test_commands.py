from __future__ import annotations

import importlib

import pytest

from scry.surfaces.cli import BAD_REQUEST, COMMANDS, make_app
from scry.surfaces.cli.run import run


def test_command_table_lists_all_commands() -> None:
    assert list(COMMANDS) == [
        *(
            "find",
            "orient",
            "recent",
            "neighbors",
            "why",
            "detail",
            "index",
            "status",
            "open",
            "copy",
            "feedback",
            "belief",
            "persona",
            "project",
            "team",
            "log",
            "learn",
            "lab",
            "insights",
            "session",
            "observe",
            "memory",
            "hook",
            "settings",
            "cache",
            "purge",
            "restore",
            "doctor",
            "lsp",
            "mcp",
            "serve",
            "completion",
        ),
    ]


def test_every_command_of_the_table_exists_under_its_name() -> None:
    for name, place in COMMANDS.items():
        module, _, function = place.partition(":")
        assert function == name
        assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.acceptance("J7")
def test_every_command_that_answers_has_json() -> None:
    app = make_app()
    for name in COMMANDS.keys() - {"lab", "lsp", "mcp", "serve", "completion", "hook"}:
        options = {word for argument in app[name].assemble_argument_collection() for word in argument.names}
        assert "--json" in options, name


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("completion --domain x", "put find before it: scry find completion --domain x"),
        ("status --type code", "put find before it: scry find status --type code"),
        ("index of words", "put find before it: scry find index of words"),
        ("-x", "put them after two dashes: scry -- -x"),
        ("status --nothing", "scry status --help lists those that there are"),
        ("belief add --nothing", "scry belief add --help lists those that there are"),
    ],
)
def test_query_equal_to_a_command_name_is_explained(words: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words.split()) == BAD_REQUEST
    assert hint in capsys.readouterr().err
