"""Failing commands are remembered by real shells that read `scry hook`, and by no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.command_line import CommandLine
from tests.planted_secrets import planted_secrets
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

START = {
    "bash": ("bash", "--noprofile", "--norc", "-i"),
    "zsh": ("zsh", "-f", "-i"),
}
SHELLS = ("bash", pytest.param("zsh", marks=pytest.mark.needs("zsh")))


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    world = {
        f"XDG_{name}_HOME": str(tmp_path / "world" / name.lower()) for name in ("CACHE", "DATA", "CONFIG", "STATE")
    }
    return CommandLine(make_repository(tmp_path / "shop", SHOP), world)


def type_into(shell: str, shop: CommandLine, *lines: str) -> None:
    """Return what a person types, one line after the other, at a terminal of the shell's own."""
    text = "\n".join((f'eval "$(scry hook {shell})"', *lines, "exit", ""))
    subprocess.run(
        ["script", "-qec", " ".join(START[shell]), "/dev/null"],
        input=text.encode(),
        cwd=shop.folder,
        env=shop_environ(shop),
        timeout=120,
        check=False,
        capture_output=True,
    )


def shop_environ(shop: CommandLine) -> Mapping[str, str]:
    """Return a home of its own, and `scry` on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **shop.environ, "HOME": str(shop.folder.parent), "TERM": "dumb", "PATH": path}


def noted(shop: CommandLine) -> list[tuple[str, int]]:
    """Commands and their exit statuses, the oldest first."""
    report = json.loads(shop.run("memory", "list", "--kind", "command", "--json").out)
    return [(each["text"], each["status"]) for each in reversed(report["memories"])]


@pytest.mark.acceptance("M1")
@pytest.mark.parametrize("shell", SHELLS)
def test_only_failed_commands_are_recorded(shop: CommandLine, shell: str) -> None:
    secret = next(each for each in planted_secrets() if each.secret.startswith("ghp_"))
    type_into(
        shell,
        shop,
        "true",
        f"ls /nonexistent --token {secret.secret}",
        " ls /kept-out",
        "no-such-program-here",
        "grep quokka README.md",
        "sh -c 'exit 7'",
    )
    eventually(lambda: len(noted(shop)) == 2, "both are noted")
    found = dict(noted(shop))
    assert found.pop("sh -c 'exit 7'") == 7
    assert found.pop("ls /nonexistent --token [masked]") != 0
    assert found == {}


@pytest.mark.needs("fish")
def test_fish_records_by_its_event(shop: CommandLine) -> None:
    """At a terminal it would not take what is typed before it is ready."""
    lines = ["scry hook fish | source", "function seven; return 7; end"]
    for words in ("make all", " make kept-out"):
        lines += ["seven", f"emit fish_postexec '{words}'"]
    subprocess.run(["fish", "--no-config", "-c", "\n".join(lines)], cwd=shop.folder, env=shop_environ(shop), check=True)
    eventually(lambda: noted(shop) == [("make all", 7)], "the command is recorded")


def test_shell_without_the_hook_records_nothing(shop: CommandLine) -> None:
    subprocess.run(
        ["bash", "--norc", "-i"], input=b"ls /nonexistent\nexit\n", cwd=shop.folder, check=False, capture_output=True
    )
    assert noted(shop) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_printed_hook_explains_how_to_remove_it(shop: CommandLine, shell: str) -> None:
    printed = shop.run("hook", shell).out
    assert printed.startswith("# Scry: commands that fail are remembered")
    assert "@SCRY@" not in printed
