"""`make try-vscode`: what it starts answers where it says, and ends with it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import urllib.request

import pytest

from tests.e2e.vscode.code_server import CLIENT, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.needs("vscode"), pytest.mark.timeout(400)]


@pytest.mark.acceptance("C1")
def test_try_script_serves_until_ended() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = ["bash", str(CLIENT / "scripts" / "try.sh"), str(ROOT)]
    environ = {**os.environ, "PORT": port}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True, start_new_session=True) as tried:
        assert tried.stdout
        try:
            words = ""
            while not (address := re.search(r"http://127\.0\.0\.1:\d+/\S+", words)):
                line = tried.stdout.readline()
                assert line, f"it ended: {words}"
                words += line
            with urllib.request.urlopen(address.group(), timeout=30) as page:
                assert b"workbench" in page.read()
        finally:
            os.killpg(tried.pid, signal.SIGTERM)
        tried.wait(60)
