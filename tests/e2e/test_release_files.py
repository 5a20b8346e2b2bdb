"""The files that `make release` has made: installed by each tool, complete, and the same when they are made again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.gates.parts import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.needs("release")]


@pytest.fixture(scope="module")
def dist() -> Path:
    return Path(os.environ["RELEASE_DIST"]).resolve()


@pytest.fixture(scope="module")
def tools() -> Path:
    return Path(os.environ["RELEASE_TOOLS"]).resolve()


def _run(command: list[str | Path], cwd: Path, environ: Mapping[str, str] = os.environ) -> str:
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_wheel_is_installed_as_a_program_that_answers(tool: str, dist: Path, tools: Path, tmp_path: Path) -> None:
    [wheel] = dist.glob("*.whl")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PYTHON", "VIRTUAL_"))}
    places = {f"{kind}": str(tmp_path / kind.lower()) for kind in ("UV_TOOL_DIR", "UV_CACHE_DIR", "PIPX_HOME")}
    programs = {"UV_TOOL_BIN_DIR": str(tmp_path / "bin"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    environ = {**kept, **places, **programs, "HOME": str(tmp_path)}
    command = [tools / "uv", "tool", "install"] if tool == "uv" else [tools / "pipx", "install"]
    _run([*command, "--python", sys.executable, wheel], tmp_path, environ)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "client.py").write_text(
        "def retry_limit():\n    '''How often a request is sent again.'''\n"
    )
    answer = _run(
        [tmp_path / "bin" / "scry", "find", "how often is a request retried", "--json"], tmp_path / "project", environ
    )
    assert json.loads(answer)["results"][0]["doc_id"] == "./client.py::retry_limit"


def test_release_is_complete_and_its_checksums_hold(dist: Path) -> None:
    names = {file.name for file in dist.iterdir()}
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert set(sums) == names - {"SHA256SUMS"}
    for kind in (".whl", ".tar.gz", ".vsix", ".cdx.json", "RELEASE_NOTES.md", "THIRD-PARTY-LICENSES.txt"):
        assert [name for name in names if name.endswith(kind)], kind
    for name, digest in sums.items():
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest


def test_bill_of_materials_is_valid_and_names_what_the_licences_name(dist: Path, tools: Path) -> None:
    [bill] = dist.glob("*.cdx.json")
    check = (
        "import sys\nfrom cyclonedx.schema import SchemaVersion\n"
        "from cyclonedx.validation.json import JsonStrictValidator\n"
        "print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))\n"
    )
    assert _run([tools / "python", "-c", check, bill], dist).strip() == "None"
    text = bill.read_text()
    assert "file:" not in text
    licences = (dist / "THIRD-PARTY-LICENSES.txt").read_text()
    components = {(each["name"], each["version"]) for each in json.loads(text)["components"]}
    assert {"numpy", "tantivy", "tree-sitter", "vscode-languageclient"} <= {name for name, _ in components}
    for name, version in components:
        assert f"\n{name} {version} (" in licences


def test_extension_holds_the_wheel_and_its_licences(dist: Path) -> None:
    [wheel] = dist.glob("*.whl")
    for package in dist.glob("*.vsix"):
        with zipfile.ZipFile(package) as archive:
            assert archive.read(f"extension/server/{wheel.name}") == wheel.read_bytes()
            assert b"vscode-languageclient" in archive.read("extension/THIRD-PARTY-LICENSES.txt")


@pytest.mark.needs("neovim")
def test_neovim_plugin_starts_from_its_archive(dist: Path, tmp_path: Path) -> None:
    [plugin] = dist.glob("scry.nvim-*.tar.gz")
    with tarfile.open(plugin) as archive:
        archive.extractall(tmp_path, filter="data")
    commands = ["-c", "lua io.write(vim.fn.exists(':Scry') .. ' ' .. vim.inspect(require('scry').find ~= nil))"]
    program = ROOT / ".cache/neovim/0.12/bin/nvim"
    runtime = ["--cmd", f"set rtp^={tmp_path}/scry.nvim"]
    assert _run([program, "--headless", "--clean", *runtime, *commands, "-c", "help scry", "-c", "qa"], tmp_path) == (
        "2 true"
    )


def test_release_has_the_same_bytes_when_made_in_another_folder(dist: Path, tools: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "a clone"
    subprocess.run(["git", "clone", "-q", "--shared", ROOT, elsewhere], check=True)
    _run(["git", "checkout", "-q", "--detach", _run(["git", "rev-parse", "HEAD"], ROOT).strip()], elsewhere)
    shutil.copytree(
        ROOT / "editor/vscode/node_modules",
        elsewhere / "editor/vscode/node_modules",
        copy_function=os.link,
        symlinks=True,
    )
    modules = os.pathsep.join(str(elsewhere / part) for part in ("server", "protocol"))
    command = [sys.executable, "-m", "release", tmp_path / "dist", "--tools", tools]
    _run(command, elsewhere, {**os.environ, "PYTHONPATH": modules})
    assert (tmp_path / "dist" / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()
