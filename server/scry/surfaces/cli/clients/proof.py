"""Prove that a configured server starts: run its command, and ask it for its tools as a client does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, Any

import msgspec
from msgspec import Struct

from scry.core.decoding import decode_json
from scry.projects.programs import find_program
from scry.surfaces.cli.clients.client import ServerCommand

PROOF_TIMEOUT_S = 60.0
"""Seconds that a server may take to start. The SDK takes about one to import, on a busy machine ten."""

_END_TIMEOUT_S = 15.0
_MAX_REASON = 500


class ServerProof(Struct, frozen=True):
    """The outcome: the number of tools that the server offers; or why it does not start, empty if it does."""

    tools: int
    problem: str = ""


def prove_server(server: ServerCommand, root: Path) -> ServerProof:
    """Start the server in a project's folder, ask for its tools, and end it. Never raises."""
    program = find_program(server.command)
    if program is None:
        return ServerProof(0, f"there is no program {server.command}")
    arguments = [each.replace("${workspaceFolder}", str(root)) for each in server.arguments]
    try:
        return _ask_for_tools([program, *arguments], root)
    except OSError as error:
        return ServerProof(0, f"{program} can't be started: {error.strerror or error}")


def _ask_for_tools(command: list[str], root: Path) -> ServerProof:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "scry", "version": "1"}}
    listed: dict[str, Any] | None = None
    with TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(PROOF_TIMEOUT_S, process.kill)
        timer.start()
        try:
            if _exchange(process.stdin, process.stdout, {"id": 1, "method": "initialize", "params": hello}) is not None:
                _send(process.stdin, {"method": "notifications/initialized"})
                listed = _exchange(process.stdin, process.stdout, {"id": 2, "method": "tools/list", "params": {}})
        except OSError:  # it ended, and says why
            pass
        finally:
            _end(process)
            timer.cancel()
        errors.seek(0)
        words = errors.read().decode("utf-8", "replace").strip()[-_MAX_REASON:]
    if listed is None:
        return ServerProof(0, words or f"{command[0]} does not speak the Model Context Protocol")
    return ServerProof(len(listed["tools"]))


class _Reply(Struct, frozen=True):
    """A message of the server. id: of the request that it answers."""

    id: int | str | None = None
    result: dict[str, Any] | None = None


def _exchange(to_server: IO[bytes], from_server: IO[bytes], request: dict[str, object]) -> dict[str, Any] | None:
    """Send a request and return its result; None where the server ends, or answers with anything else."""
    _send(to_server, request)
    for line in from_server:
        try:
            reply = decode_json(line, _Reply)
        except msgspec.MsgspecError:
            return None
        if reply.id == request["id"]:
            return reply.result
    return None


def _send(to_server: IO[bytes], message: dict[str, object]) -> None:
    to_server.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")
    to_server.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the server's input, and wait until it has ended."""
    try:
        process.communicate(timeout=_END_TIMEOUT_S)
    except (subprocess.TimeoutExpired, OSError):
        process.kill()
        process.communicate()
