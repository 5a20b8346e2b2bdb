"""Conversion between LSP and the engine; texts for editors name the commands of that editor."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import scry
from scry.core import COMMAND_LINE, IndexState, ModelNotReady, Notice, errors
from scry.engine import LogOff, NoCoChangeHistory, NothingIndexedInFolder
from scry.engine.response import add_notice, describe_emptiness, present_state
from scry.projects import describe_unknown_project
from scry.surfaces.lsp import EDITOR_COMMANDS, editor_commands
from scry.surfaces.lsp import conversion as wire
from scry_protocol.messages import FindParams, IndexParams, StatusParams
from scry_protocol.version import PROTOCOL
from tests.unit.surfaces.render.sample_answers import FUSE, answer, state


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "query: required"),
        ({"query": 5}, "query: Expected str, got int"),
        ({"query": "x", "limit": 0}, "limit: Expected int >= 1"),
        ({"query": "x", "limit": 1001}, "limit: Expected int <= 1000"),
        ({"query": "x", "limit": "10"}, "limit: Expected int, got str"),
        ({"query": "x", "limit": True}, "limit: Expected int, got bool"),
        ({"query": "x", "min_score": 2}, "min_score: Expected"),
        (
            {"query": "x", "intent": "guess"},
            "intent: Invalid enum value 'guess'; it is one of general, temporal, rationale",
        ),
        (
            {"query": "x", "types": ["code", "cat"]},
            "types[1]: Invalid enum value 'cat'; it is one of code, doc, commit, belief",
        ),
        ({"query": "x", "limits": 3}, "limits: unknown field (known: query, limit"),
        ([], "params: Expected object"),
        (None, "query: required"),
    ],
)
@pytest.mark.acceptance("F9")
def test_wrong_params_are_refused_by_name(params: object, words: str) -> None:
    with pytest.raises(wire.RequestError) as refused:
        wire.decode_params(FindParams, params)
    assert refused.value.code == -32602
    assert refused.value.message.startswith(words)


def test_right_params_are_decoded() -> None:
    assert wire.decode_params(FindParams, {"query": "x", "min_score": 1}) == FindParams(query="x", min_score=1.0)
    assert wire.decode_params(StatusParams, None) == StatusParams()
    assert wire.decode_params(IndexParams, {"action": "pause"}) == IndexParams(action="pause")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BadRequest("limit", "is odd"), -32602),
        (errors.Cancelled("no longer wanted"), -32800),
        (errors.IndexUnavailable("the index is locked"), -32803),
        (errors.ProjectMissing("no such folder"), -32803),
        (wire.RequestError(-32002, "not yet"), -32002),
        (ValueError("oops"), -32603),
    ],
)
def test_errors_have_codes_and_keep_their_message(error: Exception, code: int) -> None:
    refusal = wire.to_request_error(error)
    assert refusal.code == code
    assert str(error) in refusal.message


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(None, "utf-16"), ([], "utf-16"), (["utf-16"], "utf-16"), (["utf-32"], "utf-16"), (["utf-16", "utf-8"], "utf-8")],
)
def test_utf8_is_chosen_where_it_is_offered(offered: list[str] | None, chosen: str) -> None:
    assert wire.negotiate_encoding(offered) == chosen


@pytest.mark.parametrize("options", [None, {}, [], {"scry": None}, {"scry": {}}, {"scry": {"protocol": PROTOCOL}}])
def test_absent_or_equal_protocol_is_no_mismatch(options: object) -> None:
    assert wire.describe_protocol_mismatch(options) is None


def test_mismatch_names_both_protocols_and_what_to_update() -> None:
    newer = wire.describe_protocol_mismatch({"scry": {"protocol": PROTOCOL + 1}})
    older = wire.describe_protocol_mismatch({"scry": {"protocol": PROTOCOL - 1}})
    assert newer
    assert f"protocol {PROTOCOL + 1}" in newer
    assert "Update the sidecar" in newer
    assert older
    assert "Update the plugin" in older


ROOT = Path(scry.__file__).parent
EDITOR = ROOT.parents[1] / "editor"

SAID_IN_EDITORS = (
    "core",
    "store",
    "projects",
    "index",
    "indexer",
    "engine",
    "oracles",
    "embedding",
    "surfaces/lsp",
    "surfaces/serving",
)
"""Packages whose texts an editor may show."""

IN_A_TERMINAL = (
    "scry belief add",  # of beliefs, notes, memory and the log no editor shows more than results
    "scry belief list",
    "scry doctor",  # no editor shows what it checks, nor has a command for backups
    "scry lab replay",  # no editor replays past questions, or fits weights
    "scry learn",
    "scry log)",
    "scry log compact",
    "scry log forget",
    "scry memory)",
    "scry memory list",
    "scry persona list",
    "scry project update",
    "scry restore",
    "scry session list",
    "scry team",  # the indexer's, and joining a server is done once
)

_NAMED = re.compile(r"(?<![\w/.])scry [a-z].*")


def _texts(tree: ast.Module) -> Iterator[str]:
    """Yield all strings but docstrings and those that document a constant."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_texts_for_editors_name_no_other_command() -> None:
    named: dict[str, str] = {}
    for part in SAID_IN_EDITORS:
        for path in sorted((ROOT / part).rglob("*.py")):
            source = path.read_text()
            if path == ROOT / "core" / "notices.py" or not _NAMED.search(source):
                continue
            for text in _texts(ast.parse(source)):
                named |= dict.fromkeys(_NAMED.findall(text), path.name)
    assert len(named) > 5
    assert {text: place for text, place in named.items() if not text.startswith(IN_A_TERMINAL)} == {}


def test_the_commands_exist_in_the_editors() -> None:
    package = json.loads((EDITOR / "vscode" / "package.json").read_text())
    texts = json.loads((EDITOR / "vscode" / "package.nls.json").read_text())
    titles = {texts[each["title"].strip("%")] for each in package["contributes"]["commands"]}
    manual = (EDITOR / "neovim" / "doc" / "scry.txt").read_text()
    for name in msgspec.structs.asdict(EDITOR_COMMANDS["vscode"]).values():
        assert name.removeprefix("Scry: ") in {"", *titles} or "config.toml" in name
    for name in msgspec.structs.asdict(EDITOR_COMMANDS["neovim"]).values():
        for command in re.findall(r":Scry (\w+)", name):
            assert f"*:Scry-{command}*" in manual


@pytest.mark.acceptance("F11")
def test_answer_names_the_editor_command_in_a_title() -> None:
    paused = state(state="paused", files_indexed=12_120, files_total=20_800)
    given = answer(FUSE, index=paused)
    notices = {name: add_notice(given, commands=commands).notice for name, commands in EDITOR_COMMANDS.items()}
    assert notices["vscode"] == "indexing is paused at 12120 of 20800 files (Resume Indexing)"
    assert notices["neovim"].endswith("(:Scry index resume)")


@pytest.mark.parametrize("options", [None, {"scry": {"editor": "ed"}}, {"scry": {"editor": ["vscode"]}}])
def test_other_clients_get_the_names_of_the_command_line(options: object) -> None:
    assert editor_commands(options) == COMMAND_LINE
    assert editor_commands({"scry": {"protocol": 1, "editor": "neovim"}}) == EDITOR_COMMANDS["neovim"]


def test_notice_omits_commands_that_editors_run_themselves() -> None:
    given = answer(FUSE, index=state(state="starting", files_indexed=0))
    assert given.notice == "the index is still to be made (scry index)"
    assert add_notice(given, commands=EDITOR_COMMANDS["vscode"]).notice == "the index is still to be made"


@pytest.mark.parametrize(
    ("notice", "shown"),
    [
        (describe_unknown_project("a", []), "there are none yet (:Scry projects; :Scry projects add FOLDER)"),
        (LogOff(), "not kept (log = true in Scry's config.toml)"),
        (NothingIndexedInFolder("src"), "`:Scry status` says how many"),
    ],
)
def test_errors_name_the_editor_commands(notice: Notice, shown: str) -> None:
    error = errors.BadRequest("path", notice)
    assert shown in wire.to_request_error(error, EDITOR_COMMANDS["neovim"]).message
    assert wire.to_request_error(error).message == str(error) == f"path: {notice}"
    assert "scry " in str(error)


def test_index_state_names_the_editor_commands() -> None:
    index = IndexState(message="m", notices=(ModelNotReady("a", "b"),))
    shown = {name: present_state(index, commands).message for name, commands in EDITOR_COMMANDS.items()}
    assert shown["vscode"] == shown["neovim"] == "m; the model a answers, because b is not ready"
    assert present_state(index).message == "m; the model a answers, because b is not ready (scry index)"


@pytest.mark.acceptance("F11")
def test_editors_are_advised_only_of_what_they_have() -> None:
    vscode = EDITOR_COMMANDS["vscode"]
    empty = answer(index=state(files_total=3))
    assert describe_emptiness(empty, vscode).endswith("Try other words, or fewer filters if you set any.")
    assert describe_emptiness(empty).endswith("or fewer filters and a lower minimum score if you set any.")
    assert NoCoChangeHistory().render(vscode) == "no history is known here"
    assert "--by dependency" in str(NoCoChangeHistory())
