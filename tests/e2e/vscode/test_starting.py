"""The source of the sidecar, and an incompatible one: in a real VS Code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CLIENT, CodeServer, install_extension
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.processes import sidecars
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]

# The API that the Python extension gives other extensions, after its published types.
_PYTHON_EXTENSION = """
const vscode = require("vscode");
const chosen = { id: "chosen", path: INTERPRETER };
exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => chosen,
    resolveEnvironment: async (path) => path === chosen && { executable: { uri: vscode.Uri.file(path.path) } },
  },
});
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)


def bare_path(folder: Path) -> dict[str, str]:
    """Return an environment whose PATH has git, and no scry."""
    folder.mkdir()
    (folder / "git").symlink_to(shutil.which("git") or "git")
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def python_extension(folder: Path, interpreter: str) -> Path:
    """Return a stand-in for the Python extension, which has chosen this interpreter; packed as any extension is."""
    folder.mkdir()
    manifest = {"name": "python", "publisher": "ms-python", "version": "2026.1.0", "main": "./main.js"}
    manifest |= {"engines": {"vscode": "^1.91.0"}, "activationEvents": [], "capabilities": {}}
    (folder / "package.json").write_text(json.dumps(manifest))
    (folder / "main.js").write_text(_PYTHON_EXTENSION.replace("INTERPRETER", json.dumps(interpreter)))
    (folder / "README.md").write_text("A stand-in.\n")
    vsce = [str(CLIENT / "node_modules" / ".bin" / "vsce"), "package", "--out", "stand-in.vsix"]
    asked_for = ["--no-dependencies", "--allow-missing-repository", "--skip-license"]
    subprocess.run([*vsce, *asked_for], cwd=folder, check=True, capture_output=True, text=True)
    return folder / "stand-in.vsix"


@pytest.mark.acceptance("C1")
def test_interpreter_of_the_python_extension_is_used(open_window: OpenWindow, tmp_path: Path, shop: Path) -> None:
    extensions = install_extension(tmp_path / "installed", python_extension(tmp_path / "python", sys.executable))
    with CodeServer(tmp_path / "server", extensions, environ=bare_path(tmp_path / "bin")) as server:
        window = open_window(server, shop)
        eventually(lambda: sidecars(server), "a sidecar")
        window.find("receipt")
        expect(window.row("send_receipt")).to_be_visible()
        told = f"starting {sys.executable} -m scry lsp (from the Python interpreter)"
        eventually(lambda: told in server.log(), "the sidecar's command in the log")
        expect(window.notifications).to_have_count(0)


@pytest.mark.acceptance("C1")
def test_interpreter_setting_is_used(open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path) -> None:
    machine = {"scry.interpreter": sys.executable}
    environ = bare_path(tmp_path / "bin")
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine=machine) as server:
        window = open_window(server, shop)
        eventually(lambda: sidecars(server), "a sidecar")
        window.find("receipt")
        expect(window.row("send_receipt")).to_be_visible()
        eventually(lambda: "(from the Python interpreter)" in server.log(), "the sidecar's origin in the log")


@pytest.mark.acceptance("C1")
def test_sidecar_of_another_protocol_asks_for_an_update(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    newer = tmp_path / "scry"
    newer.write_text(
        f"#!{sys.executable}\nimport scry_protocol.version as version\nversion.PROTOCOL = 99\n"
        "from scry.main import main\nraise SystemExit(main())\n"
    )
    newer.chmod(0o755)
    with CodeServer(tmp_path / "server", extensions, machine={"scry.path": str(newer)}) as server:
        window = open_window(server, shop)
        window.find("receipt")
        message = "speaks 99, this extension speaks 1"
        eventually(lambda: message in " ".join(window.labels()), "both versions in the message")
        assert "Update this extension" in " ".join(window.labels())
        window.escape()
        window.open_file("mail.py")
        eventually(lambda: "not running" in window.status(), "the fault in the status")
        eventually(lambda: "protocols differ" in window.status(), "the reason in the status")
        eventually(lambda: not sidecars(server), "its end")
