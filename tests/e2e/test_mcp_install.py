"""`scry mcp install`: what it writes into clients' settings, and what it never touches."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from scry.surfaces.cli.clients import CLIENTS
from tests.e2e.command_line import CommandLine, Done

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("P3")]

PROGRAM = str(Path(sys.executable).with_name("scry"))

FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "opencode": "opencode.json",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def install(project: Path, *words: str) -> Done:
    home = project.parent / "home"
    return CommandLine(project).run(
        "mcp", "install", *words, HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"), CODEX_HOME="", PATH="/bin"
    )


def entry_of(path: Path, *names: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    for name in names:
        found = found[name]
    return found


@pytest.mark.parametrize("client", CLIENTS)
def test_install_shows_then_writes_once(project: Path, client: str) -> None:
    place = project / FILES[client]
    shown = install(project, client, "--scope", "project", "--dry-run")
    assert (shown.status, shown.err) == (0, "")
    assert "+" in shown.out
    assert str(place) in shown.out
    assert "Nothing was written" in shown.out
    assert not place.exists()
    done = install(project, client, "--scope", "project")
    assert (done.status, "Written." in done.out) == (0, True)
    assert PROGRAM in place.read_text()
    before = place.read_bytes()
    again = install(project, client, "--scope", "project")
    assert (again.status, "knows of Scry already" in again.out) == (0, True)
    assert place.read_bytes() == before


def test_install_writes_each_client_format(project: Path) -> None:
    for client in CLIENTS:
        assert install(project, client, "--scope", "project").status == 0
    folder = ["--text-only", "--root", "${workspaceFolder}"]
    stdio = {"type": "stdio", "command": PROGRAM}
    assert entry_of(project / ".mcp.json", "mcpServers", "scry") == {**stdio, "args": ["mcp", "--text-only"]}
    assert entry_of(project / ".cursor/mcp.json", "mcpServers", "scry") == {
        "command": PROGRAM,
        "args": ["mcp", *folder],
    }
    assert entry_of(project / ".vscode/mcp.json", "servers", "scry") == {**stdio, "args": ["mcp", *folder]}
    wanted = {"type": "local", "command": [PROGRAM, "mcp", "--text-only"], "enabled": True}
    assert entry_of(project / "opencode.json", "mcp", "scry") == wanted
    assert (
        project / ".codex/config.toml"
    ).read_text() == f'[mcp_servers.scry]\ncommand = "{PROGRAM}"\nargs = ["mcp", "--text-only"]\n'


def test_user_scope_writes_the_person_files(project: Path) -> None:
    home = project.parent / "home"
    for client, file in (
        ("claude-code", ".claude.json"),
        ("codex", ".codex/config.toml"),
        ("opencode", ".config/opencode/opencode.json"),
    ):
        assert install(project, client, "--scope", "user").status == 0
        assert PROGRAM in (home / file).read_text()
    assert install(project, "codex").status == 0
    assert not list(project.iterdir())


def test_opencode_nested_servers_and_comments_are_kept(project: Path) -> None:
    place = project / "opencode.jsonc"
    place.write_text('{\n  // mine\n  "mcp": {"servers": {"other": {"type": "local", "command": ["x"]}}}\n}\n')
    assert install(project, "opencode").status == 0
    text = place.read_text()
    assert "// mine" in text
    assert '"other": {"type": "local", "command": ["x"]}' in text
    found = json.loads(text.replace("// mine", ""))
    assert sorted(found["mcp"]["servers"]) == ["other", "scry"]


@pytest.mark.parametrize(
    ("client", "content"),
    [
        ("claude-code", b'{"mcpServers": {'),
        ("claude-code", b'{"mcpServers": "none"}'),
        ("vscode", b"\xff\xfe"),
        ("codex", b"model = "),
        ("opencode", b"[]"),
    ],
)
def test_malformed_client_file_is_refused_unchanged(project: Path, client: str, content: bytes) -> None:
    place = project / FILES[client]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
    done = install(project, client, "--scope", "project")
    assert (done.status, place.read_bytes()) == (1, content)
    assert str(place) in done.err
    assert "correct it first" in done.err
    assert [each.name for each in place.parent.iterdir()] == [place.name]


def test_install_keeps_file_mode_and_symlink(project: Path) -> None:
    elsewhere = project.parent / "dotfiles.json"
    elsewhere.write_text("{}")
    elsewhere.chmod(0o640)
    (project / ".mcp.json").symlink_to(elsewhere)
    assert install(project, "claude-code").status == 0
    assert (project / ".mcp.json").is_symlink()
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o640
    assert entry_of(elsewhere, "mcpServers", "scry")


def test_install_json_report_and_invalid_arguments(project: Path) -> None:
    report = json.loads(install(project, "cursor", "--dry-run", "--json").out)
    assert (report["client"], report["written"], report["file"]) == ("cursor", False, str(project / FILES["cursor"]))
    assert "+++" in report["changes"]
    assert install(project, "cursor", "--scope", "user").status == 2
    assert install(project, "emacs").status == 2
    assert install(project).status == 2


def test_unwritable_folder_is_a_clear_error(project: Path) -> None:
    (project / ".cursor").write_text("a file")
    done = install(project, "cursor")
    assert (done.status, "Traceback" in done.err) == (1, False)
    assert os.path.isfile(project / ".cursor")  # noqa: PTH113
