"""The packages of the extension: what they hold, how they install the sidecar offline, and how they update it.

The packages for one platform are made by `make vsix-platforms`, which runs these tests on them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CLIENT, EXTENSION, CodeServer, install_extension
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.log import events
from tests.e2e.vscode.processes import processes, sidecars
from tests.e2e.vscode.window import Window
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

_LINUX = ["2014", *(f"_2_{minor}" for minor in range(5, 29))]
PLATFORMS: Mapping[str, list[str]] = {
    "linux-x64": [f"manylinux{version}_x86_64" for version in _LINUX],
    "linux-arm64": [f"manylinux{version}_aarch64" for version in _LINUX],
    "darwin-arm64": ["macosx_13_0_arm64"],
    "win32-x64": ["win_amd64"],
}
"""Targets of the packages -> the tags of the wheels that their oldest system takes, as VS Code needs it."""

MARKETPLACE_CATEGORIES = {"AI", "Education", "Machine Learning", "Other", "Programming Languages", "Testing"}

NO_NETWORK = {
    "PIP_CONFIG_FILE": "/dev/null",
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    "PIP_FIND_LINKS": "",
    "PIP_RETRIES": "0",
    "UV_OFFLINE": "1",
    "UV_NO_CONFIG": "1",
}
"""No index answers, and nothing is cached: the home is new."""

IMAGE = re.compile(r"!\[[^\]]*\]\((?P<target>[^)]+)\)")


def package_of(target: str) -> Path:
    return CLIENT / "dist" / f"scry-{target}.vsix"


def manifest_of(package: zipfile.ZipFile) -> dict[str, Any]:
    return json.loads(package.read("extension/package.json"))


def names_in(package: zipfile.ZipFile) -> list[str]:
    return [name.removeprefix("extension/") for name in package.namelist() if name.startswith("extension/")]


# What they hold ---------------------------------------------------------------------------------------------------


@pytest.mark.needs("vscode")
def test_package_has_what_a_marketplace_asks_for() -> None:
    with zipfile.ZipFile(EXTENSION) as package:
        names = {name.lower(): name for name in names_in(package)}
        manifest = manifest_of(package)
        readme = package.read(f"extension/{names['readme.md']}").decode()
        for part in ("changelog.md", "license.txt"):
            assert len(package.read(f"extension/{names[part]}")) > 500
        assert package.read(f"extension/{manifest['icon']}").startswith(b"\x89PNG")
    assert manifest["publisher"]
    assert manifest["license"] == "MIT"
    assert set(manifest["categories"]) <= MARKETPLACE_CATEGORIES
    assert not manifest.keys() & {"private", "devDependencies", "scripts"}
    assert "example.invalid" not in json.dumps(manifest)
    pictures = [image["target"] for image in IMAGE.finditer(readme)]
    assert len(pictures) >= 2
    assert [picture for picture in pictures if picture.lower() not in names] == []
    assert [name for name in names if name.endswith((".ts", ".map", ".py", ".sh"))] == []
    assert [name for name in names if name.endswith(".whl")] == [name for name in names if "scry_sidecar-" in name]


@pytest.mark.needs("node")
def test_publisher_and_repository_are_filled_in_at_packaging(tmp_path: Path) -> None:
    environ = {"SCRY_PUBLISHER": "someone", "SCRY_REPOSITORY": "https://code.example/scry", "PATH": _path_of("node")}
    subprocess.run(["node", "scripts/manifest.mjs", tmp_path], cwd=CLIENT, env=environ, check=True)
    manifest = json.loads((tmp_path / "package.json").read_text(encoding="utf-8"))
    assert manifest["publisher"] == "someone"
    assert manifest["repository"]["url"] == "https://code.example/scry.git"
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    targets = [image["target"] for image in IMAGE.finditer(readme)]
    assert all(target.startswith("https://code.example/scry/raw/HEAD/docs/images/vscode-") for target in targets)
    assert all((CLIENT / "../../docs/images" / target.rpartition("/")[2]).is_file() for target in targets)


def _path_of(program: str) -> str:
    return str(Path(shutil.which(program) or program).parent)


@pytest.mark.needs("platform-packages")
@pytest.mark.parametrize("target", PLATFORMS)
def test_platform_package_holds_the_wheels_of_all_dependencies(target: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(package_of(target)) as package:
        assert f'TargetPlatform="{target}"' in package.read("extension.vsixmanifest").decode()
        package.extractall(tmp_path, [name for name in package.namelist() if name.endswith((".whl", "pythons.json"))])
    server = tmp_path / "extension" / "server"
    [sidecar] = server.glob("*.whl")
    pythons = json.loads((server / "wheels" / "pythons.json").read_text())
    assert len(pythons) >= 3
    for python in pythons:
        source = ["--no-index", "--find-links", str(server / "wheels"), "--only-binary", ":all:"]
        platform = [word for tag in PLATFORMS[target] for word in ("--platform", tag)]
        python_tags = ["--implementation", "cp", "--python-version", python, "--target", str(tmp_path / "nowhere")]
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--quiet",
            *source,
            *platform,
            *python_tags,
            sidecar,
        ]
        environ = {"PIP_CONFIG_FILE": "/dev/null", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(pip, check=False, capture_output=True, text=True, env=environ)
        assert done.returncode == 0, (python, done.stderr)


# What they do ------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)


@pytest.fixture(scope="module")
def package() -> Path:
    return package_of("linux-x64")


def python_of(folder: Path, answer: str = "") -> str:
    """Return an interpreter without any of our packages. answer: what it says of itself instead of the truth."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "bare"], check=True)
    bare = folder / "bare" / "bin" / "python"
    if not answer:
        return str(bare)
    liar = folder / "liar"
    liar.write_text(f'#!/bin/sh\ncase "$2" in *scry_protocol*) echo \'{answer}\';; *) exec {bare} "$@";; esac\n')
    liar.chmod(0o755)
    return str(liar)


def path_with(folder: Path, *programs: str) -> str:
    """Return a PATH with these programs and the system's, and without scry."""
    folder.mkdir()
    for name in programs:
        (folder / name).symlink_to(shutil.which(name) or Path(sys.executable).with_name(name))
    return f"{folder}:/usr/bin:/bin"


def accept_offer(window: Window, words: str) -> None:
    offer = window.notifications.filter(has_text="Scry needs its sidecar")
    expect(offer).to_contain_text(words)
    offer.get_by_role("button", name="Install", exact=True).click()


def environments(server: CodeServer) -> list[Path]:
    """Return the complete environments of the sidecar that the extension has made."""
    return [file.parent for file in server.profile.glob("User/globalStorage/*/sidecar/*/complete")]


@pytest.mark.acceptance("C1")
@pytest.mark.needs("vscode", "platform-packages")
@pytest.mark.parametrize("program", ["pip", "uv"])
def test_sidecar_is_installed_without_a_network(
    open_window: OpenWindow, tmp_path: Path, package: Path, shop: Path, program: str
) -> None:
    extensions = install_extension(tmp_path / "installed", ours=package)
    has_uv = program == "uv"
    programs = ["git", *(["uv"] if has_uv else [])]
    environ = {"PATH": path_with(tmp_path / "bin", *programs), **NO_NETWORK}
    # Debian's Python has no venv; uv needs none.
    answer = json.dumps([".".join(map(str, sys.version_info[:3])), True, False, None]) if has_uv else ""
    machine = {"scry.interpreter": python_of(tmp_path, answer)}
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine=machine) as server:
        window = open_window(server, shop)
        accept_offer(window, "nothing is downloaded for Python 3.11, 3.12, 3.13")
        eventually(lambda: sidecars(server), "the installed sidecar", patience_s=240)
        window.find("receipt")
        expect(window.row("send_receipt")).to_be_visible()
        log = server.log()
        assert "--no-index" in log
        assert ("uv venv" in log) == has_uv
        assert window.outside() == []
        [environment] = environments(server)
        told = re.search(r"INSTALLED_MB = (\d+)", (CLIENT / "src/sidecar/install.ts").read_text(encoding="utf-8"))
        assert told
        megabytes = sum(file.lstat().st_size for file in environment.rglob("*") if file.is_file()) / 1e6
        print(f"{program}: {megabytes:.0f} MB")
        assert 0.8 < megabytes / int(told[1]) < 1.2


@pytest.mark.acceptance("C1")
@pytest.mark.needs("vscode", "platform-packages")
def test_python_that_no_wheel_is_for_is_named(
    open_window: OpenWindow, tmp_path: Path, package: Path, shop: Path
) -> None:
    extensions = install_extension(tmp_path / "installed", ours=package)
    environ = {"PATH": path_with(tmp_path / "bin", "git"), **NO_NETWORK}
    machine = {"scry.interpreter": python_of(tmp_path, '["3.99.1", true, true, null]')}
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine=machine) as server:
        window = open_window(server, shop)
        accept_offer(window, "3.13")
        problem = window.notifications.filter(has_text="carries what the sidecar needs for Python 3.11, 3.12, 3.13")
        expect(problem).to_contain_text("Here is Python 3.99.1")
        assert environments(server) == []


@pytest.fixture
def updates(tmp_path: Path, package: Path) -> Mapping[str, Path]:
    """Return packages of later versions: 0.1.1, and 0.1.2 whose sidecar needs what nobody has."""
    return {
        "0.1.1": later_package(package, tmp_path / "0.1.1", "0.1.1"),
        "0.1.2": later_package(package, tmp_path / "0.1.2", "0.1.2", needs="nobody-has-this"),
    }


def later_package(package: Path, folder: Path, version: str, needs: str = "") -> Path:
    """Return the package as of a later version, of which the sidecar says so, too."""
    with zipfile.ZipFile(package) as old:
        old.extractall(folder / "package")
    shipped = folder / "package" / "extension"
    for file in (shipped / "package.json", folder / "package" / "extension.vsixmanifest"):
        file.write_text(file.read_text(encoding="utf-8").replace('"0.1.0"', f'"{version}"'), encoding="utf-8")
    [wheel] = (shipped / "server").glob("*.whl")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(wheel.with_name(_raised(wheel.name, version)), "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith(("dist-info/METADATA", "dist-info/RECORD", "scry/__init__.py")):
                raised = _raised(text.decode(), version)
                needed = f"Requires-Dist: {needs}\n" if needs else ""
                text = raised.replace("Requires-Python:", f"{needed}Requires-Python:", 1).encode()
            new.writestr(_raised(name, version), text)
    wheel.unlink()
    made = folder / "scry.vsix"
    with zipfile.ZipFile(made, "w") as vsix:
        for file in (folder / "package").rglob("*"):
            vsix.write(file, file.relative_to(folder / "package"))
    return made


def _raised(text: str, version: str) -> str:
    return text.replace("0.1.0", version)


@pytest.mark.acceptance("C1", "E4")
@pytest.mark.needs("vscode", "platform-packages")
def test_update_brings_the_new_sidecar_and_keeps_index_and_log(
    open_window: OpenWindow, tmp_path: Path, package: Path, shop: Path, updates: Mapping[str, Path]
) -> None:
    """A later update fails: the sidecar that is installed goes on."""
    extensions = install_extension(tmp_path / "installed", ours=package)
    environ = {"PATH": path_with(tmp_path / "bin", "git"), "SCRY_INDEXER_LINGER": "1", **NO_NETWORK}
    machine = {"scry.interpreter": python_of(tmp_path)}
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine=machine) as server:
        window = open_window(server, shop)
        accept_offer(window, "3.13")
        eventually(lambda: sidecars(server), "the installed sidecar", patience_s=240)
        jump(window)
        eventually(lambda: len(events(server.home, "scry.use")) == 1, "the use in the log")
        [index] = server.home.glob("cache/**/index.sqlite")
        made = index.stat().st_ino
        window.close()
        [first] = environments(server)
        install_extension(tmp_path / "installed", ours=updates["0.1.1"])
        window = open_window(server, shop)
        [second] = eventually(lambda: replaced(server, first), "the environment of the update", patience_s=240)
        eventually(lambda: sidecar_of(server, second), "the sidecar of the update")
        assert shown_version(second) == "scry 0.1.1"
        expect(window.notifications).to_have_count(0)
        jump(window)
        eventually(lambda: len(events(server.home, "scry.use")) == 2, "the second use in the same log")
        assert index.stat().st_ino == made
        window.close()
        install_extension(tmp_path / "installed", ours=updates["0.1.2"])
        window = open_window(server, shop)
        eventually(lambda: "nobody-has-this" in server.log(), "the update that fails", patience_s=240)
        eventually(lambda: sidecar_of(server, second), "the sidecar that is installed")
        jump(window)
        assert environments(server) == [second]


def replaced(server: CodeServer, first: Path) -> list[Path]:
    """Return the one environment once it is another than the first one, which is removed then."""
    now = environments(server)
    return now if len(now) == 1 and now != [first] else []


def jump(window: Window) -> None:
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("mail.py")


def sidecar_of(server: CodeServer, environment: Path) -> list[str]:
    return [
        command for pid, command in processes(server).items() if pid in sidecars(server) and str(environment) in command
    ]


def shown_version(environment: Path) -> str:
    command = [str(environment / "bin" / "python"), "-m", "scry", "--version"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
