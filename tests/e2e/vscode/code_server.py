"""A real VS Code in a browser: code-server with our extension, a profile of its own, on the loopback alone."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from tests.polling import eventually

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "editor" / "vscode"
PROGRAM = CLIENT / ".test" / "code-server" / "run"
CHROMIUM = CLIENT / ".test" / "chromium" / "run"
EXTENSION = CLIENT / "dist" / "scry.vsix"

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

START_TIMEOUT = 120.0

GRACE = 2
"""Seconds that a closed window's extension host lives on; by default it is hours."""

_SETTINGS: dict[str, object] = {
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "workbench.startupEditor": "none",
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.tips.enabled": False,
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.banner": "never",
    "files.autoSave": "off",
    "git.openRepositoryInParentFolders": "never",
}
"""Quiet, and nothing that asks the outside."""


def install_extension(folder: Path, *others: Path, ours: Path = EXTENSION) -> Path:
    """Installs our .vsix as a person would, and others; returns the folder of extensions, for one or more servers."""
    extensions = folder / "extensions"
    wanted = [word for vsix in (ours, *others) for word in ("--install-extension", str(vsix))]
    command = [str(PROGRAM), *_places(folder / "profile", extensions), *wanted]
    subprocess.run(command, env=_environment(folder, {}), check=True, capture_output=True, timeout=300)
    return extensions


def _places(profile: Path, extensions: Path) -> list[str]:
    profile.mkdir(parents=True, exist_ok=True)
    config = profile / "none.yaml"
    config.touch()
    return ["--user-data-dir", str(profile), "--extensions-dir", str(extensions), "--config", str(config)]


def _environment(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VSCODE_", "SCRY_"))}
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "DATA", "CONFIG", "STATE")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    # Remembered jumps of one test would appear in the answers of the next.
    folders["SCRY_MEMORY"] = "false"
    ours = {"HOME": str(home), "SHELL": "/bin/bash", "EXTENSIONS_GALLERY": "{}", "PATH": path}
    return {**kept, **folders, **ours, **environ}


class CodeServer:
    """A running code-server. Windows are opened by `url`."""

    def __init__(
        self,
        folder: Path,
        extensions: Path,
        *,
        settings: Mapping[str, object] | None = None,
        machine: Mapping[str, object] | None = None,
        environ: Mapping[str, str] | None = None,
        trust: bool = True,
    ) -> None:
        """`folder` holds its profile and home. `machine`: machine-scoped settings. trust: whether it trusts all."""
        self.home = folder / "home"
        self.profile = folder / "profile"
        self.home.mkdir(parents=True, exist_ok=True)
        self.environment = _environment(self.home, environ or {})
        # The editor takes its PATH from a login shell, which sets it anew.
        (self.home / ".profile").write_text(f"export PATH='{self.environment['PATH']}'\n", encoding="utf-8")
        self.port = _free_port()
        places = _places(self.profile, extensions)
        self.write_settings("User", settings or {})
        self.write_settings("Machine", machine or {})
        self._log = (folder / "log").open("wb")
        address = ["--bind-addr", f"127.0.0.1:{self.port}", "--auth", "none"]
        quiet = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"]
        rest = ["--reconnection-grace-time", str(GRACE), *([] if not trust else ["--disable-workspace-trust"])]
        self.process = subprocess.Popen(
            [str(PROGRAM), *places, *address, *quiet, *rest],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def __enter__(self) -> CodeServer:
        self._wait_until_up()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def url(self, folder: Path) -> str:
        """Return the address of a window on this folder, or on a saved workspace."""
        kind = "workspace" if folder.suffix == ".code-workspace" else "folder"
        return f"http://127.0.0.1:{self.port}/?{kind}={folder}"

    def write_settings(self, scope: str, settings: Mapping[str, object]) -> None:
        """Write settings of the `User`, beside those that keep it quiet,
        or, for machine-scoped ones, of the `Machine`.
        """
        quiet = _SETTINGS if scope == "User" else {}
        file = self.profile / scope / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({**quiet, **settings}), encoding="utf-8")

    def log(self) -> str:
        """Return what our extension wrote into its output channel, in all windows."""
        files = sorted(self.profile.glob("logs/**/*Scry.log"))
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)

    def _wait_until_up(self) -> None:
        def answers() -> bool:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                    return True
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                assert self.process.poll() is None, Path(self._log.name).read_text(encoding="utf-8")
                return False

        eventually(answers, "code-server answers", patience_s=START_TIMEOUT, interval_s=0.1)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
