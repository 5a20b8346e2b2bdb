from __future__ import annotations

import os
import subprocess
import sys

from scry.surfaces.lsp.process import is_process_alive


def test_a_process_is_alive_until_it_ended() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_process_alive(process.pid)
    assert is_process_alive(os.getpid())
    process.communicate(b"\n")
    assert not is_process_alive(process.pid)
