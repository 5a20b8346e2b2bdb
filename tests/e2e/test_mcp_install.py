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


def install(project: Path, *words: str, **environ: str) -> Done:
    return run_mcp(project, "install", *words, **environ)


def run_mcp(project: Path, *words: str, **environ: str) -> Done:
    home = project.parent / "home"
    clients = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "CODEX_HOME": "", "PATH": "/bin"}
    return CommandLine(project).run("mcp", *words, **clients, **environ)


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
    folder = ["--root", "${workspaceFolder}"]
    stdio = {"type": "stdio", "command": PROGRAM}
    assert entry_of(project / ".mcp.json", "mcpServers", "scry") == {**stdio, "args": ["mcp"]}
    assert entry_of(project / ".cursor/mcp.json", "mcpServers", "scry") == {
        "command": PROGRAM,
        "args": ["mcp", *folder],
    }
    assert entry_of(project / ".vscode/mcp.json", "servers", "scry") == {**stdio, "args": ["mcp", *folder]}
    wanted = {"type": "local", "command": [PROGRAM, "mcp"], "enabled": True}
    assert entry_of(project / "opencode.json", "mcp", "scry") == wanted
    assert (
        project / ".codex/config.toml"
    ).read_text() == f'[mcp_servers.scry]\ncommand = "{PROGRAM}"\nargs = ["mcp"]\n'


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


def test_install_proves_that_the_server_starts(project: Path) -> None:
    """A server whose package is missing is not configured; doctor tells of one that went missing later."""
    broken = project.parent / "broken"
    (broken / "mcp").mkdir(parents=True)
    message = "raise ModuleNotFoundError('No module named mcp', name='mcp')\n"
    (broken / "mcp" / "__init__.py").write_text(message)
    done = install(project, "claude-code", PYTHONPATH=str(broken))
    assert (done.status, done.out, (project / ".mcp.json").exists()) == (1, "", False)
    assert "nothing was written, for the server does not start: scry: scry mcp needs a part" in done.err
    done = install(project, "claude-code")
    assert (done.status, "The server starts, and offers" in done.out) == (0, True)
    agents = doctor_agents(project)
    assert (agents["level"], agents["found"]) == ("ok", "Scry starts for Claude Code")
    agents = doctor_agents(project, PYTHONPATH=str(broken))
    assert agents["level"] == "fail"
    assert "Claude Code" in agents["found"]
    assert "scry mcp install" in agents["advice"]


def doctor_agents(project: Path, **environ: str) -> dict[str, str]:
    home = str(project.parent / "home")
    done = CommandLine(project).run("doctor", "--force", "--json", HOME=home, CODEX_HOME="", **environ)
    checks: list[dict[str, str]] = json.loads(done.out)["checks"]
    return next(check for check in checks if check["name"] == "agents")


@pytest.mark.parametrize("client", CLIENTS)
def test_uninstall_removes_what_install_wrote_and_nothing_else(project: Path, client: str) -> None:
    home = project.parent / "home"
    mine = "# Rules\n\nBe brief.\n"
    guide = CLIENTS[client].instructions["project"](project)
    guide.parent.mkdir(exist_ok=True)
    guide.write_text(mine)
    assert install(project, client, "--scope", "project", "--instructions").status == 0
    told = guide.read_text()
    assert told.startswith(mine)
    assert "ask its MCP tools" in told
    assert install(project, client, "--scope", "project", "--instructions").out.startswith(CLIENTS[client].title)
    assert guide.read_text() == told
    shown = run_mcp(project, "uninstall", client, "--scope", "project", "--dry-run")
    assert (shown.status, "Nothing was written" in shown.out, guide.read_text() == told) == (0, True, True)
    done = run_mcp(project, "uninstall", client, "--scope", "project")
    assert (done.status, "Removed." in done.out) == (0, True)
    assert guide.read_text() == mine
    place = project / FILES[client]
    assert CLIENTS[client].read(place.read_text() if place.exists() else "") is None
    again = run_mcp(project, "uninstall", client, "--scope", "project")
    assert (again.status, "does not know of Scry" in again.out) == (0, True)
    assert not home.exists() or not list(home.rglob("*.json"))


def test_instructions_of_our_own_leave_no_empty_file(project: Path) -> None:
    assert install(project, "codex", "--instructions").status == 0
    guide = project.parent / "home" / ".codex" / "AGENTS.md"
    assert guide.exists()
    assert run_mcp(project, "uninstall", "codex").status == 0
    assert not guide.exists()


def test_unwritable_folder_is_a_clear_error(project: Path) -> None:
    (project / ".cursor").write_text("a file")
    done = install(project, "cursor")
    assert (done.status, "Traceback" in done.err) == (1, False)
    assert os.path.isfile(project / ".cursor")  # noqa: PTH113
