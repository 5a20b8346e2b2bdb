"""The sidecar's life in a real VS Code: killed and back, missing and installed, another by setting, gone at the end."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.vscode.code_server import CLIENT, CodeServer
from tests.e2e.vscode.conftest import OpenWindow
from tests.e2e.vscode.processes import of_scry, sidecars
from tests.live_files import walk_live
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", SHOP)


@pytest.fixture
def server(tmp_path: Path, extensions: Path) -> Iterator[CodeServer]:
    soon = {"SCRY_INDEXER_LINGER": "1"}  # seconds that an indexer waits for another client
    with CodeServer(tmp_path / "server", extensions, environ=soon) as server:
        yield server


@pytest.mark.acceptance("C1")
def test_killed_sidecar_restarts_and_ends_with_the_window(
    open_window: OpenWindow, server: CodeServer, shop: Path
) -> None:
    window = open_window(server, shop)
    [first] = eventually(lambda: sidecars(server), "a sidecar")
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.escape()
    os.kill(first, signal.SIGKILL)
    eventually(lambda: (now := sidecars(server)) and now != [first] and now, "another sidecar")
    expect(window.notifications).to_have_count(0)
    eventually(lambda: "it was ended by SIGKILL" in server.log(), "the end of the first sidecar in the log")
    window.find("prices")
    expect(window.row("compute_total")).to_be_visible()
    window.close()
    eventually(lambda: not of_scry(server), "the end of all processes of Scry")


@pytest.mark.acceptance("C1")
@pytest.mark.parametrize("before", ["", "head -c 20 >/dev/null;"], ids=["at-once", "at-its-first-request"])
def test_sidecar_killed_while_it_starts_is_started_again(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path, before: str
) -> None:
    program = Path(sys.executable).parent / "scry"
    mortal = tmp_path / "scry"
    mortal.write_text(
        f'#!/bin/sh\nif [ "$1" = lsp ] && mkdir "{tmp_path}/killed" 2>/dev/null; then {before} kill -9 $$; fi\n'
        f'exec "{program}" "$@"\n'
    )
    mortal.chmod(0o755)
    with CodeServer(tmp_path / "server", extensions, machine={"scry.path": str(mortal)}) as server:
        window = open_window(server, shop)
        eventually(lambda: "ended by SIGKILL" in server.log(), "the end of the first sidecar")
        window.find("receipt")
        expect(window.row("send_receipt")).to_be_visible()
        expect(window.notifications).to_have_count(0)
        assert "-32097" not in server.log()


@pytest.mark.acceptance("C1")
def test_model_that_was_unset_is_no_longer_used(open_window: OpenWindow, server: CodeServer, shop: Path) -> None:
    server.write_settings("Machine", {"scry.model": "nobody/nothing"})
    window = open_window(server, shop)
    window.open_file("mail.py")
    eventually(lambda: "nobody/nothing" in window.status(), "the fault of the model in the status")
    server.write_settings("Machine", {})
    eventually(lambda: "4 files indexed" in window.status(), "the state with the bundled model")
    eventually(lambda: "nobody/nothing" not in window.status(), "no word of the model")


@pytest.mark.acceptance("C1")
def test_picker_offers_the_remedy_when_there_is_no_sidecar(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\necho '[\"3.8.10\", false, true, null]'\n")
    old.chmod(0o755)
    environ = {"PATH": _without_scry(tmp_path / "bin", ["git"])}
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine={"scry.interpreter": str(old)}) as server:
        window = open_window(server, shop)
        expect(window.notifications.filter(has_text="Scry needs its sidecar")).to_have_count(1)
        window.command("Notifications: Clear All Notifications")
        window.find("receipt")
        expect(window.row("not installed yet")).to_be_visible()
        expect(window.focused_row).to_contain_text("Install")
        window.press("Enter")
        expect(window.notifications.filter(has_text="needs Python 3.10 or newer")).to_contain_text("3.8.10")


def _without_scry(folder: Path, programs: Sequence[str]) -> str:
    """Return a PATH on which there is no scry: links to the programs that a test needs, and nothing else."""
    folder.mkdir()
    for name in programs:
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(found)
    return f"{folder}:/usr/bin:/bin"


@pytest.mark.acceptance("C1")
def test_missing_sidecar_is_installed_from_the_bundled_wheel(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    environ = {"PATH": _without_scry(tmp_path / "bin", ["git"])}
    machine = {"scry.interpreter": _bare_python(tmp_path / "python")}
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine=machine) as server:
        window = open_window(server, shop)
        offer = window.notifications.filter(has_text="Scry needs its sidecar")
        expect(offer).to_have_count(1)
        offer.get_by_role("button", name="Install", exact=True).click()
        eventually(lambda: sidecars(server), "the installed sidecar", patience_s=240)
        window.find("receipt")
        expect(window.row("send_receipt")).to_be_visible()
        eventually(lambda: "the extension's own installation" in server.log(), "the sidecar's origin in the log")
        [packages] = server.profile.glob("User/globalStorage/*/sidecar/*/lib/*/site-packages")
        sizes = [status.st_size for file, status in walk_live(packages) if file.is_file()]  # Python compiles meanwhile
        megabytes = sum(sizes) / 1e6
        print(f"installed: {megabytes:.0f} MB")
        told = re.search(r"INSTALLED_MB = (\d+)", (CLIENT / "src/sidecar/install.ts").read_text(encoding="utf-8"))
        assert told
        assert 0.9 < megabytes / int(told[1]) < 1.1
        assert not [name for name in ("distutils", "f2py") if (packages / "numpy" / name).exists()]
        assert (packages / "numpy" / "linalg").is_dir()
        assert not list((packages / "numpy").rglob("tests"))  # what the sidecar never imports
        assert not list(packages.glob("setuptools*"))


def _bare_python(folder: Path) -> str:
    """Return an interpreter without any of our packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return str(folder / "bin" / "python")


@pytest.mark.acceptance("C1")
def test_missing_or_old_python_is_explained(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\necho '[\"3.8.10\", false, true, null]'\n")
    old.chmod(0o755)
    environ = {"PATH": _without_scry(tmp_path / "bin", ["git"])}
    with CodeServer(tmp_path / "server", extensions, environ=environ, machine={"scry.interpreter": str(old)}) as server:
        window = open_window(server, shop)
        offer = window.notifications.filter(has_text="Scry needs its sidecar")
        offer.get_by_role("button", name="Install", exact=True).click()
        expect(window.notifications.filter(has_text="needs Python 3.10 or newer")).to_contain_text("3.8.10")


@pytest.mark.acceptance("C1")
def test_status_item_shows_failure_and_remedy(
    open_window: OpenWindow, tmp_path: Path, extensions: Path, shop: Path
) -> None:
    with CodeServer(tmp_path / "server", extensions, machine={"scry.path": "/nowhere/scry"}) as server:
        window = open_window(server, shop)
        window.open_file("mail.py")
        eventually(lambda: "not running" in window.status(), "the failure in the status item")
        eventually(
            lambda: "The setting scry.path names /nowhere/scry" in window.status(), "the reason in the status item"
        )
        window.status_action("Open Settings").click()
        expect(window.page.locator(".settings-editor .setting-item-contents", has_text="Hover").first).to_be_visible()


@pytest.mark.acceptance("C1", "U1", "U2")
def test_what_was_opened_is_found_by_until_learning_is_switched_off(
    open_window: OpenWindow, server: CodeServer, shop: Path
) -> None:
    window = open_window(server, shop)
    window.find("how is a receipt sent")
    expect(window.row("send_receipt")).to_be_visible()
    window.press("Enter")
    expect(window.active_tab).to_contain_text("mail.py")

    def has_use() -> bool:
        window.find("how is a receipt sent")
        expect(window.row("send_receipt")).to_be_visible()
        found = "use #1" in window.row("send_receipt").locator(".label-description").first.inner_text()
        window.escape()
        return found

    eventually(has_use, "the evidence of the use")
    server.write_settings("Machine", {"scry.learn": False, "scry.learnWeights": "auto"})
    eventually(lambda: not has_use(), "no evidence of a use")
    window.command("Scry: Show Debug Information")
    expect(window.page.locator(".view-lines").first).to_contain_text('"SCRY_LEARN_WEIGHTS": "auto"')


@pytest.mark.acceptance("C1")
def test_settings_apply_at_once(open_window: OpenWindow, server: CodeServer, shop: Path) -> None:
    window = open_window(server, shop)
    before = eventually(lambda: sidecars(server), "a sidecar")
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    window.escape()
    server.write_settings("Machine", {"scry.path": "/nowhere/scry"})
    eventually(lambda: not set(before) & set(sidecars(server)), "the end of the first sidecar")
    window.find("receipt")
    eventually(lambda: "The setting scry.path names /nowhere/scry" in " ".join(window.labels()), "the message")
    window.escape()
    program = str(Path(sys.executable).parent / "scry")
    server.write_settings("Machine", {"scry.path": program, "scry.picker.limit": 1, "scry.picker.preview": False})
    eventually(lambda: sidecars(server), "a sidecar by the setting")
    window.find("receipt")
    expect(window.row("send_receipt")).to_be_visible()
    expect(window.rows).to_have_count(2)  # one result, and the line that asks for more
    expect(window.tab("mail.py")).to_be_hidden()
