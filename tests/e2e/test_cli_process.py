"""`scry` as a process: what it imports, how it ends, its help."""

from __future__ import annotations

import gc
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

from scry.core import install_command
from scry.main import main
from scry.surfaces.cli import COMMANDS
from scry.surfaces.cli.run import run
from tests.e2e.command_line import SCRY, TIMEOUT, CommandLine
from tests.polling import eventually
from tests.processes import is_running
from tests.sample.indexer import IndexerProject, open_indexer_project

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.slow

NOT_FOR_FIND = {
    "torch",
    "pygls",
    "lsprotocol",
    "mcp",
    "starlette",
    "uvicorn",
    "watchfiles",
    "tree_sitter",
    "tomllib",
    "rich",
    "asyncio",
    "scry.indexer.client.client",
}
NOT_FOR_A_PLAIN_QUESTION = {"cyclopts", "dataclasses"}
NOT_FOR_THE_SIDECAR = {"scry.surfaces.cli", "cyclopts", "rich"}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexerProject]:
    with open_indexer_project(tmp_path_factory.mktemp("process") / "shop") as sample:
        CommandLine(sample.root).run("index")
        yield sample


def imported(folder: Path, *words: str) -> set[str]:
    """Return every module and package that `scry <words>` imports."""
    command = [sys.executable, "-X", "importtime", *SCRY[1:], *words]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    modules = set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE))
    assert "scry" in modules, done.stderr
    return modules


@pytest.mark.parametrize(
    ("options", "needless"), [((), NOT_FOR_FIND | NOT_FOR_A_PLAIN_QUESTION), (("--limit", "3"), NOT_FOR_FIND)]
)
def test_find_imports_no_slow_modules(
    sample: IndexerProject, options: Sequence[str], needless: AbstractSet[str]
) -> None:
    modules = imported(sample.root, "add to cart", *options)
    assert "scry.engine.engine" in modules
    assert modules & needless == set()


def test_limit_has_a_short_form_and_a_clear_error(sample: IndexerProject) -> None:
    scry = CommandLine(sample.root)
    assert len(json.loads(scry.run("add to cart", "-n", "1", "--json").out)["results"]) == 1
    refused = scry.run("add to cart", "-n", "one")
    assert (refused.status, refused.err) == (2, "scry: limit: Invalid value for -n: 'one' is no whole number\n")
    for command in (("log",), ("memory",), ("memory", "list"), ("memory", "search", "cart"), ("session", "list")):
        assert scry.run(*command, "-n", "1").err == "", command


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("why",), "doc_id: is missing; scry why --help shows where it belongs"),
        (("observe", "note"), "text: is missing; scry observe --help shows where it belongs"),
        (("belief", "add"), "statement: is missing; scry belief add --help shows where it belongs"),
        (("find", "x", "--limit"), 'limit: Command "find" parameter --limit requires an argument.'),
        (
            ("status", "-n", "2"),
            "arguments: Unknown option: -n. scry status --help lists those that there are. status is a command; "
            "to search for it, put find before it: scry find status -n 2",
        ),
    ],
)
def test_error_about_an_argument_names_the_help(tmp_path: Path, words: Sequence[str], error: str) -> None:
    done = CommandLine(tmp_path).run(*words)
    assert (done.status, done.out, done.err) == (2, "", f"scry: {error}\n")


def test_the_sidecar_does_not_import_the_command_line(sample: IndexerProject) -> None:
    modules = imported(sample.root, "lsp", "--stdio")
    assert "pygls" in modules
    assert modules & NOT_FOR_THE_SIDECAR == set()


@pytest.mark.acceptance("P2", "P3")
@pytest.mark.parametrize(("command", "module", "extra"), [("serve", "starlette", ""), ("mcp", "mcp", "mcp")])
def test_server_without_a_package_says_how_to_install_it(tmp_path: Path, command: str, module: str, extra: str) -> None:
    (tmp_path / module).mkdir()  # found first, and breaks as a module does that is not there
    message = f"raise ModuleNotFoundError('No module named {module}', name={module!r})\n"
    (tmp_path / module / "__init__.py").write_text(message)
    done = CommandLine(tmp_path).run(command, PYTHONPATH=str(tmp_path))
    assert done.status == 1
    assert done.err == f"scry: scry {command} needs a part that is not installed ({module}): {install_command(extra)}\n"


@pytest.mark.acceptance("P2", "P3")
def test_make_setup_installs_what_the_servers_need() -> None:
    """`make setup` is followed by `scry mcp install` and `scry serve` in README.md."""
    root = Path(__file__).parents[2]
    with (root / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    names = {re.split(r"[<>=\[; ]", each)[0] for each in project["dependencies"]}
    assert {"starlette", "uvicorn"} <= names
    assert project["optional-dependencies"]["mcp"]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    asked = ["make", "--dry-run", "--always-make", "setup"]
    done = subprocess.run(asked, cwd=root, env=own, capture_output=True, text=True, check=True)
    assert "--editable '.[mcp]'" in done.stdout


def test_install_command_names_the_source_of_the_installation() -> None:
    """Scry is in no registry: pip finds it by its folder alone."""
    command = shlex.split(install_command("transformers"))
    assert command[1:4] == ["-m", "pip", "install"]
    path, extra = command[-1].removesuffix("]").split("[")
    assert (Path(path) / "pyproject.toml").exists()
    assert extra == "transformers"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "lsp"])
def test_every_command_has_help(tmp_path: Path, command: str) -> None:
    done = CommandLine(tmp_path).run(command, "--help")
    assert (done.status, done.err) == (0, "")
    assert f"Usage: scry {command}" in done.out
    summary = done.out.splitlines()[2]
    assert summary.strip()
    assert " ".join(summary.split())[:30] in " ".join(CommandLine(tmp_path).run("--help").out.split())


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_the_help_names_every_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = CommandLine(tmp_path).run(*words)
    assert done.status == 0
    assert all(re.search(rf"^│ {name} +\w", done.out, re.MULTILINE) for name in COMMANDS)


def test_version_option_prints_the_version(tmp_path: Path) -> None:
    from scry import __version__

    assert CommandLine(tmp_path).run("--version").out == f"scry {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(tmp_path: Path, shell: str) -> None:
    done = CommandLine(tmp_path).run("completion", shell)
    assert (done.status, done.err) == (0, "")
    assert "doctor" in done.out
    assert "min-score" in done.out


def test_lsp_command_refuses_unknown_arguments(tmp_path: Path) -> None:
    done = CommandLine(tmp_path).run("lsp", "--port=1")
    assert (done.status, done.out) == (2, "")
    assert "--port" in done.err


def test_closed_pipe_prints_no_error(sample: IndexerProject) -> None:
    for words in (("cart",), ("cart", "--json"), ("status",), ("find", "--limit", "0", "--json", "x")):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([*SCRY, *words], cwd=sample.root, stdout=writing, stderr=subprocess.PIPE, check=False)
        os.close(writing)
        assert done.returncode in (2, 141)
        assert b"Broken" not in done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize(
    "words", [("cart",), ("cart", "--json"), ("status",), ("log", "export"), ("--help",), ("find", "--help")]
)
def test_full_disk_is_one_line_of_error(sample: IndexerProject, words: Sequence[str]) -> None:
    for environ in ({}, {"FORCE_COLOR": "1"}):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [*SCRY, *words],
                cwd=sample.root,
                env={**os.environ, **environ},
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        error = b"scry: standard output can't be written: No space left on device\n"
        assert (done.returncode, done.stderr) == (1, error)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no POSIX shell")
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", [("cart",), ("cart", "--json"), ("status", "--json")])
def test_closed_standard_streams_end_no_command(sample: IndexerProject, words: Sequence[str], closed: str) -> None:
    command = f"{shlex.join([*SCRY, *words])} {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=sample.root, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("words", [("step_1_1",), ("index",)])
def test_interrupted_wait_ends_at_once_and_names_the_indexer(tmp_path: Path, words: Sequence[str]) -> None:
    with open_indexer_project(tmp_path / "many") as sample:
        sample.write_many_files(2500)  # so many that the wait is not over by then
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # a run in the background ignores it, and so would this
        process = subprocess.Popen([*SCRY, *words], cwd=sample.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        eventually(
            lambda: (sample.project.cache / "indexer.json").exists() or sample.generation() > 0, "the command waits"
        )
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TIMEOUT)
        assert (process.returncode, out, err.count(b"\n")) == (130, b"", 1)
        assert err.startswith(b"scry: indexing goes on in the background; scry status says how far it is")
        indexer = sample.address().pid
        reached = sample.generation()
        eventually(lambda: sample.generation() > reached, "the indexer goes on")
        assert is_running(indexer)


def test_main_runs_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["scry", "status", "--root", str(tmp_path)])
    try:
        assert main() == 0
    finally:  # main leaves the process as one that is about to end
        gc.unfreeze()
        gc.enable()
    assert capsys.readouterr().out.startswith(str(tmp_path))


def test_run_returns_the_status(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["find", "--root", str(tmp_path / "nowhere"), "x"]) == 1
    assert capsys.readouterr().err.startswith("scry: ")
