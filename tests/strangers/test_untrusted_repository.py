"""A stranger's repository runs nothing and shows nothing that lies outside of it, whatever it holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scry.projects.programs import SCRY_ARGUMENTS, find_program
from scry.surfaces.serving import load_or_create_token
from scry_protocol.methods import METHODS
from tests.e2e.http_server import HttpServer
from tests.live_files import read_live, walk_live
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PROGRAM = Path(sys.executable).with_name("scry")
TRAP_OF_PYTHON = "import pathlib\npathlib.Path({trap!r}).touch()\nraise SystemExit(3)\n"
MODULES = ("scry.py", "json.py", "re.py", "msgspec.py", "tantivy.py", "numpy.py", "sitecustomize.py", "encodings/x.py")
PROGRAMS = ("git", "vim", "vi", "xclip", "sh", "code", "python3", "odd-editor")


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file that exists as soon as anything of the repository has run."""
    return tmp_path_factory.mktemp("outside") / "trap"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, trap: Path) -> Path:
    """Return a repository of programs, modules, hooks and git settings that all touch the trap."""
    root = make_repository(tmp_path_factory.mktemp("work") / "evil", SHOP)
    for name in MODULES:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(TRAP_OF_PYTHON.format(trap=str(trap)))
    script = f"#!/bin/sh\ntouch '{trap}'\ncat\n"
    hooks = [f".git/hooks/{name}" for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman")]
    for name in (*PROGRAMS, *(f"bin/{each}" for each in PROGRAMS), *hooks):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(script)
        (root / name).chmod(0o755)
    settings = {
        "core.fsmonitor": root / "git", "core.pager": root / "git", "pager.log": root / "git",
        "core.editor": root / "vi", "core.sshCommand": root / "sh", "core.askPass": root / "sh",
        "core.gitProxy": root / "sh", "core.hooksPath": root / ".git/hooks",
        "core.attributesFile": root / "attributes", "diff.external": root / "sh", "diff.odd.textconv": root / "sh",
        "diff.odd.command": root / "sh", "filter.odd.clean": root / "sh", "filter.odd.smudge": root / "sh",
        "filter.odd.process": root / "sh", "merge.odd.driver": root / "sh", "gpg.program": root / "sh",
        "log.showSignature": "true", "credential.helper": f"!touch {trap}", "alias.log": f"!touch {trap}",
        "alias.cat-file": f"!touch {trap}", "uploadpack.packObjectsHook": root / "sh",
        "remote.origin.url": f"ext::touch {trap}", "remote.origin.promisor": "true",
        "extensions.partialClone": "origin", "remote.origin.vcs": "odd", "include.path": root / "more",
        "trailer.x.command": f"touch {trap}", "interactive.diffFilter": root / "sh", "sequence.editor": root / "sh",
        "browser.x.cmd": f"touch {trap}",
    }  # fmt: skip
    (root / "attributes").write_text("* diff=odd filter=odd merge=odd\n")
    (root / ".gitattributes").write_text("* diff=odd filter=odd merge=odd\n")
    for name, value in settings.items():
        subprocess.run([_git(), "config", name, str(value)], cwd=root, check=True, env=_quiet(root.parent))
    trap.unlink(missing_ok=True)
    return root


def _git() -> str:
    program = find_program("git")
    assert program
    return program


def _quiet(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home)}


def run_inside(repository: Path, *words: str, path: str = ".::bin:./bin") -> subprocess.CompletedProcess[str]:
    """Run a program in the repository, with a PATH that begins in the working folder."""
    environ = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "EDITOR": "odd-editor", "DISPLAY": ":99"}
    environ.pop("PYTHONPATH", None)
    return subprocess.run(
        words,
        cwd=repository,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


COMMANDS = (
    ("index",),
    ("find", "who mails the receipt"),
    ("find", "receipt", "--explain"),
    ("why", "./shop/mail.py::send_receipt", "receipt"),
    ("recent",),
    ("recent", "receipt"),
    ("orient", "."),
    ("neighbors", "--file", "shop/mail.py"),
    ("status",),
    ("doctor",),
    ("belief", "check"),
    ("settings",),
    ("log",),
    ("project", "list"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_runs_what_the_repository_holds(repository: Path, trap: Path, words: tuple[str, ...]) -> None:
    done = run_inside(repository, str(PROGRAM), *words)
    assert "Traceback" not in done.stderr
    assert done.stdout or done.stderr
    assert not trap.exists(), done


def test_results_are_copied_and_opened_without_programs_of_the_repository(repository: Path, trap: Path) -> None:
    answer = json.loads(run_inside(repository, str(PROGRAM), "--json", "find", "receipt").stdout)
    assert answer["results"]
    for words in (("open", answer["query_id"], "1"), ("copy", answer["query_id"], "1")):
        done = run_inside(repository, str(PROGRAM), *words, path=".:bin")
        assert words[0] == "copy" or "there is no program odd-editor" in done.stderr, done
    assert not trap.exists()


def test_scry_started_by_python_imports_nothing_of_the_working_folder(repository: Path, trap: Path) -> None:
    done = run_inside(repository, sys.executable, *SCRY_ARGUMENTS, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert not trap.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_hook_starts_scry_so(shell: str) -> None:
    done = subprocess.run([PROGRAM, "hook", shell], capture_output=True, text=True, check=True)
    assert "from scry.main import main" in done.stdout
    assert " -m scry" not in done.stdout
    assert "@SCRY@" not in done.stdout


def test_programs_are_found_in_absolute_folders_only(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert find_program("git", os.pathsep.join((".", "", "bin", "./bin"))) is None
    assert find_program("git", os.pathsep.join((".", str(repository / "bin")))) == str(repository / "bin" / "git")


CANARY = "canary" + "0815" * 4
OUTSIDE = (
    "../outside.py", "../../outside.py", "shop/../../outside.py", "./../outside.py::canary", "~/outside.py",
    "%2e%2e/outside.py", "..%2foutside.py", "..\\outside.py", "link.py", "linked/outside.py", "./link.py::canary",
    "/etc/passwd", "file:///etc/passwd", "file://localhost/etc/passwd", "\\\\host\\share", "C:\\Windows\\win.ini",
    "a\x00b", "shop\x00/../../outside.py", "/dev/zero", "/proc/self/environ", "commit:../../outside", ".git/config",
    "'; DROP TABLE files; --", "\" OR 1=1 --", "%' OR '1'='1", "$(touch trap)", "`touch trap`", "--output=trap", "-o",
)  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    root = make_repository(tmp_path_factory.mktemp("shops") / "shop", SHOP)
    outside = root.parent / "outside.py"
    outside.write_text(f"def canary():\n    return '{CANARY}'\n")
    (root / "link.py").symlink_to(outside)
    (root / "linked").symlink_to(root.parent, target_is_directory=True)
    with HttpServer(root) as server:
        server.wait_until_ready()
        yield server


def _text_fields(params: type[msgspec.Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(params) if "str" in str(field.type)]


MODES = {method.name.removeprefix("scry/"): method.params for method in METHODS if method.result is not None}


@pytest.mark.parametrize("mode", MODES)
def test_no_parameter_leads_out_of_the_project(server: HttpServer, mode: str) -> None:
    """Each text parameter is asked with each path; required ones beside it are filled with harmless values."""
    names = _text_fields(MODES[mode])
    filled: dict[str, Any] = {
        field.name: "x" if "str" in str(field.type) else 1
        for field in msgspec.structs.fields(MODES[mode])
        if field.required
    }
    for name in names:
        for path in OUTSIDE:
            for value in (path, [path]):
                reply = server.try_to_ask(mode, **{**filled, name: value})
                assert reply.status < 500, (name, value, reply)
                assert CANARY.encode() not in reply.body, (name, value)
                assert b"root:x:" not in reply.body, (name, value)
    assert server.ask("find", query="receipt")["results"], "nothing is broken by then"


def test_token_is_in_no_command_line_and_no_log(server: HttpServer, tmp_path_factory: pytest.TempPathFactory) -> None:
    token = load_or_create_token()
    assert server.ask("find", query="receipt")["results"]
    lines = [read_live(path) for path in Path("/proc").glob("[0-9]*/cmdline") if _is_ours(path)]
    assert any(b"scry" in line for line in lines)
    assert [line for line in lines if token.encode() in line] == []
    assert token not in server.hello + "".join(server.log)
    places = [Path(os.environ[f"XDG_{name}_HOME"]) for name in ("CACHE", "DATA", "CONFIG", "STATE")]
    files = [path for place in places for path, _ in walk_live(place) if path.is_file()]
    holders = [path for path in files if token.encode() in read_live(path)]
    assert len(holders) == 1, holders
    assert holders[0].stat().st_mode & 0o077 == 0


def _is_ours(path: Path) -> bool:
    try:
        return path.stat().st_uid == os.getuid()
    except OSError:
        return False
