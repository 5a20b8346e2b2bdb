"""Processes started by the windows of a server, as the operating system lists them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.e2e.vscode.code_server import CodeServer


def processes(server: CodeServer) -> dict[int, str]:
    """Return the command lines of all processes that have this server's home,
    the server's own among them, by their ids.

    A process that has just been forked has its parent's command line until it runs a program: it is left out.
    """
    listed = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    lines = [(*line.split(None, 2), "")[:3] for line in listed.splitlines()]
    commands = {pid: command.rstrip() for pid, _, command in lines}
    ours = [(pid, commands[pid]) for pid, parent, _ in lines if commands[pid] != commands.get(parent)]
    return {int(pid): command for pid, command in ours if f"HOME={server.home}" in _environment_of(pid)}


def sidecars(server: CodeServer) -> list[int]:
    """Return the ids of all processes `… scry lsp`."""
    return [pid for pid, command in processes(server).items() if command.endswith(("scry lsp", "-m scry lsp"))]


def of_scry(server: CodeServer) -> dict[int, str]:
    """Return the processes of Scry: sidecars, indexers and their children."""
    return {pid: command for pid, command in processes(server).items() if "scry lsp" in command or "-m scry" in command}


def extension_host(server: CodeServer) -> int:
    """Return the id of the process in which the extensions of the one open window run."""
    [pid] = [pid for pid, command in processes(server).items() if "--type=extensionHost" in command]
    return pid


def _environment_of(pid: str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/environ").read_text(encoding="utf-8", errors="replace").split("\0")
    except OSError:
        return []
